// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// An address that two outputs of `ip neigh` show with two MACs.
struct Move {
  const LogFact *before, *after;
};

/// Word of a fact, "" where it does not state it.
std::string word_of(const LogFact& fact, const char* name) {
  const auto at = fact.says.find(name);
  return at == fact.says.end() ? std::string() : at->second;
}

/// Moves of the servers that did not answer; where no line names one, of any address.
std::vector<Move> moves(const LogEntries& neighbours, const LogEntries& stalls) {
  constexpr std::size_t kMost = 4;
  std::set<std::string> servers;
  for (const LogFact* fact : stalls.facts) servers.insert(word_of(*fact, "server"));
  std::map<std::pair<std::string, std::string>, const LogFact*> last;  // by netdev and address
  std::vector<Move> out;
  for (const LogFact* fact : neighbours.facts) {
    const std::string address = word_of(*fact, "address");
    if (!servers.empty() && !servers.contains(address)) continue;
    const LogFact*& before = last[{fact->subject, address}];
    if (before != nullptr && word_of(*before, "mac") != word_of(*fact, "mac") && out.size() < kMost)
      out.push_back({before, fact});
    before = fact;
  }
  return out;
}

/// "4.6 min", "more than 4 min" of the longest one; "a while" where no time is told.
std::string longest(const LogEntries& entries) {
  double most = 0;
  bool more = false;
  for (const LogFact* fact : entries.facts) {
    const double seconds = stated_number(*fact, "seconds").value_or(0);
    if (seconds <= most) continue;
    most = seconds;
    more = fact->says.contains("more");
  }
  return most > 0 ? (more ? "more than " : "") + duration_text(most) : "a while";
}

void add(const Evidence& seen, const LogEntries& entries, std::vector<EvidenceItem>& out) {
  std::vector<EvidenceItem> more = evidence_of(seen, entries);
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries stalls = log_entries(seen, {"nfs_not_responding"}), notes = log_entries(seen, {"reconnect_time"});
  if (stalls.empty() && notes.empty()) return out.not_applicable("no line of the files speaks of it");
  const std::vector<Move> moved = moves(log_entries(seen, {"neighbour"}), stalls);
  std::vector<EvidenceItem> evidence = evidence_of(seen, stalls);
  add(seen, notes, evidence);
  std::string sentence;
  if (!stalls.empty())
    sentence = "An NFS server did not answer for " + longest(stalls) + " (" + counted(stalls.lines, "log line") + "). ";
  if (!notes.empty()) sentence += "A connection came back only after " + longest(notes) + ", as somebody noted. ";
  for (const Move& move : moved) {
    const std::string address = word_of(*move.before, "address");
    sentence += address + " moved to another MAC (" + word_of(*move.before, "mac") + ", then " +
                word_of(*move.after, "mac") + "). ";
    evidence.push_back(seen.word("MAC of " + address, word_of(*move.after, "mac"), "!=", word_of(*move.before, "mac"),
                                 move.after->place));
  }
  sentence += moved.empty() ? "If its address moved to another port or node just before: connections"
                            : "So long a wait fits: connections";
  sentence +=
      " by RDMA-CM are tried with the old MAC until its retries run out, for minutes, whatever the neighbour "
      "table says by then.";
  out.fail(Severity::Info, std::move(sentence), std::move(evidence)).confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogNfsStall;
constinit const Rule kTransportLogNfsStall{
    .id = "transport-log-nfs-stall",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "An NFS server, or a connection by RDMA-CM, was away for a while",
    .what =
        "Reads given files for NFS servers that did not respond and for notes of how long a connection took to come "
        "back. Names the server's move where two outputs of `ip neigh` show its address with two MACs. Always info.",
    .why = "Programs that use the mount or the connection wait.",
    .next =
        "Compare the time with that of the server's move (ip neigh, ip monitor neigh); where nothing moved, look at "
        "the server, and at the IOMMU of this host.",
    .likely_causes = {"the server's address moved, and the retries of RDMA-CM went to its old MAC",
                      "the server was busy or down", "the host's IOMMU stalls RDMA"},
    .fix = {Recipe::None},
    .traps = {"It does not say that a link was down.", "Whether the mount uses RDMA is not seen."},
    .facts = {"rdma-cm-old-mac"},
    .judge = judge,
};

}  // namespace roceready::rules
