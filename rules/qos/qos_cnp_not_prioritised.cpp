// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
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
  if (!profile.cnp_priority)
    return out.not_applicable("profile " + profile.name + " does not say where congestion notifications go");
  const Reading<EtsFacts>& ets = seen.member().dcb.ets;
  if (!shown(out, ets, "its ETS settings")) return;

  const Reading<std::uint32_t> set = cnp_priority_set(seen);
  const std::uint32_t priority = set ? *set % kPriorities : *profile.cnp_priority;
  const std::uint32_t own = ets->priority_to_class[priority] % kPriorities;
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  if (priority == profile.roce_priority) {
    words.push_back("leave on RoCE's own priority " + std::to_string(priority));
    evidence.push_back(seen.item("priority of congestion notifications", priority, "", "==", profile.roce_priority,
                                 set ? cc_source(seen) : "profile " + profile.name));
  }
  if (profile.cnp_strict && ets->algorithm[own] != kAlgorithmStrict && ets->algorithm[own] != kAlgorithmVendor) {
    words.push_back("queue in class " + std::to_string(own) + ", which is not strict");
    evidence.push_back(seen.item("scheduling of class " + std::to_string(own), ets->algorithm[own], "",
                                 "!=", kAlgorithmStrict, dcb_source(seen)));
  }
  if (words.empty()) {
    if (!set && set.absent().why != Why::NotSupported) return out.unknown(set.absent());
    if (profile.cnp_strict && ets->algorithm[own] == kAlgorithmVendor)
      return out.not_applicable("the firmware arbitrates class " + std::to_string(own) + " (vendor)");
    return out.pass();
  }
  std::string sentence = "Congestion notifications of " + seen.member().link.name + " " + joined(words) + ".";
  const Severity severity = unless_converging(seen, Severity::Warning, sentence);
  out.fail(severity, sentence, std::move(evidence));
}

}  // namespace

extern const Rule kQosCnpNotPrioritised;
constinit const Rule kQosCnpNotPrioritised{
    .id = "qos-cnp-not-prioritised",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic | kLldp,
    .modes = kLossless | kLossy,
    .scope = Scope::Member,
    .title = "Congestion notifications queue behind data",
    .what =
        "Reads the priority of congestion notifications (the vendor driver's, else the profile's) and how its class "
        "is scheduled. Fires when the profile wants it strict and it is not, or when it is RoCE's own priority.",
    .why = "Late notifications slow the senders down too late: more pause, more loss.",
    .next = "Put congestion notifications on a strict class of their own, on the NIC and on the switch.",
    .likely_causes = {"ETS set up for data alone", "notifications never given a class", "setting lost at reboot"},
    .fix = {Recipe::Ets, Recipe::Cnp},
    .traps = {"What the switch does matters more; it is not seen from the host.",
              "mlx5 comes with classes that the firmware arbitrates (vendor): then nothing is said.",
              "PFC-only designs have no congestion notifications."},
    .facts = {"ieee-802.1qaz", "cnp-class-defaults"},
    .judge = judge,
};

}  // namespace roceready::rules
