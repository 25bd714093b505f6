// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/log_facts.h"
#include "rules/probe/measured.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What a device could carry.
struct Compared {
  double least = 0;     ///< bits/s that a measurement should reach
  std::string carries;  ///< "a link of 100 Gbit/s and a slot of 16 Gbit/s"
};

Reading<Compared> compare(const Evidence& seen, const RdmaPort& port) {
  const Reading<std::uint64_t> speed = speed_of(seen.now(), port);
  if (!speed) return speed.absent();
  const Reading<double> pcie = slot_of(seen.now(), port);
  const auto link = static_cast<double>(*speed);
  const double one = link / static_cast<double>(spread_over(seen.now(), port));  // what a connection gets
  return Compared{
      seen.limit("share") * (pcie ? std::min(one, *pcie) : one),
      "a link of " + bit_rate(link) + (pcie ? " and a slot of " + bit_rate(*pcie) : std::string()),
  };
}

/// "At best 11.6 Gbit/s were measured on mlx5_0, where a link of 100 Gbit/s could carry more."
std::string sentence_of(const Best& best, const Compared& compared) {
  const std::string name = best.fact->subject.empty() ? "" : " on " + best.fact->subject;
  return "At best " + bit_rate(best.bits_per_second) + " were measured" + name + ", where " + compared.carries +
         " could carry more.";
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const auto each = best_of_each(seen);
  if (each.empty()) return out.not_applicable("no file holds a measurement of bandwidth");
  std::optional<Absent> unjudged;
  std::string sentence;
  std::vector<EvidenceItem> items;
  std::size_t named = 0;
  for (const auto& [device, best] : each) {
    const RdmaPort* port = port_of(seen.now(), *best.fact);
    if (port == nullptr) {
      if (!unjudged) unjudged = Absent{Why::NotRecorded, "a measurement does not say of which port it is"};
      continue;
    }
    ++named;
    const Reading<Compared> compared = compare(seen, *port);
    if (!compared) {
      unjudged = compared.absent();
    } else if (best.bits_per_second < compared->least) {
      sentence += (sentence.empty() ? "" : " ") + sentence_of(best, *compared);
      items.push_back(
          seen.item(device.empty() || each.size() == 1 ? "measured bandwidth" : "measured bandwidth of " + device,
                    best.bits_per_second, "bits/s", "<", compared->least, best.fact->place));
    }
  }
  if (!items.empty()) {
    out.fail(Severity::Warning, std::move(sentence), std::move(items)).confidence = kLogConfidence;
    return;
  }
  if (named == 0) return out.not_applicable("the measurement does not say of which port it is");
  if (unjudged) return out.unknown(*unjudged);
  out.pass();
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
