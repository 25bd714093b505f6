// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/ecn/cc_files.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (heeds_no_marks(profile)) return out.not_applicable(no_marks(profile));
  if (!profile.cnp_dscp && !profile.cnp_priority)
    return out.not_applicable("profile " + profile.name + " does not say where congestion notifications go");
  const Reading<std::uint32_t> dscp = cnp_dscp_set(seen), priority = cnp_priority_set(seen);
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  const auto compare = [&](const char* what, const Reading<std::uint32_t>& set, std::uint32_t wanted,
                           std::uint32_t of_data) {
    if (!set || *set == wanted) return;
    words.push_back(std::string(what) + " " + std::to_string(*set) + (*set == of_data ? ", which is RoCE's own," : "") +
                    " instead of " + std::to_string(wanted));
    evidence.push_back(
        seen.item(std::string(what) + " of congestion notifications", *set, "", "!=", wanted, cc_source(seen)));
  };
  if (profile.cnp_dscp) compare("DSCP", dscp, *profile.cnp_dscp, profile.roce_dscp);
  if (profile.cnp_priority) compare("priority", priority, *profile.cnp_priority, profile.roce_priority);
  if (!words.empty()) {
    out.fail(Severity::Warning,
             "Congestion notifications of " + seen.member().link.name + " are sent with " + joined(words) + ".",
             std::move(evidence));
    return;
  }
  if (profile.cnp_dscp && !shown(out, dscp, "the DSCP of congestion notifications")) return;
  if (profile.cnp_priority && !shown(out, priority, "the priority of congestion notifications")) return;
  out.pass();
}

}  // namespace

extern const Rule kEcnCnpClass;
constinit const Rule kEcnCnpClass{
    .id = "ecn-cnp-class",
    .since = "0.3",
    .family = "ecn",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kLossless | kLossy,
    .scope = Scope::Member,
    .title = "Congestion notifications are sent in the wrong class",
    .what =
        "Reads DSCP and priority that this NIC gives congestion notifications, from the driver's files. Fires when "
        "they are not the profile's.",
    .why = "The switch puts them into a queue where they wait or are dropped, and senders slow down too late.",
    .next = "Set DSCP and priority of congestion notifications to the profile's.",
    .likely_causes = {"factory setting of another vendor or tool", "setting lost at reboot"},
    .fix = {Recipe::Cnp},
    .traps = {"Good values differ (48 on 6, 48 on 7, 46 on 6; NVIDIA's network operator sets DSCP 4): only the profile "
              "is compared.",
              "mlx5's parameters are in debugfs, which takes root: without it this is unknown."},
    .facts = {"cnp-class-defaults", "nvidia-ecn-files", "mlx5-cc-params", "bnxt-cc-config"},
    .judge = judge,
};

}  // namespace roceready::rules
