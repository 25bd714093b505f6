// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/counters/counter.h"

namespace roceready {

/// Where a raw value comes from: RdmaHwCounters and RdmaPortCounters are an RDMA port's side, the last two nobody's
/// yet, the others a netdev's.
enum class Source : std::uint8_t {
  EthtoolStatistics,  ///< ethtool -S
  Pause,              ///< ethtool netlink pause statistics
  Fec,                ///< ethtool netlink FEC statistics
  LinkState,          ///< ethtool netlink link state
  Carrier,            ///< rtnetlink
  Pci,                ///< sysfs of the PCI function
  RdmaHwCounters,     ///< RDMA netlink statistics, sysfs hw_counters
  RdmaPortCounters,   ///< sysfs counters/ (PMA)
  DevlinkHealth,      ///< devlink health diagnose: rows for completeness, no collector asks
  Debugfs,            ///< same
};
[[nodiscard]] constexpr bool is_rdma_side(Source source) {
  return source == Source::RdmaHwCounters || source == Source::RdmaPortCounters;
}
[[nodiscard]] constexpr bool is_netdev_side(Source source) {
  return source < Source::RdmaHwCounters;
}
/// True where names of the driver's statistics are looked up in a list.
[[nodiscard]] constexpr bool has_names(Source source) {
  return source == Source::EthtoolStatistics || is_rdma_side(source);
}

/// What one reading covers, so which readings must not be added (counters.md 9).
enum class Scope : std::uint8_t { Port, Function, Device, Lag, Queue, TrafficClass, Lane };

/// A row that its driver offers only while it has a value (an attribute that few drivers fill).
inline constexpr std::uint8_t kWhenPresent = 255;

/// One name of a driver. `name` may hold {prio}, which stands for 0–7 and becomes the lane.
struct CounterRow {
  Source source;
  std::string_view name;
  CounterId id;
  double scale;        ///< value in base units = raw × scale
  std::uint8_t width;  ///< bits after which the raw value wraps
  Scope scope;
  std::uint8_t lane;  ///< fixed lane, or kNoLane
  /// 0: always offered. Rows of one number come and go together with the chip, its firmware or the driver's version,
  /// never with a setting: where a list of names has none of them, this NIC can never show them.
  std::uint8_t group = 0;
  bool in_halves = false;  ///< CounterValue::in_halves
};

/// How the trust mode of a port is known where no file of the driver says so (rules.md 1.6.4).
enum class TrustRule : std::uint8_t {
  NotShown,             ///< the driver can never show it
  AnyDscpEntry,         ///< any DSCP entry in the APP table means "dscp", none means "pcp"
  DscpEntryInHostMode,  ///< the same while the host manages DCB; else entries learnt from the peer stand in the table
};

/// Facts besides counters that a driver can never show, as bits of VendorTable::hides. What the kernel then says it
/// does not offer is outside coverage; of every other driver the same answer is a refusal.
enum Hidden : std::uint8_t {
  kHidesDcb = 1,      ///< the driver has no DCB operations: neither PFC nor ETS nor an APP table
  kHidesDscpMap = 2,  ///< DSCP → priority
  kHidesBuffers = 4,  ///< receive buffers
  kHidesMaxRate = 8,  ///< rate limits of traffic classes
};

/// What we know of a driver. Data only: a mapping never becomes a code path. Source: counters.csv.
struct VendorTable {
  std::string_view name;
  std::span<const std::string_view>
      netdev_drivers;  ///< names by ETHTOOL_GDRVINFO; empty and no RDMA drivers: any driver
  std::span<const std::string_view> rdma_drivers;
  std::span<const CounterRow> rows;   ///< the first row with a value begins where several share a canonical and lane
  bool narrow_fields_stick = false;   ///< fields of 16 bits and less stay at their maximum instead of wrapping
  bool loose_names = false;           ///< names come from firmware: case, blanks, dashes and underscores do not count
  bool may_lack_hw_counters = false;  ///< chips that have no hw_counters at all exist
  TrustRule trust = TrustRule::NotShown;
  std::uint8_t hides = 0;  ///< Hidden
  /// DSCP → priority, 64 entries, before any APP entry; empty: not known.
  std::span<const std::uint8_t> default_dscp_map{};
};

/// All tables, in the order of catalog.def.
[[nodiscard]] std::span<const VendorTable* const> vendor_tables();
/// The table of a netdev driver or of an RDMA driver; nullptr where none knows it.
[[nodiscard]] const VendorTable* vendor_of_netdev(std::string_view driver);
[[nodiscard]] const VendorTable* vendor_of_rdma(std::string_view driver);
/// Rows that hold for any driver.
[[nodiscard]] const VendorTable& generic_table();

}  // namespace roceready
