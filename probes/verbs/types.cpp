// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/types.h"

#include <arpa/inet.h>

#include <algorithm>

namespace roceready::probes::verbs {
namespace {

constexpr std::size_t kMappedPrefix = 12;

}  // namespace

bool is_ipv4(const Gid& gid) {
  return std::all_of(gid.begin(), gid.begin() + 10, [](std::uint8_t b) { return b == 0; }) && gid[10] == 0xff &&
         gid[11] == 0xff;
}

bool is_link_local(const Gid& gid) {
  return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

std::string address_text(const Gid& gid) {
  char text[INET6_ADDRSTRLEN] = {};
  const bool four = is_ipv4(gid);
  const void* from = four ? gid.data() + kMappedPrefix : gid.data();
  return ::inet_ntop(four ? AF_INET : AF_INET6, from, text, sizeof text) == nullptr ? std::string() : std::string(text);
}

std::optional<Gid> parse_address(const std::string& text) {
  Gid gid{};
  if (::inet_pton(AF_INET, text.c_str(), gid.data() + kMappedPrefix) == 1) {
    gid[10] = gid[11] = 0xff;
    return gid;
  }
  if (::inet_pton(AF_INET6, text.c_str(), gid.data()) == 1) return gid;
  return std::nullopt;
}

}  // namespace roceready::probes::verbs
