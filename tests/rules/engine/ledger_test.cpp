// SPDX-License-Identifier: Apache-2.0
#include "rules/ledger.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rules/engine.h"
#include "rules/rule.h"

namespace roceready::rules {
namespace {

const Rule kRateRule{.id = "pfc-storm-rx", .family = "pfc", .judged = kRate};
const Rule kSetting{.id = "pfc-disabled", .family = "pfc", .judged = kStatic};

Ledger::Failure failure(const Rule& rule, double hold = 0) {
  Finding finding;
  finding.rule = &rule;
  finding.key = rule.id;
  finding.severity = Severity::Critical;
  return {finding, hold};
}

Instant second(std::int64_t s) {
  return {s * 1'000'000'000, s * 1'000'000'000};
}

TEST(Ledger, keeps_since_when_a_finding_holds) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule)}, {}, second(10), {});
  const auto now = ledger.settle({failure(kRateRule)}, {}, second(25), {});
  ASSERT_EQ(now.size(), 1U);
  EXPECT_DOUBLE_EQ(now[0].age_seconds, 15);
  EXPECT_EQ(now[0].since_wall_ns, second(10).wall_ns);
}

TEST(Ledger, does_not_move_since_when_the_wall_clock_steps) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule)}, {}, second(10), {});
  const auto now = ledger.settle({failure(kRateRule)}, {}, {second(20).monotonic_ns, second(5000).wall_ns}, {});
  EXPECT_EQ(now[0].since_wall_ns, second(4990).wall_ns) << "since is anchored to the monotonic clock";
}

TEST(Ledger, calls_a_failure_info_until_its_hold_has_passed) {
  Ledger ledger(false, 600);
  EXPECT_EQ(ledger.settle({failure(kSetting, 10)}, {}, second(0), {})[0].severity, Severity::Info);
  EXPECT_EQ(ledger.settle({failure(kSetting, 10)}, {}, second(9), {})[0].severity, Severity::Info);
  EXPECT_EQ(ledger.settle({failure(kSetting, 10)}, {}, second(10), {})[0].severity, Severity::Critical);
}

/// What a ledger says in the last of seconds in which the letters of `reads` (x: fails), 30 s each, go by.
Severity after_reads(const std::string& reads) {
  Ledger ledger(false, 600);
  Ledger::Failure one = failure(kRateRule, 90);
  one.within_seconds = 150;
  Severity said = Severity::Info;
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(reads.size()) * 30; ++s) {
    const bool fails = reads.at(static_cast<std::size_t>(s / 30)) == 'x';
    const auto all = ledger.settle(fails ? std::vector{one} : std::vector<Ledger::Failure>{}, {}, second(s), {});
    said = all.empty() ? Severity::Info : all[0].severity;
  }
  return said;
}

TEST(Ledger, takes_three_reads_of_five_for_a_hold_that_may_be_broken) {
  for (const char* lasting : {"xxx", "x.x.x", "xx..x", "x..xx", "...xxx", "x.xx", "x....x.x.x"})
    EXPECT_EQ(after_reads(lasting), Severity::Critical) << lasting;
  for (const char* short_ones : {"x", "xx", "x.x", "x...x", "x..x..x", "xx....x", "x....x....x"})
    EXPECT_EQ(after_reads(short_ones), Severity::Info) << short_ones;
  // A fault that counted recovers as any other does.
  EXPECT_EQ(after_reads("xxx."), Severity::Critical);
}

TEST(Ledger, goes_on_with_a_broken_hold_over_a_restart) {
  const Rule* rule = rule_named("link-module-fault");
  ASSERT_NE(rule, nullptr);
  Ledger::Failure one = failure(*rule, 90);
  one.finding.key = std::string(rule->id) + "@" + one.finding.subject.key();
  one.within_seconds = 150;
  Ledger before(false, 600);
  for (int s = 0; s <= 120; s += 30) static_cast<void>(before.settle({one}, {}, second(s), {}));
  Ledger after(false, 600);
  ASSERT_TRUE(after.recall(before.save()));
  const auto all = after.settle({one}, {}, second(150), {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].severity, one.finding.severity);
  EXPECT_EQ(all[0].state, FindingState::Active);
  EXPECT_DOUBLE_EQ(all[0].age_seconds, 150);
}

TEST(Ledger, says_what_a_broken_hold_waits_for) {
  Ledger ledger(false, 600);
  Ledger::Failure one = failure(kRateRule, 90);
  one.within_seconds = 150;
  EXPECT_NE(ledger.settle({one}, {}, second(0), {})[0].seen.find("once it has lasted 90 s of 2.5 min."),
            std::string::npos);
}

TEST(Ledger, has_no_hold_in_a_one_shot) {
  Ledger ledger(true, 600);
  EXPECT_EQ(ledger.settle({failure(kSetting, 10)}, {}, second(0), {})[0].severity, Severity::Critical);
  EXPECT_TRUE(ledger.settle({}, {}, second(1), {}).empty());
}

TEST(Ledger, lets_a_measured_fault_recover_for_the_hold_down_and_then_forgets_it) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule)}, {}, second(0), {});
  const auto soon = ledger.settle({}, {}, second(1), {});
  ASSERT_EQ(soon.size(), 1U);
  EXPECT_EQ(soon[0].state, FindingState::Recovering);
  EXPECT_EQ(ledger.settle({}, {}, second(599), {}).size(), 1U);
  EXPECT_TRUE(ledger.settle({}, {}, second(601), {}).empty());
}

TEST(Ledger, takes_a_corrected_setting_as_corrected_at_once) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kSetting)}, {}, second(0), {});
  EXPECT_TRUE(ledger.settle({}, {}, second(1), {}).empty());
}

TEST(Ledger, forgets_what_was_never_more_than_held) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule, 10)}, {}, second(0), {});
  EXPECT_TRUE(ledger.settle({}, {}, second(1), {}).empty());
}

TEST(Ledger, drops_what_it_said_of_a_port_that_is_gone) {
  Ledger ledger(false, 600);
  Ledger::Failure of_port = failure(kRateRule);
  of_port.finding.subject.device = "mlx5_0";
  of_port.finding.subject.port = 1;
  (void)ledger.settle({of_port}, {}, second(0), {});
  EXPECT_TRUE(ledger.settle({}, {}, second(1), {}).empty());
}

Ledger::Failure info(const Rule& rule) {
  Ledger::Failure out = failure(rule);
  out.finding.severity = Severity::Info;
  return out;
}

TEST(Ledger, keeps_a_finding_active_while_its_rule_cannot_be_judged) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule)}, {}, second(0), {});
  const auto blind = ledger.settle({}, {{&kRateRule, {}}}, second(5), {});
  ASSERT_EQ(blind.size(), 1U);
  EXPECT_EQ(blind[0].state, FindingState::Active) << "what cannot be seen has not recovered";
  EXPECT_NE(blind[0].seen.find("cannot be read"), std::string::npos);
  EXPECT_EQ(ledger.settle({}, {}, second(6), {})[0].state, FindingState::Recovering);
  EXPECT_TRUE(ledger.settle({}, {{&kRateRule, {}}}, second(700), {}).empty()) << "not for ever";
}

TEST(Ledger, calls_what_shrank_to_info_recovering) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule)}, {}, second(0), {});
  const auto smaller = ledger.settle({info(kRateRule)}, {}, second(1), {});
  ASSERT_EQ(smaller.size(), 1U);
  EXPECT_EQ(smaller[0].state, FindingState::Recovering);
  EXPECT_EQ(smaller[0].severity, Severity::Critical);
  EXPECT_EQ(ledger.settle({info(kRateRule)}, {}, second(601), {})[0].severity, Severity::Info);
}

TEST(Ledger, lets_a_wrong_setting_recover_that_counters_made_grave) {
  static constexpr Rule kCounted{
      .id = "qos-buffer-shared", .family = "qos", .judged = kStatic, .needs = {CounterId::RxBytesPriority}};
  Ledger ledger(false, 600);
  Ledger::Failure loud = failure(kCounted), idle = failure(kCounted);
  loud.finding.severity = Severity::Warning;
  idle.finding.severity = Severity::Info;
  (void)ledger.settle({loud}, {}, second(0), {});
  const auto now = ledger.settle({idle}, {}, second(100), {});
  EXPECT_EQ(now[0].severity, Severity::Warning);
  EXPECT_EQ(now[0].state, FindingState::Recovering);
  EXPECT_TRUE(ledger.settle({}, {}, second(110), {}).empty()) << "the setting is right now";
}

TEST(Ledger, begins_a_new_hold_when_a_fault_comes_back) {
  Ledger ledger(false, 600);
  (void)ledger.settle({failure(kRateRule, 10)}, {}, second(0), {});
  (void)ledger.settle({failure(kRateRule, 10)}, {}, second(30), {});
  (void)ledger.settle({}, {}, second(40), {});
  const auto back = ledger.settle({failure(kRateRule, 10)}, {}, second(330), {});
  EXPECT_EQ(back[0].state, FindingState::Recovering) << "not active before its hold has passed, and not forgotten";
  EXPECT_DOUBLE_EQ(back[0].age_seconds, 0);
  EXPECT_EQ(ledger.settle({failure(kRateRule, 10)}, {}, second(341), {})[0].state, FindingState::Active);
}

}  // namespace
}  // namespace roceready::rules
