// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kTen = 10;

/// What of the stall reaches the network: our pause, or drops.
struct Outside {
  double pause_share = 0, observed_seconds = 0, drops = 0;
};

Outside seen_outside(const Evidence& seen) {
  Outside out;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const Reading<Increase> paused = seen.increase(CounterId::PfcTxPauseDuration, kMinute, priority);
    if (!paused || !(std::min(1.0, paused->per_second()) > out.pause_share)) continue;
    out.pause_share = std::min(1.0, paused->per_second());
    out.observed_seconds = paused->seconds;
  }
  const Reading<Increase> drops = seen.increase(CounterId::RxDiscardsPhy, kMinute);
  if (drops) out.drops = drops->amount;
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kStalled = CounterId::PcieStalledWriteSeconds, kOverflow = CounterId::PcieBufferOverflowDrops;
  const Reading<Increase> stalled = seen.increase(kStalled, kTen);
  const Reading<Windows> overflow = seen.windows(kOverflow, kMinute, kMinutes);
  if (!stalled && !overflow) {
    const CounterId id = seen.never_shown(kStalled) ? kOverflow : kStalled;
    readable(seen, out, id, seen.windows(id, kTen, 1));
    return;
  }
  const auto dropped = [](const Increase& window) { return window.amount >= 1; };
  const Held overflows = overflow ? held(*overflow, dropped) : Held::Never;
  const bool stalls = stalled && stalled->amount >= seen.limit("warn_events");
  if (!stalls && overflows == Held::Never) {
    if (nothing_hidden(seen, out, {kStalled, kOverflow})) quiet(seen, out, kTen);
    return;
  }

  const Outside outside = seen_outside(seen);
  const bool reaches_out = outside.pause_share >= seen.limit("pause_share") || outside.drops >= 1;
  std::string sentence;
  std::vector<EvidenceItem> evidence;
  if (stalls) {
    sentence = netdev_name(seen) + " could not write to the host's memory as fast as it received: in " +
               short_number(stalled->amount) + " of the last " + duration_text(stalled->seconds) +
               " the PCIe bus stalled it for more than 30 % of the time.";
    evidence.push_back(seen.item("seconds with write stall", stalled->amount, "seconds",
                                 ">=", seen.limit("warn_events"), seen.source_of(kStalled)));
  }
  if (overflows != Held::Never) {
    const double lost = overflow->latest.amount;
    if (!sentence.empty()) sentence += " ";
    sentence += netdev_name(seen) + " dropped " + counted(lost, "packet") + " in the last minute because its buffer " +
                "towards the PCIe bus was full" + sustained_words(overflows == Held::Sustained);
    evidence.push_back(seen.item("drops towards PCIe", lost, "packets", ">=", 1, seen.source_of(kOverflow)));
  }
  if (outside.pause_share > 0)
    sentence += " It paused the fabric for " + percent(outside.pause_share) + " of the last " +
                duration_text(outside.observed_seconds) + ".";
  if (outside.drops >= 1) sentence += " The port dropped " + counted(outside.drops, "packet") + " meanwhile.";
  const bool drops_on = overflows == Held::Sustained;
  Severity severity = drops_on && reaches_out ? Severity::Critical
                      : drops_on || stalls    ? Severity::Warning
                                              : Severity::Info;
  if (seen.profile() != nullptr && seen.profile()->benchmark_window) {
    severity = Severity::Info;
    sentence += " A benchmark is announced, so this is only noted.";
  }
  out.fail(severity, sentence, std::move(evidence)).derived_threshold =
      severity == Severity::Warning && seen.limit_is_derived("warn_events");
}

}  // namespace

extern const Rule kPcieBackpressure;
constinit const Rule kPcieBackpressure{
    .id = "pcie-backpressure",
    .family = "pcie",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Host does not take in what the NIC receives",
    .what =
        "Reads the seconds in which PCIe writes were stalled for more than 30 %, and drops in front of the PCIe bus. "
        "Warning at three such seconds in ten, or at drops in three of the last five minutes (before that they are "
        "info); "
        "critical when they go on like that and the port pauses "
        "the "
        "fabric or drops.",
    .why = "The NIC hands the jam on: pause in a lossless fabric, drops in a lossy one.",
    .next =
        "Look at the PCIe and host rules of this port first: width, IOMMU, NUMA; then at memory bandwidth and "
        "loopback.",
    .likely_causes = {"IOMMU translation misses", "memory on the other socket", "degraded PCIe link",
                      "RDMA loopback that shares the bus", "small pages: translation misses in the NIC",
                      "memory bandwidth used up"},
    .fix = {Recipe::Pcie, Recipe::Iommu},
    .traps = {"Stalls of reads limit what is sent and are normal in benchmarks: only writes count.",
              "The percentage is that of the last second alone: the counted seconds are read instead.",
              "In an announced benchmark window it is info.", "Only mlx5 counts stalls."},
    .needs = {CounterId::PcieStalledWriteSeconds, CounterId::PcieBufferOverflowDrops, CounterId::PfcTxPauseDuration,
              CounterId::RxDiscardsPhy},
    .limits = {Limit{.name = "warn_events",
                     .value = 3,
                     .unit = "seconds",
                     .min = 1,
                     .max = 10,
                     .evidence = 'K',
                     .help = "seconds of ten with stalled writes that are a warning"},
               Limit{.name = "pause_share",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time that we paused the fabric from which drops towards PCIe are critical"}},
    .facts = {"mlx5-pcie-counters", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
