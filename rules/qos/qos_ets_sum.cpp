// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<EtsFacts>& ets = seen.member().dcb.ets;
  if (!shown(out, ets, "its ETS settings")) return;
  std::uint32_t sum = 0, classes = 0;
  for (std::size_t c = 0; c < kPriorities; ++c) {
    if (ets->algorithm[c] != kAlgorithmEts) continue;
    classes |= 1U << c;
    sum += ets->bandwidth_percent[c];
  }
  if (classes == 0 || sum == 100) return out.pass();
  std::string list;
  for (std::size_t c = 0; c < kPriorities; ++c)
    if ((classes >> c & 1U) != 0)
      list += (list.empty() ? "" : ", ") + std::to_string(c) + ": " + std::to_string(ets->bandwidth_percent[c]) + " %";
  std::string sentence = "The ETS classes of " + seen.member().link.name + " have " + std::to_string(sum) +
                         " % of the bandwidth instead of 100 % (" + list + ").";
  const Severity severity = unless_converging(seen, Severity::Warning, sentence);
  out.fail(severity, sentence, {seen.item("sum of the ETS shares", sum, "percent", "!=", 100, dcb_source(seen))});
}

}  // namespace

extern const Rule kQosEtsSum;
constinit const Rule kQosEtsSum{
    .id = "qos-ets-sum",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "ETS shares do not add up to 100 %",
    .what =
        "Adds the bandwidth shares of the traffic classes that are scheduled by ETS. Fires when they are not 100 %.",
    .why = "Drivers and firmware resolve such a table each in their own way, so no class has what it seems to have.",
    .next = "Set the shares of the ETS classes so that they add up to 100 %.",
    .likely_causes = {"one class was changed without the others", "settings of two tools mixed"},
    .fix = {Recipe::Ets},
    .traps = {"Strict classes and those that the firmware arbitrates (vendor) have no share and are not counted.",
              "Without any ETS class there is nothing to add."},
    .facts = {"ieee-802.1qaz"},
    .judge = judge,
};

}  // namespace roceready::rules
