// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/prefixes.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace roceready::probes::verbs {
namespace {

constexpr std::size_t kMappedBytes = 12;

std::uint8_t ones(std::span<const std::uint8_t> mask) {
  int out = 0;
  for (const std::uint8_t byte : mask) out += std::popcount(byte);
  return static_cast<std::uint8_t>(out);
}

void add(const ifaddrs& entry, std::map<Gid, std::uint8_t>& out) {
  if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return;
  Gid gid{};
  std::array<std::uint8_t, 16> mask{};
  if (entry.ifa_addr->sa_family == AF_INET) {
    sockaddr_in address{}, netmask{};
    std::memcpy(&address, entry.ifa_addr, sizeof address);
    std::memcpy(&netmask, entry.ifa_netmask, sizeof netmask);
    gid[10] = gid[11] = 0xff;
    std::memcpy(gid.data() + kMappedBytes, &address.sin_addr, 4);
    std::memcpy(mask.data(), &netmask.sin_addr, 4);
    out[gid] = static_cast<std::uint8_t>(8 * kMappedBytes + ones(std::span(mask).first(4)));
  } else if (entry.ifa_addr->sa_family == AF_INET6) {
    sockaddr_in6 address{}, netmask{};
    std::memcpy(&address, entry.ifa_addr, sizeof address);
    std::memcpy(&netmask, entry.ifa_netmask, sizeof netmask);
    std::memcpy(gid.data(), &address.sin6_addr, gid.size());
    std::memcpy(mask.data(), &netmask.sin6_addr, mask.size());
    out[gid] = ones(mask);
  }
}

}  // namespace

std::map<Gid, std::uint8_t> subnet_bits() {
  std::map<Gid, std::uint8_t> out;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return out;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) add(*entry, out);
  return out;
}

}  // namespace roceready::probes::verbs
