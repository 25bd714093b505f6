// SPDX-License-Identifier: Apache-2.0
#include "probes/window_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace roceready::probes {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::uint32_t kAnyPath = 0xffffffff;
enum Time : std::size_t { kRtt, kTotal, kProber, kResponder };

double moved(double from, double to) {
  return from + (to - from) * (to < from ? 1.0 / 4 : 1.0 / 64);
}

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  std::uint64_t x = state += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

/// A value and how many answers it stands for.
struct WindowStatistics::Weighted {
  std::uint32_t value;
  double weight;
  /// The nearest-rank quantile of values that are sorted.
  static double quantile(const std::vector<Weighted>& sorted, double share) {
    double all = 0;
    for (const Weighted& one : sorted) all += one.weight;
    double below = 0;
    for (const Weighted& one : sorted) {
      below += one.weight;
      if (below >= share * all * (1 - 1e-12)) return one.value * kNanosecond;
    }
    return sorted.empty() ? 0 : sorted.back().value * kNanosecond;
  }
};

Baseline learn(const std::optional<Baseline>& before, const Baseline& minute) {
  if (!before) return minute;
  return {moved(before->p50_seconds, minute.p50_seconds), moved(before->p99_seconds, minute.p99_seconds)};
}

bool is_slow(const Baseline& minute, const Baseline& baseline, const SlowLimits& limits) {
  const auto above = [&](double value, double normal, double factor) {
    return value > limits.floor_seconds && value > factor * normal;
  };
  return above(minute.p50_seconds, baseline.p50_seconds, limits.p50_factor) ||
         above(minute.p99_seconds, baseline.p99_seconds, limits.p99_factor);
}

void WindowStatistics::Window::clear() {
  std::vector<Sample> no_samples = std::move(samples);
  std::vector<PathCount> no_paths = std::move(paths);
  *this = {};
  samples = std::move(no_samples);  // their memory serves the next window
  samples.clear();
  paths = std::move(no_paths);
  std::ranges::fill(paths, PathCount{});
}

WindowStatistics::WindowStatistics(const WindowLimits& limits) : limits_(limits) {
  limits_.window_ns = std::max<std::int64_t>(limits_.window_ns, 1);
  limits_.paths = std::clamp<std::uint32_t>(limits_.paths, 1, 1U << 16);
  limits_.answers_kept = std::max<std::uint32_t>(limits_.answers_kept, 1);
  for (Window& window : windows_) window.paths.resize(limits_.paths);
}

void WindowStatistics::advance(std::int64_t now_ns) {
  if (!started_) {
    started_ = true;
    mark_load();
    window_start_ns_ = now_ns;
  }
  if (now_ns <= window_start_ns_) return;
  const std::uint64_t elapsed = static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(window_start_ns_);
  const std::uint64_t over = elapsed / static_cast<std::uint64_t>(limits_.window_ns);
  // After a long sleep so many empty windows forget everything.
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(over, kWindows * (kSlowMinutes + 1)); ++i) end_window();
  window_start_ns_ = now_ns - static_cast<std::int64_t>(elapsed % static_cast<std::uint64_t>(limits_.window_ns));
}

void WindowStatistics::judge_minute() {
  std::uint64_t timed = 0, answers = 0, lost = 0;
  bool idle = false, busy = false;
  for (const Window& window : windows_) {
    timed += window.extremes[kRtt].count;
    answers += window.answers;
    lost += window.lost;
    idle = idle || window.was_idle;
    busy = busy || window.was_busy;
  }
  const bool judged = timed >= std::max<std::uint64_t>(limits_.slow.least_answers, 1);
  // A host was late, or the load changed: not known to be slow, nor to be calm.
  if ((!judged && answers > timed) || (judged && idle && busy)) return;
  slow_bits_ = static_cast<std::uint8_t>(slow_bits_ << 1);
  if (!judged) return;
  const std::vector<Weighted> sorted = collect(kRtt, kWindows, kAnyPath);
  const Baseline minute{Weighted::quantile(sorted, 0.5), Weighted::quantile(sorted, 0.99)};
  std::optional<LearnedBaseline>& learned = baselines_[busy ? 1 : 0];
  const std::optional<Baseline> before = learned ? std::optional(learned->values) : std::nullopt;
  if (before && is_slow(minute, *before, limits_.slow)) {
    slow_bits_ |= 1;
  } else if (!before || lost == 0) {
    const std::uint32_t minutes = learned ? learned->minutes : 0;
    const std::int64_t end_ns = window_start_ns_ + limits_.window_ns;  // of the window that ends
    learned = {learn(before, minute), minutes + (minutes < kNone ? 1 : 0), end_ns};
  }
}

std::optional<Baseline> WindowStatistics::baseline() const {
  const std::optional<LearnedBaseline>& learned = baselines_[busy_ ? 1 : 0];
  return learned ? std::optional(learned->values) : std::nullopt;
}

void WindowStatistics::recall(const LearnedBaselines& earlier) {
  for (std::size_t load = 0; load < baselines_.size(); ++load)
    if (!baselines_[load]) baselines_[load] = earlier[load];
}

void WindowStatistics::forget_baselines() {
  baselines_ = {};
  slow_bits_ = 0;
}

void WindowStatistics::forget_mtu_probes() {
  for (Window& window : windows_) window.mtu_sent = window.mtu_lost = window.mtu_row = window.mtu_answered_late = 0;
}

void WindowStatistics::end_window() {
  if (++unjudged_ == kWindows) {
    judge_minute();
    unjudged_ = 0;
  }
  std::rotate(windows_.begin(), windows_.end() - 1, windows_.end());
  present().clear();
  mark_load();
  ended_ = std::min(ended_ + 1, kWindows - 1);
}

void WindowStatistics::load(bool busy, std::int64_t now_ns) {
  advance(now_ns);
  busy_ = busy;
  mark_load();
}

void WindowStatistics::count_sent(std::uint32_t path, bool was_lost) {
  Window& window = present();
  ++window.sent;
  ++total_sent_;
  window.lost += was_lost ? 1 : 0;
  total_lost_ += was_lost ? 1 : 0;
  lost_in_row_ = was_lost ? lost_in_row_ + 1 : 0;
  if (was_lost) {
    ++window.row;
    in_row_ = true;
  } else {
    end_row();
  }
  if (path >= window.paths.size()) return;
  ++window.paths[path].sent;
  window.paths[path].lost += was_lost ? 1 : 0;
  window.paths[path].row += was_lost ? 1 : 0;
}

void WindowStatistics::end_row() {
  if (!in_row_) return;
  in_row_ = false;
  for (Window& window : windows_) {
    window.row = window.mtu_row = 0;
    for (PathCount& path : window.paths) path.row = 0;
  }
}

void WindowStatistics::excuse_row() {
  for (Window& window : windows_) {
    window.sent -= window.row;
    window.lost -= window.row;
    window.mtu_sent -= window.mtu_row;
    window.mtu_lost -= window.mtu_row;
    for (PathCount& path : window.paths) {
      path.sent -= path.row;
      path.lost -= path.row;
    }
  }
  end_row();
  lost_in_row_ = 0;
}

std::uint32_t WindowStatistics::capped(std::int64_t ns) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ns, 0, std::int64_t{kNone} - 1));
}

void WindowStatistics::keep(const Sample& sample) {
  Window& window = present();
  ++window.answers;
  if (window.samples.size() < limits_.answers_kept) {
    if (window.samples.size() == window.samples.capacity())  // doubling, but not past what is ever used
      window.samples.reserve(
          std::min<std::size_t>(std::max<std::size_t>(2 * window.samples.size(), 16), limits_.answers_kept));
    window.samples.push_back(sample);
  } else if (const std::uint64_t place = next_random(random_) % window.answers; place < window.samples.size()) {
    window.samples[place] = sample;
  }
}

void WindowStatistics::answered(std::uint32_t path, const ProbeTiming& timing, bool late, std::int64_t now_ns) {
  advance(now_ns);
  count_sent(path, false);
  Window& window = present();
  window.late += late ? 1 : 0;
  window.responder_late += timing.responder_late ? 1 : 0;
  Sample sample{.times = {kNone, capped(timing.total_ns), kNone, capped(timing.responder_delay_ns)},
                .path = static_cast<std::uint16_t>(path)};
  if ((!late || timing.clock == ProbeClock::Nic) && !timing.responder_late) {
    sample.times[kRtt] = capped(timing.rtt_ns);
    if (path < window.paths.size()) ++window.paths[path].with_rtt;
  }
  if (timing.prober_delay_ns) sample.times[kProber] = capped(*timing.prober_delay_ns);
  take(sample);
}

void WindowStatistics::answered_late(bool full, std::uint32_t path, std::int64_t responder_delay_ns,
                                     std::int64_t now_ns) {
  advance(now_ns);
  ++(full ? present().mtu_answered_late : present().answered_late);
  lost_in_row_ = 0;
  end_row();
  if (full) return;
  take({.times = {kNone, kNone, kNone, capped(responder_delay_ns)}, .path = static_cast<std::uint16_t>(path)});
}

void WindowStatistics::take(const Sample& sample) {
  Window& window = present();
  for (std::size_t time = 0; time < kTimes; ++time) {
    const std::uint32_t value = sample.times[time];
    if (value == kNone) continue;
    Extremes& extremes = window.extremes[time];
    ++extremes.count;
    extremes.least = std::min(extremes.least, value);
    extremes.most = std::max(extremes.most, value);
  }
  keep(sample);
}

void WindowStatistics::discarded(std::uint32_t path, std::int64_t now_ns) {
  advance(now_ns);
  count_sent(path, false);
  ++present().discarded;
}

void WindowStatistics::lost(std::uint32_t path, std::int64_t now_ns) {
  advance(now_ns);
  count_sent(path, true);
}

void WindowStatistics::host_not_ready(std::int64_t now_ns) {
  advance(now_ns);
  ++present().answered_late;
  lost_in_row_ = 0;
  end_row();
}

void WindowStatistics::not_sent(std::int64_t now_ns) {
  advance(now_ns);
  ++present().not_sent;
}

void WindowStatistics::mtu_probe(bool was_lost, std::int64_t now_ns) {
  advance(now_ns);
  ++present().mtu_sent;
  if (!was_lost) return end_row();
  ++present().mtu_lost;
  ++present().mtu_row;
  in_row_ = true;
}

void WindowStatistics::saw(const SeenClass& seen, std::int64_t now_ns) {
  constexpr std::uint8_t kNotEct = 0, kCongestionExperienced = 3;  // RFC 3168
  advance(now_ns);
  Window& window = present();
  ++window.seen;
  newest_class_ = seen;
  if (seen.dscp != seen.dscp_sent) {
    ++window.rewritten;
    ++total_rewritten_;
  }
  const bool was_capable = seen.ecn_sent != kNotEct;
  window.bleached += was_capable && seen.ecn == kNotEct ? 1 : 0;
  window.marked += seen.ecn == kCongestionExperienced ? 1 : 0;
}

void WindowStatistics::sides(const LostSides& known, std::int64_t now_ns) {
  advance(now_ns);
  Window& window = present();
  ++window.sides_told;
  window.lost_there += known.there;
  window.lost_back += known.back;
}

void WindowStatistics::take_back(const LostSides& wrongly) {
  const auto subtract = [this](std::uint64_t Window::*side, std::uint64_t count) {
    for (Window& window : windows_) {  // the newest first: there it was told, but for a window that just ended
      const std::uint64_t part = std::min(window.*side, count);
      window.*side -= part;
      count -= part;
    }
  };
  subtract(&Window::lost_there, wrongly.there);
  subtract(&Window::lost_back, wrongly.back);
}

std::vector<WindowStatistics::Weighted> WindowStatistics::collect(std::size_t time, std::size_t windows,
                                                                  std::uint32_t path) const {
  std::vector<Weighted> out;
  for (std::size_t i = 0; i < windows; ++i) {
    const Window& window = windows_[i];
    if (window.samples.empty()) continue;
    const double weight = static_cast<double>(window.answers) / static_cast<double>(window.samples.size());
    for (const Sample& sample : window.samples)
      if (sample.times[time] != kNone && (path == kAnyPath || path == sample.path))
        out.push_back({sample.times[time], weight});
  }
  std::ranges::sort(out, {}, &Weighted::value);
  return out;
}

Reading<ProbeTimes> WindowStatistics::times(std::size_t time) const {
  ProbeTimes out;
  Extremes all;
  std::uint64_t answers = 0, late = 0;
  for (const Window& window : windows_) {
    late += window.late;
    all.count += window.extremes[time].count;
    all.least = std::min(all.least, window.extremes[time].least);
    all.most = std::max(all.most, window.extremes[time].most);
    answers += window.answers;
  }
  const std::vector<Weighted> sorted = collect(time, kWindows, kAnyPath);
  if (answers == 0) return Absent{Why::NotPresent, "no answer in the window"};
  if (sorted.empty() && time == kProber) return Absent{Why::NotSupported, "the NIC gives no completion timestamps"};
  if (sorted.empty())
    return Absent{Why::NotPresent, late == 0         ? "the peer's host came late to every probe"
                                   : late >= answers ? "this host read every answer late"
                                                     : "this host or the peer's came late to every probe"};
  out.count = all.count;
  out.min_seconds = all.least * kNanosecond;
  out.p50_seconds = Weighted::quantile(sorted, 0.5);
  out.p90_seconds = Weighted::quantile(sorted, 0.9);
  out.p99_seconds = Weighted::quantile(sorted, 0.99);
  out.max_seconds = all.most * kNanosecond;
  return out;
}

void WindowStatistics::fill_paths(PeerProbe& out) const {
  out.paths.resize(limits_.paths);
  for (std::uint32_t path = 0; path < limits_.paths; ++path) {
    ProbePath& to = out.paths[path];
    std::uint64_t with_rtt = 0;
    to.path = path;
    to.sent = to.lost = 0;
    for (const Window& window : windows_) {
      to.sent += window.paths[path].sent;
      to.lost += window.paths[path].lost;
      with_rtt += window.paths[path].with_rtt;
    }
    const std::vector<Weighted> sorted = collect(kRtt, kWindows, path);
    if (sorted.empty()) {
      to.rtt = Absent{Why::NotPresent, "no answer in the window"};
      continue;
    }
    to.rtt = ProbeTimes{.count = with_rtt,
                        .min_seconds = sorted.front().value * kNanosecond,
                        .p50_seconds = Weighted::quantile(sorted, 0.5),
                        .p90_seconds = Weighted::quantile(sorted, 0.9),
                        .p99_seconds = Weighted::quantile(sorted, 0.99),
                        .max_seconds = sorted.back().value * kNanosecond};
  }
}

void WindowStatistics::fill(PeerProbe& out) const {
  const auto sum = [&](std::uint64_t Window::*counter) {
    std::uint64_t all = 0;
    for (const Window& window : windows_) all += window.*counter;
    return all;
  };
  out.sent = sum(&Window::sent);
  out.lost = sum(&Window::lost);
  out.not_sent = sum(&Window::not_sent);
  out.discarded = sum(&Window::discarded);
  out.late_polls = sum(&Window::late);
  out.responder_late = sum(&Window::responder_late);
  out.answered_late = sum(&Window::answered_late);
  out.mtu_answered_late = sum(&Window::mtu_answered_late);
  if (sum(&Window::sides_told) > 0) {
    out.lost_there = sum(&Window::lost_there);
    out.lost_back = sum(&Window::lost_back);
  } else {
    out.lost_there = out.lost_back = out.sent > out.lost
                                         ? Absent{Why::NotSupported, "its replies do not tell how many probes arrived"}
                                         : Absent{Why::NotPresent, "no answer in the window"};
  }
  out.mtu_sent = sum(&Window::mtu_sent);
  out.mtu_lost = sum(&Window::mtu_lost);
  out.lost_in_row = lost_in_row_;
  out.total_sent = total_sent_;
  out.total_lost = total_lost_;
  out.total_rewritten = total_rewritten_;
  out.rtt = times(kRtt);
  out.total = times(kTotal);
  out.prober_delay = times(kProber);
  out.responder_delay = times(kResponder);
  const Absent nothing_learned{
      Why::NotPresent, busy_ ? "no busy minute with enough answers yet" : "no idle minute with enough answers yet"};
  const std::optional<Baseline> calm = baseline();
  out.baseline_p50_seconds = calm ? Reading<double>(calm->p50_seconds) : Reading<double>(nothing_learned);
  out.baseline_p99_seconds = calm ? Reading<double>(calm->p99_seconds) : Reading<double>(nothing_learned);
  out.slow_windows = static_cast<std::uint32_t>(std::popcount(slow_bits_ & ((1U << kSlowMinutes) - 1)));
  const std::uint64_t seen = sum(&Window::seen);
  if (seen > 0 && newest_class_)
    out.traffic_class = ProbeClass{.dscp_sent = newest_class_->dscp_sent,
                                   .ecn_sent = newest_class_->ecn_sent,
                                   .dscp_received = newest_class_->dscp,
                                   .ecn_received = newest_class_->ecn,
                                   .ttl = newest_class_->ttl,
                                   .seen = seen,
                                   .rewritten = sum(&Window::rewritten),
                                   .bleached = sum(&Window::bleached),
                                   .marked = sum(&Window::marked)};
  else if (out.sent > out.lost)
    out.traffic_class = Absent{Why::NotSupported, "the peer's NIC showed no IP header that could be believed"};
  else
    out.traffic_class = Absent{Why::NotPresent, "no answer in the window"};
  fill_paths(out);
}

double WindowStatistics::covered_seconds(std::int64_t now_ns) const {
  if (!started_) return 0;
  const double present = static_cast<double>(now_ns) - static_cast<double>(window_start_ns_);
  return (std::max(present, 0.0) + static_cast<double>(ended_) * static_cast<double>(limits_.window_ns)) * kNanosecond;
}

std::size_t WindowStatistics::bytes_held() const {
  std::size_t out = sizeof *this;
  for (const Window& window : windows_)
    out += window.samples.capacity() * sizeof(Sample) + window.paths.capacity() * sizeof(PathCount);
  return out;
}

}  // namespace roceready::probes
