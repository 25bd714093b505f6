// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/loss_sides.h"
#include "probes/timing.h"

namespace roceready::probes {

/// When a minute counts as slow against the baseline (rule probe-rtt-high). Both need more than the floor.
struct SlowLimits {
  double p50_factor = 2, p99_factor = 5;
  double floor_seconds = 50e-6;
  std::uint32_t least_answers = 10;  ///< with a time: a minute with fewer is not judged and teaches nothing
  bool operator==(const SlowLimits&) const = default;
};
struct Baseline {
  double p50_seconds = 0, p99_seconds = 0;
  bool operator==(const Baseline&) const = default;
};
/// A baseline, the number of minutes that taught it, and when the newest of them ended, by the clock that is given.
struct LearnedBaseline {
  Baseline values;
  std::uint32_t minutes = 0;
  std::int64_t learned_ns = 0;
  bool operator==(const LearnedBaseline&) const = default;
};
/// Of idle and of busy minutes.
using LearnedBaselines = std::array<std::optional<LearnedBaseline>, 2>;
/// p50 and p99 of a calm path. The first minute with answers enough is believed; later ones that are not slow and lost
/// nothing move it: down by a quarter of the way, up by a 64th, so that a creeping fault does not become the norm.
[[nodiscard]] Baseline learn(const std::optional<Baseline>& before, const Baseline& minute);
[[nodiscard]] bool is_slow(const Baseline& minute, const Baseline& baseline, const SlowLimits& limits);

/// What the responder saw of one probe's header, and what was sent.
struct SeenClass {
  std::uint8_t dscp_sent = 0, ecn_sent = 0, dscp = 0, ecn = 0, ttl = 0;
};

struct WindowLimits {
  std::int64_t window_ns = 20'000'000'000;
  /// Answers kept a window for quantiles; of more, a random choice of as many (reservoir sampling), so that a quantile
  /// is always an observed value. 96 are every one up to 4 probes a second.
  std::uint32_t answers_kept = 96;
  std::uint32_t paths = 1;
  SlowLimits slow = {};
};

/// Outcomes of one kind of probe from one port to one port of a peer, in windows: the present one and the two before,
/// so that they tell of the last 40 to 60 s. Each three windows that ended, a minute by default, are judged together
/// against the baseline of their load: idle and busy ones have each their own, and those that were both are not judged.
/// A probe counts when its fate is known, not when it is sent. Threads: one.
/// Time is given and rises; a moment before the last is taken for it. Memory: bytes_held(); at one probe a second and 4
/// paths 3.1 KiB, never more than 3 × 20 bytes an answer kept, 3 × 16 a path and 0.8 KiB: 6.6 KiB with the default
/// limits and 4 paths.
class WindowStatistics {
 public:
  explicit WindowStatistics(const WindowLimits& limits);

  /// An answer in time. `late`: the reply lay unread because this host was late; by the software clock its times say
  /// nothing of the network and are left out of rtt, but count as an answer and in total. So are those where the
  /// responder's host was late.
  void answered(std::uint32_t path, const ProbeTiming& timing, bool late, std::int64_t now_ns);
  /// An answer in time whose times make no sense: sent and not lost, without a time.
  void discarded(std::uint32_t path, std::int64_t now_ns);
  void lost(std::uint32_t path, std::int64_t now_ns);
  /// An answer to one that was lost before, late because the peer's host kept the probe for at most so long. It stays
  /// lost, and ends the losses in a row: the path carries. `full`: it was an mtu_probe().
  void answered_late(bool full, std::uint32_t path, std::int64_t responder_delay_ns, std::int64_t now_ns);
  /// After lost(): the peer's NIC refused the probe because its host had no receive for it. It stays lost, counts as
  /// answered late, and ends the losses in a row.
  void host_not_ready(std::int64_t now_ns);
  void not_sent(std::int64_t now_ns);
  void mtu_probe(bool was_lost, std::int64_t now_ns);
  void saw(const SeenClass& seen, std::int64_t now_ns);
  /// The peer counts what arrives, and where earlier losses happened became known: in this window, whenever they were.
  void sides(const LostSides& known, std::int64_t now_ns);
  /// What sides() was told of a probe that was answered after all.
  void take_back(const LostSides& wrongly);
  /// The newest losses had a reason that is known now and was not the path: the next loss is the first in a row.
  void forget_row() { lost_in_row_ = 0; }
  /// The same of all losses since the newest answer, of full-size probes too; they count as never sent, but for the
  /// totals since the engine began.
  void excuse_row();
  /// The path has another MTU now: what was counted of full-size probes says nothing of those to come.
  void forget_mtu_probes();
  /// Whether an end of the path carries other traffic, from now on. At the beginning: no.
  void load(bool busy, std::int64_t now_ns);
  /// Ends windows that are over. The others do so too.
  void advance(std::int64_t now_ns);
  /// That of the present load.
  [[nodiscard]] std::optional<Baseline> baseline() const;
  [[nodiscard]] const LearnedBaselines& learned() const { return baselines_; }
  /// Takes what was learned of the same path earlier, where it has learned nothing itself, and goes on from there.
  void recall(const LearnedBaselines& earlier);
  /// The path is another now: what was learned of it and the minutes that were slow against that are void.
  void forget_baselines();
  [[nodiscard]] std::uint32_t lost_in_row() const { return lost_in_row_; }
  [[nodiscard]] std::uint64_t total_sent() const { return total_sent_; }
  [[nodiscard]] std::uint64_t total_lost() const { return total_lost_; }

  /// Fills in what is known here: sent … lost_in_row, totals, times, baseline, slow_windows, late_polls,
  /// responder_late, answered_late, mtu_answered_late, lost_there, lost_back, traffic_class, mtu_sent and mtu_lost, and
  /// of each of `out.paths` (made as many as there are paths) `path`, `sent`, `lost`, `rtt`.
  void fill(PeerProbe& out) const;
  /// Length of what fill() tells of: from the start of the oldest window to `now_ns`.
  [[nodiscard]] double covered_seconds(std::int64_t now_ns) const;
  [[nodiscard]] std::size_t bytes_held() const;  ///< this object and what it points to

 private:
  static constexpr std::size_t kWindows = 3, kSlowMinutes = 5, kTimes = 4;
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// An answer's times in nanoseconds, kNone where there is none: rtt, total, prober's delay, responder's delay.
  using Times = std::array<std::uint32_t, kTimes>;
  struct Sample {
    Times times;
    std::uint16_t path;
  };
  struct Extremes {
    std::uint64_t count = 0;
    std::uint32_t least = kNone, most = 0;
  };
  struct PathCount {
    std::uint32_t sent = 0, lost = 0, with_rtt = 0, row = 0;
  };
  struct Window {
    std::uint64_t sent = 0, lost = 0, not_sent = 0, discarded = 0, late = 0, mtu_sent = 0, mtu_lost = 0;
    std::uint64_t responder_late = 0, sides_told = 0, lost_there = 0, lost_back = 0;
    std::uint64_t answered_late = 0, mtu_answered_late = 0;
    std::uint64_t row = 0, mtu_row = 0;  ///< of lost and mtu_lost: since the newest answer
    std::uint64_t seen = 0, rewritten = 0, bleached = 0, marked = 0;
    std::uint64_t answers = 0;  ///< that stood for a place among the samples
    std::array<Extremes, kTimes> extremes;
    std::vector<Sample> samples;
    std::vector<PathCount> paths;
    bool was_idle = false, was_busy = false;
    void clear();
  };
  struct Weighted;

  Window& present() { return windows_[0]; }
  void count_sent(std::uint32_t path, bool was_lost);
  void end_row();
  void keep(const Sample& sample);
  void take(const Sample& sample);
  static std::uint32_t capped(std::int64_t ns);
  void end_window();
  void judge_minute();
  void mark_load() { (busy_ ? present().was_busy : present().was_idle) = true; }
  [[nodiscard]] std::vector<Weighted> collect(std::size_t time, std::size_t windows, std::uint32_t path) const;
  [[nodiscard]] Reading<ProbeTimes> times(std::size_t time) const;
  void fill_paths(PeerProbe& out) const;

  WindowLimits limits_;
  std::array<Window, kWindows> windows_;  ///< newest first
  std::int64_t window_start_ns_ = 0;
  std::size_t ended_ = 0;  ///< windows before the present one that are kept
  bool started_ = false;
  std::uint64_t random_ = 0;
  std::uint64_t total_sent_ = 0, total_lost_ = 0, total_rewritten_ = 0;
  std::uint32_t lost_in_row_ = 0;
  bool in_row_ = false;         ///< there are losses since the newest answer
  std::uint8_t slow_bits_ = 0;  ///< of minutes, the newest in bit 0; without those that hosts were too late for
  std::uint8_t unjudged_ = 0;   ///< windows that ended since the newest minute did
  bool busy_ = false;
  std::optional<SeenClass> newest_class_;
  LearnedBaselines baselines_;
};

}  // namespace roceready::probes
