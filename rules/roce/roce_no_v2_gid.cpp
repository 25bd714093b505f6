// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

using Gid = std::array<std::uint8_t, 16>;

/// The GID of an address: of an IPv4 address the mapped IPv6 one. Nothing where it is none.
std::optional<Gid> gid_of(const std::string& address) {
  Gid out{};
  const bool four = address.find(':') == std::string::npos;
  if (four) out[10] = out[11] = 0xff;
  const bool known = inet_pton(four ? AF_INET : AF_INET6, address.c_str(), out.data() + (four ? 12 : 0)) == 1;
  return known ? std::optional(out) : std::nullopt;
}

/// Routable addresses of the port's netdev, its members and what stands on them.
std::vector<std::string> routable_addresses(const Evidence& seen) {
  const RdmaPort& port = seen.port();
  std::vector<std::string> names = port.members, out;
  names.insert(names.end(), port.uppers.begin(), port.uppers.end());
  if (port.netdev) names.push_back(*port.netdev);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev == nullptr) continue;
    for (const IpAddress& address : netdev->link.addresses)
      if (address.is_routable()) out.push_back(address.address);
  }
  return out;
}

bool is_link_local(const std::optional<Gid>& gid) {
  return gid && (*gid)[0] == 0xfe && ((*gid)[1] & 0xc0) == 0x80;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<std::vector<GidEntry>>& gids = seen.port().gids;
  if (!gids) return out.unknown(gids.absent());
  std::vector<std::optional<Gid>> v2;
  for (const GidEntry& entry : *gids)
    if (entry.type == "RoCE v2") v2.push_back(gid_of(entry.gid));

  const std::vector<std::string> addresses = routable_addresses(seen);
  const bool routable = std::any_of(addresses.begin(), addresses.end(), [&](const std::string& address) {
    const std::optional<Gid> gid = gid_of(address);
    return gid && std::find(v2.begin(), v2.end(), gid) != v2.end();
  });
  if (routable) return out.pass();

  const std::string source = "GID table of " + owner_of(seen.port());
  std::string sentence = port_name(seen) + " has no RoCE v2 GID";
  sentence += addresses.empty() ? ", and its netdev has no routable address" : " for " + joined(addresses);
  if (!v2.empty())
    sentence +=
        "; it has " + counted(static_cast<double>(v2.size()), "RoCE v2 GID") + ", of link-local or other addresses";
  // An address that is not visible here, as in another namespace, may be what the others belong to.
  const bool none = v2.empty() || (!addresses.empty() && !std::any_of(v2.begin(), v2.end(), is_link_local));
  out.fail(none ? Severity::Critical : Severity::Warning, sentence + ".",
           {seen.item("RoCE v2 GIDs of a routable address", 0, "count", "<", 1, source),
            seen.item("RoCE v2 GIDs", static_cast<double>(v2.size()), "count", source)});
}

}  // namespace

extern const Rule kRoceNoV2Gid;
constinit const Rule kRoceNoV2Gid{
    .id = "roce-no-v2-gid",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .mandatory = kRoceModes,
    .title = "No RoCE v2 GID for a routable address",
    .what =
        "Looks for an entry of type RoCE v2 in the port's GID table that belongs to a routable address of its netdev, "
        "bond or VLAN. Critical when there is none; a warning while link-local ones exist, or where the netdev has no "
        "routable address that is visible here.",
    .why = "RDMA cannot be routed, and with none at all no RoCE v2 connection can be made.",
    .next =
        "Give the netdev its address (or find out why it lost it), then choose the new GID index in the applications.",
    .likely_causes = {"no address on the netdev", "address on a bridge or another namespace", "RoCE v1 only"},
    .fix = {Recipe::Gid, Recipe::RoceMode},
    .traps = {"Addresses of VLANs and bonds have GIDs of their own; they count.",
              "An address on a bridge above the port does not give a GID.",
              "With RDMA devices bound to namespaces, the address may live elsewhere."},
    .facts = {"kernel-gid-table"},
    .judge = judge,
};

}  // namespace roceready::rules
