// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/live_resources.h"

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "probes/verbs/live_errors.h"

namespace roceready::probes::verbs::live {

// What a destroy call says is of no use: after the device failed there is nothing more to be done about it.
void Close::operator()(ibv_ah* handle) const {
  (void)::ibv_destroy_ah(handle);
}
void Close::operator()(ibv_comp_channel* channel) const {
  (void)::ibv_destroy_comp_channel(channel);
}
void Close::operator()(ibv_context* context) const {
  (void)::ibv_close_device(context);
}
void Close::operator()(ibv_cq* queue) const {
  (void)::ibv_destroy_cq(queue);
}
void Close::operator()(ibv_mr* region) const {
  (void)::ibv_dereg_mr(region);
}
void Close::operator()(ibv_pd* domain) const {
  (void)::ibv_dealloc_pd(domain);
}
void Close::operator()(ibv_qp* pair) const {
  (void)::ibv_destroy_qp(pair);
}
void Memory::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

Qp create_pair(ibv_pd* domain, ibv_qp_init_attr wanted, std::uint32_t& inline_bytes) {
  wanted.cap.max_inline_data = inline_bytes;
  ibv_qp_init_attr got = wanted;
  errno = 0;
  Qp pair(::ibv_create_qp(domain, &got));
  if (pair == nullptr && inline_bytes != 0) {  // some drivers refuse instead of offering less
    got = wanted;
    got.cap.max_inline_data = 0;
    errno = 0;
    pair.reset(::ibv_create_qp(domain, &got));
  }
  inline_bytes = pair == nullptr ? 0 : got.cap.max_inline_data;
  return pair;
}

Result<Memory> Memory::create(ibv_pd* domain, std::size_t bytes, unsigned access, const std::string& where) {
  const long page = ::sysconf(_SC_PAGESIZE);
  const std::size_t unit = page > 0 ? static_cast<std::size_t>(page) : 4096;
  Memory memory;
  memory.size_ = (bytes + unit - 1) / unit * unit;
  memory.data_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, memory.size_)));
  if (memory.data_ == nullptr) return os_error(ENOMEM, "no memory for buffers", where);
  std::memset(memory.data_.get(), 0, memory.size_);
  errno = 0;
  // An inline wrapper: the header's macro takes constant and variable access flags apart.
  memory.region_.reset(::ibv_reg_mr(domain, memory.data_.get(), memory.size_, static_cast<int>(access)));
  if (memory.region_ == nullptr)
    return refusal(errno, "cannot register " + std::to_string(memory.size_ / 1024) + " KiB with the NIC", where);
  return memory;
}

std::uint32_t Memory::local_key() const {
  return region_->lkey;
}
std::uint32_t Memory::remote_key() const {
  return region_->rkey;
}

std::int64_t CycleClock::nanoseconds(std::uint64_t cycles) {
  if (!last_) last_ = cycles & clock_.mask;
  const std::uint64_t forward = (cycles - *last_) & clock_.mask;
  if (forward <= clock_.mask / 2) {
    total_ += static_cast<std::int64_t>(forward);
    last_ = cycles & clock_.mask;
  }
  // One that is older than the newest: backwards from there, and the newest stays.
  const std::int64_t at =
      forward <= clock_.mask / 2 ? total_ : total_ - static_cast<std::int64_t>((*last_ - cycles) & clock_.mask);
  const auto per_millisecond = static_cast<std::int64_t>(clock_.kilohertz);
  return at / per_millisecond * 1'000'000 + at % per_millisecond * 1'000'000 / per_millisecond;
}

CompletionQueue::CompletionQueue(Context context, NicClock clock, std::string where)
    : context_(std::move(context)), where_(std::move(where)), nic_(clock), clock_(clock) {}

Result<std::unique_ptr<CompletionQueue>> CompletionQueue::create(const Context& context, std::uint32_t entries,
                                                                 NicClock clock, const std::string& where) {
  std::unique_ptr<CompletionQueue> queue(new CompletionQueue(context, clock, where));
  if (auto opened = queue->open(entries); !opened) return opened.error();
  return queue;
}

Result<void> CompletionQueue::open(std::uint32_t entries) {
  errno = 0;
  channel_.reset(::ibv_create_comp_channel(context_.get()));
  if (channel_ == nullptr) return refusal(errno, "cannot create a completion channel", where_);
  const int flags = ::fcntl(channel_->fd, F_GETFL);
  if (flags < 0 || ::fcntl(channel_->fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return os_error(errno, "cannot prepare the completion channel", where_);
  if (nic_.usable()) {
    ibv_cq_init_attr_ex wanted{};
    wanted.cqe = entries;
    wanted.channel = channel_.get();
    wanted.wc_flags =
        IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_SRC_QP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
    extended_ = ::ibv_create_cq_ex(context_.get(), &wanted);
    if (extended_ != nullptr) queue_.reset(::ibv_cq_ex_to_cq(extended_));
  }
  if (queue_ == nullptr) {  // no time stamps here: the plain one
    errno = 0;
    queue_.reset(::ibv_create_cq(context_.get(), static_cast<int>(entries), nullptr, channel_.get(), 0));
  }
  if (queue_ == nullptr) return refusal(errno, "cannot create a completion queue", where_);
  return {};
}

CompletionQueue::~CompletionQueue() {
  if (queue_ == nullptr) return;
  drain_channel();
  if (unacknowledged_ > 0) ::ibv_ack_cq_events(queue_.get(), unacknowledged_);
}

int CompletionQueue::fd() const {
  return channel_->fd;
}
ibv_cq* CompletionQueue::handle() const {
  return queue_.get();
}

void CompletionQueue::drain_channel() {
  ibv_cq* queue = nullptr;
  void* unused = nullptr;
  // The descriptor does not block; each wake-up asked for brings one event at most.
  for (int i = 0; i < 1024 && ::ibv_get_cq_event(channel_.get(), &queue, &unused) == 0; ++i) ++unacknowledged_;
}

Result<void> CompletionQueue::wake_on_completion() {
  drain_channel();
  if (unacknowledged_ >= 256) {  // acknowledging takes a lock: not each time
    ::ibv_ack_cq_events(queue_.get(), unacknowledged_);
    unacknowledged_ = 0;
  }
  if (const int failed = ::ibv_req_notify_cq(queue_.get(), 0))
    return os_error(failed < 0 ? -failed : failed, "cannot ask for a wake-up", where_);
  return {};
}

Result<std::size_t> CompletionQueue::poll(std::vector<RawCompletion>& into, std::size_t most) {
  into.clear();
  return extended_ != nullptr ? poll_extended(into, most) : poll_plain(into, most);
}

Result<std::size_t> CompletionQueue::poll_plain(std::vector<RawCompletion>& into, std::size_t most) {
  ibv_wc work[32];
  const int count = ::ibv_poll_cq(queue_.get(), static_cast<int>(std::min<std::size_t>(most, std::size(work))), work);
  if (count < 0) return Error{ErrorCode::Io, "cannot poll the completion queue: the device is gone", where_, 0};
  for (int i = 0; i < count; ++i) {
    const ibv_wc& done = work[i];
    into.push_back({static_cast<Status>(done.status), done.wr_id, done.byte_len, done.qp_num, done.src_qp,
                    done.vendor_err, (done.wc_flags & IBV_WC_GRH) != 0, std::nullopt});
  }
  return into.size();
}

Result<std::size_t> CompletionQueue::poll_extended(std::vector<RawCompletion>& into, std::size_t most) {
  ibv_poll_cq_attr none{};
  int failed = ::ibv_start_poll(extended_, &none);
  if (failed == ENOENT) return std::size_t{0};
  if (failed != 0) return os_error(failed < 0 ? -failed : failed, "cannot poll the completion queue", where_);
  while (failed == 0) {
    RawCompletion done;
    done.status = static_cast<Status>(extended_->status);
    done.id = extended_->wr_id;
    done.queue_pair = ::ibv_wc_read_qp_num(extended_);
    if (extended_->status == IBV_WC_SUCCESS) {  // nothing else may be read of a failed one
      done.bytes = ::ibv_wc_read_byte_len(extended_);
      done.nic_ns = clock_.nanoseconds(::ibv_wc_read_completion_ts(extended_));
      if (::ibv_wc_read_opcode(extended_) == IBV_WC_RECV) {
        done.source_queue_pair = ::ibv_wc_read_src_qp(extended_);
        done.has_grh = (::ibv_wc_read_wc_flags(extended_) & IBV_WC_GRH) != 0;
      }
    } else {
      done.vendor_error = ::ibv_wc_read_vendor_err(extended_);
    }
    into.push_back(done);
    if (into.size() >= most) break;
    failed = ::ibv_next_poll(extended_);
  }
  ::ibv_end_poll(extended_);
  if (failed != 0 && failed != ENOENT && into.empty())
    return os_error(failed < 0 ? -failed : failed, "cannot poll the completion queue", where_);
  return into.size();
}

}  // namespace roceready::probes::verbs::live
