// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

std::string said(const LogFact& fact, const std::string& name) {
  const auto at = fact.says.find(name);
  return at == fact.says.end() ? std::string() : at->second;
}

/// Priorities of "3" or "3,4"; nothing where a word is no priority.
std::optional<std::uint32_t> mask_of(const std::string& list) {
  std::uint32_t out = 0;
  for (const std::string_view word : split(list, ',')) {
    const auto priority = parse_u64(trim(word));
    if (!priority || *priority > 7) return std::nullopt;
    out |= 1U << *priority;
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"switch_pfc_setting"});
  if (entries.empty()) return out.not_applicable("no file shows the PFC setting of a switch");
  if (seen.profile() == nullptr || seen.profile()->pfc_priorities == 0)
    return out.not_applicable("no profile with a lossless priority is stated");
  const std::uint32_t wanted = seen.profile()->pfc_priorities;
  for (const LogFact* fact : entries.facts) {
    const std::string mode = said(*fact, "pfc_mode"), cos = said(*fact, "pfc_cos");
    const auto mask = cos.empty() ? std::nullopt : mask_of(cos);
    const bool off = mode == "off" || mode == "disabled";
    if (!off && (!mask || (*mask & wanted) == wanted)) continue;
    const std::string here = off ? "PFC is off" : "PFC is on for priority " + cos;
    out.fail(Severity::Warning,
             here + " on " + switch_port_of(*fact) + "; profile " + seen.profile()->name + " needs it on " +
                 priorities_text(wanted) + ".",
             {seen.word("PFC setting of the switch", fact->text, fact->place)})
        .confidence = kLogConfidence;
    return;
  }
  out.pass();
}

}  // namespace

extern const Rule kPfcLogSwitchSetting;
constinit const Rule kPfcLogSwitchSetting{
    .id = "pfc-log-switch-setting",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Node,
    .title = "A switch has PFC off, or on for another priority",
    .what =
        "Reads the PFC mode and class of a switch among given files. Fires when it is off, or on without a priority "
        "that the profile makes lossless.",
    .why = "Both ends of a link must pause the same priority: else packets of the lossless class are dropped there.",
    .next = "Switch PFC on for the profile's priorities on every port of the path.",
    .likely_causes = {"the port was left out when the fabric was set up",
                      "nodes and switches follow different designs"},
    .fix = {Recipe::Switch},
    .traps = {"The port may lead to another node, which may have another profile."},
    .facts = {"ieee-802.1qbb"},
    .judge = judge,
};

}  // namespace roceready::rules
