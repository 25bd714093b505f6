// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>
#include <vector>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinPercent = 50;

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->dedicated_nic || !profile->converged)
    return out.not_applicable("RoCE does not share this NIC (profile " + profile->name + " is not converged)");
  if (!has_class(*profile)) return out.not_applicable("profile " + profile->name + " gives RoCE no class of its own");
  const Reading<EtsFacts>& ets = seen.member().dcb.ets;
  if (!shown(out, ets, "its ETS settings")) return;

  const std::uint32_t own = ets->priority_to_class[profile->roce_priority] % kPriorities;
  if (ets->algorithm[own] == kAlgorithmVendor)
    return out.not_applicable("the firmware arbitrates RoCE's class (vendor): no share is set");
  if (ets->algorithm[own] != kAlgorithmEts) return out.pass();

  const double least = profile->roce_ets_min_percent && !seen.limit_is_set("min_percent")
                           ? *profile->roce_ets_min_percent
                           : seen.limit("min_percent");
  const std::uint32_t share = ets->bandwidth_percent[own];
  const std::uint32_t bulk = ets->priority_to_class[0] % kPriorities;
  const bool bulk_is_strict = bulk != own && ets->algorithm[bulk] == kAlgorithmStrict;
  if (share >= least && !bulk_is_strict) return out.pass();

  std::vector<EvidenceItem> evidence{
      seen.item("ETS share of RoCE's class", share, "percent", "<", least, dcb_source(seen))};
  std::string sentence = "RoCE's traffic class " + std::to_string(own) + " on " + seen.member().link.name + " has " +
                         std::to_string(share) + " % of the bandwidth guaranteed";
  if (share < least) sentence += ", less than the " + std::to_string(static_cast<long>(least)) + " % expected";
  if (bulk_is_strict) {
    sentence += ", and class " + std::to_string(bulk) + " of the default priority 0 is strict, so it goes before it";
    evidence.push_back(seen.word("scheduling of the default class", "strict", "!=", "ets", dcb_source(seen)));
  }
  sentence += ".";
  const Severity severity = unless_converging(seen, Severity::Warning, sentence);
  out.fail(severity, sentence, std::move(evidence));
}

}  // namespace

extern const Rule kQosEtsRoceStarved;
constinit const Rule kQosEtsRoceStarved{
    .id = "qos-ets-roce-starved",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "RoCE has too little guaranteed bandwidth",
    .what =
        "Reads scheduling and share of the traffic class that carries RoCE, where the NIC is shared with other "
        "traffic. Fires when its ETS share is below the profile's (50 %), or when the default class is strict and "
        "RoCE's is not.",
    .why = "Bulk TCP can push RoCE aside, which then shows as pause and latency.",
    .next = "Give RoCE's class its share, and no class of bulk traffic strict priority.",
    .likely_causes = {"ETS never set up", "setting lost at reboot", "share given to another class"},
    .fix = {Recipe::Ets},
    .traps = {"A NIC for RoCE alone needs no ETS; only profiles that are converged are judged.",
              "mlx5 comes with classes that the firmware arbitrates (vendor), which is no mistake.",
              "Intel E800 lets traffic through on a class of 0 %; that is still no guarantee.",
              "RoCE on a strict class is not starved."},
    .limits = {Limit{.name = "min_percent",
                     .value = kMinPercent,
                     .unit = "percent",
                     .min = 0,
                     .max = 100,
                     .evidence = 'V',
                     .help = "least ETS share of RoCE's class; the profile's holds while this is not changed"}},
    .facts = {"ieee-802.1qaz", "roce-ets-half"},
    .judge = judge,
};

}  // namespace roceready::rules
