// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::size_t kDscps = 64;

/// By the effective map; where the driver's default map is not known, by the APP table, of which the highest entry
/// holds.
std::optional<std::uint32_t> priority_of(const DcbFacts& dcb, std::uint8_t dscp) {
  if (dcb.dscp_to_priority) return (*dcb.dscp_to_priority)[dscp % kDscps];
  std::optional<std::uint32_t> out;
  if (!dcb.app) return out;
  for (const AppEntry& entry : *dcb.app) {
    if (entry.selector == kSelectorDscp && entry.protocol == dscp) out = std::max(out.value_or(0), entry.priority);
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->trust != "dscp") return out.not_applicable("profile " + profile->name + " does not classify by DSCP");
  const DcbFacts& dcb = seen.member().dcb;
  if (dcb.trust && *dcb.trust != "dscp")
    return out.not_applicable("the NIC does not classify by DSCP: see qos-trust-pcp");
  const Reading<std::vector<std::uint32_t>>& map = dcb.dscp_to_priority;
  if (map && map->size() < kDscps)
    return out.unknown({Why::Malformed, "the DSCP map has " + std::to_string(map->size()) + " of 64 entries"});
  if (!priority_of(dcb, profile->roce_dscp)) return cannot_read(out, map.absent(), "its DSCP map");

  const std::string source = dcb_source(seen);
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  const auto check = [&](const char* what, std::uint8_t dscp, std::uint8_t wanted) {
    const std::optional<std::uint32_t> actual = priority_of(dcb, dscp);
    if (!actual || *actual == wanted) return false;
    words.push_back(std::string("DSCP ") + std::to_string(dscp) + " (" + what + ") maps to priority " +
                    std::to_string(*actual) + " instead of " + std::to_string(wanted));
    // causes.cpp tells data from notifications by this name
    const std::string whose = std::string(what).starts_with("RoCE") ? "priority of RoCE's DSCP " : "priority of DSCP ";
    evidence.push_back(seen.item(whose + std::to_string(dscp), *actual, "", "!=", wanted, source));
    return true;
  };
  bool data_wrong = check("RoCE", profile->roce_dscp, profile->roce_priority);
  const bool second = profile->has_second_class();
  if (second && check("RoCE, second class", *profile->second_dscp, *profile->second_priority)) data_wrong = true;
  if (profile->cnp_dscp && profile->cnp_priority) check("CNP", *profile->cnp_dscp, *profile->cnp_priority);
  if (words.empty() && profile->cnp_dscp && profile->cnp_priority && !priority_of(dcb, *profile->cnp_dscp))
    return cannot_read(out, map.absent(), "where it maps the DSCP of congestion notifications (that of RoCE is right)");
  if (words.empty() && second && !priority_of(dcb, *profile->second_dscp))
    return cannot_read(out, map.absent(), "where it maps the DSCP of RoCE's second class (that of the first is right)");
  if (words.empty()) return out.pass();

  Severity severity = data_wrong && profile->mode != kLossy ? Severity::Critical : Severity::Warning;
  std::string sentence = "On " + seen.member().link.name + " " + joined(words) + ".";
  if (may_still_converge(seen)) {
    severity = Severity::Info;
    sentence += " The link came up a moment ago and DCBX may still change that.";
  }
  out.fail(severity, sentence, std::move(evidence));
}

}  // namespace

extern const Rule kQosDscpMap;
constinit const Rule kQosDscpMap{
    .id = "qos-dscp-map",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .mandatory = kLossless | kPfcOnly,
    .title = "RoCE's DSCP maps to the wrong priority",
    .what =
        "Looks up the profile's DSCPs in the NIC's effective DSCP map. Critical when RoCE's is wrong, or that of its "
        "second lossless class (a warning in a lossy design), warning when only that of congestion notifications is.",
    .why = "RoCE travels in a class that is not lossless, or congestion notifications queue behind data.",
    .next = "Set the map to the profile's, and make the setting survive a reboot.",
    .likely_causes = {"map changed for another design", "setting lost at reboot", "profile does not fit this fabric"},
    .fix = {Recipe::DscpMap},
    .traps = {"The map is compared with the profile, never with a constant: vendors differ (CNP on priority 6 or 7).",
              "NVIDIA maps DSCP/8 by default, so 26 is on 3 and 48 on 6 without any entry.",
              "A NIC that does not classify by DSCP is qos-trust-pcp's matter."},
    .facts = {"nvidia-default-dscp-map", "mlx5-dcbnl-trust"},
    .judge = judge,
};

}  // namespace roceready::rules
