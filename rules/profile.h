// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::rules {

/// Deployment modes (rules.md 1.2), as bits so that a rule can name several.
enum Mode : std::uint8_t { kLossless = 1, kPfcOnly = 2, kLossy = 4, kNotRoce = 8 };
inline constexpr std::uint8_t kRoceModes = kLossless | kPfcOnly | kLossy;
inline constexpr std::uint8_t kAllModes = kRoceModes | kNotRoce;
[[nodiscard]] const char* name_of(Mode mode);

enum class GlobalPause { Any, Off, Allowed, Required };
/// Congestion control that the design wants on the RoCE priority. Other: RTT-based or programmable.
enum class CongestionControl { Any, Dcqcn, Other, Off };
/// ECN marking of the data class.
enum class Ecn { Any, On, Off };
enum class Dcbx { Any, Static, Willing, None };
/// Pause storm prevention of the NIC. Required: at most 1 s.
enum class NicWatchdog { Any, Default, Required };

/// What a node is for; changes what is normal on it (deployment profiles, modifiers).
enum class Role { Any, Gpu, StorageTarget, VmHost };

/// What "expected" means for a port. Source of the values: the deployment profiles in docs/profiles.md.
struct Profile {
  std::string name;
  std::string title;  ///< one line for people
  Mode mode = kLossless;
  std::string trust = "any";  ///< dscp, pcp, any
  std::uint8_t roce_dscp = 26;
  std::uint8_t roce_priority = 3;
  std::uint8_t pfc_priorities = 0;  ///< bit n: priority n must be lossless, exactly these
  /// Not 0: bit n: RoCE may have priority n, and then that one alone is lossless. roce_priority and pfc_priorities hold
  /// what is meant where the NICs show none of them (open_choices.h).
  std::uint8_t priority_choices = 0;
  /// A second lossless class of RoCE data. Nothing is asked of it unless its priority is lossless and another one.
  std::optional<std::uint8_t> second_dscp, second_priority;
  std::optional<std::uint8_t> cnp_dscp, cnp_priority;
  GlobalPause global_pause = GlobalPause::Off;
  std::uint32_t roce_mtu = 4096;              ///< RDMA path MTU, bytes
  std::uint32_t host_mtu = 9000;              ///< netdev MTU, bytes
  double pause_warn = 0.01;                   ///< share of time; deployment-profiles.md "pause_warn"
  double loss_warn = 1e-7, loss_crit = 1e-5;  ///< share of packets
  bool adaptive_routing = false;              ///< reordering is normal: sequence errors prove nothing
  bool semi_lossless = false;                 ///< the host obeys received pause and sends none
  bool cnp_strict = false;                    ///< congestion notifications leave on a strict traffic class
  CongestionControl congestion_control = CongestionControl::Any;
  /// Congestion control that all NICs show as off is meant so: the design is then PFC alone (open_choices.h).
  bool congestion_control_optional = false;
  Ecn ecn = Ecn::Any;
  std::optional<std::uint32_t> roce_ets_min_percent;  ///< least ETS share of the RoCE class on a converged NIC
  std::uint32_t switch_mtu = 9216;                    ///< bytes
  Dcbx dcbx = Dcbx::Any;
  bool lldp_required = false;
  std::optional<std::uint8_t> heartbeat_priority;  ///< a second class without PFC that must exist (cluster heartbeat)
  /// The vendor whose defaults the class values are, as Evidence::vendor() has it; "" where they are nobody's own.
  std::string vendor;
  NicWatchdog nic_watchdog = NicWatchdog::Any;

  // Modifiers, combined with any profile.
  Role role = Role::Any;
  bool converged = false;         ///< RoCE shares the NIC with other traffic: ETS is judged
  bool dedicated_nic = false;     ///< nothing but RoCE: ETS is not judged, TCP in the lossless class is a fault
  bool lag = false;               ///< bonds are part of the design: one without RoCE LAG is a fault, sums are no news
  bool overlay = false;           ///< VXLAN or Geneve; no rule needs it, the DSCP is compared on every path
  bool long_haul = false;         ///< more than 300 m: headroom is reckoned for that, and must be known
  bool macsec = false;            ///< for lldp-pfc-cap
  bool benchmark_window = false;  ///< pause and PCIe rates are shown as info only
  bool gpudirect_required = false;
  bool allow_rate_limit = false;  ///< a shaped RoCE class is deliberate
  std::optional<std::uint64_t> link_speed_bits_per_second;
  [[nodiscard]] bool is_lossless(std::uint8_t priority) const { return (pfc_priorities >> priority & 1U) != 0; }
  [[nodiscard]] bool has_second_class() const {
    return second_dscp && second_priority && *second_priority != roce_priority && is_lossless(*second_priority);
  }
};

/// The data, in no order (profiles_table.cpp).
[[nodiscard]] std::vector<Profile> profiles_table();
/// All profiles that a user can name, by name.
[[nodiscard]] const std::vector<Profile>& profiles();
[[nodiscard]] const Profile* profile_named(std::string_view name);
[[nodiscard]] std::vector<std::string> profile_names();

}  // namespace roceready::rules
