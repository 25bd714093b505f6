// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/live_manager.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "probes/cm/library.h"
#include "probes/cm/live_listener.h"
#include "probes/cm/live_objects.h"
#include "probes/cm/rejection.h"

namespace roceready::probes::cm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kAddressMs = 2000, kRouteMs = 2000, kConnectMs = 6000, kDisconnectMs = 300;
constexpr int kSliceMs = 100;  // until a stop is seen
constexpr int kGraceMs = 200;  // for the kernel's own timeouts to be told

Outcome not_tried(const Error& error) {
  Outcome out;
  out.why_not = error.code == ErrorCode::NotSupported || error.code == ErrorCode::Denied
                    ? absent_from(error)
                    : Absent{Why::NotPresent, error.text()};
  return out;
}
Outcome stopped() {
  Outcome out;
  out.why_not = {Why::TimedOut, "probing ends"};
  return out;
}
Outcome failed(Stage stage, std::string why) {
  Outcome out;
  out.kind = Outcome::Kind::Failed;
  out.stage = stage;
  out.why = std::move(why);
  return out;
}

/// Of this host's resources and permissions: an application with more of them would get through.
bool is_own_want(int errno_value) {
  constexpr std::array kWants{ENOMEM, EMFILE, ENFILE, EPERM, EACCES, EAGAIN, EINTR};
  return std::ranges::find(kWants, errno_value) != kWants.end();
}

std::string words_of(int errno_value, const Call& call) {
  switch (errno_value) {
    case ETIMEDOUT:
      return "no answer from " + verbs::address_text(call.to) + " in time";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "no route to " + verbs::address_text(call.to);
    case ENODEV:
    case EADDRNOTAVAIL:
      return "no RDMA device has the address " + verbs::address_text(call.from) + ", or none leads to " +
             verbs::address_text(call.to);
    default:
      return errno_name(errno_value);
  }
}

/// One call: its channel, its identifier, and how far it got.
class Calling {
 public:
  Calling(const Library& library, Channel channel, Identifier id, const Call& call, const std::stop_token& stop)
      : library_(library), channel_(std::move(channel)), id_(std::move(id)), call_(call), stop_(stop) {}

  Outcome make() {
    std::uint8_t traffic_class = call_.traffic_class;
    (void)library_.set_option(id_.get(), RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &traffic_class, sizeof traffic_class);
    SocketAddress from(call_.from, 0), to(call_.to, call_.service);
    if (library_.resolve_addr(id_.get(), from.get(), to.get(), kAddressMs) != 0)
      return refused_here(Stage::AddressResolution);
    if (auto ended = await(Stage::AddressResolution, RDMA_CM_EVENT_ADDR_RESOLVED, kAddressMs)) return std::move(*ended);
    if (library_.resolve_route(id_.get(), kRouteMs) != 0) return refused_here(Stage::RouteResolution);
    if (auto ended = await(Stage::RouteResolution, RDMA_CM_EVENT_ROUTE_RESOLVED, kRouteMs)) return std::move(*ended);
    if (auto made = id_.make_queue_pair(); !made) return not_tried(made.error());
    rdma_conn_param wanted = parameters(call_.told);
    if (library_.connect(id_.get(), &wanted) != 0) return refused_here(Stage::Connect);
    if (auto ended = await(Stage::Connect, RDMA_CM_EVENT_ESTABLISHED, kConnectMs)) return std::move(*ended);
    Outcome out;
    out.kind = Outcome::Kind::Connected;
    out.told = std::move(last_.told);
    if (library_.disconnect(id_.get()) == 0)  // whether the peer says goodbye is its own affair
      (void)await(Stage::Connect, RDMA_CM_EVENT_DISCONNECTED, kDisconnectMs);
    return out;
  }

 private:
  Outcome refused_here(Stage stage) const {
    const int why = errno;
    return is_own_want(why) ? not_tried(os_error(why, name_of(stage), "")) : failed(stage, words_of(why, call_));
  }

  Outcome outcome_of(Stage stage) const {
    switch (last_.what) {
      case RDMA_CM_EVENT_REJECTED: {
        Outcome out = failed(stage, "rejected: " + rejection_words(last_.status));
        if (is_peers_own_word(last_.status)) out.kind = Outcome::Kind::Refused;
        return out;
      }
      case RDMA_CM_EVENT_CONNECT_ERROR:  // the peer accepted
        return not_tried({ErrorCode::Io, "this host could not make its queue pair ready for the connection", "", 0});
      case RDMA_CM_EVENT_DEVICE_REMOVAL:
        return not_tried({ErrorCode::NotFound, "the device is being removed", "", 0});
      case RDMA_CM_EVENT_UNREACHABLE:
        return failed(stage, "unreachable: " + words_of(std::abs(last_.status), call_));
      default:
        return is_own_want(std::abs(last_.status)) ? not_tried(os_error(std::abs(last_.status), name_of(stage), ""))
                                                   : failed(stage, words_of(std::abs(last_.status), call_));
    }
  }

  /// Waits for `wanted`; else how the call ended.
  std::optional<Outcome> await(Stage stage, int wanted, int timeout_ms) {
    const auto until = Clock::now() + std::chrono::milliseconds(timeout_ms + kGraceMs);
    while (!stop_.stop_requested()) {
      auto next = channel_.next();
      if (!next) return not_tried(next.error());
      if (*next) {
        last_ = std::move(**next);
        if (last_.what == wanted) return std::nullopt;
        if (last_.what == RDMA_CM_EVENT_ADDR_CHANGE || last_.what == RDMA_CM_EVENT_TIMEWAIT_EXIT) continue;
        return outcome_of(stage);
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (left <= 0) return failed(stage, words_of(ETIMEDOUT, call_));
      pollfd one{channel_.fd(), POLLIN, 0};
      (void)::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left, kSliceMs)));
    }
    return stopped();
  }

  const Library& library_;
  Channel channel_;
  Identifier id_;
  const Call& call_;
  const std::stop_token& stop_;
  Happened last_;
};

class LiveManager : public Manager {
 public:
  Outcome call(const Call& what, const std::stop_token& stop) override {
    const auto loaded = library();
    if (!loaded) return not_tried(loaded.error());
    auto channel = Channel::open(**loaded);
    if (!channel) return not_tried(channel.error());
    auto id = Identifier::create(**loaded, *channel);
    if (!id) return not_tried(id.error());
    return Calling(**loaded, std::move(*channel), std::move(*id), what, stop).make();
  }

  Result<std::unique_ptr<Listener>> listen(const verbs::Gid& address, std::uint16_t service) override {
    const auto loaded = library();
    if (!loaded) return loaded.error();
    return LiveListener::open(**loaded, address, service);
  }
};

}  // namespace

std::unique_ptr<Manager> make_live_manager() {
  return std::make_unique<LiveManager>();
}

}  // namespace roceready::probes::cm
