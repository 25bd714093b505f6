// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Wish {
  std::int64_t index;
  std::string source;
};

bool has_routable_address(const Evidence& seen, const std::string& name) {
  const Netdev* netdev = seen.now().netdev(name);
  return netdev != nullptr && std::any_of(netdev->link.addresses.begin(), netdev->link.addresses.end(),
                                          [](const IpAddress& address) { return address.is_routable(); });
}

/// The netdev of a RoCE v2 entry that has a routable address; "" where none has.
std::string routable_netdev(const Evidence& seen, const std::vector<GidEntry>& table) {
  for (const GidEntry& entry : table)
    if (entry.type == "RoCE v2" && entry.netdev && has_routable_address(seen, *entry.netdev)) return *entry.netdev;
  return "";
}

bool is_link_local(const GidEntry& entry) {
  in6_addr address{};
  return inet_pton(AF_INET6, entry.gid.c_str(), &address) == 1 && IN6_IS_ADDR_LINKLOCAL(&address);
}

/// The RoCE v2 entry of the same netdev that routers pass on; null where there is none.
const GidEntry* routable_beside(const std::vector<GidEntry>& table, const GidEntry& chosen) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const GidEntry& one) {
    return one.type == "RoCE v2" && one.netdev && *one.netdev == *chosen.netdev && !is_link_local(one);
  });
  return at == table.end() ? nullptr : &*at;
}

/// What is wrong with the entry of this index; nothing where it can carry RoCE v2.
std::optional<std::string> fault_of(const Evidence& seen, const std::vector<GidEntry>& table, std::int64_t index) {
  const auto entry = std::find_if(table.begin(), table.end(), [&](const GidEntry& one) { return one.index == index; });
  if (entry == table.end()) return "is empty";
  if (entry->type.empty()) return "is empty or of another network namespace";
  if (entry->type != "RoCE v2") return "is of type " + entry->type;
  if (!entry->netdev) return std::nullopt;
  if (const GidEntry* beside = is_link_local(*entry) ? routable_beside(table, *entry) : nullptr)
    return "is " + entry->gid + ", which no router passes on; entry " + std::to_string(beside->index) + " is " +
           beside->gid;
  if (has_routable_address(seen, *entry->netdev)) return std::nullopt;
  const std::string better = routable_netdev(seen, table);
  if (better.empty()) return std::nullopt;
  return "belongs to " + *entry->netdev + ", which has no routable address; " + better + " has";
}

void judge(const Evidence& seen, Outcomes& out) {
  std::vector<Wish> wishes;
  if (seen.demands().gid_index >= 0) wishes.push_back({seen.demands().gid_index, "host.gid_index"});
  const Reading<std::int64_t>& nccl = seen.now().host.nccl_gid_index;
  if (nccl && *nccl >= 0) wishes.push_back({*nccl, "NCCL_IB_GID_INDEX of /etc/nccl.conf"});
  if (wishes.empty()) {
    if (!nccl && nccl.absent().why != Why::NotPresent) return out.unknown(nccl.absent());
    return out.not_applicable("nothing states a GID index: programs choose one themselves");
  }
  const Reading<std::vector<GidEntry>>& table = seen.port().gids;
  if (!table) return out.unknown(table.absent());
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  for (const Wish& wish : wishes) {
    const auto fault = fault_of(seen, *table, wish.index);
    if (!fault) continue;
    words.push_back(wish.source + " says GID index " + std::to_string(wish.index) + ", and on " + port_name(seen) +
                    " that entry " + *fault);
    evidence.push_back(seen.item("GID index", static_cast<double>(wish.index), "", wish.source));
  }
  if (words.empty()) return out.pass();
  out.fail(Severity::Warning, joined(words) + ".", std::move(evidence));
}

}  // namespace

extern const Rule kRoceGidIndexInvalid;
constinit const Rule kRoceGidIndexInvalid{
    .id = "roce-gid-index-invalid",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The configured GID index points to the wrong entry",
    .what =
        "Looks up host.gid_index, and NCCL_IB_GID_INDEX of /etc/nccl.conf, in the port's GID table. Fires when the "
        "entry is empty, not RoCE v2, link-local while its netdev has a routable one, or of a netdev without routable "
        "address while another has one.",
    .why = "Programs that use it cannot connect, or connect with RoCE v1 or over the wrong network.",
    .next = "Choose the index of the RoCE v2 entry with the routable address, or leave the choice to the program.",
    .likely_causes = {"the table was filled in another order after a reboot or a change of address",
                      "an index taken over from another node or NIC"},
    .fix = {Recipe::Gid},
    .traps =
        {"Newer versions of NCCL choose an entry themselves; -1 tells them to.",
         "The environment of other users, and of containers, is not visible.",
         "A link-local RoCE v2 entry is no fault where its netdev has no routable one: it works within one subnet."},
    .facts = {"kernel-gid-table", "nccl-system-configuration"},
    .judge = judge,
};

}  // namespace roceready::rules
