// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/live_listener.h"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "probes/cm/library.h"

namespace roceready::probes::cm {
namespace {

constexpr std::size_t kMostAccepted = 8;
constexpr int kBacklog = 16, kMostEvents = 16;  // events a step
constexpr std::chrono::seconds kKept{5};        // a connection whose caller does not end it

}  // namespace

Result<std::unique_ptr<Listener>> LiveListener::open(const Library& library, const verbs::Gid& address,
                                                     std::uint16_t service) {
  const std::string where = verbs::address_text(address);
  auto channel = Channel::open(library);
  if (!channel) return channel.error();
  auto id = Identifier::create(library, *channel);
  if (!id) return id.error();
  SocketAddress own(address, service);
  if (library.bind_addr(id->get(), own.get()) != 0) return os_error(errno, "binding to the address", where);
  if (library.listen(id->get(), kBacklog) != 0) return os_error(errno, "listening for connections", where);
  const std::uint16_t port = ntohs(library.get_src_port(id->get()));
  if (port == 0) return Error{ErrorCode::Io, "the connection manager named no port number", where, 0};
  return std::unique_ptr<Listener>(new LiveListener(library, std::move(*channel), std::move(*id), port));
}

void LiveListener::take(Identifier caller, const std::vector<std::byte>& told, const Answer& answer) {
  const auto said = accepted_.size() < kMostAccepted ? answer(told) : std::nullopt;
  if (!said || !caller.make_queue_pair()) {
    library_.reject(caller.get(), nullptr, 0);
    return;
  }
  rdma_conn_param wanted = parameters(*said);
  if (library_.accept(caller.get(), &wanted) != 0) {
    library_.reject(caller.get(), nullptr, 0);
    return;
  }
  accepted_.push_back({std::move(caller), std::chrono::steady_clock::now() + kKept});
}

void LiveListener::drop(const rdma_cm_id* id) {
  std::erase_if(accepted_, [&](const Accepted& each) {
    if (each.id.get() != id) return false;
    library_.disconnect(each.id.get());  // answers the caller's wish to disconnect
    return true;
  });
}

Result<void> LiveListener::handle(Happened happened, const Answer& answer) {
  switch (happened.what) {
    case RDMA_CM_EVENT_CONNECT_REQUEST:
      take(Identifier(library_, happened.id), happened.told, answer);
      return {};
    case RDMA_CM_EVENT_ESTABLISHED:
      return {};
    case RDMA_CM_EVENT_ADDR_CHANGE:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      if (happened.id == id_.get()) return Error{ErrorCode::NotFound, "the device or the address has gone", "", 0};
      drop(happened.id);
      return {};
    default:
      drop(happened.id);
      return {};
  }
}

Result<void> LiveListener::step(const Answer& answer) {
  for (int count = 0; count < kMostEvents; ++count) {
    auto next = channel_.next();
    if (!next) return next.error();
    if (!*next) break;
    if (auto handled = handle(std::move(**next), answer); !handled) return handled;
  }
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(accepted_, [&](const Accepted& each) {
    if (now < each.until) return false;
    library_.disconnect(each.id.get());
    return true;
  });
  return {};
}

}  // namespace roceready::probes::cm
