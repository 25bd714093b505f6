// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/calling.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "probes/cm/channel.h"
#include "probes/cm/rejection.h"

namespace roceready::probes::cm {
namespace {

using Clock = std::chrono::steady_clock;
// The kernel asks again after 4.3 s and a little more (fact rdma-ucm): a request is sent twice within the last of
// these.
constexpr int kAddressMs = 2000, kRouteMs = 2000, kConnectMs = 10'000, kDisconnectMs = 300;
constexpr int kSliceMs = 100;  // until a stop is seen
constexpr int kGraceMs = 200;  // for the kernel's own timeouts to be told
constexpr std::uint64_t kUid = 1;

Outcome not_tried(Why why, std::string detail) {
  Outcome out;
  out.why_not = {why, std::move(detail)};
  return out;
}
Outcome not_tried(const Error& error) {
  const bool lasting = error.code == ErrorCode::NotSupported || error.code == ErrorCode::Denied;
  return lasting ? not_tried(absent_from(error).why, error.text()) : not_tried(Why::NotPresent, error.text());
}
Outcome failed(Stage stage, std::string why) {
  Outcome out;
  out.kind = Outcome::Kind::Failed;
  out.stage = stage;
  out.why = std::move(why);
  return out;
}

/// One call: its channel, its id, and how far it got.
class Calling {
 public:
  Calling(Channel channel, std::uint32_t id, const Call& call, const std::stop_token& stop)
      : channel_(std::move(channel)), id_(id), call_(call), stop_(stop) {}
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;
  ~Calling() { channel_.destroy(id_); }

  Outcome make() {
    (void)channel_.set_traffic_class(id_, call_.traffic_class);
    if (auto ended = resolve()) return std::move(*ended);
    if (const int refused = channel_.connect(id_, call_.queue_pair, call_.told)) return here(Stage::Connect, refused);
    if (auto ended = await(Stage::Connect, EventKind::ConnectResponse, kConnectMs)) return std::move(*ended);
    Outcome out;
    out.kind = Outcome::Kind::Connected;
    out.told = std::move(last_.told);
    if (const int refused = channel_.confirm(id_)) return here(Stage::Connect, refused);
    if (channel_.disconnect(id_) == 0)  // whether the peer says goodbye is its own affair
      (void)await(Stage::Connect, EventKind::Disconnected, kDisconnectMs);
    return out;
  }

 private:
  std::optional<Outcome> resolve() {
    if (const int refused = channel_.resolve_address(id_, call_.from, call_.to, call_.service, kAddressMs))
      return here(Stage::AddressResolution, refused);
    if (auto ended = await(Stage::AddressResolution, EventKind::AddressResolved, kAddressMs)) return ended;
    const auto [refused, bound] = channel_.bound(id_);
    if (refused != 0) return here(Stage::AddressResolution, refused);
    if (!is_port(bound, call_.through))
      return not_tried(Why::NotPresent, "the kernel connects from " + verbs::address_text(call_.from) +
                                            " through another RDMA port than the one that probes");
    if (const int unwilling = channel_.resolve_route(id_, kRouteMs)) return here(Stage::RouteResolution, unwilling);
    return await(Stage::RouteResolution, EventKind::RouteResolved, kRouteMs);
  }

  /// What ended with an errno, at once or later.
  [[nodiscard]] Outcome here(Stage stage, int errno_value) const {
    const int value = std::abs(errno_value);
    // For RoCE the kernel asks nobody for a route (fact rdma-cm-roce-route): what fails or is late there is this host.
    if (stage == Stage::RouteResolution || !is_of_the_path(value))
      return not_tried(os_error(value, name_of(stage), verbs::address_text(call_.from)));
    const std::string to = verbs::address_text(call_.to);
    return failed(stage, value == ETIMEDOUT ? "no answer from " + to + " in time" : "no route to " + to);
  }

  [[nodiscard]] Outcome ended(Stage stage) const {
    switch (last_.what) {
      case EventKind::Rejected: {
        Outcome out = failed(stage, "rejected: " + rejection_words(last_.status));
        if (is_peers_own_word(last_.status)) out.kind = Outcome::Kind::Refused;
        out.told = last_.told;
        return out;
      }
      case EventKind::DeviceRemoval:
        return not_tried(Why::NotPresent, "the device is being removed");
      case EventKind::AddressError:
      case EventKind::RouteError:
      case EventKind::Unreachable:
        return here(stage, last_.status);
      default:
        return not_tried(Why::NotPresent, std::string(name_of(stage)) + ": the kernel told of something else, event " +
                                              std::to_string(static_cast<std::uint32_t>(last_.what)));
    }
  }

  /// Waits for `wanted`; else how the call ended.
  std::optional<Outcome> await(Stage stage, EventKind wanted, int timeout_ms) {
    const auto until = Clock::now() + std::chrono::milliseconds(timeout_ms + kGraceMs);
    while (!stop_.stop_requested()) {
      auto next = channel_.next();
      if (!next) return not_tried(next.error());
      if (*next) {
        last_ = std::move(**next);
        if (last_.what == wanted && last_.status == 0) return std::nullopt;
        if (last_.what == EventKind::AddressChange || last_.what == EventKind::TimewaitExit) continue;
        return ended(stage);
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (left <= 0) return here(stage, ETIMEDOUT);
      pollfd one{channel_.fd(), POLLIN, 0};
      (void)::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left, kSliceMs)));
    }
    return not_tried(Why::TimedOut, "probing ends");
  }

  Channel channel_;
  std::uint32_t id_;
  const Call& call_;
  const std::stop_token& stop_;
  Happened last_;
};

}  // namespace

bool is_of_the_path(int errno_value) {
  constexpr std::array kPath{ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN};
  return std::ranges::find(kPath, errno_value) != kPath.end();
}

Outcome make_call(const OpenKernel& open, const Call& call, const std::stop_token& stop) {
  auto channel = Channel::open(open);
  if (!channel) return not_tried(channel.error());
  const auto [refused, id] = channel->create(kUid);
  if (refused != 0) return not_tried(os_error(refused, "cannot create a connection id", ""));
  return Calling(std::move(*channel), id, call, stop).make();
}

}  // namespace roceready::probes::cm
