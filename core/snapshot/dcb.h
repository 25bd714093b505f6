// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/reading.h"

namespace roceready {

inline constexpr std::size_t kPriorities = 8;  ///< IEEE 802.1Q

/// IEEE 802.1Qbb state (struct ieee_pfc).
struct PfcFacts {
  std::uint32_t enabled = 0;          ///< bit n: priority n
  Reading<std::uint32_t> capability;  ///< number of traffic classes that may have PFC; drivers that do not say give 0
  Reading<bool> macsec_bypass;
  /// As the driver gave it: bits by the standard, metres of cable on mlx5, which never gives 0.
  Reading<std::uint32_t> delay;
  /// PFC frames sent, by priority; on mlx5 the cache of the last statistics read.
  Reading<std::array<std::uint64_t, kPriorities>> requests;
  Reading<std::array<std::uint64_t, kPriorities>> indications;  ///< PFC frames received; same
  [[nodiscard]] bool on(std::uint8_t priority) const {
    return priority < kPriorities && (enabled >> priority & 1U) != 0;
  }
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("enabled", self.enabled);
    visit("capability", self.capability);
    visit("macsec_bypass", self.macsec_bypass);
    visit("delay", self.delay);
    visit("requests", self.requests);
    visit("indications", self.indications);
  }
};

/// Scheduling of a traffic class (EtsFacts::algorithm).
inline constexpr std::uint32_t kAlgorithmStrict = 0, kAlgorithmEts = 2, kAlgorithmVendor = 255;

/// IEEE 802.1Qaz enhanced transmission selection (struct ieee_ets).
struct EtsFacts {
  Reading<bool> willing;              ///< takes over what the switch says by DCBX
  Reading<std::uint32_t> capability;  ///< number of traffic classes; 0: the driver does not say
  std::array<std::uint32_t, kPriorities> bandwidth_percent{};  ///< per traffic class
  std::array<std::uint32_t, kPriorities> algorithm{};          ///< per class: 0 strict, 1 CBS, 2 ETS, 255 vendor
  std::array<std::uint32_t, kPriorities> priority_to_class{};
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("willing", self.willing);
    visit("capability", self.capability);
    visit("bandwidth_percent", self.bandwidth_percent);
    visit("algorithm", self.algorithm);
    visit("priority_to_class", self.priority_to_class);
  }
};

/// One entry of the application priority table (struct dcb_app). Selectors: 1 Ethertype, 2 TCP/SCTP, 3 UDP/DCCP, 4 any
/// port, 5 DSCP. A table is a multiset.
struct AppEntry {
  std::uint32_t selector = 0, protocol = 0, priority = 0;
  bool operator==(const AppEntry&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("selector", self.selector);
    visit("protocol", self.protocol);
    visit("priority", self.priority);
  }
};
inline constexpr std::uint32_t kSelectorDscp = 5;

/// Receive buffers of the port (struct dcbnl_buffer), bytes.
struct BufferFacts {
  std::array<std::uint32_t, kPriorities> priority_to_buffer{};
  std::array<std::uint32_t, kPriorities> size_bytes{};
  Reading<std::uint32_t> total_bytes;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("priority_to_buffer", self.priority_to_buffer);
    visit("size_bytes", self.size_bytes);
    visit("total_bytes", self.total_bytes);
  }
};

struct DcbFacts {
  Reading<PfcFacts> pfc;
  Reading<EtsFacts> ets;
  Reading<std::vector<AppEntry>> app;
  Reading<BufferFacts> buffers;
  Reading<std::array<std::uint64_t, kPriorities>> max_rate;  ///< per traffic class, bits per second; 0: no limit
  Reading<std::uint32_t> dcbx;  ///< flags: 1 host, 2 LLD managed (firmware), 4 CEE, 8 IEEE, 16 static
  /// What classifies received and sent traffic: "dscp" or "pcp". Where no file of the driver says so it is derived as
  /// the vendor's table says (rules.md 1.6.4); NotSupported where the driver can never show it.
  Reading<std::string> trust;
  /// Effective DSCP → priority, 64 entries, where trust is dscp: the APP table over the vendor's default map.
  Reading<std::vector<std::uint32_t>> dscp_to_priority;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("pfc", self.pfc);
    visit("ets", self.ets);
    visit("app", self.app);
    visit("buffers", self.buffers);
    visit("max_rate", self.max_rate);
    visit("dcbx", self.dcbx);
    visit("trust", self.trust);
    visit("dscp_to_priority", self.dscp_to_priority);
  }
};

}  // namespace roceready
