// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>

#include "rules/log_facts.h"
#include "rules/probe/measured.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const Best best = best_of(seen);
  if (best.fact == nullptr) return out.not_applicable("no file holds a measurement of bandwidth");
  const RdmaPort* port = port_of(seen.now(), *best.fact);
  if (port == nullptr) return out.not_applicable("the measurement does not say of which port it is");
  const Reading<std::uint64_t> speed = speed_of(seen.now(), *port);
  if (!speed) return out.unknown(speed.absent());
  const Reading<double> pcie = slot_of(seen.now(), *port);
  const auto link = static_cast<double>(*speed);
  const double one = link / static_cast<double>(spread_over(seen.now(), *port));  // what a connection gets
  const double least = seen.limit("share") * (pcie ? std::min(one, *pcie) : one);
  if (best.bits_per_second >= least) return out.pass();
  const std::string name = best.fact->subject.empty() ? "" : " on " + best.fact->subject;
  out.fail(Severity::Warning,
           "At best " + bit_rate(best.bits_per_second) + " were measured" + name + ", where a link of " +
               bit_rate(link) + (pcie ? " and a slot of " + bit_rate(*pcie) : std::string()) + " could carry more.",
           {seen.item("measured bandwidth", best.bits_per_second, "bits/s", "<", least, best.fact->place)})
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kProbeMeasuredBandwidthLow;
constinit const Rule kProbeMeasuredBandwidthLow{
    .id = "probe-measured-bandwidth-low",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Measured bandwidth is far below the link",
    .what =
        "Compares the best bandwidth that perftest measured, by given files, for large messages with the speed of the "
        "link, of one of its ports where it is a bond that spreads connections, or of the slot where that is slower. "
        "Fires below a share of it.",
    .why = "The rail delivers a fraction of what the job was planned with.",
    .next =
        "Measure again with several queue pairs and both ends idle; then power-cycle the host, and compare with a "
        "sibling port.",
    .likely_causes = {"the NIC came up in a degraded state and needs a power cycle",
                      "a small message size or a single queue pair", "the other end or the path is the limit"},
    .fix = {Recipe::None},
    .traps = {"One measurement does not tell which of both ends is slow.", "Small messages are not judged."},
    .limits = {Limit{.name = "share",
                     .value = 0.35,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "of the link's speed that a measurement should reach"}},
    .facts = {"kernel-pci-link-files"},
    .judge = judge,
};

}  // namespace roceready::rules
