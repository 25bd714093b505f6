// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>

#include "rules/ecn/cc_files.h"
#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60, kNeededSeconds = 180;

/// What one window with marks shows: share of RDMA packets that came with one, and how full the port's links were.
struct Level {
  double share = 0;
  std::optional<double> busy;  // share of the line rate received
};

/// How busy the port was matters only from a share of `least` on.
Level level_at(const Evidence& seen, const Increase& marked, double ago, double least) {
  Level out;
  if (marked.amount <= 0) return out;
  const Reading<Increase> packets = port_increase(seen, CounterId::RdmaRxPackets, kMinute, kNoLane, ago);
  if (packets && packets->amount >= seen.limit("min_packets")) out.share = marked.amount / packets->amount;
  if (out.share < least) return out;
  double line = 0, received = 0;
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    const auto speed = member == nullptr ? Reading<std::uint64_t>()
                                         : field(member->ethtool.link_modes, &LinkModes::speed_bits_per_second);
    const auto bytes = seen.history().increase(name, CounterId::RxBytesPhy, kNoLane, kMinute, ago);
    if (!speed || !bytes || bytes->seconds <= 0) return out;
    line += static_cast<double>(*speed);
    received += bytes->per_second() * 8;
  }
  if (line > 0) out.busy = received / line;
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (heeds_no_marks(*seen.profile())) return out.not_applicable(no_marks(*seen.profile()));
  const Reading<Windows> marked = seen.windows(CounterId::EcnMarkedRx, kMinute, 5);
  if (!readable(seen, out, CounterId::EcnMarkedRx, marked)) return;
  const double warn = seen.limit("warn"), busy = seen.limit("busy_share");
  const Held held = held_together(*marked, [&](const Increase& window, double ago) {
    const Level level = level_at(seen, window, ago, warn);
    return level.share >= warn && level.busy && *level.busy < busy;
  });
  const Level now = level_at(seen, marked->latest, 0, std::min(warn, seen.limit("info")));
  if (held != Held::Sustained && now.share < seen.limit("info")) {
    const Reading<Increase> packets = port_increase(seen, CounterId::RdmaRxPackets, kMinute);
    if (!packets && packets.absent().why != Why::NotRecorded)
      return (void)shown(out, packets, "how many RDMA packets it received");
    return quiet(seen, out, kMinute);
  }
  std::string sentence = percent(now.share) + " of the RDMA packets that " + port_name(seen) +
                         " received in the last " + duration_text(marked->latest.seconds) +
                         " were marked for congestion on their way";
  if (now.busy) sentence += ", while it received " + percent(*now.busy) + " of the line rate";
  sentence += ".";
  const bool at_sink = seen.profile()->role == Role::StorageTarget;
  if (at_sink) sentence += " On a storage target that is normal.";
  Judgement& entry = out.fail(
      held == Held::Sustained && !at_sink ? Severity::Warning : Severity::Info, sentence,
      {seen.item("share of RDMA packets received with a congestion mark", now.share, "share",
                 ">=", held == Held::Sustained ? warn : seen.limit("info"), seen.source_of(CounterId::EcnMarkedRx))});
  entry.derived_threshold = true;
}

}  // namespace

extern const Rule kEcnCongested;
constinit const Rule kEcnCongested{
    .id = "ecn-congested",
    .since = "0.3",
    .family = "ecn",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "Traffic to this port is often marked for congestion",
    .what =
        "Measures which share of the RDMA packets received carries a congestion mark. Info from 0.1 %; warning from 5 "
        "% in three of the last five minutes in which the port received less than 80 % of the line rate.",
    .why = "Somewhere on the way to this port a queue stands, although the port could take more.",
    .next = "Look for several senders to one receiver, oversubscribed links and unlucky hashing of flows.",
    .likely_causes = {"several senders to one receiver", "oversubscribed fabric", "flows hashed onto the same link"},
    .fix = {Recipe::Switch},
    .traps = {"Marks and notifications are how congestion control works; their number alone is never a fault.",
              "A port that is nearly full is congested because it is used: no warning.",
              "Storage targets are where many senders meet: info there.",
              "Notifications per mark differ between NICs and are not compared."},
    .needs = {CounterId::EcnMarkedRx, CounterId::RdmaRxPackets, CounterId::RxBytesPhy},
    .limits = {Limit{.name = "info",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of marked packets that is worth mentioning"},
               Limit{.name = "warn",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of marked packets that is a warning"},
               Limit{.name = "busy_share",
                     .value = 0.8,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the line rate from which marks are the use of the port"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "RDMA packets in a minute below which no share is taken"}},
    .facts = {"dcqcn-roles", "azure-cnp-per-mark"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules
