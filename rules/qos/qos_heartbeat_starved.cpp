// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kSlowLink = 10e9;

/// Least share of the heartbeat's class: 1 %, and 2 % up to 10 Gbit/s. An unknown speed takes the lower one.
double least_share(const Evidence& seen) {
  const Reading<std::uint64_t> speed = seen.link_speed();
  const bool slow = speed && static_cast<double>(*speed) <= kSlowLink;
  return slow ? seen.limit("min_percent_slow") : seen.limit("min_percent");
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (!profile.heartbeat_priority)
    return out.not_applicable("profile " + profile.name + " has no class for a cluster heartbeat");
  if (profile.dedicated_nic) return out.not_applicable("modifier dedicated-nic: ETS is not judged");
  const Reading<EtsFacts>& ets = seen.member().dcb.ets;
  if (!shown(out, ets, "its ETS settings")) return;

  const std::uint32_t priority = *profile.heartbeat_priority & 7U;
  const auto class_of = [&](std::uint32_t p) {
    return static_cast<std::uint32_t>(ets->priority_to_class[p % kPriorities] % kPriorities);
  };
  const std::uint32_t own = class_of(priority);
  const std::string heartbeat =
      "Priority " + std::to_string(priority) + " of the cluster heartbeat on " + seen.member().link.name;
  if (own == class_of(0) || own == class_of(profile.roce_priority)) {
    std::string sentence = heartbeat + " shares traffic class " + std::to_string(own) + " with " +
                           (own == class_of(profile.roce_priority) ? "RoCE." : "all other traffic.");
    const Severity severity = unless_converging(seen, Severity::Warning, sentence);
    out.fail(severity, sentence,
             {seen.item("traffic class of priority " + std::to_string(priority), own, "", dcb_source(seen))});
    return;
  }
  if (ets->algorithm[own] == kAlgorithmStrict) return out.pass();
  if (ets->algorithm[own] == kAlgorithmVendor)
    return out.not_applicable("the firmware arbitrates the heartbeat's class (vendor): no share is set");
  const double share = ets->bandwidth_percent[own], least = least_share(seen);
  if (share >= least) return out.pass();
  std::string sentence = heartbeat + " has " + short_number(share) + " % of the bandwidth guaranteed, less than the " +
                         short_number(least) + " % expected.";
  const Severity severity = unless_converging(seen, Severity::Warning, sentence);
  out.fail(severity, sentence,
           {seen.item("ETS share of the heartbeat's class", share, "percent", "<", least, dcb_source(seen))});
}

}  // namespace

extern const Rule kQosHeartbeatStarved;
constinit const Rule kQosHeartbeatStarved{
    .id = "qos-heartbeat-starved",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Cluster heartbeat has no guaranteed class",
    .what =
        "Where the profile has a class for the cluster's heartbeat (azure-local: priority 7): fires when that priority "
        "shares its traffic class with RoCE or with the default priority 0, or has less than 1 % of the bandwidth, 2 % "
        "on links of 10 Gbit/s and less.",
    .why = "Under load heartbeats come late, and the cluster takes a healthy node out.",
    .next = "Give the heartbeat's priority a traffic class of its own with its share.",
    .likely_causes = {"ETS never set up", "setting lost at reboot"},
    .fix = {Recipe::Ets},
    .traps = {"A strict class is guaranteed enough; with the modifier dedicated-nic ETS is not judged.",
              "That the class must have no PFC is pfc-extra-priorities.",
              "mlx5 comes with classes that the firmware arbitrates (vendor): no share is set, and none is judged."},
    .limits = {Limit{.name = "min_percent",
                     .value = 1,
                     .unit = "percent",
                     .min = 0,
                     .max = 100,
                     .evidence = 'V',
                     .help = "least ETS share of the heartbeat's class"},
               Limit{.name = "min_percent_slow",
                     .value = 2,
                     .unit = "percent",
                     .min = 0,
                     .max = 100,
                     .evidence = 'V',
                     .help = "the same on links of 10 Gbit/s and less"}},
    .facts = {"ieee-802.1qaz", "azure-local-heartbeat"},
    .judge = judge,
};

}  // namespace roceready::rules
