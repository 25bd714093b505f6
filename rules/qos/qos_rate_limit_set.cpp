// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->allow_rate_limit) return out.not_applicable("profile " + profile->name + " shapes RoCE on purpose");
  if (!has_class(*profile)) return out.not_applicable("profile " + profile->name + " gives RoCE no class of its own");
  const DcbFacts& dcb = seen.member().dcb;
  if (seen.member().ethtool.driver && seen.vendor() != "nvidia" && !dcb.max_rate &&
      dcb.max_rate.absent().why == Why::NotPresent && dcb.pfc)
    return out.not_looked_at("never_shown", "only NVIDIA's driver shows rate limits of traffic classes", "");
  if (!shown(out, dcb.max_rate, "rate limits of its traffic classes") || !shown(out, dcb.ets, "its ETS settings"))
    return;
  const std::uint32_t own = dcb.ets->priority_to_class[profile->roce_priority] % kPriorities;
  const std::uint64_t limit = (*dcb.max_rate)[own];
  if (limit == 0) return out.pass();
  const Reading<std::uint64_t> speed = seen.link_speed();
  if (!shown(out, speed, "its speed")) return;
  if (limit >= *speed) return out.pass();
  std::string sentence = "RoCE's traffic class " + std::to_string(own) + " on " + seen.member().link.name +
                         " may send no more than " + bit_rate(static_cast<double>(limit)) + " on a link of " +
                         bit_rate(static_cast<double>(*speed)) + ".";
  out.fail(Severity::Warning, sentence,
           {seen.item("rate limit of RoCE's class", static_cast<double>(limit), "bits/s", "<",
                      static_cast<double>(*speed), dcb_source(seen))});
}

}  // namespace

extern const Rule kQosRateLimitSet;
constinit const Rule kQosRateLimitSet{
    .id = "qos-rate-limit-set",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "RoCE's traffic class is limited below the link's speed",
    .what = "Reads the rate limit of the traffic class that carries RoCE. Fires when it is below the link's speed.",
    .why = "RoCE never gets the link, and what waits in the NIC looks like congestion.",
    .next = "Lift the limit, or say in the profile that it is meant.",
    .likely_causes = {"left over from a test", "a shaper for another class on the wrong one"},
    .fix = {Recipe::RateLimit},
    .traps = {"A limit that is meant belongs into the profile (allow_rate_limit).",
              "Only NVIDIA's driver shows rate limits; 0 is no limit."},
    .facts = {"dcbnl-buffers-mlx5-alone"},
    .judge = judge,
};

}  // namespace roceready::rules
