// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/fake_queues.h"

#include <utility>

namespace roceready::doubles {
namespace {

constexpr std::int64_t kTransmitNs = 300;            // until a send leaves the NIC
constexpr std::int64_t kDeadPathNs = 130'000'000;    // timeout and retries of a connection
constexpr std::int64_t kStarvedPeerNs = 60'000'000;  // receiver not ready, with retries

}  // namespace

FakeUd::FakeUd(FakeFabric& fabric, FakeFabric::Device& device, const vb::UdOptions& options)
    : fabric_(fabric), device_(device), options_(options), first_(fabric.next_number_) {
  fabric_.next_number_ += options.queue_pairs;
  free_receives_.assign(options.queue_pairs, options.receive_slots);
  fabric_.uds_[first_] = this;
  ++fabric_.objects_;
}

FakeUd::~FakeUd() {
  const Guard guard(fabric_.lock_);
  fabric_.uds_.erase(first_);
  fabric_.objects_ -= 1 + static_cast<int>(handles_.size());
}

Result<std::size_t> FakeUd::poll(std::span<vb::Completion> into) {
  const Guard guard(fabric_.lock_);
  if (device_.gone) return device_gone();
  if (!device_.holds)
    for (Held& held : std::exchange(held_, {})) {
      held.what.payload = held.payload;
      if (const auto to = handles_.find(held.what.to); to != handles_.end()) leave(held.what, to->second);
    }
  for (const Pending& before : pending_.taken()) {
    if (before.holds_slot)
      ++free_receives_[before.ring];
    else
      --in_flight_;
  }
  return pending_.take(fabric_.now_ns_, into);
}

Result<vb::AddressHandle> FakeUd::make_address(const vb::Address& address) {
  const Guard guard(fabric_.lock_);
  if (device_.gone) return device_gone();
  const std::string& refusal = fabric_.refusals_[device_.node];
  if (!refusal.empty()) return Error{ErrorCode::TimedOut, refusal, vb::address_text(address.gid), 0};
  if (address.own_gid_index == 0 || address.own_gid_index > device_.setup.addresses.size())
    return Error{ErrorCode::Malformed, "the GID index is empty", vb::address_text(address.gid), 0};
  handles_[next_handle_] = address;
  ++fabric_.objects_;
  return next_handle_++;
}

void FakeUd::drop_address(vb::AddressHandle handle) {
  const Guard guard(fabric_.lock_);
  fabric_.objects_ -= static_cast<int>(handles_.erase(handle));
}

Result<void> FakeUd::send(const vb::UdSend& what) {
  const Guard guard(fabric_.lock_);
  if (device_.gone) return device_gone();
  if (in_flight_ >= options_.send_slots) return Error{ErrorCode::Changed, "all send slots are in flight", "fake", 0};
  const auto to = handles_.find(what.to);
  if (to == handles_.end()) return Error{ErrorCode::Usage, "no such address handle", "fake", 0};
  ++in_flight_;
  if (device_.holds)
    held_.push_back({what, {what.payload.begin(), what.payload.end()}});
  else
    leave(what, to->second);
  return {};
}

void FakeUd::leave(const vb::UdSend& what, const vb::Address& to) {
  Pending sent;
  sent.at_ns = fabric_.now_ns_ + kTransmitNs;
  sent.completion.operation = vb::Operation::UdSend;
  sent.completion.id = what.id;
  sent.completion.queue_pair = number(what.queue_pair);
  if (!device_.up) sent.completion.status = vb::Status::LocalQpOperation;
  if (device_.setup.nic_clock) sent.completion.nic_ns = sent.at_ns + device_.clock_offset_ns;
  pending_.add(std::move(sent));
  if (device_.up) fabric_.carry(*this, what, to);
}

FakeRc::FakeRc(FakeFabric& fabric, FakeFabric::Device& device, const vb::RcOptions& options)
    : fabric_(fabric), device_(device), options_(options), first_(fabric.next_number_) {
  fabric_.next_number_ += options.queue_pairs;
  peers_.resize(options.queue_pairs);
  failed_ns_.assign(options.queue_pairs, 0);
  free_receives_.assign(options.queue_pairs, options.receive_slots);
  in_flight_.assign(options.queue_pairs, 0);
  fabric_.rcs_.push_back(this);
  ++fabric_.objects_;
}

FakeRc::~FakeRc() {
  const Guard guard(fabric_.lock_);
  std::erase(fabric_.rcs_, this);
  --fabric_.objects_;
}

Result<std::size_t> FakeRc::poll(std::span<vb::Completion> into) {
  const Guard guard(fabric_.lock_);
  if (device_.gone) return device_gone();
  for (const Pending& before : pending_.taken())
    if (before.holds_slot) ++free_receives_[before.ring];
  const std::size_t count = pending_.take(fabric_.now_ns_, into);
  for (const Pending& done : pending_.taken())
    if (!done.holds_slot) --in_flight_[done.ring];
  return count;
}

Result<void> FakeRc::connect(std::size_t queue_pair, const vb::RcPeer& peer) {
  const Guard guard(fabric_.lock_);
  if (device_.gone) return device_gone();
  if (peer.address.own_gid_index == 0 || peer.address.own_gid_index > device_.setup.addresses.size())
    return Error{ErrorCode::Malformed, "the GID index is empty", vb::address_text(peer.address.gid), 0};
  peers_.at(queue_pair) = peer;
  return {};
}

FakeRc* FakeRc::other_end(std::size_t queue_pair) const {
  const vb::RcPeer& peer = *peers_[queue_pair];
  const FakeFabric::Device* const device = fabric_.device_at(peer.address.gid);
  if (device == nullptr || !device->up) return nullptr;
  for (FakeRc* rc : fabric_.rcs_)
    if (&rc->device_ == device && peer.queue_pair >= rc->first_ &&
        peer.queue_pair < rc->first_ + rc->options_.queue_pairs && rc->peers_[peer.queue_pair - rc->first_])
      return rc;
  return nullptr;
}

std::pair<vb::Status, std::int64_t> FakeRc::outcome(std::size_t queue_pair, vb::Operation operation,
                                                    std::uint32_t bytes) {
  const vb::RcPeer& peer = *peers_[queue_pair];
  if (const std::int64_t known_ns = failed_ns_[queue_pair]; known_ns != 0)
    return {vb::Status::Flushed, std::max(kTransmitNs, known_ns - fabric_.now_ns_)};
  if (!device_.up) return {vb::Status::RetryExceeded, kDeadPathNs};
  FakeRc* const other = other_end(queue_pair);
  if (other == nullptr) return {vb::Status::RetryExceeded, kDeadPathNs};
  std::int64_t taken = kTransmitNs;
  for (const bool back : {false, true}) {
    const auto own = vb::parse_address(device_.setup.addresses.at(peer.address.own_gid_index - 1));
    const bool carries = back == (operation == vb::Operation::RcRead);
    FakeFabric::Packet packet{back ? peer.address.gid : *own,
                              back ? *own : peer.address.gid,
                              back ? peer.queue_pair : number(queue_pair),
                              carries ? std::min(bytes, peer.mtu_bytes) : 0,
                              peer.address.traffic_class,
                              64};
    std::vector<std::int64_t> copies = fabric_.fate(packet);
    for (int retry = 0; copies.empty() && retry < 3; ++retry) taken += kDeadPathNs / 4, copies = fabric_.fate(packet);
    if (copies.empty()) return {vb::Status::RetryExceeded, kDeadPathNs};
    taken += copies.front();
  }
  if (operation == vb::Operation::RcSend) {
    const std::size_t ring = peer.queue_pair - other->first_;
    if (other->free_receives_[ring] == 0) return {vb::Status::RnrRetryExceeded, kStarvedPeerNs};
    --other->free_receives_[ring];
    Pending received;
    received.at_ns = fabric_.now_ns_ + taken;
    received.completion.queue_pair = peer.queue_pair;
    received.ring = ring;
    received.holds_slot = true;
    other->pending_.add(std::move(received));
  } else if (!other->options_.remote_access || peer.buffer_key != other->buffer_key() ||
             peer.buffer != other->buffer() || bytes > other->options_.buffer_bytes) {
    return {vb::Status::RemoteAccess, taken};
  }
  return {vb::Status::Success, taken};
}

std::int64_t FakeRc::on_the_line_ns(std::size_t queue_pair, std::uint32_t bytes) const {
  const FakeRc* const other = other_end(queue_pair);
  std::uint64_t rate = device_.setup.bits_per_second;
  const std::uint64_t there = other == nullptr ? 0 : other->device_.setup.bits_per_second;
  if (rate == 0 || (there != 0 && there < rate)) rate = there;
  if (rate == 0) return 0;
  const double taken = static_cast<double>(bytes) * 8e9 / static_cast<double>(rate);
  device_.wire_free_ns = std::max(device_.wire_free_ns, fabric_.now_ns_) + static_cast<std::int64_t>(taken);
  return device_.wire_free_ns - fabric_.now_ns_;
}

void FakeRc::lose_port() {
  const std::int64_t now_ns = fabric_.now_ns_;
  for (const std::uint32_t number : pending_.fail(now_ns, now_ns + kDeadPathNs, vb::Status::RetryExceeded))
    if (std::int64_t& known_ns = failed_ns_.at(number - first_); known_ns == 0) known_ns = now_ns + kDeadPathNs;
}

Result<void> FakeRc::post(std::size_t queue_pair, vb::Operation operation, std::uint32_t bytes, std::uint64_t id) {
  const Guard guard(fabric_.lock_);
  if (device_.gone) return device_gone();
  if (!peers_.at(queue_pair)) return Error{ErrorCode::Usage, "not connected", "fake", 0};
  if (in_flight_.at(queue_pair) >= options_.requests)
    return Error{ErrorCode::Changed, "all requests are in flight", "fake", 0};
  ++in_flight_[queue_pair];
  auto [status, taken] = outcome(queue_pair, operation, bytes);
  if (status == vb::Status::Success && operation == vb::Operation::RcWrite) taken += on_the_line_ns(queue_pair, bytes);
  if (status != vb::Status::Success && failed_ns_[queue_pair] == 0) failed_ns_[queue_pair] = fabric_.now_ns_ + taken;
  Pending done;
  done.at_ns = fabric_.now_ns_ + taken;
  done.completion.status = status;
  done.completion.operation = operation;
  done.completion.id = id;
  done.completion.queue_pair = number(queue_pair);
  done.ring = queue_pair;
  pending_.add(std::move(done));
  ++posted_, ++posted_unawaited_;
  return {};
}

Result<void> FakeRc::wake_on_completion() {
  const Guard guard(fabric_.lock_);
  posted_unawaited_ = 0;
  return {};
}

}  // namespace roceready::doubles
