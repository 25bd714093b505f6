// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What the files say of one port of a switch.
struct SwitchPort {
  std::string name;
  std::vector<const LogFact*> drops;
  const LogFact* pauses = nullptr;    ///< PFC frames that it sent
  const LogFact* headroom = nullptr;  ///< bytes that waited in it
};

/// By switch_port_of(). The switch is not this node's, so that none of its ports is known here.
std::map<std::string, SwitchPort> ports_of_switch(const Snapshot& now) {
  std::map<std::string, SwitchPort> out;
  for (const LogFact& fact : now.log) {
    if (fact.subject.empty() || !fact.kind.starts_with("switch_")) continue;
    SwitchPort& port = out[switch_port_of(fact)];
    port.name = fact.says.contains("switch") ? switch_port_of(fact) : fact.subject;
    if (fact.kind == "switch_drops" && fact.says.contains("rx_drp")) port.drops.push_back(&fact);
    if (fact.kind == "switch_pfc_sent") port.pauses = &fact;
    if (fact.kind == "switch_headroom") port.headroom = &fact;
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

/// Packets that a line says were dropped, received and to be sent together; nothing where it says no such number.
std::optional<double> dropped_both_ways(const LogFact& fact) {
  std::optional<double> out;
  for (const char* name : {"rx_drp", "tx_drp", "output_discards"}) {
    if (const auto count = stated_number(fact, name)) out = out.value_or(0) + *count;
  }
  return out;
}

/// " on Ethernet0 of leaf1", or nothing where no line names anybody.
std::string on_ports(const LogEntries& entries) {
  const std::string names = switch_ports_of(entries);
  return names == "a switch" ? std::string() : " on " + names;
}

struct Drops {
  LogEntries entries;
  double packets = 0;
};

/// Of the ports that are not in `told`, those that dropped any: `grew`: between the first output and the last, else in
/// all, since counts are totals. Their drops are of any class.
Drops drops_elsewhere(const Evidence& seen, const std::set<std::string>& told, bool grew) {
  Drops out;
  std::map<std::string, std::pair<const LogFact*, const LogFact*>> ends;
  for (const LogFact* fact : log_entries(seen, {"switch_drops"}).facts) {
    if (dropped_both_ways(*fact)) ends.try_emplace(switch_port_of(*fact), fact, fact).first->second.second = fact;
  }
  for (const auto& [port, facts] : ends) {
    const auto [first, last] = facts;
    const double count = dropped_both_ways(*last).value_or(0) - (grew ? dropped_both_ways(*first).value_or(0) : 0);
    if (told.contains(port) || count <= 0) continue;
    out.entries.facts.push_back(last);
    out.packets += count;
  }
  return out;
}

void judge_any_port(const Evidence& seen, Outcomes& out) {
  const LogEntries entries = log_entries(seen, {"switch_drops"});
  if (std::none_of(entries.facts.begin(), entries.facts.end(),
                   [](const LogFact* fact) { return dropped_both_ways(*fact).has_value(); }))
    return out.not_applicable("no file shows packets that a switch dropped");
  const Drops drops = drops_elsewhere(seen, {}, false);
  if (drops.entries.empty()) return out.pass();
  out.fail(Severity::Info,
           "A switch dropped " + counted(drops.packets, "packet") + on_ports(drops.entries) +
               ", since its counters were cleared.",
           evidence_of(seen, drops.entries))
      .confidence = kLogConfidence;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  std::vector<std::string> names;
  std::set<std::string> told;
  std::vector<EvidenceItem> evidence;
  double packets = 0;
  std::uint32_t priorities = 0;
  bool grew = false, bare = true;
  const auto ports = ports_of_switch(seen.now());
  for (const auto& [key, port] : ports) grew = grew || growth_of(port) > 0;
  for (const auto& [key, port] : ports) {
    const double count = grew ? growth_of(port) : dropped(*port.drops.back());
    if (count <= 0) continue;
    names.push_back(port.name);
    told.insert(key);
    packets += count;
    priorities |= paused_priorities(*port.pauses);
    bare = bare && without_headroom(port, paused_priorities(*port.pauses));
    evidence.push_back(seen.item("packets that " + port.name + " dropped on receive", count, "packets", ">", 0,
                                 port.drops.back()->place));
    evidence.push_back(seen.word("PFC frames that " + port.name + " sent", port.pauses->text, port.pauses->place));
  }
  if (names.empty()) return judge_any_port(seen, out);
  std::string sentence = "The switch dropped " + counted(packets, "packet") + " on receive at " + joined(names) +
                         (grew ? " between two outputs" : " at some time") + ", where it had sent PFC on " +
                         priorities_text(priorities) + ": PFC works there and comes too late.";
  if (bare) sentence += " The priority groups used no headroom at all, as if they had none.";
  if (const Drops others = drops_elsewhere(seen, told, grew); !others.entries.empty()) {
    sentence += " Drops of any class elsewhere: " + counted(others.packets, "packet") + on_ports(others.entries) +
                (grew ? " in the same time." : " since the counters were cleared.");
    for (EvidenceItem& item : evidence_of(seen, others.entries)) evidence.push_back(std::move(item));
  }
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
        "sent PFC itself dropped more on receive from one output to the next; drops of other ports are told beside it, "
        "and alone they are info.",
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
