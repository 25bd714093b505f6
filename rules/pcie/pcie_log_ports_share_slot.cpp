// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "core/base/text.h"
#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Rate {
  const LogFact* fact = nullptr;
  double bits_per_second = 0;
};

Rate rate_of(const LogEntries& entries, std::string_view rails) {
  for (const LogFact* fact : entries.facts) {
    const auto at = fact->says.find("rails");
    const std::optional<double> rate = stated_number(*fact, "bits_per_second");
    if (at != fact->says.end() && at->second == rails && rate && *rate > 0) return {fact, *rate};
  }
  return {};
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"measured_rails"});
  const Rate one = rate_of(entries, "one rail"), shared = rate_of(entries, "two ports of one card"),
             apart = rate_of(entries, "two cards");
  if (one.fact == nullptr || shared.fact == nullptr)
    return out.not_applicable("no file holds the bandwidth of one port and of two ports of a card");
  const double gain = shared.bits_per_second / one.bits_per_second, least = seen.limit("gain");
  if (gain >= least) return out.pass();
  std::string sentence =
      "Two ports of one card carry " + short_number(gain) + " times what one carries: they share the card's PCIe link.";
  if (apart.fact != nullptr)
    sentence += " Ports of two cards carry " + short_number(apart.bits_per_second / one.bits_per_second) + " times.";
  std::vector<EvidenceItem> evidence{seen.item("two ports of one card", shared.bits_per_second, "bits/s", "<",
                                               least * one.bits_per_second, shared.fact->place),
                                     seen.item("one port", one.bits_per_second, "bits/s", one.fact->place)};
  if (apart.fact != nullptr)
    evidence.push_back(seen.item("ports of two cards", apart.bits_per_second, "bits/s", apart.fact->place));
  out.fail(Severity::Info, sentence, std::move(evidence)).confidence = kLogConfidence;
}

}  // namespace

extern const Rule kPcieLogPortsShareSlot;
constinit const Rule kPcieLogPortsShareSlot{
    .id = "pcie-log-ports-share-slot",
    .family = "pcie",
    .action = Action::FixConfig,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Rails in use share one PCIe slot",
    .what =
        "Compares, where given files hold them, the bandwidth of one port with that of two ports of one card. Fires "
        "below a factor.",
    .why = "A second rail that shares the first one's slot brings next to nothing.",
    .next = "Use one port of each card as rails.",
    .likely_causes = {"both rails are ports of one card"},
    .fix = {Recipe::None},
    .traps = {"It is a limit of the slot, not congestion of the fabric."},
    .limits = {Limit{.name = "gain",
                     .value = 1.5,
                     .unit = "ratio",
                     .min = 1,
                     .max = 2,
                     .evidence = 'D',
                     .help = "that a second port should bring at least"}},
    .facts = {"ports-of-a-card-share-its-slot"},
    .judge = judge,
};

}  // namespace roceready::rules
