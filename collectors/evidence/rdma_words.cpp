// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/rdma_words.h"

#include <algorithm>
#include <utility>

#include "collectors/evidence/ask.h"
#include "collectors/evidence/words.h"
#include "collectors/rdma_devices.h"
#include "collectors/rdma_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

struct WordPair {
  std::string_view told, kept;
};

/// The word alone: without the number in front ("4: ") or behind (" (4)"), in lower case, without '_' and blanks.
std::string bare_word(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && parse_u64(trim(text.substr(0, colon)))) text.remove_prefix(colon + 1);
  text = trim(text.substr(0, text.find('(')));
  std::string out = lower(text);
  std::erase_if(out, [](char c) { return c == '_' || c == ' '; });
  return out;
}

template <std::size_t N>
std::optional<std::string> look_up(const WordPair (&table)[N], std::string_view text) {
  const std::string word = bare_word(text);
  for (const WordPair& pair : table) {
    if (pair.told == word) return std::string(pair.kept);
  }
  return std::nullopt;
}

/// How devices are named and which driver names them so.
constexpr WordPair kDeviceNames[] = {{"mlx5_", "mlx5_ib"},
                                     {"mlx4_", "mlx4_ib"},
                                     {"bnxt_re", "bnxt_re"},
                                     {"irdma", "irdma"},
                                     {"i40iw", "irdma"},
                                     {"rxe", "rdma_rxe"},
                                     {"siw", "siw"},
                                     {"hns_", "hns_roce"},
                                     {"qedr", "qedr"},
                                     {"erdma_", "erdma"},
                                     {"ionic_", "ionic_rdma"},
                                     {"mana_", "mana_ib"},
                                     {"cxgb4_", "iw_cxgb4"},
                                     {"efa_", "efa"},
                                     {"rocep", ""},
                                     {"roceo", ""},
                                     {"ibp", ""},
                                     {"rdmap", ""},
                                     {"iwp", ""}};

bool is_routable_v2(const GidEntry& entry) {
  return entry.type == "RoCE v2" && address_of_gid(entry.gid).is_routable();
}

}  // namespace

IpAddress address_of_gid(std::string_view gid) {
  constexpr std::uint32_t kHost4 = 32, kHost6 = 128;
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = gid.starts_with(kMapped) && gid.find('.') != std::string_view::npos;
  return {std::string(mapped ? gid.substr(kMapped.size()) : gid), mapped ? kHost4 : kHost6, false};
}

std::optional<std::string> port_state_word(std::string_view text) {
  constexpr WordPair kWords[] = {{"active", "ACTIVE"},
                                 {"portactive", "ACTIVE"},
                                 {"down", "DOWN"},
                                 {"portdown", "DOWN"},
                                 {"init", "INIT"},
                                 {"portinit", "INIT"},
                                 {"initializing", "INIT"},
                                 {"initialize", "INIT"},
                                 {"armed", "ARMED"},
                                 {"portarmed", "ARMED"},
                                 {"nop", "NOP"},
                                 {"portnop", "NOP"},
                                 {"activedefer", "ACTIVE_DEFER"},
                                 {"portactivedefer", "ACTIVE_DEFER"}};
  return look_up(kWords, text);
}

std::optional<std::string> physical_state_word(std::string_view text) {
  constexpr WordPair kWords[] = {{"linkup", "LinkUp"},
                                 {"disabled", "Disabled"},
                                 {"polling", "Polling"},
                                 {"sleep", "Sleep"},
                                 {"training", "Training"},
                                 {"portconfigurationtraining", "Training"},
                                 {"linkerrorrecovery", "LinkErrorRecovery"},
                                 {"linkerrorrecover", "LinkErrorRecovery"},
                                 {"phytest", "Phy Test"}};
  return look_up(kWords, text);
}

Reading<std::uint32_t> verbs_mtu(std::string_view text) {
  const auto words = words_of(text);
  const auto bytes = words.empty() ? std::nullopt : parse_u64(words[0]);
  if (!bytes || *bytes < 256 || *bytes > 4096 || (*bytes & (*bytes - 1)) != 0)
    return Absent{Why::Malformed, "\"" + std::string(text) + "\" is no MTU of verbs"};
  return static_cast<std::uint32_t>(*bytes);
}

std::string gid_type_word(std::string_view text) {
  std::string word = lower(trim(text));
  std::erase(word, ' ');
  if (word == "rocev2" || word == "v2") return "RoCE v2";
  if (word == "rocev1" || word == "v1" || word == "ib/rocev1") return "RoCE v1";
  return word == "ib" ? "IB" : "";
}

bool is_usual_device_name(std::string_view text) {
  if (!is_device_name(text) || text.back() < '0' || text.back() > '9') return false;
  return std::any_of(std::begin(kDeviceNames), std::end(kDeviceNames),
                     [&](const WordPair& pair) { return text.starts_with(pair.told); });
}

std::string driver_of_device(std::string_view device) {
  for (const WordPair& pair : kDeviceNames) {
    if (device.starts_with(pair.told)) return std::string(pair.kept);
  }
  return {};
}

std::string device_within(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  for (const WordPair& pair : kDeviceNames) {
    if (pair.kept.empty()) continue;
    for (auto at = name.find(pair.told); at != std::string_view::npos; at = name.find(pair.told, at + 1)) {
      std::size_t end = at + pair.told.size();
      for (const std::string_view bond : {"bond_", "_bond"}) {
        if (name.substr(end).starts_with(bond)) end += bond.size();
      }
      const std::size_t digits = std::min(name.find_first_not_of(kDigits, end), name.size());
      if (digits > end) return std::string(name.substr(at, digits - at));
    }
  }
  return {};
}

RdmaPort& named_port(Draft& draft, const std::string& device, std::uint32_t number) {
  RdmaPort& port = draft.port(device, number);
  if (!port.driver.empty()) return port;
  for (const WordPair& pair : kDeviceNames) {
    if (!device.starts_with(pair.told) || !is_usual_device_name(device)) continue;
    port.driver = pair.kept;
    if (pair.kept == "rdma_rxe" || pair.kept == "siw") {
      port.function = FunctionKind::Software;
      port.pci_address = Absent{Why::NotPresent, "software RDMA has no PCI function"};
    }
    break;
  }
  return port;
}

std::optional<std::string> gid_text(std::string_view text) {
  return gid_from_sysfs(text);
}

void merge_gid(RdmaPort& port, GidPart part) {
  constexpr std::size_t kMostSlots = 1024;
  if (!port.gids) port.gids = std::vector<GidEntry>();
  std::vector<GidEntry>& table = *port.gids;
  const auto at = std::lower_bound(table.begin(), table.end(), part.index,
                                   [](const GidEntry& entry, std::uint32_t index) { return entry.index < index; });
  const bool known = at != table.end() && at->index == part.index;
  if (!known && table.size() >= kMostSlots) return;
  GidEntry& entry = known ? *at : *table.insert(at, GidEntry{part.index, "", "", {}});
  if (!part.gid.empty()) entry.gid = std::move(part.gid);
  if (!part.type.empty()) entry.type = std::move(part.type);
  if (part.netdev || part.netdev.absent().why != Why::NotRecorded) entry.netdev = std::move(part.netdev);
}

IpAddress address_of_gid(const std::string& gid) {
  constexpr std::uint32_t kHost4 = 32, kHost6 = 128;
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = gid.starts_with(kMapped) && gid.find('.') != std::string::npos;
  return {mapped ? gid.substr(kMapped.size()) : gid, mapped ? kHost4 : kHost6, false};
}

const Netdev* netdev_with(const Snapshot& snapshot, const std::string& address) {
  const auto at = std::find_if(snapshot.netdevs.begin(), snapshot.netdevs.end(), [&](const Netdev& netdev) {
    return std::any_of(netdev.link.addresses.begin(), netdev.link.addresses.end(),
                       [&](const IpAddress& one) { return one.address == address; });
  });
  return at == snapshot.netdevs.end() ? nullptr : &*at;
}

std::string netdev_by_gids(const Snapshot& snapshot, const RdmaPort& port) {
  if (!port.gids) return {};
  for (const GidEntry& entry : *port.gids) {
    if (entry.netdev) return *entry.netdev;
  }
  for (const GidEntry& entry : *port.gids) {
    const IpAddress address = address_of_gid(entry.gid);
    const Netdev* owner = address.is_routable() ? netdev_with(snapshot, address.address) : nullptr;
    if (owner != nullptr)
      return owner->link.kind == "vlan" && !owner->link.lower.empty() ? owner->link.lower : owner->link.name;
  }
  return {};
}

namespace {

/// A type that the kernel refused with EINVAL, and nothing else is told of the entry.
bool is_refused(const GidEntry& entry) {
  return entry.type.empty() && !entry.netdev && entry.netdev.absent().why == Why::OtherNamespace;
}

/// Of the entries that the kernel refused those in front of all others stay: the kernel keeps the first ones for the
/// port's own netdev. Behind them a refused entry may as well be an empty one. Where all are refused, none is told of.
std::vector<GidEntry> take_refused_beginning(std::vector<GidEntry>& table) {
  const auto end = std::find_if_not(table.begin(), table.end(), is_refused);
  std::vector<GidEntry> out;
  if (end != table.end()) out.assign(table.begin(), end);
  std::erase_if(table, is_refused);
  return out;
}

/// What files say of refused entries where they say too little for a table.
void log_refused(Snapshot& snapshot, const Draft& draft, const std::string& owner, const std::vector<GidEntry>& refused,
                 const std::vector<GidEntry>& told) {
  const auto v2 = std::find_if(told.begin(), told.end(), [](const GidEntry& entry) { return entry.type == "RoCE v2"; });
  for (const GidEntry& entry : refused) {
    const std::string index = std::to_string(entry.index), path = "gid_attrs/types/" + index;
    LogFact fact{"gid_refused", owner, path + ": EINVAL", draft.place_of("GID table of " + owner, path), 1, {}};
    fact.says["gid_index"] = index;
    if (v2 != told.end()) fact.says["first_v2"] = std::to_string(v2->index);
    snapshot.log.push_back(std::move(fact));
  }
}

}  // namespace

void complete_gid_tables(Snapshot& snapshot, const Draft& draft) {
  const auto none_found = [&](const RdmaPort& port) {
    return std::any_of(snapshot.log.begin(), snapshot.log.end(), [&](const LogFact& fact) {
      return fact.kind == "no_gids" && (fact.subject.empty() || fact.subject == port.device);
    });
  };
  for (RdmaPort& port : snapshot.ports) {
    if (!port.gids) {
      if (none_found(port)) port.gids = std::vector<GidEntry>();
      continue;
    }
    std::vector<GidEntry>& table = *port.gids;
    const std::vector<GidEntry> refused = take_refused_beginning(table);
    const std::vector<GidEntry> all = table;
    const std::size_t told = all.size();
    if (all.empty() && !none_found(port)) {
      port.gids = Absent{};
      continue;
    }
    std::erase_if(table, [](const GidEntry& entry) { return entry.gid.empty() || entry.type.empty(); });
    if (told > 0 && table.empty()) {
      log_refused(snapshot, draft, port_name(port), refused, all);
      port.gids = Absent{Why::NotRecorded, "the files name GIDs without their types, or types without their GIDs"};
      continue;
    }
    // An entry without its type may be the one.
    const bool whole =
        told == table.size() && draft.has_whole_gid_table(port_name(port), table.empty() ? 0 : table.back().index);
    if (!whole && std::none_of(table.begin(), table.end(), is_routable_v2))
      port.gids = Absent{Why::NotRecorded,
                         "the GID table that was given may be cut: it has no RoCE v2 GID of a "
                         "routable address, and nothing shows that it ends there; " +
                             reason_with_command("ibv_devinfo -v -d " + port.device)};
    if (port.gids) table.insert(table.begin(), refused.begin(), refused.end());
  }
}

}  // namespace roceready::evidence
