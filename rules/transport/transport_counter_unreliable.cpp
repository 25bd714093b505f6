// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Pair {
  CounterId events, packets;
  const char* words;
};
constexpr Pair kPairs[] = {
    {CounterId::OutOfSequence, CounterId::RdmaRxPackets, "more packets out of sequence than packets received"},
    {CounterId::PacketSeqErr, CounterId::RdmaTxPackets, "more sequence NAKs than packets sent"},
    {CounterId::DuplicateRequest, CounterId::RdmaRxPackets, "more repeated requests than packets received"}};

/// Marks arrive, and not one notification was counted since the driver was loaded.
bool never_notifies(const Evidence& seen) {
  const Reading<Increase> marks = seen.increase(CounterId::EcnMarkedRx, kMinutes * kMinute);
  const Reading<double> sent = seen.counter(CounterId::CnpSent);
  return marks && sent && marks->amount >= seen.limit("marks") && *sent < 1;
}

void judge(const Evidence& seen, Outcomes& out) {
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  bool readable_at_all = false;
  for (const Pair& pair : kPairs) {
    const Reading<Increase> grew = seen.increase(pair.events, kMinutes * kMinute);
    readable_at_all = readable_at_all || grew;
    if (!outgrows_packets(seen, pair.events, pair.packets)) continue;
    words.emplace_back(pair.words);
    evidence.push_back(seen.item(info_of(pair.events).name, grew->amount, "events", seen.source_of(pair.events)));
  }
  if (never_notifies(seen)) {
    words.emplace_back("ECN marks, and not one notification since the driver was loaded");
    evidence.push_back(
        seen.item("congestion notifications sent, ever", 0, "packets", "<", 1, seen.source_of(CounterId::CnpSent)));
  }
  if (!words.empty())
    out.fail(Severity::Info,
             "Counters of " + port_name(seen) + " contradict each other: they show " + joined(words) +
                 ". What rests on them is uncertain.",
             std::move(evidence));
  else if (!readable_at_all)
    readable(seen, out, kPairs[0].events, seen.windows(kPairs[0].events, kMinute, 1));
  else if (nothing_hidden(
               seen, out,
               {CounterId::OutOfSequence, CounterId::PacketSeqErr, CounterId::DuplicateRequest, CounterId::EcnMarkedRx,
                CounterId::CnpSent, CounterId::RdmaRxPackets, CounterId::RdmaTxPackets}))
    quiet(seen, out, kMinute);
}

}  // namespace

extern const Rule kTransportCounterUnreliable;
constinit const Rule kTransportCounterUnreliable{
    .id = "transport-counter-unreliable",
    .family = "transport",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic | kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA counters contradict each other",
    .what =
        "Looks for what cannot be: more lost or repeated packets than packets, in five minutes; or ECN marks while not "
        "one congestion notification was counted since the driver was loaded.",
    .why = "Papers found NICs with stuck or wrong counters; what rests on them may be wrong in both directions.",
    .next = "Compare with the peers' counters; update the firmware; do not replace anything on such evidence alone.",
    .likely_causes = {"known defect of a firmware", "congestion notification is switched off",
                      "counter of another function or of all members of a bond"},
    .fix = {Recipe::Firmware},
    .traps = {"It explains nothing and is no fault: findings that rest on such a counter have confidence 0.4."},
    .needs = {CounterId::OutOfSequence, CounterId::PacketSeqErr, CounterId::DuplicateRequest, CounterId::RdmaRxPackets,
              CounterId::RdmaTxPackets, CounterId::EcnMarkedRx, CounterId::CnpSent},
    .limits = {Limit{.name = "marks",
                     .value = 1000,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "ECN marks in five minutes that should have made at least one notification"}},
    .facts = {"nic-counter-defects"},
    .judge = judge,
};

}  // namespace roceready::rules
