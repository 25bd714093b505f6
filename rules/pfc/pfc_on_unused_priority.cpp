// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60, kNeededSeconds = 180;

/// Priorities whose pause is no news: the design's, and on Intel those of the same traffic class, which the NIC counts
/// together.
std::uint32_t expected_priorities(const Evidence& seen) {
  const std::uint32_t own = seen.profile()->pfc_priorities;
  const Reading<EtsFacts>& ets = seen.member().dcb.ets;
  std::uint32_t out = own;
  if (seen.vendor() != "intel" || !ets) return out;
  for (std::uint8_t p = 0; p < kPriorities; ++p)
    if ((own >> p & 1U) != 0) out |= sharing(ets->priority_to_class, p);
  return out;
}

/// The driver shows the counter at times, and not now.
bool hidden_now(const Evidence& seen, CounterId id, std::uint8_t priority) {
  if (seen.is_shown(id, priority)) return false;
  return seen.counter(id, priority).absent().why == Why::NotPresent;
}

struct Direction {
  CounterId frames;
  const char* verb;
};

/// Pause frames of the last minute: of one priority, on Intel of those that show the same number.
struct Pauses {
  const Direction* way;
  double frames;
  std::uint32_t priorities;  // as bits
};

/// On Intel equal numbers are most likely those of one traffic class: one number.
void add(const Evidence& seen, const Direction& way, double frames, std::uint8_t priority, std::vector<Pauses>& all) {
  for (Pauses& one : all) {
    if (seen.vendor() != "intel" || one.way != &way || one.frames != frames) continue;
    one.priorities |= 1U << priority;
    return;
  }
  all.push_back({&way, frames, 1U << priority});
}

std::string text_of(const Pauses& pauses) {
  return counted(pauses.frames, "pause frame") + " " + pauses.way->verb + " for " + priorities_text(pauses.priorities) +
         (std::has_single_bit(pauses.priorities) ? "" : " (one count, as of one traffic class)");
}

/// Adds what one priority's frames say; true when they could be read.
bool look(const Evidence& seen, const Direction& way, std::uint8_t priority, Held& worst, std::vector<Pauses>& pauses,
          std::vector<EvidenceItem>& evidence) {
  // Most priorities are never paused.
  if (const auto grown = seen.growth(way.frames, 5 * kMinute, priority); grown && grown->amount <= 0) return true;
  const Reading<Windows> frames = seen.windows(way.frames, kMinute, 5, priority);
  if (!frames) return false;
  const Held held = held_together(*frames, [](const Increase& window, double) { return window.amount >= 1; });
  if (held == Held::Never) return true;
  if (worst != Held::Sustained) worst = held;
  const std::string whose = "priority " + std::to_string(priority);
  add(seen, way, frames->latest.amount, priority, pauses);
  evidence.push_back(seen.item("pause frames " + std::string(way.verb) + " for " + whose, frames->latest.amount,
                               "frames", ">", 0, seen.source_of(way.frames)));
  return true;
}

/// The MAC counts pause frames of all priorities. True when that was written: there were some, and none of them was for
/// a priority that is counted.
bool judge_mac(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kAll = CounterId::MacPauseRxFrames;
  const Reading<bool> link_pause = field(seen.member().ethtool.pause, &PauseFacts::rx);
  if (seen.never_shown(kAll) || link_pause.value_or(false)) return false;
  const Reading<Windows> all = seen.windows(kAll, kMinute, 5);
  if (!all) {
    readable(seen, out, kAll, all);
    return true;
  }
  const Held held = held_together(*all, [&](const Increase& window, double ago) {
    if (window.amount < 1) return false;
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
      const auto known = seen.growth(CounterId::PfcRxPauseFrames, kMinute, priority, ago);
      if (known && known->amount >= 1) return false;
    }
    return true;
  });
  if (held == Held::Never) return false;
  if (!link_pause) {
    out.unknown({link_pause.absent().why,
                 "pause frames arrive for no counted priority, and whether link-level pause is "
                 "on cannot be read: " +
                     link_pause.absent().detail});
    return true;
  }
  std::string sentence = netdev_name(seen) + " received " + counted(all->latest.amount, "pause frame") +
                         " in the last minute, none for a priority whose PFC is on: the switch seems to pause another "
                         "one, whose frames this NIC does not count by priority.";
  const Severity severity = severity_of(held, Severity::Warning, sentence);
  out.fail(severity, sentence,
           {seen.item("pause frames received", all->latest.amount, "frames", ">", 0, seen.source_of(kAll))})
      .confidence = 0.4;
  return true;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  static constexpr Direction kWays[] = {{CounterId::PfcRxPauseFrames, "received"},
                                        {CounterId::PfcTxPauseFrames, "sent"}};
  if (seen.never_shown(CounterId::PfcRxPauseFrames) && seen.never_shown(CounterId::PfcTxPauseFrames))
    return out.not_looked_at("never_shown", "this NIC's driver does not count pause frames by priority", "");
  const std::uint32_t expected = expected_priorities(seen);
  Held worst = Held::Never;
  std::vector<Pauses> pauses;
  std::vector<EvidenceItem> evidence;
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  bool all_known = true, some_hidden = false;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if ((expected >> priority & 1U) != 0) continue;
    for (const Direction& way : kWays) {
      const bool read = seen.is_shown(way.frames, priority) && look(seen, way, priority, worst, pauses, evidence);
      if (read) continue;
      // mlx5 shows the counter only while PFC is on for the priority: hidden means that PFC is off there.
      const bool hidden = pfc && !pfc->on(priority) && hidden_now(seen, way.frames, priority);
      some_hidden = some_hidden || hidden;
      all_known = all_known && hidden;
    }
  }
  if (pauses.empty()) {
    // Where the host has no PFC at all, pfc-in-lossy-fabric speaks, or the design means it so.
    if (all_known && some_hidden && pfc->enabled != 0 && judge_mac(seen, out)) return;
    if (all_known) return quiet(seen, out, kNeededSeconds);
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority)
      if ((expected >> priority & 1U) == 0) {
        const Reading<Windows> frames = seen.windows(CounterId::PfcRxPauseFrames, kMinute, 1, priority);
        if (!readable(seen, out, CounterId::PfcRxPauseFrames, frames)) return;
      }
    return out.unknown({Why::NotPresent, "pause frames sent are not shown for all priorities"});
  }
  std::vector<std::string> words;
  for (const Pauses& one : pauses) words.push_back(text_of(one));
  std::string sentence = netdev_name(seen) + " sees pause where profile " + profile->name +
                         " has none: " + joined(words) + " in the last minute.";
  const Severity severity = severity_of(worst, Severity::Warning, sentence);
  out.fail(severity, sentence, std::move(evidence));
}

}  // namespace

extern const Rule kPfcOnUnusedPriority;
constinit const Rule kPfcOnUnusedPriority{
    .id = "pfc-on-unused-priority",
    .since = "0.3",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "Pause frames for a priority that is not lossless in this design",
    .what =
        "Counts PFC frames of the priorities outside the profile's set, received and sent. Fires when there were some "
        "in three of the last five minutes.",
    .why = "Switch and host disagree on which class is lossless: one of them stops traffic that the other drops.",
    .next = "Compare the PFC priorities of this NIC with those of the switch port, and set both to the profile's.",
    .likely_causes = {"the switch has PFC on another priority", "a peer's traffic is on another priority",
                      "PFC on for all priorities"},
    .fix = {Recipe::Pfc, Recipe::Switch},
    .traps =
        {"mlx5 does not count priorities whose PFC is off. Pause frames at its MAC while no counted priority has any "
         "are weak evidence: confidence 0.4, none where link-level pause is on, and unknown where that cannot "
         "be read.",
         "Intel counts all priorities of a traffic class together: those of RoCE's class are left out, and equal "
         "numbers "
         "of others are told as one."},
    .needs = {CounterId::PfcRxPauseFrames, CounterId::PfcTxPauseFrames, CounterId::MacPauseRxFrames},
    .facts = {"ieee-802.1qbb", "mlx5-ethtool-counters", "ice-pause-per-class"},
    .judge = judge,
};

}  // namespace roceready::rules
