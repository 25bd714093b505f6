// SPDX-License-Identifier: Apache-2.0
#include "rules/pause_share.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/history/columns.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 60;
constexpr std::size_t kWindows = 5;
constexpr double kMaxPauseBitTimes = 65535.0 * 512;  // IEEE 802.1Qbb: quanta of 512 bit times
constexpr double kHour = 3600, kDay = 24 * kHour;
constexpr double kComplete = 0.9;  // a sampler that ticks every second never observes exactly the full time

/// Shortest window of the past that far ago that History resolves, whatever the sampling.
double finest_window(double ago) {
  return ago < kHour ? 10 : 60;
}

std::size_t minutes_at_or_above(const Windows& windows, double limit) {
  return static_cast<std::size_t>(std::count_if(windows.complete.begin(), windows.complete.end(),
                                                [&](const Increase& window) { return share_of(window) >= limit; }));
}

}  // namespace

double share_of(const Increase& paused) {
  return std::clamp(paused.per_second(), 0.0, 1.0);
}

Reading<PauseTime> pause_time(const Evidence& seen, CounterId duration, CounterId frames, std::uint8_t priority) {
  PauseTime out;
  out.at_most = seen.never_shown(duration) && !seen.never_shown(frames);
  const Reading<Windows> windows = seen.windows(out.at_most ? frames : duration, kWindowSeconds, kWindows, priority);
  if (!windows) return windows.absent();
  out.windows = *windows;
  if (out.at_most) {
    const Reading<std::uint64_t> speed = seen.link_speed();
    if (!speed) return speed.absent();
    if (*speed == 0) return Absent{Why::NotPresent, "link speed of " + netdev_name(seen) + " is 0"};
    const double longest = kMaxPauseBitTimes / static_cast<double>(*speed);
    for (Increase& window : out.windows.complete) window.amount *= longest;
    out.windows.latest.amount *= longest;
  }
  return out;
}

std::optional<PauseLevel> level_of(const PauseTime& time, double info, double warn, double crit) {
  const auto at = [&](double limit) {
    return held(time.windows, [&](const Increase& window) { return window.amount > 0 && share_of(window) >= limit; });
  };
  if (at(crit) == Held::Sustained) return PauseLevel{Severity::Critical, true, crit};
  const Held warned = at(warn);
  if (warned == Held::Sustained) return PauseLevel{Severity::Warning, true, warn};
  if (warned == Held::Once) return PauseLevel{Severity::Info, false, warn};
  const Increase& latest = time.windows.latest;
  if (info > 0 && latest.seconds > 0 && share_of(latest) >= info) return PauseLevel{Severity::Info, false, info};
  return std::nullopt;
}

Severity severity_of(const PauseTime& time, const PauseLevel& level) {
  if (!time.at_most) return level.severity;
  return level.severity == Severity::Critical ? Severity::Warning : Severity::Info;
}

std::string pause_words(const PauseTime& time, const PauseLevel& level) {
  const Increase& latest = time.windows.latest;
  std::string out = std::string("for ") + (time.at_most ? "at most " : "") + percent(share_of(latest)) +
                    " of the last " + duration_text(latest.seconds);
  if (level.sustained)
    out += ", and for at least " + percent(level.limit) + " in " +
           std::to_string(minutes_at_or_above(time.windows, level.limit)) + " of the last " +
           std::to_string(time.windows.complete.size()) + " minutes";
  return out;
}

void each_lossless(const Evidence& seen, Outcomes& out, const std::function<void(std::uint8_t)>& judge) {
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  const std::vector<std::uint8_t> priorities = lossless_priorities(*seen.profile());
  if (priorities.empty()) out.not_applicable("profile " + seen.profile()->name + " has no lossless priority");
  for (const std::uint8_t priority : priorities) {
    if (pfc && !pfc->on(priority))
      out.not_applicable("PFC is off on priority " + std::to_string(priority), priority);
    else
      judge(priority);
  }
}

void each_with_pfc(const Evidence& seen, Outcomes& out, CounterId pause,
                   const std::function<void(std::uint8_t)>& judge) {
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  const std::uint32_t wanted = seen.profile() != nullptr ? seen.profile()->pfc_priorities : 0U;
  bool any = false;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const bool on = pfc ? pfc->on(priority) : seen.counter(pause, priority).has_value();
    const bool is_wanted = (wanted >> priority & 1U) != 0;
    if (!on && !is_wanted) continue;
    any = true;
    if (pfc && !on)
      out.not_applicable("PFC is off on priority " + std::to_string(priority), priority);
    else
      judge(priority);
  }
  if (any) return;
  if (pfc) return out.not_applicable("PFC is on for no priority");
  const Reading<double> shown = seen.counter(pause, 0);
  // A setting that takes a privilege to read is a known blind spot; counters that were refused are another matter.
  const bool hidden = !shown && shown.absent().why == Why::NotPresent;
  if (pfc.absent().why == Why::Denied && hidden)
    return out.unknown({Why::NotPresent,
                        "the NIC shows pause of no priority, as some do while PFC is off; the setting "
                        "itself cannot be read: " +
                            pfc.absent().detail});
  cannot_read(out, pfc.absent(), "its PFC priorities");
}

PauseRun pause_run(const Evidence& seen, CounterId duration, CounterId traffic, std::uint8_t priority,
                   const StormTerms& terms) {
  const std::vector<Increase> samples = seen.samples(duration, Columns::kSamples, priority);
  const std::vector<Increase> others = seen.samples(traffic, Columns::kSamples, priority);
  PauseRun run;
  double elapsed = 0, quiet = 0, stretch_seconds = 0;
  std::size_t stretch = 0;
  bool ended = false;
  for (std::size_t k = 0; k < samples.size() && !ended; ++k) {
    const Increase& sample = samples[k];
    const bool known = k < others.size();
    const bool still = !known || others[k].amount <= terms.idle_per_second * others[k].seconds;
    elapsed += sample.seconds;
    if (sample.seconds <= 0 || share_of(sample) < terms.share || !still) {
      stretch = 0;
      stretch_seconds = 0;
      quiet += sample.seconds;
      ended = quiet >= terms.restore_seconds || sample.seconds <= 0;
      continue;
    }
    if (run.samples == 0) run.quiet_seconds = quiet;
    quiet = 0;
    ++run.samples;
    run.seconds += sample.seconds;
    run.paused_seconds += std::min(sample.amount, sample.seconds);
    run.traffic += known ? others[k].amount : 0;
    run.traffic_known = run.traffic_known && known;
    run.reach = elapsed;
    ++stretch;
    stretch_seconds += sample.seconds;
    run.lasting = run.lasting || (static_cast<double>(stretch) >= std::min(2.0, terms.needed) &&
                                  stretch_seconds >= kComplete * terms.needed);
  }
  run.open = run.samples > 0 && !ended && quiet <= 0;
  // What never was a storm is over with its last sample.
  if (!run.lasting && run.quiet_seconds > 0) return {};
  return run;
}

PauseRun past_run(const Evidence& seen, CounterId duration, CounterId traffic, std::uint8_t priority,
                  const StormTerms& terms) {
  constexpr double kLookBack = 300;
  PauseRun run;
  const auto whole = seen.growth(duration, kLookBack, priority);
  if (!whole || whole->amount < terms.share * terms.needed) return run;
  const double step = std::max(1.0, std::ceil(seen.read_period_seconds(duration)));
  std::size_t stretch = 0;
  double rest = 0, stretch_seconds = 0;
  for (double ago = 0; ago < kLookBack; ago += step) {
    const auto paused = seen.growth(duration, step, priority, ago);
    if (!paused || paused->seconds <= 0) continue;  // no read ended there
    const auto other = seen.growth(traffic, step, priority, ago);
    const bool still = !other || other->amount <= terms.idle_per_second * other->seconds;
    if (share_of(*paused) < terms.share || !still) {
      rest += paused->seconds;
      if (run.samples > 0 && rest >= terms.restore_seconds) {
        if (run.lasting) break;
        run = {};
      }
      stretch = 0;
      stretch_seconds = 0;
      continue;
    }
    if (run.samples == 0) run.quiet_seconds = ago;
    rest = 0;
    ++run.samples;
    run.seconds += paused->seconds;
    run.paused_seconds += std::min(paused->amount, paused->seconds);
    run.traffic += other ? other->amount : 0;
    run.traffic_known = run.traffic_known && other.has_value();
    run.reach = ago + step;
    stretch_seconds += paused->seconds;
    run.lasting = run.lasting || (static_cast<double>(++stretch) >= std::min(2.0, terms.needed) &&
                                  stretch_seconds >= kComplete * terms.needed);
  }
  run.open = run.lasting && run.reach >= kLookBack;
  return run.lasting ? run : PauseRun{};
}

std::string hidden_storm(const Evidence& seen, CounterId duration, std::uint8_t priority, const StormTerms& terms) {
  double elapsed = 0;
  for (const Increase& sample : seen.samples(duration, Columns::kSamples, priority)) {
    if (elapsed >= terms.needed) break;
    elapsed += sample.seconds;
    if (sample.seconds <= terms.needed || sample.amount < terms.share * terms.needed) continue;
    return "priority " + std::to_string(priority) + " was paused for " + duration_text(sample.amount) + " of " +
           duration_text(sample.seconds) + ", and nothing tells whether at one stretch";
  }
  return "";
}

void no_storm(const Evidence& seen, Outcomes& out, CounterId duration, std::uint8_t priority, const StormTerms& terms) {
  const std::string hidden = hidden_storm(seen, duration, priority, terms);
  if (hidden.empty()) return quiet(seen, out, terms.needed, priority);
  out.not_looked_at("longer_window", hidden, "counters read every second: --window, or the daemon", priority);
}

void follow_back(const Evidence& seen, PauseRun& run, CounterId duration, CounterId traffic, std::uint8_t priority,
                 const StormTerms& terms) {
  double step = 60;
  bool near_the_start = false;
  while (run.open && run.reach + step <= kDay) {
    if (!near_the_start && run.reach >= kHour) step = 600;
    const Reading<Increase> paused = seen.increase(duration, step, priority, run.reach);
    const Reading<Increase> other = seen.increase(traffic, step, priority, run.reach);
    const bool belongs = paused && other && paused->seconds > 0 && share_of(*paused) >= terms.share &&
                         other->amount <= terms.idle_per_second * other->seconds;
    if (belongs) {
      run.seconds += paused->seconds;
      run.paused_seconds += std::min(paused->amount, paused->seconds);
      run.reach += step;
      run.traffic += other->amount;
    } else if (step > finest_window(run.reach)) {
      near_the_start = true;
      step = step > 60 ? 60 : 10;
    } else {
      break;
    }
  }
  run.lasting = run.lasting || (run.samples >= 2 && run.seconds >= kComplete * terms.needed);
}

std::string quiet_words(const PauseRun& run) {
  return run.quiet_seconds > 0 ? " It stopped " + duration_text(run.quiet_seconds) + " ago." : "";
}

double just_before(const PauseRun& run) {
  return run.open ? 60 + 2 * finest_window(run.reach) : 60;
}

}  // namespace roceready::rules
