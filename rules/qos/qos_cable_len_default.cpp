// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/qos/port_buffer.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What shows that the cable is longer than the driver reckons with: "" where nothing does. Absent: not known.
Reading<std::string> longer_cable(const Evidence& seen, double most) {
  const EthtoolFacts& ethtool = seen.member().ethtool;
  const Reading<double> copper = field(ethtool.module, &ModuleFacts::copper_length_metres);
  if (copper) return *copper > most ? "the module says " + short_number(*copper) + " m" : std::string();
  if (!ethtool.medium) return ethtool.medium.absent();
  return *ethtool.medium == "Fibre" ? std::string("it is fibre or an active optical cable") : std::string();
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  const Reading<std::uint32_t> metres = cable_metres(seen);
  if (!shown(out, metres, "the cable length that it reckons with")) return;
  if (*metres != static_cast<std::uint32_t>(seen.limit("default_m"))) return out.pass();
  const Reading<std::string> longer = longer_cable(seen, seen.limit("max_m"));
  if (!shown(out, longer, "what cable is plugged in")) return;
  if (longer->empty()) return out.pass();
  double drops = 0;
  for (const std::uint8_t priority : lossless_priorities(profile)) drops += lossless_drops(seen, priority);
  std::string sentence = "The headroom of " + seen.member().link.name + " is for a cable of " +
                         std::to_string(*metres) + " m, as the driver comes, but " + *longer + ".";
  std::vector<EvidenceItem> evidence{
      seen.item("cable length that the driver reckons with", *metres, "metres", dcb_source(seen)),
      seen.word("cable", *longer, "ethtool " + seen.member().link.name)};
  if (drops > 0) {
    sentence += " Its lossless buffer dropped " + counted(drops, "packet") + " in the last minute.";
    evidence.push_back(seen.item("packets dropped in the lossless buffer in the last minute", drops, "packets", ">", 0,
                                 seen.source_of(CounterId::RxDiscardsPriority)));
  }
  out.fail(drops > 0 ? Severity::Warning : Severity::Info, sentence, std::move(evidence));
}

}  // namespace

extern const Rule kQosCableLenDefault;
constinit const Rule kQosCableLenDefault{
    .id = "qos-cable-len-default",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Headroom is for a 7 m cable, and this one is longer",
    .what =
        "Where mlx5 reckons with its default of 7 m: looks at what is plugged in. Fires on fibre and active optical "
        "cables, and on copper of more than 10 m. Info; warning when a lossless buffer dropped in the last minute.",
    .why = "The longer the cable, the more arrives after pause was sent; without room for it the class drops.",
    .next = "Tell the driver the length of the cable.",
    .likely_causes = {"length never set", "setting lost at reboot"},
    .fix = {Recipe::Buffers},
    .traps = {"A short fibre is judged as a long one: its length is not to be read.",
              "Only NVIDIA's driver has a cable length; what other drivers give in its place is another unit."},
    .needs = {CounterId::RxDiscardsPriority},
    .limits = {Limit{.name = "default_m",
                     .value = 7,
                     .unit = "metres",
                     .min = 1,
                     .max = 10000,
                     .evidence = 'K',
                     .help = "length that the driver reckons with until it is told"},
               Limit{.name = "max_m",
                     .value = 10,
                     .unit = "metres",
                     .min = 1,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "longest copper for which that is taken to do"}},
    .facts = {"mlx5-port-buffers"},
    .judge = judge,
};

}  // namespace roceready::rules
