// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/live_ud.h"

#include <infiniband/verbs.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "probes/verbs/live_address.h"
#include "probes/verbs/live_errors.h"

namespace roceready::probes::verbs::live {
namespace {

constexpr std::size_t kGrh = 40;
constexpr std::uint32_t kInline = 64;           // a small probe
constexpr std::int64_t kRetryNs = 100'000'000;  // between two tries to bring a queue pair back

// A work request's id: direction, queue pair, generation, slot.
constexpr std::uint64_t kReceiveBit = 1ULL << 63;
std::uint64_t request_id(bool receive, std::uint32_t pair, std::uint32_t generation, std::uint32_t slot) {
  return (receive ? kReceiveBit : 0) | static_cast<std::uint64_t>(pair & 0xff) << 48 |
         static_cast<std::uint64_t>(generation & 0xffff) << 32 | slot;
}

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

Error bad(const char* what) {
  return Error{ErrorCode::Usage, what, "datagram queue pairs", 0};
}

}  // namespace

LiveUd::LiveUd(const PortHandle& port, const UdOptions& options)
    : port_(port), options_(options), where_("datagrams on " + port.name.text()) {}

Result<std::unique_ptr<Ud>> LiveUd::create(const PortHandle& port, const UdOptions& options) {
  if (options.queue_pairs < 1 || options.queue_pairs > 64) return bad("1 to 64 queue pairs");
  if (options.receive_slots < 1 || options.receive_slots > 4096) return bad("1 to 4096 receive slots");
  if (options.send_slots < 1 || options.send_slots > 4096) return bad("1 to 4096 send slots");
  if (options.payload_bytes < 1 || options.payload_bytes > 4096) return bad("payload of 1 to 4096 bytes");
  if ((options.qkey & 0x80000000) != 0) return bad("a QKey with bit 31 needs a capability");
  std::unique_ptr<LiveUd> ud(new LiveUd(port, options));
  if (auto opened = ud->open(); !opened) return opened.error();
  return std::unique_ptr<Ud>(std::move(ud));
}

std::size_t LiveUd::slot_bytes() const {
  return (kGrh + options_.payload_bytes + 63) / 64 * 64;
}
std::byte* LiveUd::receive_slot(std::uint32_t pair, std::uint32_t slot) const {
  return memory_->data() + (static_cast<std::size_t>(pair) * options_.receive_slots + slot) * slot_bytes();
}
std::byte* LiveUd::send_slot(std::uint32_t slot) const {
  return receive_slot(static_cast<std::uint32_t>(options_.queue_pairs), slot);
}

Result<void> LiveUd::open() {
  errno = 0;
  domain_.reset(::ibv_alloc_pd(port_.context.get()));
  if (domain_ == nullptr) return refusal(errno, "cannot allocate a protection domain", where_);
  const std::size_t slots =
      static_cast<std::size_t>(options_.queue_pairs) * options_.receive_slots + options_.send_slots;
  auto memory = Memory::create(domain_.get(), slots * slot_bytes(), IBV_ACCESS_LOCAL_WRITE, where_);
  if (!memory) return memory.error();
  memory_.emplace(std::move(*memory));
  if (port_.max_completions != 0 && slots > port_.max_completions)
    return Error{ErrorCode::Usage, "the device has no completion queue of that many entries", where_, 0};
  auto completions = CompletionQueue::create(port_.context, static_cast<std::uint32_t>(slots), port_.clock, where_);
  if (!completions) return completions.error();
  completions_ = std::move(*completions);
  sends_.resize(options_.send_slots);
  for (std::uint32_t slot = 0; slot < options_.send_slots; ++slot) free_sends_.push_back(slot);
  pairs_.resize(options_.queue_pairs);
  for (std::uint32_t i = 0; i < options_.queue_pairs; ++i) {
    if (auto made = make_pair(pairs_[i]); !made) return made;
    if (auto up = bring_up(i); !up) return up;
  }
  return {};
}

Result<void> LiveUd::make_pair(Pair& pair) {
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_UD;
  wanted.send_cq = wanted.recv_cq = completions_->handle();
  wanted.cap.max_send_wr = options_.send_slots;
  wanted.cap.max_recv_wr = options_.receive_slots;
  wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
  wanted.sq_sig_all = 1;
  pair.inline_bytes = kInline;
  pair.pair = create_pair(domain_.get(), wanted, pair.inline_bytes);
  if (pair.pair == nullptr) return refusal(errno, "cannot create a datagram queue pair", where_);
  return {};
}

Result<void> LiveUd::bring_up(std::uint32_t index) {
  Pair& pair = pairs_[index];
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = static_cast<std::uint8_t>(port_.name.port);
  to.qkey = options_.qkey;
  if (const int failed =
          ::ibv_modify_qp(pair.pair.get(), &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY))
    return refusal(failed, "cannot initialise a datagram queue pair", where_);
  for (std::uint32_t slot = 0; slot < options_.receive_slots; ++slot)
    if (auto posted = post_receive(index, slot); !posted) return posted;
  to = {};
  to.qp_state = IBV_QPS_RTR;
  if (const int failed = ::ibv_modify_qp(pair.pair.get(), &to, IBV_QP_STATE))
    return refusal(failed, "cannot make a datagram queue pair receive", where_);
  to = {};
  to.qp_state = IBV_QPS_RTS;
  to.sq_psn = 0;
  if (const int failed = ::ibv_modify_qp(pair.pair.get(), &to, IBV_QP_STATE | IBV_QP_SQ_PSN))
    return refusal(failed, "cannot make a datagram queue pair send", where_);
  return {};
}

Result<void> LiveUd::post_receive(std::uint32_t pair, std::uint32_t slot) {
  ibv_sge piece{};
  piece.addr = reinterpret_cast<std::uintptr_t>(receive_slot(pair, slot));
  piece.length = static_cast<std::uint32_t>(kGrh + options_.payload_bytes);
  piece.lkey = memory_->local_key();
  ibv_recv_wr request{}, *refused = nullptr;
  request.wr_id = request_id(true, pair, pairs_[pair].generation, slot);
  request.sg_list = &piece;
  request.num_sge = 1;
  if (const int failed = ::ibv_post_recv(pairs_[pair].pair.get(), &request, &refused))
    return refusal(failed, "cannot post a receive", where_);
  return {};
}

std::uint32_t LiveUd::number(std::size_t queue_pair) const {
  return pairs_[queue_pair].pair->qp_num;
}

Result<AddressHandle> LiveUd::make_address(const Address& address) {
  if (address.own_gid_index > 255) return bad("GID indexes above 255 cannot be used");
  ibv_ah_attr wanted = address_attributes(address, port_.name.port);
  errno = 0;
  std::shared_ptr<ibv_ah> handle(::ibv_create_ah(domain_.get(), &wanted), [](ibv_ah* closed) {
    if (closed != nullptr) Close()(closed);
  });
  if (handle == nullptr) return refusal(errno, "cannot reach " + address_text(address.gid), where_);
  const std::lock_guard guard(handles_lock_);
  handles_[next_handle_] = std::move(handle);
  return next_handle_++;
}

void LiveUd::drop_address(AddressHandle handle) {
  std::shared_ptr<ibv_ah> last;  // closed outside the lock
  const std::lock_guard guard(handles_lock_);
  if (const auto found = handles_.find(handle); found != handles_.end()) {
    last = std::move(found->second);
    handles_.erase(found);
  }
}

Result<void> LiveUd::send(const UdSend& what) {
  if (what.queue_pair >= pairs_.size()) return bad("there is no such queue pair");
  if (what.payload.size() > options_.payload_bytes) return bad("the payload is longer than the slots");
  const auto index = static_cast<std::uint32_t>(what.queue_pair);
  if (pairs_[index].broken)  // poll() brings it back; here it would overwrite what the caller still reads
    return Error{ErrorCode::Io, "the queue pair failed and does not come back yet", where_, 0};
  if (free_sends_.empty()) return Error{ErrorCode::Changed, "all send slots are in flight", where_, 0};
  std::shared_ptr<ibv_ah> to;
  {
    const std::lock_guard guard(handles_lock_);
    const auto found = handles_.find(what.to);
    if (found == handles_.end()) return bad("there is no such address handle");
    to = found->second;
  }
  const std::uint32_t slot = free_sends_.back();
  std::memcpy(send_slot(slot), what.payload.data(), what.payload.size());
  ibv_sge piece{};
  piece.addr = reinterpret_cast<std::uintptr_t>(send_slot(slot));
  piece.length = static_cast<std::uint32_t>(what.payload.size());
  piece.lkey = memory_->local_key();
  ibv_send_wr request{}, *refused = nullptr;
  request.wr_id = request_id(false, index, pairs_[index].generation, slot);
  request.sg_list = &piece;
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  if (what.payload.size() <= pairs_[index].inline_bytes) request.send_flags |= IBV_SEND_INLINE;
  request.wr.ud.ah = to.get();
  request.wr.ud.remote_qpn = what.to_queue_pair;
  request.wr.ud.remote_qkey = what.to_qkey;
  if (const int failed = ::ibv_post_send(pairs_[index].pair.get(), &request, &refused))
    return refusal(failed, "cannot post a send", where_);
  free_sends_.pop_back();
  sends_[slot] = {what.id, index, true};
  return {};
}

Result<std::size_t> LiveUd::poll(std::span<Completion> into) {
  for (const auto& [pair, slot] : consumed_) {
    // A slot that cannot be posted is lost until the queue pair is brought back with all of its slots.
    if (!pairs_[pair].broken && !post_receive(pair, slot)) pairs_[pair].broken = true;
  }
  consumed_.clear();
  bring_back_broken();
  std::size_t count = 0;
  while (!abandoned_.empty() && count < into.size()) {
    into[count] = Completion{};
    into[count].status = Status::Flushed;
    into[count].operation = Operation::UdSend;
    into[count++].id = abandoned_.back();
    abandoned_.pop_back();
  }
  if (count == into.size()) return count;
  auto polled = completions_->poll(raw_, into.size() - count);
  if (!polled) return polled;
  for (const RawCompletion& raw : raw_)
    if (translate(raw, into[count])) ++count;
  return count;
}

/// False for what the caller need not see: receives that failed, and what is left of a queue pair's former life.
bool LiveUd::translate(const RawCompletion& raw, Completion& out) {
  const auto index = static_cast<std::uint32_t>(raw.id >> 48 & 0xff);
  const auto generation = static_cast<std::uint32_t>(raw.id >> 32 & 0xffff);
  const auto slot = static_cast<std::uint32_t>(raw.id & 0xffffffff);
  if (index >= pairs_.size() || generation != (pairs_[index].generation & 0xffff)) return false;
  out = Completion{};
  out.status = raw.status;
  out.queue_pair = number(index);
  out.vendor_error = raw.vendor_error;
  out.nic_ns = raw.nic_ns;
  if (raw.status != Status::Success) pairs_[index].broken = true;
  if ((raw.id & kReceiveBit) == 0) {
    if (slot >= sends_.size() || !sends_[slot].in_flight) return false;
    out.operation = Operation::UdSend;
    out.id = sends_[slot].id;
    sends_[slot].in_flight = false;
    free_sends_.push_back(slot);
    return true;
  }
  if (slot >= options_.receive_slots || raw.status != Status::Success) return false;
  consumed_.emplace_back(index, slot);
  const std::size_t bytes = std::min<std::size_t>(raw.bytes, kGrh + options_.payload_bytes);
  if (bytes < kGrh) return false;
  out.operation = Operation::Receive;
  out.source_queue_pair = raw.source_queue_pair;
  const std::span<const std::byte> whole(receive_slot(index, slot), bytes);
  if (raw.has_grh) out.grh = whole.first(kGrh);
  out.payload = whole.subspan(kGrh);
  return true;
}

void LiveUd::bring_back_broken() {
  for (std::uint32_t index = 0; index < pairs_.size(); ++index) {
    Pair& pair = pairs_[index];
    if (!pair.broken || monotonic_ns() < pair.not_before_ns) continue;
    pair.not_before_ns = monotonic_ns() + kRetryNs;
    ibv_qp_attr reset{};
    reset.qp_state = IBV_QPS_RESET;
    if (::ibv_modify_qp(pair.pair.get(), &reset, IBV_QP_STATE) != 0) continue;
    ++pair.generation;
    std::erase_if(consumed_, [index](const auto& each) { return each.first == index; });
    for (std::uint32_t slot = 0; slot < sends_.size(); ++slot) {
      if (!sends_[slot].in_flight || sends_[slot].pair != index) continue;
      abandoned_.push_back(sends_[slot].id);
      sends_[slot].in_flight = false;
      free_sends_.push_back(slot);
    }
    pair.broken = !bring_up(index).has_value();
  }
}

Reading<std::uint32_t> LiveUd::udp_source_port(std::size_t queue_pair, std::uint32_t flow_label) const {
  return datagram_source_port(port_.driver, number(queue_pair), flow_label);
}

}  // namespace roceready::probes::verbs::live
