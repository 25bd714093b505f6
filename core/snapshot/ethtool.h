// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/reading.h"

namespace roceready {

/// ETHTOOL_GDRVINFO.
struct DriverInfo {
  std::string driver, version, firmware, bus_info;
  bool operator==(const DriverInfo&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("driver", self.driver);
    visit("version", self.version);
    visit("firmware", self.firmware);
    visit("bus_info", self.bus_info);
  }
};

/// ETHTOOL_MSG_LINKMODES_GET. Speeds in bits per second.
struct LinkModes {
  Reading<std::uint64_t> speed_bits_per_second;  ///< negotiated; absent (NotPresent) while the link is down or unknown
  Reading<std::uint32_t> lanes;
  Reading<bool> autoneg;
  Reading<std::uint64_t> max_supported_bits_per_second;   ///< fastest mode that the port supports
  Reading<std::uint64_t> max_advertised_bits_per_second;  ///< fastest mode that we advertise
  Reading<std::uint64_t> max_peer_bits_per_second;        ///< fastest mode that the partner advertises (autoneg only)
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("speed_bits_per_second", self.speed_bits_per_second);
    visit("lanes", self.lanes);
    visit("autoneg", self.autoneg);
    visit("max_supported_bits_per_second", self.max_supported_bits_per_second);
    visit("max_advertised_bits_per_second", self.max_advertised_bits_per_second);
    visit("max_peer_bits_per_second", self.max_peer_bits_per_second);
  }
};

/// ETHTOOL_MSG_LINKSTATE_GET.
struct LinkState {
  Reading<bool> link;
  Reading<std::string> extended_state;  ///< words of the kernel's ETHTOOL_LINK_EXT_STATE_*: "No cable"…; only when down
  Reading<std::string> extended_substate;
  Reading<std::uint32_t> extended_down_count;  ///< ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT, kernel 6.2+
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("link", self.link);
    visit("extended_state", self.extended_state);
    visit("extended_substate", self.extended_substate);
    visit("extended_down_count", self.extended_down_count);
  }
};

/// 802.3x link-level pause (ETHTOOL_MSG_PAUSE_GET); not PFC.
struct PauseFacts {
  Reading<bool> autoneg, rx, tx;
  Reading<std::uint64_t> tx_frames, rx_frames;
  Reading<std::uint64_t> tx_storm_events{};  ///< pause storms that we sent, all priorities; since 2026 kernels
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("autoneg", self.autoneg);
    visit("rx", self.rx);
    visit("tx", self.tx);
    visit("tx_frames", self.tx_frames);
    visit("rx_frames", self.rx_frames);
    visit("tx_storm_events", self.tx_storm_events);
  }
};

/// ETHTOOL_MSG_FEC_GET.
struct FecFacts {
  std::vector<std::string> configured;  ///< "Off", "RS", "BaseR", "LLRS"
  Reading<bool> automatic;
  Reading<std::string> active;                                                    ///< same words; absent while unknown
  Reading<std::uint64_t> corrected_blocks, uncorrectable_blocks, corrected_bits;  ///< totals of the port
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("configured", self.configured);
    visit("automatic", self.automatic);
    visit("active", self.active);
    visit("corrected_blocks", self.corrected_blocks);
    visit("uncorrectable_blocks", self.uncorrectable_blocks);
    visit("corrected_bits", self.corrected_bits);
  }
};

/// One measured value of a module with the limits that its EEPROM states. The limits are the module maker's.
struct ModuleMonitor {
  std::string what;        ///< "temperature", "supply voltage", "receive power", "transmit power", "bias current"
  std::uint32_t lane = 0;  ///< from 1; 0: of the whole module
  double value = 0;
  std::string unit;  ///< "degrees C", "V", "W", "A"
  double low_alarm = 0, low_warning = 0, high_warning = 0, high_alarm = 0;
  bool operator==(const ModuleMonitor&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("what", self.what);
    visit("lane", self.lane);
    visit("value", self.value);
    visit("unit", self.unit);
    visit("low_alarm", self.low_alarm);
    visit("low_warning", self.low_warning);
    visit("high_warning", self.high_warning);
    visit("high_alarm", self.high_alarm);
  }
};

/// What the EEPROM of the plugged module says (ETHTOOL_MSG_MODULE_EEPROM_GET). Its latched flags are never read:
/// reading clears them for everybody else.
struct ModuleFacts {
  std::string form;                              ///< "SFP", "QSFP28", "QSFP-DD"…
  Reading<double> copper_length_metres;          ///< passive copper cables; NotPresent: it is none
  Reading<std::string> fault;                    ///< "the module is in its fault state"; NotPresent: none, or not told
  Reading<std::vector<ModuleMonitor>> monitors;  ///< NotPresent: it measures nothing (copper)
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("form", self.form);
    visit("copper_length_metres", self.copper_length_metres);
    visit("fault", self.fault);
    visit("monitors", self.monitors);
  }
};

/// ETHTOOL_MSG_RINGS_GET, entries.
struct RingFacts {
  Reading<std::uint32_t> rx, rx_max, tx, tx_max;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("rx", self.rx);
    visit("rx_max", self.rx_max);
    visit("tx", self.tx);
    visit("tx_max", self.tx_max);
  }
};

/// Names of a counter set, shared by all snapshots until the driver changes the set.
using CounterNames = std::shared_ptr<const std::vector<std::string>>;

/// Every statistic of a driver as it came, names cleaned (text.h). Unknown names stay here, so nothing is lost.
/// values[i] belongs to (*names)[i].
struct RawCounters {
  CounterNames names;
  std::vector<std::uint64_t> values;
  std::int64_t read_ns = 0;  ///< time spent in the read
  std::int64_t at_ns =
      0;  ///< Instant::monotonic_ns at the end of the read; older than the snapshot when it was not due
  [[nodiscard]] std::size_t size() const { return names ? names->size() : 0; }
};

struct EthtoolFacts {
  Reading<DriverInfo> driver;
  Reading<LinkModes> link_modes;
  Reading<LinkState> link_state;
  Reading<PauseFacts> pause;
  Reading<FecFacts> fec;
  Reading<RingFacts> rings;
  Reading<std::string> medium;  ///< ETHTOOL_MSG_LINKINFO_GET: "DirectAttach", "Fibre", "TwistedPair"…
  Reading<ModuleFacts> module;  ///< needs CAP_NET_ADMIN
  /// Longest stall that the NIC answers with pause before it stops pausing, milliseconds; 0: without end (tunable
  /// pfc-prevention-tout).
  Reading<std::uint32_t> pfc_stall_limit_ms;
  Reading<RawCounters> statistics;  ///< ethtool -S; all or nothing
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("driver", self.driver);
    visit("link_modes", self.link_modes);
    visit("link_state", self.link_state);
    visit("pause", self.pause);
    visit("fec", self.fec);
    visit("rings", self.rings);
    visit("medium", self.medium);
    visit("module", self.module);
    visit("pfc_stall_limit_ms", self.pfc_stall_limit_ms);
    visit("statistics", self.statistics);
  }
};

}  // namespace roceready
