// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/kernel_listener.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace roceready::probes::cm {
namespace {

constexpr std::uint64_t kOwnUid = 1;
constexpr std::size_t kMostAccepted = 64;
// A kernel drops the call that finds the backlog full, and its caller takes that for silence: as many as a third of a
// second brings of those that can be answered.
constexpr int kBacklog = 512;
constexpr int kMostEvents = 16;           // a step
constexpr std::chrono::seconds kKept{5};  // a connection whose caller does not end it
// A number that another connection gets at once could still be known to the caller's kernel as that of this one.
constexpr std::chrono::seconds kKeptAfter{5};

}  // namespace

Result<std::unique_ptr<Listener>> KernelListener::open(const OpenKernel& open, const verbs::Gid& address,
                                                       std::uint16_t service, const verbs::KernelPort& at) {
  const std::string where = verbs::address_text(address);
  auto channel = Channel::open(open);
  if (!channel) return channel.error();
  const auto [refused, id] = channel->create(kOwnUid);
  if (refused != 0) return os_error(refused, "cannot create a listening id", where);
  if (const int failed = channel->bind(id, address, service))
    return os_error(failed, "cannot bind to the address", where);
  const auto [unknown, bound] = channel->bound(id);
  if (unknown != 0) return os_error(unknown, "cannot ask where an id is bound to", where);
  if (!is_port(bound, at))
    return Error{ErrorCode::NotFound, "the kernel binds the address to another RDMA port than the one that answers",
                 where, 0};
  if (const int failed = channel->listen(id, kBacklog)) return os_error(failed, "cannot listen for connections", where);
  const auto [unnamed, number] = channel->service(id);
  if (unnamed != 0 || number == 0)
    return Error{ErrorCode::Io, "the connection manager named no port number", where, unnamed};
  return std::unique_ptr<Listener>(new KernelListener(std::move(*channel), number));
}

void KernelListener::take(std::uint32_t caller, ByteSpan told, const Answer& answer) {
  const bool has_room = accepted_.size() < kMostAccepted;
  Reply reply = answer(told, has_room);
  auto* const accepted = has_room ? std::get_if<Acceptance>(&reply) : nullptr;
  const std::uint64_t uid = next_uid_++;
  if (accepted != nullptr && channel_.accept(caller, uid, accepted->queue_pair, accepted->told) == 0) {
    accepted_.push_back({uid, caller, std::move(accepted->owner), std::chrono::steady_clock::now() + kKept});
    return;
  }
  const auto* const refusal = std::get_if<Refusal>(&reply);
  // The kernel itself did where it could not accept.
  (void)channel_.reject(caller, refusal != nullptr ? ByteSpan(refusal->told) : ByteSpan());
  channel_.destroy(caller);
}

void KernelListener::end(Accepted& one, Time now) {
  (void)channel_.disconnect(one.id);  // or the answer to the caller's wish to
  channel_.destroy(std::exchange(one.id, 0));
  one.until = now + kKeptAfter;
}

void KernelListener::age(Time now) {
  for (Accepted& each : accepted_)
    if (each.id != 0 && now >= each.until) end(each, now);
  std::erase_if(accepted_, [&](const Accepted& each) { return each.id == 0 && now >= each.until; });
}

Result<void> KernelListener::handle(const Happened& happened, const Answer& answer) {
  if (happened.what == EventKind::ConnectRequest) {
    take(happened.id, happened.told, answer);
    return {};
  }
  const bool goes = happened.what == EventKind::DeviceRemoval || happened.what == EventKind::AddressChange;
  if (goes && happened.uid == kOwnUid) return Error{ErrorCode::NotFound, "the device or the address has gone", "", 0};
  if (happened.what == EventKind::Established) return {};
  const auto one = std::ranges::find(accepted_, happened.uid, &Accepted::uid);
  if (one != accepted_.end() && one->id != 0) end(*one, std::chrono::steady_clock::now());
  return {};
}

Result<void> KernelListener::step(const Answer& answer) {
  for (int count = 0; count < kMostEvents; ++count) {
    auto next = channel_.next();
    if (!next) return next.error();
    if (!*next) break;
    if (auto handled = handle(**next, answer); !handled) return handled;
  }
  age(std::chrono::steady_clock::now());
  return {};
}

}  // namespace roceready::probes::cm
