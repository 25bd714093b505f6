// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/live_rc.h"

#include <infiniband/verbs.h>
#include <sys/random.h>

#include <cerrno>

#include "probes/verbs/live_address.h"
#include "probes/verbs/live_errors.h"

namespace roceready::probes::verbs::live {
namespace {

// Fact rdma-ack-timeout: 4.096 µs × 2^12 = 16.8 ms, five retries: a dead path shows after 0.1 s, and after 0.4 s where
// the NIC waits four times the nominal time, as it may. Shorter, and a peer that is held up for a moment (a pause, a
// virtual machine without its CPU) would be taken for dead. NICs with a higher floor are cut short by the engine's own
// timeout.
constexpr std::uint8_t kTimeout = 12, kRetries = 5;
// On a line that is full for seconds acknowledgements wait behind the data of others, and paused ports hold them back.
constexpr std::uint8_t kPatientTimeout = 14, kPatientRetries = 7;
// A receiver that is not ready asks for 10.24 ms (code 20) at a time, six times: 61 ms. Seven would be for ever.
constexpr std::uint8_t kReceiverNotReadyTimer = 20, kReceiverNotReadyRetries = 6;
constexpr std::size_t kReceiveBytes = 64;
constexpr std::uint32_t kInline = 64;
constexpr std::uint64_t kReceiveBit = 1ULL << 63;
constexpr std::uint32_t kPairs = 16, kReceives = 256, kRequests = 64, kBuffer = 1 << 20, kPacketMask = 0xffffff;

Error bad(const char* what) {
  return Error{ErrorCode::Usage, what, "connected queue pairs", 0};
}

ibv_mtu mtu_code(std::uint32_t bytes) {
  return bytes >= 4096   ? IBV_MTU_4096
         : bytes >= 2048 ? IBV_MTU_2048
         : bytes >= 1024 ? IBV_MTU_1024
         : bytes >= 512  ? IBV_MTU_512
                         : IBV_MTU_256;
}

}  // namespace

LiveRc::LiveRc(const PortHandle& port, const RcOptions& options)
    : port_(port), options_(options), where_("connections on " + port.name.text()) {}

Result<std::unique_ptr<Rc>> LiveRc::create(const PortHandle& port, const RcOptions& options) {
  if (options.queue_pairs < 1 || options.queue_pairs > kPairs) return bad("1 to 16 queue pairs");
  if (options.requests < 1 || options.requests > kRequests) return bad("1 to 64 requests at a time");
  if (options.receive_slots > kReceives) return bad("at most 256 receive slots");
  if (options.buffer_bytes > kBuffer) return bad("a buffer of 1 MiB at most");
  if (options.buffer_bytes == 0 && (options.receive_slots > 0 || options.remote_access))
    return bad("no buffer, and something to read or write there");
  std::unique_ptr<LiveRc> rc(new LiveRc(port, options));
  if (auto opened = rc->open(); !opened) return opened.error();
  return std::unique_ptr<Rc>(std::move(rc));
}

Result<void> LiveRc::open() {
  errno = 0;
  domain_.reset(::ibv_alloc_pd(port_.context.get()));
  if (domain_ == nullptr) return refusal(errno, "cannot allocate a protection domain", where_);
  unsigned access = IBV_ACCESS_LOCAL_WRITE;
  if (options_.remote_access) access |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  const std::size_t receives = static_cast<std::size_t>(options_.queue_pairs) * options_.receive_slots * kReceiveBytes;
  if (options_.buffer_bytes + receives > 0) {
    auto memory = Memory::create(domain_.get(), options_.buffer_bytes + receives, access, where_);
    if (!memory) return memory.error();
    memory_.emplace(std::move(*memory));
  }
  const std::uint32_t entries = options_.queue_pairs * (options_.receive_slots + options_.requests + 1);
  auto completions = CompletionQueue::create(port_.context, entries, port_.clock, where_);
  if (!completions) return completions.error();
  completions_ = std::move(*completions);
  peers_.resize(options_.queue_pairs);
  for (std::uint32_t i = 0; i < options_.queue_pairs; ++i)
    if (auto made = make_pair(); !made) return made;
  return {};
}

Result<void> LiveRc::make_pair() {
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_RC;
  wanted.send_cq = wanted.recv_cq = completions_->handle();
  wanted.cap.max_send_wr = options_.requests + 1;
  wanted.cap.max_recv_wr = options_.receive_slots == 0 ? 1 : options_.receive_slots;
  wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
  wanted.sq_sig_all = 1;
  std::uint32_t inline_bytes = kInline;
  Qp pair = create_pair(domain_.get(), wanted, inline_bytes);
  if (pair == nullptr) return refusal(errno, "cannot create a connected queue pair", where_);
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = static_cast<std::uint8_t>(port_.name.port);
  to.qp_access_flags =
      options_.remote_access ? static_cast<unsigned>(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE) : 0U;
  if (const int failed =
          ::ibv_modify_qp(pair.get(), &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    return refusal(failed, "cannot initialise a connected queue pair", where_);
  std::uint32_t packet = 0;
  if (::getrandom(&packet, sizeof packet, 0) != sizeof packet) return os_error(errno, "no random number", where_);
  pairs_.push_back(std::move(pair));
  packets_.push_back(packet & kPacketMask);
  inline_bytes_.push_back(inline_bytes);
  return {};
}

std::uint32_t LiveRc::number(std::size_t queue_pair) const {
  return pairs_[queue_pair]->qp_num;
}

std::uint64_t LiveRc::buffer() const {
  return memory_ ? reinterpret_cast<std::uintptr_t>(memory_->data()) : 0;
}

Result<void> LiveRc::post_receive(std::uint32_t pair, std::uint32_t slot) {
  ibv_sge piece{};
  const std::size_t index = static_cast<std::size_t>(pair) * options_.receive_slots + slot;
  piece.addr = reinterpret_cast<std::uintptr_t>(memory_->data() + options_.buffer_bytes + index * kReceiveBytes);
  piece.length = kReceiveBytes;
  piece.lkey = memory_->local_key();
  ibv_recv_wr request{}, *refused = nullptr;
  request.wr_id = kReceiveBit | static_cast<std::uint64_t>(pair) << 32 | slot;
  request.sg_list = &piece;
  request.num_sge = 1;
  if (const int failed = ::ibv_post_recv(pairs_[pair].get(), &request, &refused))
    return refusal(failed, "cannot post a receive", where_);
  return {};
}

Result<void> LiveRc::ready_to_receive(std::size_t queue_pair, const RcPeer& peer) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = mtu_code(peer.mtu_bytes);
  to.dest_qp_num = peer.queue_pair;
  to.rq_psn = peer.first_packet & kPacketMask;
  to.max_dest_rd_atomic = 1;
  to.min_rnr_timer = kReceiverNotReadyTimer;
  to.ah_attr = address_attributes(peer.address, port_.name.port);
  const int failed = ::ibv_modify_qp(pairs_[queue_pair].get(), &to,
                                     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (failed != 0) return refusal(failed, "cannot connect to " + address_text(peer.address.gid), where_);
  return {};
}

Result<void> LiveRc::connect(std::size_t queue_pair, const RcPeer& peer) {
  if (queue_pair >= pairs_.size()) return bad("there is no such queue pair");
  if (peer.address.own_gid_index > 255) return bad("GID indexes above 255 cannot be used");
  for (std::uint32_t slot = 0; slot < options_.receive_slots; ++slot)
    if (auto posted = post_receive(static_cast<std::uint32_t>(queue_pair), slot); !posted) return posted;
  if (auto ready = ready_to_receive(queue_pair, peer); !ready) return ready;
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTS;
  to.timeout = options_.patient ? kPatientTimeout : kTimeout;
  to.retry_cnt = options_.patient ? kPatientRetries : kRetries;
  to.rnr_retry = kReceiverNotReadyRetries;
  to.sq_psn = packets_[queue_pair];
  to.max_rd_atomic = 1;
  const int failed = ::ibv_modify_qp(
      pairs_[queue_pair].get(), &to,
      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
  if (failed != 0) return refusal(failed, "cannot make a connected queue pair send", where_);
  peers_[queue_pair] = peer;
  return {};
}

Result<void> LiveRc::post(std::size_t queue_pair, Operation operation, std::uint32_t bytes, std::uint64_t id) {
  if (queue_pair >= pairs_.size()) return bad("there is no such queue pair");
  if (!memory_ || bytes > options_.buffer_bytes) return bad("more bytes than the buffer has");
  if (operation == Operation::RcSend && bytes > kReceiveBytes) return bad("a send has at most 64 bytes");
  if ((id & kReceiveBit) != 0) return bad("ids have 63 bits");
  ibv_sge piece{};
  piece.addr = reinterpret_cast<std::uintptr_t>(memory_->data());
  piece.length = bytes;
  piece.lkey = memory_->local_key();
  ibv_send_wr request{}, *refused = nullptr;
  request.wr_id = id;
  request.sg_list = &piece;
  request.num_sge = 1;
  request.send_flags = IBV_SEND_SIGNALED;
  if (operation != Operation::RcRead && bytes <= inline_bytes_[queue_pair]) request.send_flags |= IBV_SEND_INLINE;
  request.opcode = operation == Operation::RcWrite  ? IBV_WR_RDMA_WRITE
                   : operation == Operation::RcRead ? IBV_WR_RDMA_READ
                                                    : IBV_WR_SEND;
  if (operation != Operation::RcSend) {
    request.wr.rdma.remote_addr = peers_[queue_pair].buffer;
    request.wr.rdma.rkey = peers_[queue_pair].buffer_key;
  }
  if (const int failed = ::ibv_post_send(pairs_[queue_pair].get(), &request, &refused))
    return refusal(failed, "cannot post a request", where_);
  return {};
}

Result<std::size_t> LiveRc::poll(std::span<Completion> into) {
  // A receive that cannot be posted again belongs to a queue pair that failed; the session ends with it.
  for (const auto& [pair, slot] : consumed_) (void)post_receive(pair, slot);
  consumed_.clear();
  auto polled = completions_->poll(raw_, into.size());
  if (!polled) return polled;
  std::size_t count = 0;
  for (const RawCompletion& raw : raw_) {
    Completion& out = into[count++];
    out = Completion{};
    out.status = raw.status;
    out.queue_pair = raw.queue_pair;
    out.vendor_error = raw.vendor_error;
    out.nic_ns = raw.nic_ns;
    out.operation = (raw.id & kReceiveBit) != 0 ? Operation::Receive : Operation::RcSend;
    if ((raw.id & kReceiveBit) == 0) {
      out.id = raw.id;
    } else if (raw.status == Status::Success) {
      consumed_.emplace_back(static_cast<std::uint32_t>(raw.id >> 32 & 0xffff),
                             static_cast<std::uint32_t>(raw.id & 0xffffffff));
    }
  }
  return count;
}

}  // namespace roceready::probes::verbs::live
