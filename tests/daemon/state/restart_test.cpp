// SPDX-License-Identifier: Apache-2.0
// The daemon without its sockets, from samples to the state file: what a restart, a kill and a full disk do to it.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/log.h"
#include "daemon/sampling.h"
#include "tests/daemon/scripted_host.h"
#include "tests/daemon/state/scratch.h"

namespace roceready::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// The state file forgets what is old by the machine's clock.
const std::int64_t kToday =
    std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count() -
    7200 * kSecond;

class Process {
 public:
  Process(std::string directory, ScriptedHost::Script script, double second)
      : second_(second), directory_(std::move(directory)) {
    set_log_level("error");
    SamplingPlan plan;
    plan.judge.profile = "nvidia-lossless";
    plan.judge.one_shot = false;
    auto keeper = std::make_unique<Keeper>(KeeperOptions{directory_, {}, 300, 60});
    keeper_ = keeper.get();
    sampling_ = std::make_unique<Sampling>(std::make_unique<ScriptedHost>(std::move(script), second, kToday), plan,
                                           board_, std::move(keeper));
  }
  const rules::Report& tick(int times = 1) {
    for (int i = 0; i < times; ++i, ++second_) EXPECT_TRUE(sampling_->tick(0));
    return report();
  }
  [[nodiscard]] const rules::Report& report() const { return board_.latest()->report(); }
  [[nodiscard]] const rules::Finding* finding(const std::string& rule) const {
    for (const rules::Finding& each : report().findings)
      if (each.rule->id == rule) return &each;
    return nullptr;
  }
  [[nodiscard]] std::vector<rules::Incident> incidents(const std::string& rule) const {
    std::vector<rules::Incident> out;
    for (const IncidentPtr& each : board_.latest()->incidents()->incidents)
      if (each->rule == rule) out.push_back(*each);
    return out;
  }
  [[nodiscard]] bool each_key_once() const {
    std::set<std::string> keys;
    const auto& all = board_.latest()->incidents()->incidents;
    return std::all_of(all.begin(), all.end(), [&](const IncidentPtr& each) { return keys.insert(each->key).second; });
  }
  [[nodiscard]] bool shows(const char* line) const {
    return board_.latest()->metrics(MetricsFormat::Text, false)->find(line) != std::string::npos;
  }
  [[nodiscard]] bool says_that_nothing_is_kept() const {
    for (const rules::Gap& gap : report().not_looked_at)
      if (gap.why == "not_kept") return true;
    return false;
  }
  /// What a kill would leave behind.
  void leave_behind(const std::string& to) {
    keeper_->settle();
    std::filesystem::create_directory(to);
    std::filesystem::copy(state_file(directory_), state_file(to));
  }
  void settle() { keeper_->settle(); }
  void want_kept(const std::string& baselines) {
    board_.set_probe_baselines(std::make_shared<const std::string>(baselines));
  }
  [[nodiscard]] std::optional<std::string> baselines() const { return sampling_->kept_baselines(); }
  void end() { EXPECT_TRUE(sampling_->finish(10'000)); }
  [[nodiscard]] double second() const { return second_; }

 private:
  double second_;
  std::string directory_;
  Board board_;
  Keeper* keeper_ = nullptr;
  std::unique_ptr<Sampling> sampling_;
};

constexpr const char* kRule = "pfc-storm-rx";

/// Five quiet minutes and a storm that begins then; when it ends is the test's.
struct Stormy {
  Scratch dir;
  Storm storm;
  std::unique_ptr<Process> first;
  std::vector<rules::Incident> before;
  explicit Stormy(double begin = 1400) : storm{begin, 1e9} {
    first = std::make_unique<Process>(dir.path, storm, 1000);
    first->tick(489);  // the history was saved 10 s after the begin and each minute from there: 59 s ago
    before = first->incidents(kRule);
  }
};

void expect_the_same(const std::vector<rules::Incident>& after, const std::vector<rules::Incident>& before) {
  ASSERT_EQ(after.size(), before.size()) << "repeated or invented";
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].begin, before[i].begin);
    EXPECT_EQ(after[i].relapses, before[i].relapses);
  }
}

TEST(AStorm, that_lasts_over_a_kill_is_one) {
  Stormy node;
  ASSERT_EQ(node.before.size(), 1U);
  ASSERT_EQ(node.before[0].state, rules::IncidentState::Active);
  const auto since = node.first->finding(kRule)->since_wall_ns;
  node.first->leave_behind(node.dir.path + "/copy");
  Process second(node.dir.path + "/copy", node.storm, node.first->second() + 5);
  for (int tick = 0; tick < 30; ++tick) {
    second.tick();
    ASSERT_NE(second.report().ports[0].verdict, rules::Verdict::Initializing) << tick;
    ASSERT_NE(second.finding(kRule), nullptr) << tick;
    EXPECT_EQ(second.finding(kRule)->state, rules::FindingState::Active) << tick;
    EXPECT_EQ(second.finding(kRule)->severity, rules::Severity::Critical) << tick;
    EXPECT_NEAR(static_cast<double>(second.finding(kRule)->since_wall_ns), static_cast<double>(since), 2e9) << tick;
    expect_the_same(second.incidents(kRule), node.before);
  }
  EXPECT_EQ(second.incidents(kRule)[0].state, rules::IncidentState::Active);
}

TEST(AStorm, that_began_after_the_last_saving_of_the_history_is_one_over_a_kill) {
  Stormy node(1440);
  ASSERT_EQ(node.before.size(), 1U);
  node.first->leave_behind(node.dir.path + "/copy");
  Process second(node.dir.path + "/copy", node.storm, node.first->second() + 5);
  second.tick();
  ASSERT_NE(second.finding(kRule), nullptr);
  second.tick(10);
  EXPECT_EQ(second.finding(kRule)->state, rules::FindingState::Active);
  const auto after = second.incidents(kRule);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].id, node.before[0].id);
  EXPECT_EQ(after[0].begin, node.before[0].begin);
  EXPECT_EQ(after[0].state, rules::IncidentState::Active);
}

TEST(AStorm, that_ends_while_nobody_looks_recovers_and_is_not_forgotten) {
  Stormy node;
  node.first->leave_behind(node.dir.path + "/copy");
  Storm over = node.storm;
  over.end = node.first->second() + 2;
  Process second(node.dir.path + "/copy", over, node.first->second() + 20);
  second.tick(10);
  ASSERT_NE(second.finding(kRule), nullptr) << "cleared by the restart";
  EXPECT_EQ(second.finding(kRule)->state, rules::FindingState::Recovering);
  expect_the_same(second.incidents(kRule), node.before);
  ASSERT_EQ(second.incidents(kRule).size(), 1U);
  EXPECT_EQ(second.incidents(kRule)[0].state, rules::IncidentState::Recovering);
  second.tick(700);
  EXPECT_EQ(second.finding(kRule), nullptr);
  expect_the_same(second.incidents(kRule), node.before);
  EXPECT_EQ(second.incidents(kRule)[0].ended_by, "cleared");
}

TEST(AStorm, over_many_restarts_is_one) {
  Stormy node;
  node.first->end();
  double second = node.first->second();
  node.first.reset();
  for (int round = 0; round < 6; ++round) {
    Process next(node.dir.path, node.storm, second + 3 + round * 7);
    next.tick(1 + round * 3);
    const auto after = next.incidents(kRule);
    expect_the_same(after, node.before);
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after[0].state, rules::IncidentState::Active) << round;
    EXPECT_TRUE(next.each_key_once()) << round;
    next.end();
    second = next.second();
  }
}

TEST(BaselinesOfProbes, outlive_a_kill_as_of_the_last_saving_and_an_end_as_of_then) {
  const Scratch dir;
  Process first(dir.path, Storm{}, 1000);
  EXPECT_FALSE(first.baselines());
  first.tick(2);
  first.want_kept("five minutes ago");
  first.tick();
  first.leave_behind(dir.path + "/killed");
  first.want_kept("now");
  first.end();
  EXPECT_EQ(Process(dir.path + "/killed", Storm{}, 1100).baselines(), "five minutes ago");
  Scratch other;
  first.leave_behind(other.path + "/ended");
  Process second(other.path + "/ended", Storm{}, 1100);
  EXPECT_EQ(second.baselines(), "now");
  second.tick(2);
  second.end();
  EXPECT_EQ(second.baselines(), "now") << "who learned nothing forgets nothing";
}

TEST(AFullDisk, stops_no_sample_is_said_and_is_made_up_for) {
  const Scratch dir;
  Process daemon(dir.path, Storm{1020}, 1000);
  daemon.tick(12);
  daemon.settle();
  ASSERT_TRUE(daemon.shows("\nroce_state_writable 1\n"));
  // No page behind the second can be written, nor a journal of more.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{8192, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  daemon.tick(20);
  daemon.settle();
  daemon.tick(2);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(daemon.shows("\nroce_state_writable 0\n"));
  EXPECT_TRUE(daemon.says_that_nothing_is_kept());
  ASSERT_EQ(daemon.incidents(kRule).size(), 1U) << "known in memory";
  const auto told = daemon.incidents(kRule);
  daemon.end();
  auto store = Store::open_for_reading(dir.path);
  ASSERT_TRUE(store) << store.error().text();
  const auto kept = store->incidents(100);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(std::any_of(kept->begin(), kept->end(), [&](const auto& each) { return each.id == told[0].id; }));
}

}  // namespace
}  // namespace roceready::daemon
