// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>

#include "rules/event_share.h"
#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindow = 300;

Reading<Increase> growth_of(const Evidence& seen, CounterId id) {
  return outside_grace(
      seen, [&](double seconds, double ago) { return seen.increase(id, seconds, kNoLane, ago); }, kWindow);
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kCrc = CounterId::RxCrcErrors, kSymbol = CounterId::RxSymbolErrorPackets;
  const Reading<Increase> crc = growth_of(seen, kCrc), symbol = growth_of(seen, kSymbol);
  if (!crc && !symbol) {
    const CounterId id = seen.never_shown(kCrc) ? kSymbol : kCrc;
    readable(seen, out, id, seen.windows(id, kWindow, 1));
    return;
  }
  double bad = (crc ? crc->amount : 0) + (symbol ? symbol->amount : 0);
  const auto none_seen = [&] {
    if (nothing_hidden(seen, out, {kCrc, kSymbol})) quiet(seen, out, kWindow);
  };
  if (bad < seen.limit("min_events")) return none_seen();

  const std::string& name = seen.member().link.name;
  const CounterId source = crc ? kCrc : kSymbol;
  const Reading<Increase> stomped = growth_of(seen, CounterId::RxStompedCrc);
  if (stomped && bad - stomped->amount < seen.limit("min_events")) {
    out.fail(Severity::Info,
             name + " received " + counted(bad, "frame") + " with a wrong checksum in the last " +
                 duration_text(crc ? crc->seconds : symbol->seconds) +
                 ", and a switch before it had marked them as bad: the faulty link lies further up.",
             {seen.item("frames marked as bad upstream", stomped->amount, "packets",
                        seen.source_of(CounterId::RxStompedCrc))});
    return;
  }
  if (stomped) bad -= stomped->amount;
  const Reading<Increase> packets = seen.increase(CounterId::RxPacketsPhy, kWindow);
  if (!packets) {
    if (seen.never_shown(CounterId::RxPacketsPhy))
      return out.not_looked_at("never_shown", "this NIC's driver does not count the packets that it receives", "");
    return out.unknown(packets.absent());
  }
  const double received = packets->amount + bad;
  if (received < seen.limit("min_packets"))
    return out.not_looked_at(
        "longer_window",
        counted(bad, "bad frame") + " among only " + counted(received, "frame") + " received: too few to judge a share",
        "a window with traffic");
  const double share = bad / received;
  if (share < seen.limit("warn")) return none_seen();
  const bool critical = share >= seen.limit("crit");
  std::string sentence = name + " received " + counted(bad, "damaged frame") + " in the last " +
                         duration_text(packets->seconds) + ", " + short_share(share) + "; at most " +
                         short_share(seen.limit("warn")) + " is normal.";
  // A burst is no rate: the share of five minutes can still fall below the limit.
  const Severity severity = unless_early(packets->seconds, kWindow, seen.read_period_seconds(CounterId::RxPacketsPhy),
                                         critical ? Severity::Critical : Severity::Warning, sentence);
  out.fail(severity, sentence,
           {seen.item("damaged frames per frame received", share, "share", ">=", seen.limit(critical ? "crit" : "warn"),
                      seen.source_of(source)),
            seen.item("damaged frames", bad, "packets", seen.source_of(source))})
      .derived_threshold = seen.limit_is_derived(critical ? "crit" : "warn");
}

}  // namespace

extern const Rule kLinkSymbolCrc;
constinit const Rule kLinkSymbolCrc{
    .id = "link-symbol-crc",
    .family = "link",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Frames arrive damaged",
    .what =
        "Reads frames with a wrong checksum and frames lost to coding errors, as a share of all frames received in "
        "five minutes. Warning from one in 1e9, critical from one in 1e6, with at least three of them.",
    .why = "Each lost packet makes RoCE resend a whole window; the peers see sequence errors that no setting cures.",
    .next =
        "Clean or replace cable and module of this link; if a cut-through switch is above, look at its links first.",
    .likely_causes = {"marginal optical module or cable", "dirty fibre", "transmitter of the switch port",
                      "a bad link above a cut-through switch", "MACsec together with PFC"},
    .fix = {Recipe::Optic, Recipe::Firmware},
    .traps =
        {"Cut-through switches pass damaged frames on: the bad link may be further up. Frames that a switch marked "
         "as bad are taken off where the NIC counts them.",
         "A link that trains makes bursts of them: 120 s after a link, driver or admin event nothing counts.",
         "Totals since boot are never judged.", "With little traffic no share is judged."},
    .needs = {CounterId::RxCrcErrors, CounterId::RxSymbolErrorPackets, CounterId::RxStompedCrc,
              CounterId::RxPacketsPhy},
    .limits = {Limit{.name = "warn",
                     .value = 1e-9,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of damaged frames that is a warning"},
               Limit{.name = "crit",
                     .value = 1e-6,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of damaged frames that is critical"},
               Limit{.name = "min_events",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "damaged frames in five minutes below which nothing is said"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 0,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "frames received in five minutes below which no share is judged"}},
    .facts = {"mlx5-line-counters", "cut-through-stomped-crc"},
    .judge = judge,
};

}  // namespace roceready::rules
