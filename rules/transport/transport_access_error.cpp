// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Kind {
  CounterId id;
  const char* words;
};
constexpr Kind kKinds[] = {{CounterId::ReqRemoteAccessError, "refused by a peer for its access rights"},
                           {CounterId::RespRemoteAccessError, "of a peer refused for access rights"},
                           {CounterId::ReqRemoteInvalidRequest, "called invalid by a peer"},
                           {CounterId::RespLocalLengthError, "of a peer too long for the buffer"}};

void judge(const Evidence& seen, Outcomes& out) {
  const auto ids = {kKinds[0].id, kKinds[1].id, kKinds[2].id, kKinds[3].id};
  const Reading<Windows> sum = sum_of(seen, ids);
  if (!sum_readable(seen, out, ids, sum)) return;
  if (sum->latest.amount < 1) {
    if (nothing_hidden(seen, out, ids)) quiet(seen, out, kMinute);
    return;
  }
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  for (const Kind& kind : kKinds) {
    const Reading<Increase> grew = seen.increase(kind.id, kMinute);
    if (!grew || grew->amount < 1) continue;
    words.push_back(counted(grew->amount, "request") + " " + kind.words);
    evidence.push_back(seen.item(info_of(kind.id).name, grew->amount, "events", ">=", 1, seen.source_of(kind.id)));
  }
  out.fail(Severity::Info,
           "On " + port_name(seen) + " in the last " + duration_text(sum->latest.seconds) + ": " + joined(words) +
               ". That is an application's mistake, not the network's.",
           std::move(evidence));
}

}  // namespace

extern const Rule kTransportAccessError;
constinit const Rule kTransportAccessError{
    .id = "transport-access-error",
    .family = "transport",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "An application uses a wrong key, address or length",
    .what =
        "Counts requests refused for access rights, invalid requests and messages longer than their buffer. Info at "
        "the first in the last minute.",
    .why = "The queue pair of that application goes into error; nobody else is hurt.",
    .next =
        "Look at the application that used the queue pair: a stale remote key, memory that was freed, or peers with "
        "different settings.",
    .likely_causes = {"memory region freed too early", "stale remote key after a restart",
                      "peers with different message sizes"},
    .fix = {Recipe::Application},
    .traps = {"A mistake of an application is never a fault of the fabric: it does not lower the score."},
    .needs = {CounterId::ReqRemoteAccessError, CounterId::RespRemoteAccessError, CounterId::ReqRemoteInvalidRequest,
              CounterId::RespLocalLengthError},
    .facts = {"mlx5-q-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
