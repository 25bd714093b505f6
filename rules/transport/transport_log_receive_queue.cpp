// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "core/base/text.h"
#include "rules/log_facts.h"

namespace roceready::rules {
namespace {

/// A setting that the files state, with its line.
struct Stated {
  const LogFact* fact = nullptr;
  double value = 0;
};

Stated stated(const LogEntries& entries, std::string_view name) {
  for (const LogFact* fact : entries.facts) {
    const auto at = fact->says.find("name");
    const std::optional<double> value = stated_number(*fact, "value");
    if (at != fact->says.end() && at->second == name && value) return {fact, *value};
  }
  return {};
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr double kWithoutEnd = 7;
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"queue_setting"});
  const Stated queue = stated(entries, "recv_queue"), depth = stated(entries, "iodepth");
  if (queue.fact == nullptr || depth.fact == nullptr)
    return out.not_applicable("no file states the depth of the receive queue and of the requests");
  if (queue.value >= depth.value) return out.pass();
  std::string sentence = "The receive queue holds " + number_text(queue.value) + " where " + number_text(depth.value) +
                         " requests may be under way: the receiver is not ready for all.";
  const Stated retry = stated(entries, "rnr_retry");
  if (retry.fact != nullptr && retry.value == kWithoutEnd)
    sentence += " With rnr_retry 7 senders wait without end, each time as long as the receiver's RNR timer says.";
  out.fail(Severity::Warning, sentence,
           {seen.item("receive queue", queue.value, "requests", "<", depth.value, queue.fact->place),
            seen.word("requests under way", depth.fact->text, depth.fact->place)})
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogReceiveQueue;
constinit const Rule kTransportLogReceiveQueue{
    .id = "transport-log-receive-queue",
    .family = "transport",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The receive queue is shorter than the requests under way",
    .what =
        "Reads notes of a program's settings among given files. Fires where the receive queue is shorter than the "
        "number of requests that may be under way.",
    .why =
        "A request that finds no receive is refused with an RNR NAK, and its sender waits for the receiver's timer: up "
        "to 655 ms each time.",
    .next = "Make the receive queue at least as long as the requests under way, and the minimum RNR timer short.",
    .likely_causes = {"queue depths set apart from each other", "min_rnr_timer 0, which means 655 ms"},
    .fix = {Recipe::None},
    .traps = {"It says nothing about the fabric.", "A shared receive queue may serve several senders."},
    .facts = {"ibta-rnr"},
    .judge = judge,
};

}  // namespace roceready::rules
