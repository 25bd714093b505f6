// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "rules/rule.h"

namespace roceready::rules {

/// How long one priority was paused, in windows of a minute. The amounts are seconds.
struct PauseTime {
  Windows windows;
  /// The driver counts frames alone, so this is the longest that they can have paused: frames × 65535 quanta of 512 bit
  /// times. It can clear a port, not convict it.
  bool at_most = false;
};

/// Share of an observed time, clamped: duration counters may run slightly ahead of the wall.
[[nodiscard]] double share_of(const Increase& paused);

/// Pause time of `priority` in the last five minutes, from `duration`, or from `frames` where the driver has no
/// durations.
[[nodiscard]] Reading<PauseTime> pause_time(const Evidence& seen, CounterId duration, CounterId frames,
                                            std::uint8_t priority);

/// How bad: the worst limit that held for three of the last five minutes, else Info while a limit is exceeded now.
struct PauseLevel {
  Severity severity = Severity::Info;
  bool sustained = false;
  double limit = 0;
};
/// `info` is 0 where the rule has no such level. Nothing: below all limits.
[[nodiscard]] std::optional<PauseLevel> level_of(const PauseTime& time, double info, double warn, double crit);

/// A share that only counted frames bound from above proves less: one level down.
[[nodiscard]] Severity severity_of(const PauseTime& time, const PauseLevel& level);
/// "for 12.3 % of the last minute, and for at least 1 % in 4 of the last 5 minutes".
[[nodiscard]] std::string pause_words(const PauseTime& time, const PauseLevel& level);

/// Calls `judge` for each priority that the profile wants lossless. Where PFC is known to be off on it, the rule does
/// not apply there (drivers such as mlx5 hide its counters then), and that is written.
void each_lossless(const Evidence& seen, Outcomes& out, const std::function<void(std::uint8_t)>& judge);

/// The same for each priority that has PFC, whatever the profile says of it, and those that the profile wants lossless.
/// Needs no profile: a storm hurts other nodes under any design. Where the PFC setting cannot be read, each priority of
/// which the NIC shows `pause` is judged: a storm is seen there whatever the setting says.
void each_with_pfc(const Evidence& seen, Outcomes& out, CounterId pause,
                   const std::function<void(std::uint8_t)>& judge);

/// What counts as an unbroken storm.
struct StormTerms {
  double share = 1;            ///< of the time paused, in every sample
  double idle_per_second = 0;  ///< the other counter may grow by so much
  double needed = 2;           ///< samples of a second in a row that it takes; shorter ones must add up to that time
  double restore_seconds = 2;  ///< that long below makes it end; shorter breaks belong to it
};
/// The newest samples in which a priority was paused without end and `traffic` did not move. History keeps few single
/// samples (Columns::kSamples); follow_back finds out how long a longer run is.
struct PauseRun {
  std::size_t samples = 0;
  double seconds = 0;         ///< observed, breaks not counted
  double paused_seconds = 0;  ///< of those
  double traffic = 0;         ///< growth of the other counter in those
  bool traffic_known = true;  ///< in each of them
  double reach = 0;           ///< seconds before now at which it began, as far as it was followed
  double quiet_seconds = 0;   ///< since when it is not seen any more; 0: it is there now
  bool lasting = false;       ///< it held long enough to be called a storm
  bool open = false;          ///< no sample ended it: it may have begun before the oldest one kept
};
[[nodiscard]] PauseRun pause_run(const Evidence& seen, CounterId duration, CounterId traffic, std::uint8_t priority,
                                 const StormTerms& terms);
/// The newest storm of the last five minutes that is over, of two samples in a row or more: for a one-shot, which
/// nobody has told that there was one. No samples where there was none.
[[nodiscard]] PauseRun past_run(const Evidence& seen, CounterId duration, CounterId traffic, std::uint8_t priority,
                                const StormTerms& terms);
/// Whether a storm may have passed unseen in the samples of the time that one takes: a sample that is longer than that
/// was paused for as long, though not all through. "" where none may have, else what was seen.
[[nodiscard]] std::string hidden_storm(const Evidence& seen, CounterId duration, std::uint8_t priority,
                                       const StormTerms& terms);
/// Ends a storm rule that saw no storm: pass, or "longer_window" where too little was observed or one may be hidden.
void no_storm(const Evidence& seen, Outcomes& out, CounterId duration, std::uint8_t priority, const StormTerms& terms);
/// Follows an open run back through earlier windows, of at least ten seconds and up to a day ago, while the priority
/// was paused as the terms say and `traffic` stood still.
void follow_back(const Evidence& seen, PauseRun& run, CounterId duration, CounterId traffic, std::uint8_t priority,
                 const StormTerms& terms);
/// Length of the window that ends where a run begins and shows what went on just before it: a minute, and what the
/// resolution of the past at that distance adds.
[[nodiscard]] double just_before(const PauseRun& run);
/// "That ended 1 s ago.", "" while it goes on. A storm is over once it has been quiet for as long as the terms say.
[[nodiscard]] std::string quiet_words(const PauseRun& run);

}  // namespace roceready::rules
