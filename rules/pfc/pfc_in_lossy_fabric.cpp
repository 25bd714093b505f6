// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60, kNeededSeconds = 180;
constexpr std::size_t kWindows = 5;

/// The counters of one direction. The last two count link-level frames each in their own way, and on some NICs PFC as
/// well, so the greatest of the three sums is taken, never their sum.
struct Direction {
  const char* word;
  CounterId by_priority, link_level, any_kind;
};
constexpr std::array<Direction, 2> kWays{
    {{"received", CounterId::PfcRxPauseFrames, CounterId::GlobalPauseRxFrames, CounterId::MacPauseRxFrames},
     {"sent", CounterId::PfcTxPauseFrames, CounterId::GlobalPauseTxFrames, CounterId::MacPauseTxFrames}}};

struct Frames {
  double amount = 0, seconds = 0;
};

/// Pause frames of one direction in a window; nothing where none of its counters can be read.
std::optional<Frames> frames_at(const Evidence& seen, const Direction& way, double ago) {
  std::optional<Frames> out;
  const auto take = [&](double amount, double seconds) {
    if (!out) out = Frames{};
    out->amount = std::max(out->amount, amount);
    out->seconds = std::max(out->seconds, seconds);
  };
  for (const CounterId id : {way.link_level, way.any_kind})
    if (const Reading<Increase> one = seen.increase(id, kMinute, kNoLane, ago)) take(one->amount, one->seconds);
  double sum = 0, seconds = 0;
  for (std::uint8_t p = 0; p < kPriorities; ++p) {
    const Reading<Increase> one = seen.increase(way.by_priority, kMinute, p, ago);
    if (!one) continue;
    sum += one->amount;
    seconds = std::max(seconds, one->seconds);
  }
  if (seconds > 0) take(sum, seconds);
  return out;
}

/// The first counter of a direction that should be readable and is not. mlx5 hides the counters of pause that is off:
/// that is evidence, not a gap.
std::optional<Absent> gap_of(const Evidence& seen, const Direction& way, const Reading<bool>& link_level_on) {
  const auto missing = [&](CounterId id, std::uint8_t lane, bool may_hide) -> std::optional<Absent> {
    if (seen.never_shown(id)) return {};
    const Reading<double> value = seen.counter(id, lane);
    if (value || (may_hide && value.absent().why == Why::NotPresent)) return {};
    return value.absent();
  };
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  for (std::uint8_t p = 0; p < kPriorities; ++p)
    if (auto gap = missing(way.by_priority, p, pfc && !pfc->on(p))) return gap;
  if (auto gap = missing(way.link_level, kNoLane, link_level_on && !*link_level_on)) return gap;
  return missing(way.any_kind, kNoLane, false);
}

void judge(const Evidence& seen, Outcomes& out) {
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  bool sustained = false, any = false;
  for (const Direction& way : kWays) {
    if (seen.profile()->semi_lossless && &way == kWays.data()) continue;
    const std::optional<Frames> now = frames_at(seen, way, 0);
    if (!now) continue;
    any = true;
    std::size_t met = 0;
    for (std::size_t k = 0; k < kWindows; ++k) {
      const std::optional<Frames> then = frames_at(seen, way, kMinute * static_cast<double>(k));
      const bool whole = then && then->seconds >= 0.9 * kMinute;
      met += whole && then->amount >= seen.limit("per_second") * then->seconds ? 1U : 0U;
    }
    const double rate = now->seconds > 0 ? now->amount / now->seconds : 0;
    if (met < 3 && rate < seen.limit("per_second")) continue;
    sustained = sustained || met >= 3;
    words.push_back(short_number(rate) + " pause frames per second " + way.word);
    evidence.push_back(seen.item(std::string("pause frames ") + way.word, rate, "frames/s",
                                 ">=", seen.limit("per_second"), seen.source_of(way.any_kind)));
  }
  if (!words.empty()) {
    std::string sentence = "Pause is at work on " + netdev_name(seen) + " in a lossy design: " + joined(words) + ".";
    const Severity severity = severity_of(sustained ? Held::Sustained : Held::Once, Severity::Warning, sentence);
    out.fail(severity, sentence, std::move(evidence));
    return;
  }
  for (const Direction& way : kWays) {
    if (seen.profile()->semi_lossless && &way == kWays.data()) continue;
    const bool received = &way == kWays.data();
    const auto gap =
        gap_of(seen, way, field(seen.member().ethtool.pause, received ? &PauseFacts::rx : &PauseFacts::tx));
    if (gap) return out.unknown(*gap);
  }
  if (!any && seen.never_shown(CounterId::PfcRxPauseFrames) && seen.never_shown(CounterId::MacPauseRxFrames) &&
      seen.never_shown(CounterId::GlobalPauseRxFrames))
    return out.not_looked_at("never_shown", "this NIC's driver does not count pause frames", "");
  quiet(seen, out, kNeededSeconds);
}

}  // namespace

extern const Rule kPfcInLossyFabric;
constinit const Rule kPfcInLossyFabric{
    .id = "pfc-in-lossy-fabric",
    .since = "0.3",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossy,
    .scope = Scope::Member,
    .title = "Pause is at work in a design without it",
    .what =
        "Counts pause frames of either kind, received and sent. Fires at one a second or more in three of the last "
        "five minutes.",
    .why = "Something still stops traffic: the fabric spreads congestion in a way that this design was to be free of.",
    .next = "Switch pause off on this NIC and on the switch port, or name the profile that the fabric really has.",
    .likely_causes = {"link-level pause left on as NICs come", "the switch sends PFC", "the profile does not fit"},
    .fix = {Recipe::NoPause, Recipe::Pfc, Recipe::Switch},
    .traps = {"In a semi-lossless design the host obeys received pause on purpose: only sent pause counts.",
              "mlx5 hides counters of pause that is off; off on both kinds is evidence, not a gap.",
              "Some NICs count PFC among link-level frames: the kinds are never added."},
    .needs = {CounterId::PfcRxPauseFrames, CounterId::PfcTxPauseFrames, CounterId::GlobalPauseRxFrames,
              CounterId::GlobalPauseTxFrames, CounterId::MacPauseRxFrames, CounterId::MacPauseTxFrames},
    .limits = {Limit{.name = "per_second",
                     .value = 1,
                     .unit = "frames/s",
                     .min = 0.001,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "pause frames a second that count"}},
    .facts = {"ieee-802.1qbb", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
