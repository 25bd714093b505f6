// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>

#include "collectors/collector.h"
#include "collectors/rdma_devices.h"
#include "collectors/rdma_parse.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::size_t kMaxSlots = 1024;

std::vector<GidEntry> with_names(const Context& context, const std::vector<RawGid>& table) {
  std::vector<GidEntry> out;
  for (const RawGid& raw : table) {
    GidEntry entry = raw.entry;
    const NetLink* link = context.link(raw.netdev_index);
    if (link != nullptr) {
      entry.netdev = link->name;
    } else {
      entry.netdev = Absent{Why::OtherNamespace, "its netdev is not in this network namespace"};
    }
    out.push_back(std::move(entry));
  }
  return out;
}

/// Slots whose types the kernel refuses with EINVAL as it does for those of netdevs of other network namespaces.
bool is_refused(const Result<std::string>& type) {
  return !type && type.error().os_error == EINVAL;
}

GidEntry foreign_entry(std::uint32_t index, std::string gid) {
  return {index, std::move(gid), "", Absent{Why::OtherNamespace, "the kernel refuses to tell its type (EINVAL)"}};
}

/// A slot of the table in sysfs. Empty slots are all zeros, and their attributes refuse with EINVAL.
std::optional<GidEntry> entry_from_sysfs(Files& files, const Context& context, const std::string& base,
                                         const std::string& slot) {
  const auto index = parse_u64(slot);
  const auto text = files.read(base + "gids/" + slot);
  const auto gid = text ? gid_from_sysfs(*text) : std::nullopt;
  if (!index || *index >= 65536 || !gid) return std::nullopt;
  GidEntry entry;
  entry.index = static_cast<std::uint32_t>(*index);
  entry.gid = *gid;
  const auto type = files.read(base + "gid_attrs/types/" + slot);
  if (is_refused(type)) return foreign_entry(static_cast<std::uint32_t>(*index), *gid);
  if (!type) return std::nullopt;
  entry.type = gid_type_from_sysfs(*type);
  entry.netdev = read_text(files, base + "gid_attrs/ndevs/" + slot);
  if (entry.netdev && context.link(*entry.netdev) == nullptr) {
    entry.netdev = Absent{Why::OtherNamespace, *entry.netdev + " is not in this network namespace"};
  }
  return entry;
}

/// The kernel keeps the first slots for the port's own netdev. Where they are not listed, and refused in sysfs, that
/// netdev is in another network namespace.
void add_refused_beginning(Files& files, const std::string& base, std::vector<GidEntry>& table) {
  constexpr std::uint32_t kMost = 16;
  if (table.empty()) return;
  std::vector<GidEntry> refused;
  for (std::uint32_t index = 0; index < std::min(table.front().index, kMost); ++index) {
    if (!is_refused(files.read(base + "gid_attrs/types/" + std::to_string(index)))) return;
    refused.push_back(foreign_entry(index, ""));
  }
  table.insert(table.begin(), refused.begin(), refused.end());
}

std::string directory_of(const RdmaPort& port) {
  return std::string(kInfiniBandClass) + "/" + port.device + "/ports/" + std::to_string(port.port) + "/";
}

/// With a hole in the middle the table goes on; rxe has 1024 slots.
Reading<std::vector<GidEntry>> table_from_sysfs(Host& host, const Context& context, const RdmaPort& port) {
  const std::string base = directory_of(port);
  const auto slots = host.files.list(base + "gids");
  if (!slots) return slots.error();
  std::vector<GidEntry> out;
  for (std::size_t i = 0; i < std::min(slots->size(), kMaxSlots); ++i) {
    if (auto entry = entry_from_sysfs(host.files, context, base, (*slots)[i])) out.push_back(std::move(*entry));
  }
  std::sort(out.begin(), out.end(), [](const GidEntry& a, const GidEntry& b) { return a.index < b.index; });
  return out;
}

/// Facts that only verbs answer (MTUs), and the GID table.
void collect_port(Host& host, Context& context, RdmaPort& port) {
  const std::string name = port_name(port);
  const auto attributes = context.refusals.ask("verbs/port_attributes/" + name, context.now,
                                               [&] { return host.verbs.port_attributes(port.device, port.port); });
  if (attributes) {
    VerbsMtu mtu = parse_port_attributes(*attributes);
    port.active_mtu = std::move(mtu.active);
    port.max_mtu = std::move(mtu.max);
  } else {
    port.active_mtu = port.max_mtu = attributes.error();
  }
  const auto table = context.refusals.ask("verbs/gid_table/" + port.device, context.now,
                                          [&] { return host.verbs.gid_table(port.device); });
  if (table) {
    port.gids = with_names(context, parse_gid_table(*table, port.port));
  } else {
    port.gids = table_from_sysfs(host, context, port);
  }
  if (port.gids) add_refused_beginning(host.files, directory_of(port), *port.gids);
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  const bool all = context.configuration_due || context.topology_changed;
  for (RdmaPort& port : out.ports) {
    if (port.in_scope && (all || context.moved_ports.contains(port_name(port)))) collect_port(host, context, port);
  }
  return {};
}

}  // namespace

extern const Collector kGids;
constinit const Collector kGids{"gids", Cadence::LinkChange, false, collect};

}  // namespace roceready
