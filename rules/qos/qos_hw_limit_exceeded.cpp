// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What one driver documents beyond the numbers that the hardware reports itself.
bool is_e800(const Evidence& seen) {
  const Reading<DriverInfo>& driver = seen.member().ethtool.driver;
  return driver && driver->driver == "ice";
}

std::uint32_t classes_of(const EtsFacts& ets) {
  std::uint32_t out = 0;
  for (const std::uint32_t one : ets.priority_to_class) out |= 1U << (one % 32);
  return out;
}

struct Excess {
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  bool roce_is_beyond = false;

  void add(const Evidence& seen, const std::string& what, double has, double most) {
    words.push_back(what + " are " + short_number(has) + " of at most " + short_number(most));
    evidence.push_back(seen.item(what, has, "count", ">", most, dcb_source(seen)));
  }
};

Excess excess_of(const Evidence& seen, const PfcFacts& pfc, const EtsFacts& ets) {
  Excess out;
  const int lossless = std::popcount(pfc.enabled);
  const std::uint32_t able = pfc.capability.value_or(0);
  if (able > 0 && lossless > static_cast<int>(able)) out.add(seen, "priorities with PFC", lossless, able);
  const std::uint32_t classes = classes_of(ets);
  const double most = is_e800(seen) ? seen.limit("e800_classes") : ets.capability.value_or(0);
  if (most > 0 && std::popcount(classes) > most) out.add(seen, "traffic classes", std::popcount(classes), most);
  const std::uint32_t own = ets.priority_to_class[seen.profile()->roce_priority];
  out.roce_is_beyond = most > 0 && own >= most;
  if (!is_e800(seen)) return out;
  std::uint32_t paused = 0;
  for (std::uint32_t p = 0; p < kPriorities; ++p)
    if ((pfc.enabled >> p & 1U) != 0) paused |= 1U << (ets.priority_to_class[p] % 32);
  if (std::popcount(paused) > seen.limit("e800_pfc_classes"))
    out.add(seen, "traffic classes with PFC", std::popcount(paused), seen.limit("e800_pfc_classes"));
  if ((classes & (classes + 1)) != 0) {
    out.words.emplace_back("traffic classes are not numbered without gaps from 0");
    out.evidence.push_back(seen.item("mask of traffic classes", classes, "", dcb_source(seen)));
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  const DcbFacts& dcb = seen.member().dcb;
  if (!shown(out, dcb.pfc, "its PFC priorities") || !shown(out, dcb.ets, "its ETS settings")) return;
  const Excess excess = excess_of(seen, *dcb.pfc, *dcb.ets);
  if (excess.words.empty()) return out.pass();
  std::string sentence =
      "More is set on " + seen.member().link.name + " than the NIC has: " + joined(excess.words) + ".";
  if (excess.roce_is_beyond)
    sentence += " RoCE's class " + std::to_string(dcb.ets->priority_to_class[seen.profile()->roce_priority]) +
                " is beyond the limit.";
  const Severity severity =
      unless_converging(seen, excess.roce_is_beyond ? Severity::Critical : Severity::Warning, sentence);
  out.fail(severity, sentence, excess.evidence);
}

}  // namespace

extern const Rule kQosHwLimitExceeded;
constinit const Rule kQosHwLimitExceeded{
    .id = "qos-hw-limit-exceeded",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless,
    .scope = Scope::Member,
    .title = "More traffic classes or PFC priorities than the NIC has",
    .what =
        "Compares the priorities with PFC and the traffic classes in use with what the NIC says it has, and on "
        "Intel E800 with four classes, numbered from 0 without gaps, one of them with PFC. Critical when RoCE's "
        "own class is beyond the limit, else warning.",
    .why = "What is beyond the limit is silently not honoured: a class that looks lossless is not.",
    .next = "Use fewer classes, on the NIC and on the switch.",
    .likely_causes = {"a switch template for eight classes", "a set-up of another NIC copied"},
    .fix = {Recipe::Pfc, Recipe::Ets},
    .traps = {"A NIC that reports no capability is judged by its driver's documents alone.",
              "The number of PFC classes counts priorities by the standard, but classes on Intel E800."},
    .limits = {Limit{.name = "e800_classes",
                     .value = 4,
                     .unit = "count",
                     .min = 1,
                     .max = 8,
                     .evidence = 'V',
                     .help = "traffic classes that an Intel E800 port has for RoCE"},
               Limit{.name = "e800_pfc_classes",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 8,
                     .evidence = 'V',
                     .help = "traffic classes with PFC that an Intel E800 port has"}},
    .facts = {"e800-class-limits", "dcbnl-pfc-mask"},
    .judge = judge,
};

}  // namespace roceready::rules
