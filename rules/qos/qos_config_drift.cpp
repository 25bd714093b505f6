// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "core/base/time.h"
#include "rules/settings_drift.h"

namespace roceready::rules {
namespace {

/// A willing side takes over what the switch says: then a change may be meant.
bool is_willing(const Evidence& seen) {
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    if (member != nullptr && member->dcb.ets && member->dcb.ets->willing.value_or(false)) return true;
  }
  return false;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (!settings_are_kept(seen, out)) return;
  std::vector<EvidenceItem> evidence;
  const std::string changes = drift_words(seen, evidence, [](const SettingDrift&) { return true; });
  if (evidence.empty()) return out.pass();
  std::string sentence = "Settings differ from the accepted ones: " + changes + ".";
  Severity severity = Severity::Warning;
  if (is_willing(seen)) {
    severity = Severity::Info;
    sentence += " This NIC is willing: its switch may have set that by DCBX.";
  }
  sentence += " A setting that stands for " + duration_text(seen.limit("accept_s")) + " is accepted.";
  out.fail(severity, sentence, std::move(evidence));
}

}  // namespace

extern const Rule kQosConfigDrift;
constinit const Rule kQosConfigDrift{
    .id = "qos-config-drift",
    .since = "0.2",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Port,
    .title = "QoS settings changed since they were accepted",
    .what =
        "Compares trust, priority maps, PFC, ETS, buffers, traffic class and congestion control settings of the port "
        "with "
        "those that the daemon saw first and accepted, also over restarts and reboots. Warning when one differs; info "
        "on "
        "a NIC that is willing to take its settings from the switch.",
    .why = "Somebody or something reconfigured a node that worked: what is wrong tomorrow often began so.",
    .next = "Find out who changed it; set it back, or let it stand until it is accepted.",
    .likely_causes = {"driver or firmware was updated", "a tool or an agent reset the port",
                      "the settings were lost at a reboot", "DCBX took them over from the switch"},
    .fix = {Recipe::Trust, Recipe::Pfc, Recipe::DscpMap},
    .traps = {"A willing NIC changes when its switch does: info.",
              "A change that ends the port's faults is accepted at once.", "What cannot be read has not changed.",
              "A one-shot has no memory and does not look at it."},
    .limits = {Limit{"accept_s", 86400, "seconds", 60, 31536000, 'D',
                     "A changed setting that stands for that long is accepted"}},
    .facts = {"nic-qos-not-persistent"},
    .hold_seconds = 120,
    .judge = judge,
};

}  // namespace roceready::rules
