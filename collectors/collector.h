// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collectors/counter_plan.h"
#include "collectors/refusals.h"
#include "collectors/selection.h"
#include "core/base/result.h"
#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Where an RDMA device sits; from symbolic links, which do not change while the device lives.
struct DevicePlace {
  FunctionKind function = FunctionKind::Physical;
  std::string pci_address;  ///< "" for software RDMA
  std::string pci_driver;   ///< "" where unknown
  Absent why_unplaced;      ///< why pci_address is empty
};

/// Settings of a netdev by which drivers choose the statistics that they list (mlx5: pause of a priority only while its
/// PFC is on, *_global_pause only while link-level pause is). Nothing where it could not be read.
struct ListingSettings {
  std::optional<std::uint32_t> pfc;  ///< bit n: priority n
  std::optional<bool> pause_autoneg, pause_rx, pause_tx;
  bool operator==(const ListingSettings&) const = default;
};

/// Names of a counter set as they came, and cleaned for the snapshot; shared until the driver changes the set.
struct InternedNames {
  std::vector<std::string> raw;
  CounterNames clean;
  // Of a netdev's statistics alone:
  std::uint32_t netdev_index = 0;  ///< of the netdev that they belong to
  ListingSettings settings;        ///< in the sample before
  bool stale = false;              ///< the names are read anew with the next values
  std::int64_t due_ns = 0;         ///< Instant::monotonic_ns before which the set is not read again
};

/// What collectors remember from sample to sample and tell each other within one. Owned by a Sampler.
struct Context {
  explicit Context(std::int64_t retry_ns) : refusals(retry_ns) {}

  Instant now;                     ///< start of this sample
  bool configuration_due = true;   ///< facts that hardly change are due in this sample
  bool topology_changed = false;   ///< ports or their netdevs differ from the sample before: everything is due
  double statistics_share = 0.02;  ///< a statistics read may take this share of its period
  std::vector<NetLink> links;      ///< this namespace's links in this sample, sorted by name
  Result<void> links_read, addresses_read;
  std::set<std::string> members;                ///< netdevs of ports in scope: these get every question
  std::set<std::string> used_ports;             ///< RdmaPort::key of ports that had a routable address in this boot
  std::set<std::string> excluded_by_netdev;     ///< "device/port" of listed ports whose netdev the user excluded
  std::set<std::string> moved_ports;            ///< "device/port" of ports that Cadence::LinkChange means
  std::set<std::string> settling_ports;         ///< of these, the ones whose links changed in this very sample
  std::map<std::string, DevicePlace> places;    ///< by RDMA device
  std::map<std::string, InternedNames> names;   ///< by question
  std::map<std::string, CounterPlan> plans;     ///< by netdev or "device/port"
  std::map<std::string, Absent> counter_notes;  ///< by "device/port": why single counters are missing
  std::string probe_results;                    ///< the newest that could be read, "" for none
  /// Instant::monotonic_ns at which a running probe engine said something new; nothing where none runs.
  std::optional<std::int64_t> probes_spoke_ns;
  Refusals refusals;

  [[nodiscard]] const NetLink* link(const std::string& name) const;
  [[nodiscard]] const NetLink* link(std::uint32_t index) const;
};

enum class Cadence {
  EverySample,
  Configuration,  ///< settings and surfaces that change rarely
  LinkChange,     ///< as Configuration, and when addresses, MTU or carrier of a port in scope changed
  Machine,        ///< PCI and host
};

/// One kernel surface: fills its slice of the snapshot, and gives up on details, not on itself. The snapshot arrives
/// with the slices of the sample before, so a collector overwrites its own. An error means that the slice could not be
/// had at all; it must then be emptied or absent, never stale.
struct Collector {
  const char* name;
  Cadence cadence;
  bool counters;  ///< its reading must lie between Snapshot::before and after
  Result<void> (*collect)(Host&, const Selection&, Context&, Snapshot&);
  bool in_bursts = false;  ///< runs in the steps between samples too (Sampler::burst_step)
};

/// All collectors, in the order of catalog.def.
[[nodiscard]] std::span<const Collector* const> collectors();

/// A reading whose file is trimmed, cleaned text.
[[nodiscard]] Reading<std::string> read_text(Files& files, const std::string& path);
[[nodiscard]] Reading<std::uint32_t> read_u32(Files& files, const std::string& path);

}  // namespace roceready
