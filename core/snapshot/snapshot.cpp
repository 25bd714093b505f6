// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <algorithm>
#include <array>

namespace roceready {

const Netdev* Snapshot::netdev(const std::string& name) const {
  const auto at = std::find_if(netdevs.begin(), netdevs.end(), [&](const Netdev& n) { return n.link.name == name; });
  return at == netdevs.end() ? nullptr : &*at;
}

const PciFunction* Snapshot::function(const std::string& address) const {
  const auto at = std::find_if(pci.begin(), pci.end(), [&](const PciFunction& f) { return f.address == address; });
  return at == pci.end() ? nullptr : &*at;
}

Instant midpoint(const Snapshot& snapshot) {
  const auto middle = [](std::int64_t from, std::int64_t to) { return from + (to - from) / 2; };
  return {middle(snapshot.before.monotonic_ns, snapshot.after.monotonic_ns),
          middle(snapshot.before.wall_ns, snapshot.after.wall_ns)};
}

const char* name_of(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::Physical:
      return "physical";
    case FunctionKind::Virtual:
      return "virtual";
    case FunctionKind::SubFunction:
      return "sub_function";
    case FunctionKind::Representor:
      return "representor";
    case FunctionKind::Software:
      return "software";
  }
  return "physical";
}

FunctionKind function_kind_from_name(const std::string& name) {
  constexpr std::array kAll{FunctionKind::Physical, FunctionKind::Virtual, FunctionKind::SubFunction,
                            FunctionKind::Representor, FunctionKind::Software};
  for (const FunctionKind kind : kAll) {
    if (name == name_of(kind)) return kind;
  }
  return FunctionKind::Physical;
}

bool IpAddress::is_routable() const {
  if (tentative) return false;
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    const std::uint32_t host = ntohl(v4.s_addr);
    const bool link_local = host >> 16U == 0xA9FE;
    const bool loopback = host >> 24U == 127;
    const bool unspecified = host >> 24U == 0;
    const bool multicast_or_reserved = host >> 28U >= 0xE;
    return !link_local && !loopback && !unspecified && !multicast_or_reserved;
  }
  in6_addr v6{};
  if (inet_pton(AF_INET6, address.c_str(), &v6) != 1) return false;
  return !IN6_IS_ADDR_LINKLOCAL(&v6) && !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_MULTICAST(&v6) &&
         !IN6_IS_ADDR_UNSPECIFIED(&v6);
}

}  // namespace roceready
