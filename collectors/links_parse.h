// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectors/attributes.h"
#include "core/base/result.h"
#include "core/snapshot/link.h"

namespace roceready {

/// One message of the link dump. Links to other netdevs are still indexes: LinkTable names them.
struct RawLink {
  NetLink link;
  std::uint32_t master_index = 0, lower_index = 0, active_member_index = 0;  ///< 0: none
  bool lower_elsewhere = false;  ///< lower_index counts in another network namespace
};
/// struct ifinfomsg and attributes. Malformed without a name or an index.
[[nodiscard]] Result<RawLink> parse_link(ByteSpan message);

struct RawAddress {
  std::uint32_t index = 0;
  IpAddress address;
};
/// struct ifaddrmsg and attributes; nothing where it is no IPv4 or IPv6 address.
[[nodiscard]] std::optional<RawAddress> parse_address(ByteSpan message);

/// Links with names in the place of indexes and their addresses, sorted by name. Messages that make no sense are left
/// out.
[[nodiscard]] std::vector<NetLink> build_links(const std::vector<Bytes>& links, const std::vector<Bytes>& addresses);

}  // namespace roceready
