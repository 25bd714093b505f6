// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

double number_of(const LogFact& fact, const char* kind) {
  return stated_number(fact, kind).value_or(0);
}

/// "mlx5_2 (4027 contexts, 8053 queue pairs)".
std::string text_of(const LogFact& fact) {
  return fact.subject + " (" + counted(number_of(fact, "ctx"), "context") + ", " +
         counted(number_of(fact, "qp"), "queue pair") + ")";
}

/// At most four devices by name.
std::string listed(std::vector<std::string> words) {
  constexpr std::size_t kMost = 4;
  if (words.size() > kMost) {
    const std::size_t more = words.size() - kMost;
    words.resize(kMost);
    words.push_back(std::to_string(more) + " more");
  }
  return joined(words);
}

void add_evidence(const Evidence& seen, const LogFact& fact, std::vector<EvidenceItem>& out) {
  out.push_back(seen.item("contexts in use on " + fact.subject, number_of(fact, "ctx"), "count",
                          ">=", seen.limit("contexts"), fact.place));
  for (const auto& [kind, word] :
       {std::pair{"qp", "queue pairs"}, std::pair{"cq", "completion queues"}, std::pair{"mr", "memory regions"}})
    if (const auto number = stated_number(fact, kind))
      out.push_back(seen.item(std::string(word) + " in use on " + fact.subject, *number, "count", fact.place));
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  std::map<std::string, const LogFact*> newest;  // by device; of several outputs the last one holds
  for (const LogFact* fact : log_entries(seen, {"resource_usage"}).facts)
    if (stated_number(*fact, "ctx")) newest[fact->subject] = fact;
  if (newest.empty()) return out.not_applicable("no file tells how many objects of RDMA devices are in use");
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  for (const auto& [device, fact] : newest) {
    if (number_of(*fact, "ctx") < seen.limit("contexts")) continue;
    words.push_back(text_of(*fact));
    add_evidence(seen, *fact, evidence);
  }
  if (words.empty()) return out.pass();
  out.fail(Severity::Info,
           "Many RDMA contexts are in use: " + listed(std::move(words)) +
               ". Near 4000 contexts on a device the making of further queue pairs was seen to fail (ENOMEM), whatever "
               "else was free.",
           std::move(evidence));
}

}  // namespace

extern const Rule kHostLogManyContexts;
constinit const Rule kHostLogManyContexts{
    .id = "host-log-many-contexts",
    .family = "host",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Very many RDMA contexts are in use",
    .what =
        "Reads among given files how many contexts, queue pairs and other objects are in use on each RDMA device "
        "(`rdma "
        "resource show`). Fires at 3000 contexts on one device. Always info.",
    .why = "Where a device runs out of them, the next client cannot make a queue pair and fails to connect.",
    .next =
        "See with `rdma resource show ctx` whose they are: let clients share a context, have the programs open only "
        "the "
        "devices that they use, and spread the clients over more nodes.",
    .likely_causes = {"a server that opens a context for each client", "a library that opens every device of the node",
                      "contexts that a program does not close"},
    .fix = {Recipe::None},
    .traps = {"How many contexts a device has room for is told nowhere: 4000 were seen on ConnectX.",
              "It is no matter of how much memory may be locked.",
              "Devices that carry no traffic have as many where a library opens them all."},
    .limits = {Limit{.name = "contexts",
                     .value = 3000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "contexts in use on one device at which it is said"}},
    .facts = {"contexts-run-out"},
    .judge = judge,
};

}  // namespace roceready::rules
