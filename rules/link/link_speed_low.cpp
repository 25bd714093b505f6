// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What the link should have negotiated, who says so, how sure that is, and how bad less than that can be.
struct Expected {
  std::uint64_t speed = 0;
  std::string who;
  Severity worst = Severity::Critical;
  double confidence = 1.0;
};
/// What other ports have is inferred (rules.md 6.3).
constexpr double kInferred = 0.7;

/// Speed of most of at least three ports of the node with the same NIC model; 0 where there is no such majority.
std::uint64_t majority_speed(const Evidence& seen, const PciFunction& nic) {
  std::map<std::uint64_t, std::size_t> ports_at;
  std::size_t ports = 0;
  for (std::size_t at = 0; at < seen.now().netdevs.size(); ++at) {
    const PciFunction* const other = seen.pci_of_netdev(at);
    const auto speed = field(seen.now().netdevs[at].ethtool.link_modes, &LinkModes::speed_bits_per_second);
    if (other == nullptr || !speed || !nic.vendor_device || other->vendor_device != nic.vendor_device) continue;
    ++ports_at[*speed];
    ++ports;
  }
  for (const auto& [speed, count] : ports_at)
    if (ports >= 3 && count * 2 > ports) return speed;
  return 0;
}

Reading<Expected> expected_speed(const Evidence& seen, const LinkModes& modes) {
  if (seen.profile() != nullptr && seen.profile()->link_speed_bits_per_second)
    return Expected{*seen.profile()->link_speed_bits_per_second, "profile " + seen.profile()->name};
  if (!modes.max_advertised_bits_per_second) return modes.max_advertised_bits_per_second.absent();
  const std::uint64_t ours = *modes.max_advertised_bits_per_second;
  // Most ports of one model on a node are meant alike, but a storage rail on a slower switch is no fault of the link.
  const std::uint64_t majority = seen.pci() != nullptr ? majority_speed(seen, *seen.pci()) : 0;
  const bool agreed = majority != 0 && majority <= ours;
  const std::string most = "most ports of this NIC model on the node";
  if (!modes.max_peer_bits_per_second) {
    if (agreed) return Expected{majority, most, Severity::Critical, kInferred};
    return Expected{ours, "the fastest mode that the port advertises", Severity::Info};
  }
  const std::uint64_t both = std::min(ours, *modes.max_peer_bits_per_second);
  if (agreed && majority <= both) return Expected{majority, most + ", and both ends advertise it"};
  if (agreed && modes.speed_bits_per_second.value_or(0) >= both) return Expected{majority, most, Severity::Info};
  return Expected{both, "both ends, which advertise it"};
}

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<LinkModes>& modes = seen.member().ethtool.link_modes;
  if (!modes) return out.unknown(modes.absent());
  const Reading<std::uint64_t>& speed = modes->speed_bits_per_second;
  if (!speed && speed.absent().why == Why::NotPresent)
    return out.not_applicable("the link has no speed while it is down");
  if (!speed) return out.unknown(speed.absent());
  const Reading<Expected> expected = expected_speed(seen, *modes);
  if (!expected) return out.unknown(expected.absent());
  if (*speed >= expected->speed) return out.pass();

  const std::string& name = seen.member().link.name;
  const double now = static_cast<double>(*speed), wanted = static_cast<double>(expected->speed);
  Severity severity = now < seen.limit("crit_share") * wanted ? Severity::Critical : Severity::Warning;
  std::string sentence =
      name + " runs at " + bit_rate(now) + "; expected are " + bit_rate(wanted) + " (" + expected->who + ").";
  if (expected->worst != Severity::Critical) severity = expected->worst;
  if (expected->worst != Severity::Critical || expected->confidence < 1)
    sentence += " A slower cable, switch or split port may be meant so: no profile states the speed.";
  if (modes->max_peer_bits_per_second && *modes->max_peer_bits_per_second < expected->speed)
    sentence +=
        " The other end offers no more than " + bit_rate(static_cast<double>(*modes->max_peer_bits_per_second)) + ".";
  if (modes->lanes) sentence += " It uses " + counted(*modes->lanes, "lane") + ".";
  if (modes->autoneg && !*modes->autoneg) sentence += " Autonegotiation is off, so the speed was forced.";
  out.fail(severity, sentence, {seen.item("negotiated speed", now, "bits/s", "<", wanted, "ethtool " + name)})
      .confidence = expected->confidence;
}

}  // namespace

extern const Rule kLinkSpeedLow;
constinit const Rule kLinkSpeedLow{
    .id = "link-speed-low",
    .family = "link",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Link runs below its speed",
    .what =
        "Compares the negotiated speed with the profile's; without one, with what both ends advertise or with most of "
        "at "
        "least three ports of the same NIC model. Critical below half of what the profile states, both ends "
        "advertise or most such ports have, else warning; info where only our own modes, or only the other ports while "
        "the other end offers no "
        "more, speak against it.",
    .why = "Collective operations run at the speed of the slowest rail.",
    .next = "Compare lanes and forced modes of both ends, then replace the cable or module.",
    .likely_causes = {"a lane has failed", "cable of a slower kind", "speed forced on one end",
                      "switch port configuration"},
    .fix = {Recipe::LinkSpeed, Recipe::Optic},
    .traps =
        {"A split or slower port may be meant so: where only our own modes speak against it, it is info.",
         "A port on a slower switch than the others, for storage say, is info: its other end offers no more.",
         "Where the other end does not say what it offers, what most ports alike have is inferred: confidence 0.7.",
         "A card whose PCIe link cannot carry all its ports is another rule's matter.",
         "A port that is down has no speed: link-down says so."},
    .limits = {Limit{.name = "crit_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "below this share of the expected speed it is critical"}},
    .facts = {"ethtool-link-modes"},
    .judge = judge,
};

}  // namespace roceready::rules
