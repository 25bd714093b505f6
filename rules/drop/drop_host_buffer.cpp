// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <optional>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr CounterId kCounters[] = {CounterId::RxHostBufDiscardsPriority, CounterId::RxHostCongDiscardsPriority};

/// Whether none of them grew in all those minutes: most hosts share their NIC with nobody.
bool stand_still(const Evidence& seen) {
  for (const CounterId id : kCounters)
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
      const auto grown = seen.growth(id, kMinute * kMinutes, priority);
      if (!grown || grown->amount > 0) return false;
    }
  return true;
}

/// Drops of all priorities, in windows of a minute. Absent: one of them could not be read, and could hide some.
Reading<Windows> all_drops(const Evidence& seen) {
  std::optional<Windows> sum;
  for (const CounterId id : kCounters) {
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
      const Reading<Windows> windows = seen.windows(id, kMinute, kMinutes, priority);
      if (!windows) return windows.absent();
      if (sum)
        add_windows(*sum, *windows);
      else
        sum = *windows;
    }
  }
  return *sum;
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kDrops = CounterId::RxHostBufDiscardsPriority;
  const Reading<double> shown = seen.counter(kDrops, 0);
  // Other counters of this port are there, these are not.
  if (!seen.never_shown(kDrops) && !shown && shown.absent().why == Why::NotPresent)
    return out.not_applicable("this NIC has no buffer of its own for each host");
  if (stand_still(seen)) return quiet(seen, out, kSustainedSeconds, {});
  const Reading<Windows> drops = all_drops(seen);
  if (!drops && shown) return out.unknown(drops.absent());
  if (!readable(seen, out, kDrops, drops)) return;
  const double limit = seen.limit("per_min");
  const Held many = held(*drops, [&](const Increase& one) { return one.amount >= limit; });
  if (many == Held::Never) return quiet(seen, out, kSustainedSeconds, {});
  const bool sustained = many == Held::Sustained;
  out.fail(sustained ? Severity::Warning : Severity::Info,
           netdev_name(seen) + " dropped " + counted(drops->latest.amount, "packet") + " in the last " +
               duration_text(drops->latest.seconds) + " because its host took them too slowly" +
               sustained_words(sustained),
           {seen.item("packets dropped for this host", drops->latest.amount, "packets", ">=", limit,
                      seen.source_of(kDrops))})
      .derived_threshold = seen.limit_is_derived("per_min");
}

}  // namespace

extern const Rule kDropHostBuffer;
constinit const Rule kDropHostBuffer{
    .id = "drop-host-buffer",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "A NIC that hosts share drops packets for this one",
    .what =
        "Counts drops of the per-host receive buffer and of per-host congestion control, on multi-host NICs and DPUs. "
        "Warning from ten a minute, in three of the last five minutes.",
    .why = "The NIC protects the other hosts from this one: its RoCE traffic is lost although the network is lossless.",
    .next = "Find out why this host takes packets too slowly: PCIe width and speed, IOMMU, NUMA, memory bandwidth.",
    .likely_causes = {"PCIe of this host too slow", "IOMMU or NUMA placement", "host overloaded"},
    .fix = {Recipe::Pcie, Recipe::Iommu},
    .traps = {"Only multi-host NICs and DPUs have such buffers: elsewhere not applicable."},
    .needs = {CounterId::RxHostBufDiscardsPriority, CounterId::RxHostCongDiscardsPriority},
    .limits = {Limit{.name = "per_min",
                     .value = 10,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets dropped in a minute that are a warning"}},
    .facts = {"mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
