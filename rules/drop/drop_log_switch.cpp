// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What the files say of one port of the switch.
struct SwitchPort {
  std::vector<const LogFact*> drops;
  const LogFact* pauses = nullptr;    ///< PFC frames that it sent
  const LogFact* headroom = nullptr;  ///< bytes that waited in it
};

/// The switch is not this node's, so that none of its ports is known here.
std::map<std::string, SwitchPort> ports_of_switch(const Snapshot& now) {
  std::map<std::string, SwitchPort> out;
  for (const LogFact& fact : now.log) {
    if (fact.subject.empty()) continue;
    if (fact.kind == "switch_drops" && fact.says.contains("rx_drp")) out[fact.subject].drops.push_back(&fact);
    if (fact.kind == "switch_pfc_sent") out[fact.subject].pauses = &fact;
    if (fact.kind == "switch_headroom") out[fact.subject].headroom = &fact;
  }
  std::erase_if(out, [](const auto& entry) { return entry.second.drops.empty() || entry.second.pauses == nullptr; });
  return out;
}

double dropped(const LogFact& fact) {
  return stated_number(fact, "rx_drp").value_or(0);
}

/// Growth between the first output and the last; 0 where there is one alone, or it was cleared between.
double growth_of(const SwitchPort& port) {
  return std::max(0.0, dropped(*port.drops.back()) - dropped(*port.drops.front()));
}

std::uint32_t paused_priorities(const LogFact& fact) {
  constexpr std::string_view kName = "priority_";
  std::uint32_t out = 0;
  for (const auto& [name, frames] : fact.says) {
    if (name.starts_with(kName) && name.size() == kName.size() + 1)
      out |= 1U << static_cast<unsigned>(name.back() - '0') % kPriorities;
  }
  return out;
}

/// Whether the groups of all these priorities used no headroom.
bool without_headroom(const SwitchPort& port, std::uint32_t priorities) {
  if (port.headroom == nullptr) return false;
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if ((priorities >> p & 1U) != 0 && stated_number(*port.headroom, "group_" + std::to_string(p)).value_or(1) > 0)
      return false;
  }
  return true;
}

/// Packets that a line says were dropped, received and to be sent together.
double dropped_both_ways(const LogFact& fact) {
  double out = 0;
  for (const char* name : {"rx_drp", "tx_drp", "output_discards"}) out += stated_number(fact, name).value_or(0);
  return out;
}

/// Ports that are not known to have sent PFC: their drops are of any class and any age.
void judge_any_port(const Evidence& seen, Outcomes& out) {
  LogEntries entries = log_entries(seen, {"switch_drops"});
  if (entries.empty()) return out.not_applicable("no file shows packets that a switch dropped");
  std::map<std::string, const LogFact*> last;  // counts are totals: of several outputs the last one holds
  for (const LogFact* fact : entries.facts) last[switch_port_of(*fact)] = fact;
  std::erase_if(entries.facts, [&](const LogFact* fact) {
    return last.at(switch_port_of(*fact)) != fact || dropped_both_ways(*fact) <= 0;
  });
  if (entries.empty()) return out.pass();
  double packets = 0;
  for (const LogFact* fact : entries.facts) packets += dropped_both_ways(*fact);
  out.fail(Severity::Info,
           "A switch dropped " + counted(packets, "packet") + " on " + switch_ports_of(entries) +
               ", since its counters were cleared.",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  std::vector<std::string> names;
  std::vector<EvidenceItem> evidence;
  double packets = 0;
  std::uint32_t priorities = 0;
  bool grew = false, bare = true;
  const auto ports = ports_of_switch(seen.now());
  for (const auto& [name, port] : ports) grew = grew || growth_of(port) > 0;
  for (const auto& [name, port] : ports) {
    const double count = grew ? growth_of(port) : dropped(*port.drops.back());
    if (count <= 0) continue;
    names.push_back(name);
    packets += count;
    priorities |= paused_priorities(*port.pauses);
    bare = bare && without_headroom(port, paused_priorities(*port.pauses));
    evidence.push_back(
        seen.item("packets that " + name + " dropped on receive", count, "packets", ">", 0, port.drops.back()->place));
    evidence.push_back(seen.word("PFC frames that " + name + " sent", port.pauses->text, port.pauses->place));
  }
  if (names.empty()) return judge_any_port(seen, out);
  std::string sentence = "The switch dropped " + counted(packets, "packet") + " on receive at " + joined(names) +
                         (grew ? " between two outputs" : " at some time") + ", where it had sent PFC on " +
                         priorities_text(priorities) + ": PFC works there and comes too late.";
  if (bare) sentence += " The priority groups used no headroom at all, as if they had none.";
  out.fail(grew ? Severity::Critical : Severity::Info, sentence, std::move(evidence)).confidence = kLogConfidence;
}

}  // namespace

extern const Rule kDropLogSwitch;
constinit const Rule kDropLogSwitch{
    .id = "drop-log-switch",
    .family = "drop",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "A switch counted dropped packets",
    .what =
        "Reads counters of switches among given files, as SONiC's `show interfaces counters`. Critical when a port "
        "that "
        "sent PFC itself dropped more on receive from one output to the next; other drops are info.",
    .why = "What a lossless class loses has to be sent again, and a whole job waits for it.",
    .next =
        "Collect the same output again after a minute, and the drops by queue. On the switch, give the ports' lossless "
        "priority groups headroom for their speed and cable length, then watch whether the drops stop.",
    .likely_causes = {"the headroom of the ports' lossless priority groups is 0 or too small",
                      "the cable is longer than the switch was told", "lossy traffic met too small a buffer",
                      "the port does not have PFC on for the class of RDMA"},
    .fix = {Recipe::None},
    .traps = {"Drops are counted for the whole port, lossy classes included.",
              "A switch that counts no drops may have lost packets all the same: look at retransmissions.",
              "Where a port sent PFC, PFC need not be switched on there: it is.",
              "Received frames are also dropped by rule, as spanning tree and VLAN filters do."},
    .facts = {"sonic-port-counters", "sonic-interface-drops"},
    .judge = judge,
};

}  // namespace roceready::rules
