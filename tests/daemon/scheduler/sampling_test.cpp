// SPDX-License-Identifier: Apache-2.0
#include "daemon/sampling.h"

#include <gtest/gtest.h>

#include <utility>

#include "daemon/log.h"
#include "daemon/pace.h"
#include "daemon/scheduler.h"
#include "daemon/setup.h"
#include "tests/daemon/sample_report.h"
#include "tests/daemon/scripted_host.h"

namespace roceready::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Pacing, keeps_the_rate_whatever_a_tick_takes) {
  Pace pace(10 * kSecond, kSecond);
  EXPECT_EQ(pace.ticked(10 * kSecond + 300'000'000), 0U);
  EXPECT_EQ(pace.due_ns(), 11 * kSecond);
}

TEST(Pacing, skips_what_a_late_tick_missed_and_counts_it) {
  Pace pace(0, kSecond);
  EXPECT_EQ(pace.ticked(3 * kSecond + 1), 3U);
  EXPECT_EQ(pace.due_ns(), 4 * kSecond);
  EXPECT_EQ(pace.ticked(4 * kSecond + 1), 0U);
  EXPECT_EQ(pace.ticked(6 * kSecond), 1U) << "a tick that ends exactly when the next is due has missed it";
}

TEST(Pacing, takes_a_new_interval) {
  Pace pace(0, 10 * kSecond);
  pace.ticked(1);
  pace.change(kSecond);
  EXPECT_EQ(pace.due_ns(), kSecond);
}

TEST(ConditionLog, speaks_when_something_begins_changes_and_ends) {
  using Kind = ConditionChange::Kind;
  Conditions conditions;
  EXPECT_EQ(conditions.update({{"a", "1"}}), (std::vector<ConditionChange>{{Kind::Begins, "a", "1"}}));
  EXPECT_TRUE(conditions.update({{"a", "1"}}).empty());
  EXPECT_EQ(conditions.update({{"a", "2"}, {"b", "x"}}),
            (std::vector<ConditionChange>{{Kind::Changes, "a", "2"}, {Kind::Begins, "b", "x"}}));
  EXPECT_EQ(conditions.update({}), (std::vector<ConditionChange>{{Kind::Ends, "a", "2"}, {Kind::Ends, "b", "x"}}));
}

TEST(LogLine, quotes_what_would_break_a_field) {
  EXPECT_EQ(log_line("hello", {{"device", "mlx5_0"}, {"text", "two \"words\""}, {"none", ""}}),
            "hello device=mlx5_0 text=\"two \\\"words\\\"\" none=\"\"");
  EXPECT_EQ(log_line("a\nb", {}), "a\\x0ab");
}

/// Gives snapshots of the sample host, one second apart.
class ScriptedSource : public SampleSource {
 public:
  explicit ScriptedSource(int count, bool ends = false) : left_(count), ends_(ends) {}
  SnapshotPtr next() override {
    if (left_-- <= 0) return nullptr;
    Snapshot out = sample_snapshot();
    out.before.monotonic_ns = out.after.monotonic_ns += shift_;
    shift_ += kSecond;
    return std::make_shared<const Snapshot>(out);
  }
  void configure(const SamplerOptions& options) override { excluded = options.selection.exclude; }
  [[nodiscard]] std::string kind() const override { return "recorded"; }
  [[nodiscard]] std::string detail() const override { return "script"; }
  [[nodiscard]] bool ends() const override { return ends_; }
  std::vector<std::string> excluded;

 private:
  int left_;
  bool ends_;
  std::int64_t shift_ = 0;
};

SamplingPlan plan_with_profile() {
  SamplingPlan plan;
  plan.judge.profile = "nvidia-lossless";
  plan.judge.one_shot = false;
  return plan;
}

TEST(SamplingTick, publishes_a_report_of_each_sample_and_keeps_the_last) {
  Board board;
  set_log_level("error");
  Sampling sampling(std::make_unique<ScriptedSource>(2), plan_with_profile(), board);
  EXPECT_EQ(board.latest(), nullptr);
  ASSERT_TRUE(sampling.tick(0));
  const auto first = board.latest();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->report().source_kind, "recorded");
  EXPECT_EQ(first->report().source_detail, "script");
  ASSERT_TRUE(sampling.tick(4));
  EXPECT_NE(board.latest(), first);
  EXPECT_NE(board.latest()->metrics(MetricsFormat::Text, false)->find("roce_samples_skipped_total 4"),
            std::string::npos);
  EXPECT_FALSE(sampling.tick(4));
  EXPECT_NE(board.latest(), nullptr);
}

TEST(SamplingTick, publishes_a_recording_when_all_of_it_was_replayed) {
  Board board;
  set_log_level("error");
  Sampling sampling(std::make_unique<ScriptedSource>(5, true), plan_with_profile(), board);
  ASSERT_TRUE(sampling.tick(0));
  EXPECT_EQ(board.latest()->report().window_seconds, 4);
  EXPECT_FALSE(sampling.tick(0));
}

TEST(SamplingTick, hands_new_options_to_the_source) {
  Board board;
  auto source = std::make_unique<ScriptedSource>(1);
  const ScriptedSource& watched = *source;
  Sampling sampling(std::move(source), plan_with_profile(), board);
  SamplingPlan plan = plan_with_profile();
  plan.sampler.selection.exclude = {"mlx5_7"};
  sampling.change(plan);
  EXPECT_EQ(watched.excluded, (std::vector<std::string>{"mlx5_7"}));
}

/// A daemon on a host that its peer pauses from the fifth second on.
struct Paused {
  explicit Paused(SamplingPlan plan = plan_with_profile(), bool may_burst = true, double begin = 5) {
    set_log_level("error");
    auto source = std::make_unique<ScriptedHost>(Storm{begin}, 0);
    source->may_burst = may_burst;
    host = source.get();
    sampling = std::make_unique<Sampling>(std::move(source), std::move(plan), board);
  }
  void tick(int times) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE(sampling->tick(0));
  }
  [[nodiscard]] bool shows(const char* line) const {
    return board.latest()->metrics(MetricsFormat::Text, false)->find(line) != std::string::npos;
  }
  Board board;
  ScriptedHost* host = nullptr;
  std::unique_ptr<Sampling> sampling;
};

TEST(ABurst, begins_by_itself_when_a_fault_shows_in_rates_and_rests_afterwards) {
  Paused daemon;
  daemon.tick(5);
  EXPECT_EQ(daemon.host->bursts, 0) << "nothing is suspected";
  EXPECT_EQ(daemon.sampling->next_burst_step_ns(monotonic_now_ns()), std::nullopt);
  EXPECT_TRUE(daemon.shows("\nroce_bursts_total 0\n"));
  daemon.tick(3);
  EXPECT_EQ(daemon.host->bursts, 1);
  EXPECT_TRUE(daemon.shows("\nroce_bursts_total 1\n"));
  ASSERT_TRUE(daemon.sampling->next_burst_step_ns(monotonic_now_ns()));
  daemon.tick(60);
  EXPECT_EQ(daemon.host->bursts, 1) << "the fault lasts, and the budget is one burst in a while";
}

TEST(ABurst, takes_its_steps_a_tenth_of_a_second_apart_and_less_often_where_they_are_slow) {
  Paused daemon;
  daemon.tick(7);
  std::int64_t now = monotonic_now_ns();
  ASSERT_TRUE(daemon.sampling->next_burst_step_ns(now));
  EXPECT_LE(*daemon.sampling->next_burst_step_ns(now), now) << "the first at once";
  daemon.sampling->burst_step(now);
  EXPECT_EQ(daemon.host->steps, 1);
  EXPECT_GE(*daemon.sampling->next_burst_step_ns(now), now + BurstPlan::kStepNs);
  now = monotonic_now_ns();
  constexpr std::int64_t kSlow = 40'000'000;
  daemon.sampling->burst_step(now - kSlow);
  EXPECT_GE(*daemon.sampling->next_burst_step_ns(now), now + BurstPlan::kBudget * kSlow);
}

TEST(ABurst, does_not_begin_where_it_is_switched_off_or_cannot_be) {
  const auto loaded = load_configuration(std::nullopt, {{"sampling.burst", "false"}});
  ASSERT_TRUE(loaded) << loaded.error().text();
  ASSERT_FALSE(loaded->loaded.settings.bursts);
  ASSERT_TRUE(load_configuration(std::nullopt, {})->loaded.settings.bursts);
  SamplingPlan off = plan_with_profile();
  off.bursts = loaded->loaded.settings.bursts;
  Paused switched_off(off);
  switched_off.tick(10);
  EXPECT_EQ(switched_off.host->bursts, 0);
  Paused recorded(plan_with_profile(), false);
  recorded.tick(10);
  EXPECT_EQ(recorded.host->bursts, 0);
  EXPECT_EQ(recorded.sampling->next_burst_step_ns(monotonic_now_ns()), std::nullopt);
}

TEST(SchedulerThread, polls_between_two_ticks_of_a_burst) {
  SamplingPlan plan = plan_with_profile();
  plan.interval_ns = 300'000'000;
  Paused daemon(plan, true, 1);
  Scheduler scheduler(*daemon.sampling, daemon.board, [] {});
  scheduler.start();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (daemon.host->steps < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_GE(daemon.host->steps, 4);
  EXPECT_EQ(daemon.host->bursts, 1);
  EXPECT_TRUE(scheduler.stop(5000));
}

TEST(SchedulerThread, ticks_beats_and_stops_at_once) {
  Board board;
  set_log_level("error");
  SamplingPlan fast = plan_with_profile();
  fast.interval_ns = 1'000'000;
  Sampling sampling(std::make_unique<ScriptedSource>(3), fast, board);
  std::atomic<int> ticks{0};
  Scheduler scheduler(sampling, board, [&] { ++ticks; });
  scheduler.start();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (ticks < 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_GE(ticks, 3);
  EXPECT_TRUE(board.ticks(monotonic_now_ns()));
  EXPECT_TRUE(scheduler.stop(5000));
}

}  // namespace
}  // namespace roceready::daemon
