// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

std::string event_of(const LogFact& fact) {
  const auto at = fact.says.find("event");
  return at == fact.says.end() ? std::string() : at->second;
}

/// A cable that was plugged and a GID that changed are no trouble.
bool is_trouble(const LogFact& fact) {
  const std::string event = event_of(fact);
  if (fact.kind == "cable_event")
    return event.find("rror") != std::string::npos || event.find("unplugged") != std::string::npos;
  if (fact.kind != "async_event") return true;
  for (const char* word : {"port error", "PORT_ERR", "FATAL", "fatal", "REMOVAL"}) {
    if (event.find(word) != std::string::npos) return true;
  }
  return false;
}

/// A link that has not come up since the node started was not lost: only a port in use should have one.
bool concerns_ports(const Snapshot& now, const LogFact& fact) {
  const Concern concern = concern_of(now, fact);
  return concern == Concern::PortInScope || (concern == Concern::Unknown && !fact.says.contains("never_up"));
}

std::string first_event(const LogEntries& entries) {
  const std::string event = event_of(*entries.facts.front());
  return event.empty() ? "\"" + entries.facts.front()->text + "\"" : event;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = log_entries(seen, {"async_event", "link_went_down", "cable_event", "device_error"});
  std::erase_if(entries.facts,
                [&](const LogFact* fact) { return !is_trouble(*fact) || !concerns_ports(seen.now(), *fact); });
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  out.fail(Severity::Warning,
           "Logs tell of lost ports, links or devices" + on_subjects(entries) + ": " + first_event(entries) + ".",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kLinkLogPortEvent;
constinit const Rule kLinkLogPortEvent{
    .id = "link-log-port-event",
    .family = "link",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Logs tell of ports or devices that went away",
    .what =
        "Reads logs among given files for port errors and fatal device events that programs got, for links and cables "
        "that the kernel lost, and for devices whose firmware failed. Fires when there is one.",
    .why = "Connections over the port break or wait, and the retries of their peers run out.",
    .next = "Compare the times of these lines with those of the errors, and look at cable, module and the switch port.",
    .likely_causes = {"a cable or module at its limit", "a switch port or switch that restarted",
                      "somebody took a bond's member down"},
    .fix = {Recipe::None},
    .traps = {"One event of unknown age may be a maintenance.",
              "Links that come up while the node starts were not lost, nor those of unused ports that stay down.",
              "A device-fatal event after a bond lost a member does not mean that the NIC is broken."},
    .facts = {"kernel-carrier-counts"},
    .judge = judge,
};

}  // namespace roceready::rules
