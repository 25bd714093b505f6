// SPDX-License-Identifier: Apache-2.0
#include "rules/inference.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "rules/ecn/cc_files.h"
#include "rules/profile_changes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kLikely = 0.7, kWeak = 0.4;

/// What a port shows of its design.
struct Shown {
  enum class Design { Lossless, PfcOnly, LossyEcn, LinkPause, Unconfigured };
  Design design = Design::Unconfigured;
  std::string vendor;
  std::string trust;  ///< "" where the driver does not show it
  std::uint32_t pfc = 0;
  std::optional<std::uint8_t> dscp, priority;
  std::optional<std::uint8_t> cnp_priority;  ///< where the map puts the profile's CNP
  std::optional<std::uint8_t> second_dscp;   ///< that leads to the other one of two lossless priorities
  bool controlled = false;                   ///< congestion control is on
  std::string words;
};

/// A port whose design is not shown, and why.
struct Unclear {
  std::string why;
};
using Look = std::variant<Shown, Unclear>;

/// A counter that only adaptive retransmission moves has moved since the driver was loaded.
bool retransmits_adaptively(const RdmaPort& port) {
  for (const CounterId id : {CounterId::RoceAdpRetrans, CounterId::RoceAdpRetransTimeout}) {
    const CounterValue* value = port.counters.find(id, kNoLane);
    if (value != nullptr && value->raw > 0) return true;
  }
  return false;
}

bool pauses(const Netdev& member, bool both) {
  const Reading<PauseFacts>& pause = member.ethtool.pause;
  if (!pause) return false;
  const bool rx = pause->rx.value_or(false), tx = pause->tx.value_or(false);
  return both ? rx && tx : rx || tx;
}

std::string vendor_of(const RdmaPort& port) {
  for (const auto& [driver, vendor] : {std::pair{"mlx", "nvidia"}, std::pair{"bnxt", "broadcom"},
                                       std::pair{"irdma", "intel"}, std::pair{"ionic", "amd"}})
    if (port.driver.starts_with(driver)) return vendor;
  return {};
}

const Profile& profile_of_vendor(const std::string& vendor) {
  for (const Profile& profile : profiles())
    if (!vendor.empty() && profile.vendor == vendor && profile.mode == kLossless) return profile;
  return *profile_named("nvidia-lossless");
}

/// DSCP of RoCE among those that lead to a lossless priority: what RDMA-CM uses, what the vendor uses, what somebody
/// entered.
std::optional<std::uint8_t> lossless_dscp(const RdmaPort& port, const Netdev& member, std::uint32_t pfc) {
  const auto& map = member.dcb.dscp_to_priority;
  if (!map || map->size() < 64) return std::nullopt;
  std::vector<std::uint32_t> candidates;
  if (port.cma_default_tos && *port.cma_default_tos != 0) candidates.push_back(*port.cma_default_tos >> 2 & 63U);
  candidates.push_back(profile_of_vendor(vendor_of(port)).roce_dscp);
  for (const std::uint32_t usual : {26U, 24U}) candidates.push_back(usual);
  if (member.dcb.app)
    for (const AppEntry& entry : *member.dcb.app)
      if (entry.selector == kSelectorDscp && entry.protocol < 64) candidates.push_back(entry.protocol);
  for (const std::uint32_t dscp : candidates) {
    const std::uint32_t priority = (*map)[dscp];
    if (priority < kPriorities && (pfc >> priority & 1U) != 0) return static_cast<std::uint8_t>(dscp);
  }
  return std::nullopt;
}

/// The lossless priority beside RoCE's; nothing where there is none.
std::optional<std::uint8_t> other_priority(std::uint32_t pfc, std::uint8_t priority) {
  const std::uint32_t others = pfc & ~(1U << priority);
  if (others == 0) return std::nullopt;
  return static_cast<std::uint8_t>(std::countr_zero(others));
}

/// A DSCP that leads to that other one: the one of its number, as SONiC maps them, else the lowest.
std::optional<std::uint8_t> dscp_of_other(const std::vector<std::uint32_t>& map, std::uint32_t pfc,
                                          std::uint8_t priority) {
  const std::optional<std::uint8_t> other = other_priority(pfc, priority);
  if (!other) return std::nullopt;
  if (map[*other] == *other) return other;
  for (std::uint8_t dscp = 0; dscp < 64; ++dscp)
    if (map[dscp] == *other) return dscp;
  return std::nullopt;
}

/// Where the APP table puts RoCE by its UDP port (IEEE 802.1Qaz selectors 3, UDP, and 4, TCP or UDP); the highest entry
/// holds.
std::optional<std::uint8_t> priority_of_roce_port(const Netdev& member) {
  constexpr std::uint32_t kUdp = 3, kAnyTransport = 4, kRocePort = 4791;
  std::optional<std::uint8_t> out;
  if (!member.dcb.app) return out;
  for (const AppEntry& entry : *member.dcb.app)
    if ((entry.selector == kUdp || entry.selector == kAnyTransport) && entry.protocol == kRocePort &&
        entry.priority < kPriorities)
      out = std::max(out.value_or(0), static_cast<std::uint8_t>(entry.priority));
  return out;
}

/// A lossless priority that VLANs with addresses send on; nothing where no tagged packet can have one.
std::optional<std::uint8_t> tagged_priority(const Snapshot& now, const RdmaPort& port, std::uint32_t pfc) {
  for (const std::string& name : port.uppers) {
    const Netdev* upper = now.netdev(name);
    if (upper == nullptr || !upper->link.vlan) continue;
    for (const auto& [skb_priority, pcp] : upper->link.vlan->egress_qos)
      if (pcp < kPriorities && (pfc >> pcp & 1U) != 0) return static_cast<std::uint8_t>(pcp);
  }
  return std::nullopt;
}

Look with_pfc(const Snapshot& now, const RdmaPort& port, const Netdev& member, Shown shown) {
  const std::string& name = member.link.name;
  const std::string on = "PFC is on for " + priorities_text(shown.pfc) + " of " + name;
  if (std::popcount(shown.pfc) > 2) return Unclear{on + ", and no design has so many"};
  if (pauses(member, false)) return Unclear{on + ", and so is link-level pause; only one of them can work"};
  const auto by_port = shown.trust == "dscp" ? std::nullopt : priority_of_roce_port(member);
  if (by_port && (shown.pfc >> *by_port & 1U) == 0)
    return Unclear{on + ", but its APP table puts RoCE (UDP port 4791) on priority " + std::to_string(*by_port)};
  if (shown.trust == "pcp") {
    shown.priority = tagged_priority(now, port, shown.pfc);
    if (!shown.priority)
      return Unclear{on + ", but it goes by the VLAN tag, and no VLAN of it sends on such a priority"};
  } else if (member.dcb.dscp_to_priority) {
    shown.dscp = lossless_dscp(port, member, shown.pfc);
    if (!shown.dscp) return Unclear{on + ", but no DSCP that RoCE uses leads there"};
    shown.priority = static_cast<std::uint8_t>((*member.dcb.dscp_to_priority)[*shown.dscp]);
    shown.second_dscp = dscp_of_other(*member.dcb.dscp_to_priority, shown.pfc, *shown.priority);
    const Profile& usual = profile_of_vendor(shown.vendor);
    if (usual.cnp_dscp) shown.cnp_priority = static_cast<std::uint8_t>((*member.dcb.dscp_to_priority)[*usual.cnp_dscp]);
  }
  if (!shown.priority) shown.priority = by_port;
  const std::optional<bool> controlled = congestion_control_on(port, member);
  shown.controlled = controlled.value_or(false);
  shown.design = controlled && !*controlled ? Shown::Design::PfcOnly : Shown::Design::Lossless;
  shown.words = on;
  if (shown.dscp) shown.words += ", DSCP " + std::to_string(*shown.dscp) + " leads there";
  if (controlled) shown.words += *controlled ? ", congestion control is on" : ", congestion control is off";
  return shown;
}

Look without_pfc(const RdmaPort& port, const Netdev& member, Shown shown) {
  const std::string& name = member.link.name;
  if (congestion_control_on(port, member).value_or(false) && retransmits_adaptively(port)) {
    shown.design = Shown::Design::LossyEcn;
    shown.words = "no PFC on " + name + ", congestion control and adaptive retransmission are on";
    return shown;
  }
  const bool entered = member.dcb.app && std::any_of(member.dcb.app->begin(), member.dcb.app->end(),
                                                     [](const AppEntry& e) { return e.selector == kSelectorDscp; });
  if (shown.trust == "dscp" || entered || port.cma_default_tos.value_or(0) != 0)
    return Unclear{"RoCE's class is set up on " + name +
                   " and no priority has PFC: a design without it, or PFC was lost"};
  if (pauses(member, true)) {
    shown.design = Shown::Design::LinkPause;
    shown.words = "no PFC on " + name + ", link-level pause is on in both directions, as many NICs come";
    return shown;
  }
  shown.words = "no PFC, no DSCP map and no default ToS on " + name;
  return shown;
}

Look look_at(const Snapshot& now, const RdmaPort& port, const Netdev& member) {
  const DcbFacts& dcb = member.dcb;
  if (!dcb.pfc) return Unclear{"PFC of " + member.link.name + " cannot be read: " + dcb.pfc.absent().detail};
  Shown shown;
  shown.vendor = vendor_of(port);
  shown.trust = dcb.trust.value_or("");
  shown.pfc = dcb.pfc->enabled & 0xffU;
  if (!dcb.trust && dcb.trust.absent().why != Why::NotSupported && dcb.trust.absent().why != Why::NotPresent)
    return Unclear{"what " + member.link.name + " classifies by cannot be read: " + dcb.trust.absent().detail};
  return shown.pfc != 0 ? with_pfc(now, port, member, std::move(shown)) : without_pfc(port, member, std::move(shown));
}

bool agree(const Shown& a, const Shown& b) {
  return a.design == b.design && a.pfc == b.pfc && a.trust == b.trust && a.dscp == b.dscp && a.priority == b.priority;
}

KeptProfile named(const char* name, double confidence, std::string why) {
  return {name, 0, confidence, std::move(why), {}};
}

KeptProfile profile_from(const Shown& shown, const std::string& why) {
  using Design = Shown::Design;
  if (shown.design == Design::Unconfigured) return named(kUnconfigured, kLikely, why);
  if (shown.design == Design::LinkPause) return named("lfc-simple", kWeak, why);
  if (shown.design == Design::LossyEcn) return named("lossy-ecn", kLikely, why);
  constexpr std::uint32_t kThreeAndFour = 0x18;
  const Profile& profile = shown.design == Design::PfcOnly ? *profile_named("meta-pfc-only")
                           : shown.pfc == kThreeAndFour    ? *profile_named("sonic-two-class")
                                                           : profile_of_vendor(shown.vendor);
  KeptProfile out = named(profile.name.c_str(), kLikely, why);
  const auto seen = [&](const char* key, std::string text) {
    if (profile_key_named(key)->get(profile) != text) out.overrides.emplace(key, std::move(text));
  };
  Profile here = profile;
  here.pfc_priorities = static_cast<std::uint8_t>(shown.pfc);
  seen("pfc_priorities", profile_key_named("pfc_priorities")->get(here));
  if (!shown.trust.empty()) seen("trust", shown.trust);
  if (shown.dscp) seen("roce_dscp", std::to_string(*shown.dscp));
  const std::uint8_t first = static_cast<std::uint8_t>(std::countr_zero(shown.pfc));
  seen(
      "roce_priority",
      std::to_string(shown.priority.value_or(here.is_lossless(profile.roce_priority) ? profile.roce_priority : first)));
  if (profile.second_dscp) {  // where no DSCP leads to it, RoCE uses one class
    const std::uint8_t own = shown.priority.value_or(profile.roce_priority);
    const std::uint8_t other = shown.second_dscp ? other_priority(shown.pfc, own).value_or(own) : own;
    seen("second_priority", std::to_string(other));
    if (shown.second_dscp) seen("second_dscp", std::to_string(*shown.second_dscp));
  }
  // Seen on once: off is a fault from then on, where the profile would allow it.
  if (profile.congestion_control_optional && shown.controlled)
    out.overrides.emplace("congestion_control", profile_key_named("congestion_control")->get(profile));
  if (profile.cnp_priority && shown.cnp_priority && (shown.pfc >> *shown.cnp_priority & 1U) == 0)
    seen("cnp_priority", std::to_string(*shown.cnp_priority));
  return out;
}

}  // namespace

Inference infer_profile(const Snapshot& now) {
  std::optional<Shown> first;
  std::string words;
  for (const RdmaPort& port : now.ports) {
    if (!port.in_scope || port.function == FunctionKind::Software) continue;
    if (port.link_layer && *port.link_layer != "Ethernet") continue;
    for (const std::string& name : port.members) {
      const Netdev* member = now.netdev(name);
      if (member == nullptr) return {{}, "the network device " + name + " of " + owner_of(port) + " is not visible"};
      Look look = look_at(now, port, *member);
      if (const auto* unclear = std::get_if<Unclear>(&look)) return {{}, unclear->why};
      Shown& shown = std::get<Shown>(look);
      if (first && !agree(*first, shown)) return {{}, "the ports differ: " + words + "; but " + shown.words};
      if (!first) words = shown.words;
      if (!first) first = std::move(shown);
    }
  }
  if (!first) return {{}, "no RoCE port in scope shows its network device"};
  return {profile_from(*first, words), {}};
}

bool never_configured(const Snapshot& now, const RdmaPort& port) {
  return !port.members.empty() && std::all_of(port.members.begin(), port.members.end(), [&](const std::string& name) {
    const Netdev* member = now.netdev(name);
    if (member == nullptr) return false;
    const Look look = look_at(now, port, *member);
    const Shown* shown = std::get_if<Shown>(&look);
    return shown != nullptr && shown->design == Shown::Design::Unconfigured;
  });
}

int weight_of(const KeptProfile& guess) {
  if (guess.name == kUnconfigured) return 0;
  return guess.confidence < kLikely ? 1 : 2;
}

}  // namespace roceready::rules
