// SPDX-License-Identifier: Apache-2.0
#include "probes/window_statistics.h"

#include <limits>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kMicrosecond = 1'000, kWindow = 20 * kSecond;

ProbeTiming software(std::int64_t rtt_ns, std::int64_t responder_ns = 1'000) {
  return {.clock = ProbeClock::Software,
          .rtt_ns = rtt_ns,
          .total_ns = rtt_ns + responder_ns,
          .responder_delay_ns = responder_ns,
          .prober_delay_ns = std::nullopt};
}
ProbeTiming by_nic(std::int64_t rtt_ns, std::int64_t prober_ns) {
  return {.clock = ProbeClock::Nic,
          .rtt_ns = rtt_ns,
          .total_ns = rtt_ns + prober_ns,
          .responder_delay_ns = 0,
          .prober_delay_ns = prober_ns};
}
PeerProbe told(const WindowStatistics& statistics) {
  PeerProbe out;
  statistics.fill(out);
  return out;
}
/// One minute of 60 answers, a second apart.
void feed(WindowStatistics& statistics, std::int64_t& now, std::int64_t rtt_ns) {
  for (int i = 0; i < 60; ++i, now += kSecond) statistics.answered(0, software(rtt_ns), false, now);
}

TEST(WindowStatistics, tells_quantiles_that_were_observed) {
  WindowStatistics statistics({.answers_kept = 200});
  for (int i = 1; i <= 100; ++i) statistics.answered(0, software(i * kMicrosecond), false, i);
  const PeerProbe out = told(statistics);
  ASSERT_TRUE(out.rtt);
  EXPECT_EQ(out.rtt->count, 100U);
  EXPECT_DOUBLE_EQ(out.rtt->min_seconds, 1e-6);
  EXPECT_DOUBLE_EQ(out.rtt->p50_seconds, 50e-6);
  EXPECT_DOUBLE_EQ(out.rtt->p90_seconds, 90e-6);
  EXPECT_DOUBLE_EQ(out.rtt->p99_seconds, 99e-6);
  EXPECT_DOUBLE_EQ(out.rtt->max_seconds, 100e-6);
  EXPECT_DOUBLE_EQ(out.total->p50_seconds, 51e-6);
  EXPECT_DOUBLE_EQ(out.responder_delay->max_seconds, 1e-6);
}

TEST(WindowStatistics, has_no_times_before_an_answer) {
  WindowStatistics statistics({});
  statistics.lost(0, 0);
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.sent, 1U);
  EXPECT_EQ(out.lost, 1U);
  ASSERT_FALSE(out.rtt);
  EXPECT_EQ(out.rtt.absent().why, Why::NotPresent);
  EXPECT_FALSE(out.traffic_class);
  EXPECT_FALSE(out.baseline_p50_seconds);
  EXPECT_FALSE(out.paths.at(0).rtt);
}

TEST(WindowStatistics, counts_answers_to_which_the_peers_host_came_late) {
  WindowStatistics statistics({});
  ProbeTiming late = software(5'000);
  late.responder_late = true;
  for (int i = 0; i < 3; ++i) statistics.answered(0, late, false, i);
  for (int i = 3; i < 8; ++i) statistics.answered(0, software(5'000), false, i);
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.responder_late, 3U);
  EXPECT_EQ(out.late_polls, 0U) << "this host was not";
  ASSERT_TRUE(out.rtt);
  EXPECT_EQ(out.rtt->count, 5U);
  statistics.advance(3 * kWindow + 8);
  EXPECT_EQ(told(statistics).responder_late, 0U);
}

TEST(WindowStatistics, tells_on_which_way_probes_were_lost_where_the_peer_counts_them) {
  WindowStatistics statistics({});
  EXPECT_EQ(told(statistics).lost_there.absent().why, Why::NotPresent);
  statistics.answered(0, software(5'000), false, 1);
  EXPECT_EQ(told(statistics).lost_there.absent().why, Why::NotSupported);
  statistics.sides({}, 1);
  EXPECT_EQ(told(statistics).lost_back, Reading<std::uint64_t>(0U));
  statistics.sides({2, 1}, 2);
  statistics.sides({1, 0}, kWindow + 2);
  EXPECT_EQ(told(statistics).lost_there, Reading<std::uint64_t>(3U));
  EXPECT_EQ(told(statistics).lost_back, Reading<std::uint64_t>(1U));
}

TEST(WindowStatistics, knows_no_prober_delay_by_software) {
  WindowStatistics statistics({});
  statistics.answered(0, software(5'000), false, 0);
  EXPECT_EQ(told(statistics).prober_delay.absent().why, Why::NotSupported);
  statistics.answered(0, by_nic(5'000, 2'000), false, 1);
  EXPECT_DOUBLE_EQ(told(statistics).prober_delay->p50_seconds, 2e-6);
}

TEST(WindowStatistics, forgets_what_is_older_than_three_windows) {
  WindowStatistics statistics({});
  statistics.lost(0, 0);
  statistics.advance(3 * kWindow - 1);
  EXPECT_EQ(told(statistics).lost, 1U);
  EXPECT_DOUBLE_EQ(statistics.covered_seconds(3 * kWindow - 1), (3 * kWindow - 1) * 1e-9);
  statistics.advance(3 * kWindow);
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.lost, 0U);
  EXPECT_EQ(out.total_lost, 1U) << "but not in the total";
  EXPECT_DOUBLE_EQ(statistics.covered_seconds(3 * kWindow), 40.0);
}

TEST(WindowStatistics, counts_full_size_probes_anew_where_the_size_is_another) {
  WindowStatistics statistics({});
  statistics.mtu_probe(true, 0);
  statistics.answered_late(true, 0, 1'000, 0);
  statistics.lost(0, kWindow);
  statistics.mtu_probe(true, kWindow);
  statistics.forget_mtu_probes();
  statistics.mtu_probe(false, kWindow + 1);
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.mtu_sent, 1U);
  EXPECT_EQ(out.mtu_lost + out.mtu_answered_late, 0U);
  EXPECT_EQ(out.lost, 1U) << "of the others nothing";
}

TEST(WindowStatistics, survives_a_clock_that_jumps) {
  WindowStatistics statistics({});
  statistics.lost(0, 100 * kSecond);
  statistics.lost(0, 0);
  EXPECT_EQ(told(statistics).lost, 2U) << "a step back counts in the present window";
  statistics.lost(0, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(told(statistics).lost, 1U);
  statistics.lost(0, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(told(statistics).lost, 2U);
}

TEST(WindowStatistics, excuses_what_was_lost_since_the_newest_answer) {
  WindowStatistics statistics({.paths = 2});
  statistics.lost(1, 0);
  statistics.mtu_probe(true, 0);
  statistics.answered(0, {}, false, 1);
  statistics.lost(0, kWindow - 1);
  statistics.lost(1, kWindow);
  statistics.mtu_probe(true, kWindow);
  statistics.excuse_row();
  PeerProbe out = told(statistics);
  EXPECT_EQ(out.sent, 2U);
  EXPECT_EQ(out.lost, 1U) << "that before the answer";
  EXPECT_EQ(out.lost_in_row, 0U);
  EXPECT_EQ(out.mtu_sent, 1U);
  EXPECT_EQ(out.mtu_lost, 1U);
  EXPECT_EQ(out.paths.at(0).sent, 1U);
  EXPECT_EQ(out.paths.at(0).lost, 0U);
  EXPECT_EQ(out.paths.at(1).lost, 1U);
  EXPECT_EQ(out.total_lost, 3U) << "what was counted for good stays";
  statistics.lost(0, kWindow + 1);
  statistics.mtu_probe(false, kWindow + 1);
  statistics.excuse_row();
  EXPECT_EQ(told(statistics).lost, 2U) << "a full-size probe was answered";
}

TEST(WindowStatistics, counts_losses_in_a_row_until_an_answer) {
  WindowStatistics statistics({});
  for (int i = 0; i < 3; ++i) statistics.lost(0, i);
  EXPECT_EQ(told(statistics).lost_in_row, 3U);
  statistics.not_sent(3);
  EXPECT_EQ(told(statistics).lost_in_row, 3U) << "not sent is neither lost nor answered";
  EXPECT_EQ(told(statistics).sent, 3U);
  EXPECT_EQ(told(statistics).not_sent, 1U);
  statistics.discarded(0, 4);
  EXPECT_EQ(told(statistics).lost_in_row, 0U) << "an answer with absurd times is an answer";
  EXPECT_EQ(told(statistics).discarded, 1U);
  EXPECT_EQ(told(statistics).sent, 4U);
}

TEST(WindowStatistics, does_not_blame_the_network_for_a_late_poll) {
  WindowStatistics statistics({});
  statistics.answered(0, software(5 * kMicrosecond), false, 0);
  statistics.answered(0, software(9'000 * kMicrosecond), true, 1);
  PeerProbe out = told(statistics);
  EXPECT_EQ(out.sent, 2U);
  EXPECT_EQ(out.lost, 0U);
  EXPECT_EQ(out.late_polls, 1U);
  EXPECT_EQ(out.rtt->count, 1U);
  EXPECT_DOUBLE_EQ(out.rtt->max_seconds, 5e-6);
  EXPECT_DOUBLE_EQ(out.total->max_seconds, 9'001e-6);
  statistics.answered(0, by_nic(7 * kMicrosecond, 9'000 * kMicrosecond), true, 2);
  EXPECT_EQ(told(statistics).rtt->count, 2U) << "the NIC's clock was not late";
}

TEST(WindowStatistics, tells_the_late_host_from_the_silent_peer) {
  WindowStatistics statistics({});
  statistics.answered(0, software(9'000 * kMicrosecond), true, 1);
  EXPECT_NE(told(statistics).rtt.absent().detail.find("late"), std::string::npos);
}

TEST(WindowStatistics, keeps_paths_apart) {
  WindowStatistics statistics({.paths = 4});
  for (std::uint32_t path = 0; path < 4; ++path)
    for (int i = 0; i < 10; ++i)
      path == 2 ? statistics.lost(path, i) : statistics.answered(path, software((path + 1) * kMicrosecond), false, i);
  const PeerProbe out = told(statistics);
  ASSERT_EQ(out.paths.size(), 4U);
  EXPECT_EQ(out.paths[2].sent, 10U);
  EXPECT_EQ(out.paths[2].lost, 10U);
  EXPECT_FALSE(out.paths[2].rtt);
  EXPECT_EQ(out.paths[3].lost, 0U);
  EXPECT_EQ(out.paths[3].rtt->count, 10U);
  EXPECT_DOUBLE_EQ(out.paths[3].rtt->p50_seconds, 4e-6);
  EXPECT_EQ(out.lost, 10U);
}

TEST(WindowStatistics, takes_an_unknown_path_for_no_path) {
  WindowStatistics statistics({.paths = 2});
  statistics.lost(7, 0);
  statistics.answered(0xffffffff, software(1'000), false, 0);
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.sent, 2U);
  EXPECT_EQ(out.paths[0].sent + out.paths[1].sent, 0U);
}

TEST(WindowStatistics, leaves_what_others_know_of_a_path) {
  WindowStatistics statistics({.paths = 2});
  PeerProbe out;
  out.paths.resize(2);
  out.paths[1].flow_label = 99;
  statistics.fill(out);
  EXPECT_EQ(out.paths[1].flow_label, 99U);
  EXPECT_EQ(out.paths[1].path, 1U);
}

TEST(WindowStatistics, counts_classes_that_were_changed_on_the_way) {
  WindowStatistics statistics({});
  statistics.saw({.dscp_sent = 26, .ecn_sent = 2, .dscp = 26, .ecn = 2, .ttl = 64}, 0);
  statistics.saw({.dscp_sent = 26, .ecn_sent = 2, .dscp = 26, .ecn = 3, .ttl = 63}, 0);
  statistics.saw({.dscp_sent = 26, .ecn_sent = 2, .dscp = 0, .ecn = 0, .ttl = 62}, 0);
  PeerProbe out = told(statistics);
  ASSERT_TRUE(out.traffic_class);
  EXPECT_EQ(out.traffic_class->seen, 3U);
  EXPECT_EQ(out.traffic_class->rewritten, 1U);
  EXPECT_EQ(out.traffic_class->bleached, 1U);
  EXPECT_EQ(out.traffic_class->marked, 1U);
  EXPECT_EQ(out.traffic_class->dscp_received, 0U);
  EXPECT_EQ(out.traffic_class->ttl, 62U);
  statistics.advance(5 * kWindow);
  out = told(statistics);
  EXPECT_FALSE(out.traffic_class);
  EXPECT_EQ(out.total_rewritten, 1U);
}

TEST(WindowStatistics, does_not_call_a_probe_bleached_that_was_sent_without_ect) {
  WindowStatistics statistics({});
  statistics.saw({.dscp_sent = 26, .ecn_sent = 0, .dscp = 26, .ecn = 0, .ttl = 64}, 0);
  EXPECT_EQ(told(statistics).traffic_class->bleached, 0U);
}

TEST(WindowStatistics, says_that_a_nic_shows_no_header) {
  WindowStatistics statistics({});
  statistics.answered(0, software(1'000), false, 0);
  EXPECT_EQ(told(statistics).traffic_class.absent().why, Why::NotSupported);
}

TEST(WindowStatistics, weighs_what_it_kept_by_what_there_was) {
  WindowStatistics statistics({.answers_kept = 50});
  for (int i = 0; i < 9'000; ++i) statistics.answered(0, software(1'000), false, 0);
  for (int i = 0; i < 50; ++i) statistics.answered(0, software(9'000'000), false, kWindow);
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.rtt->count, 9'050U);
  EXPECT_DOUBLE_EQ(out.rtt->p90_seconds, 1e-6) << "half of what is kept, but not a hundredth of all";
  EXPECT_DOUBLE_EQ(out.rtt->max_seconds, 9e-3);
}

TEST(WindowStatistics, keeps_a_fair_choice_of_many_answers) {
  WindowStatistics statistics({.answers_kept = 500});
  for (int i = 0; i < 50'000; ++i) statistics.answered(0, software(i + 1), false, 0);
  const PeerProbe out = told(statistics);
  EXPECT_NEAR(out.rtt->p50_seconds, 25e-6, 4e-6);
  EXPECT_NEAR(out.rtt->p90_seconds, 45e-6, 4e-6);
  EXPECT_DOUBLE_EQ(out.rtt->min_seconds, 1e-9) << "extremes are exact";
  EXPECT_DOUBLE_EQ(out.rtt->max_seconds, 50e-6);
}

TEST(WindowStatistics, calls_minutes_slow_against_what_was_calm) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  feed(statistics, now, 40 * kMicrosecond);
  statistics.advance(now);
  EXPECT_DOUBLE_EQ(*told(statistics).baseline_p50_seconds, 40e-6);
  for (std::uint32_t slow = 1; slow <= 7; ++slow) {
    feed(statistics, now, 90 * kMicrosecond);
    statistics.advance(now);
    EXPECT_EQ(told(statistics).slow_windows, std::min(slow, 5U));
  }
  EXPECT_DOUBLE_EQ(*told(statistics).baseline_p50_seconds, 40e-6) << "a slow minute teaches nothing";
  for (std::uint32_t calm = 1; calm <= 5; ++calm) {
    feed(statistics, now, 40 * kMicrosecond);
    statistics.advance(now);
    EXPECT_EQ(told(statistics).slow_windows, 5 - calm);
  }
}

TEST(WindowStatistics, judges_a_minute_and_not_each_third_of_it) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  feed(statistics, now, 40 * kMicrosecond);
  for (int i = 0; i < 59; ++i, now += kSecond) statistics.answered(0, software(90 * kMicrosecond), false, now);
  EXPECT_EQ(told(statistics).slow_windows, 0U);
  for (int third = 0; third < 3; ++third)
    for (int i = 0; i < 20; ++i, now += kSecond)
      statistics.answered(0, software((third == 1 ? 90 : 40) * kMicrosecond), false, now);
  statistics.advance(now + kSecond);
  EXPECT_EQ(told(statistics).slow_windows, 1U) << "of the second of these minutes the median is calm";
}

TEST(WindowStatistics, compares_busy_minutes_with_busy_ones_and_idle_ones_with_idle_ones) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  for (int i = 0; i < 3; ++i) feed(statistics, now, 5 * kMicrosecond);
  statistics.load(true, now);
  EXPECT_FALSE(told(statistics).baseline_p50_seconds);
  for (int i = 0; i < 6; ++i) feed(statistics, now, 60 * kMicrosecond);
  statistics.advance(now);
  EXPECT_EQ(told(statistics).slow_windows, 0U) << "a job runs";
  EXPECT_DOUBLE_EQ(*told(statistics).baseline_p50_seconds, 60e-6);
  for (int i = 0; i < 3; ++i) feed(statistics, now, 200 * kMicrosecond);
  statistics.advance(now);
  EXPECT_EQ(told(statistics).slow_windows, 3U) << "but not as it did";
  statistics.load(false, now);
  EXPECT_DOUBLE_EQ(*told(statistics).baseline_p50_seconds, 5e-6);
  for (int i = 0; i < 5; ++i) feed(statistics, now, 60 * kMicrosecond);
  statistics.advance(now);
  EXPECT_GE(told(statistics).slow_windows, 4U) << "idle as the path is";
}

TEST(WindowStatistics, go_on_with_what_was_learned_earlier_where_they_learned_nothing_yet) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  feed(statistics, now, 40 * kMicrosecond);
  statistics.advance(now);
  const LearnedBaselines learned = statistics.learned();
  ASSERT_TRUE(learned[0]);
  EXPECT_EQ(learned[0]->minutes, 1U);
  EXPECT_EQ(learned[0]->learned_ns, now);
  EXPECT_FALSE(learned[1]);

  WindowStatistics next({});
  next.recall(learned);
  EXPECT_DOUBLE_EQ(*told(next).baseline_p50_seconds, 40e-6);
  feed(next, now, 36 * kMicrosecond);
  next.advance(now);
  EXPECT_DOUBLE_EQ(*told(next).baseline_p50_seconds, 39e-6) << "it goes on learning";
  EXPECT_EQ(next.learned()[0]->minutes, 2U);
  feed(next, now, 90 * kMicrosecond);
  next.advance(now);
  EXPECT_EQ(told(next).slow_windows, 1U);
  next.recall({LearnedBaseline{{1e-6, 1e-6}, 9, now}, LearnedBaseline{{2e-6, 2e-6}, 9, now}});
  EXPECT_DOUBLE_EQ(*told(next).baseline_p50_seconds, 39e-6) << "its own is newer";
  EXPECT_DOUBLE_EQ(next.learned()[1]->values.p50_seconds, 2e-6);
  next.forget_baselines();
  EXPECT_FALSE(told(next).baseline_p50_seconds);
  EXPECT_EQ(told(next).slow_windows, 0U) << "they were slow against another path";
}

TEST(WindowStatistics, does_not_judge_a_minute_in_which_the_load_changed) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  feed(statistics, now, 5 * kMicrosecond);
  feed(statistics, now, 5 * kMicrosecond);
  statistics.advance(now + 25 * kSecond);
  statistics.load(true, now + 25 * kSecond);
  feed(statistics, now, 60 * kMicrosecond);
  statistics.advance(now);
  EXPECT_EQ(told(statistics).slow_windows, 0U);
  EXPECT_FALSE(told(statistics).baseline_p50_seconds);
}

TEST(WindowStatistics, counts_what_was_answered_after_the_timeout_because_the_peer_kept_it) {
  WindowStatistics statistics({});
  for (int i = 0; i < 3; ++i) statistics.lost(0, i);
  statistics.mtu_probe(true, 3);
  statistics.answered_late(false, 0, 600'000 * kMicrosecond, 4);
  EXPECT_EQ(told(statistics).lost_in_row, 0U);
  statistics.answered_late(true, 0, 700'000 * kMicrosecond, 5);
  PeerProbe out = told(statistics);
  EXPECT_EQ(out.lost, 3U);
  EXPECT_EQ(out.answered_late, 1U);
  EXPECT_EQ(out.mtu_answered_late, 1U);
  ASSERT_TRUE(out.responder_delay);
  EXPECT_DOUBLE_EQ(out.responder_delay->max_seconds, 0.6);
  EXPECT_FALSE(out.rtt);
  statistics.advance(3 * kWindow + 6);
  out = told(statistics);
  EXPECT_EQ(out.answered_late + out.mtu_answered_late, 0U);
}

TEST(WindowStatistics, keeps_what_the_peers_NIC_refused_for_its_host_among_the_losses_but_not_in_a_row) {
  WindowStatistics statistics({});
  for (int i = 0; i < 3; ++i) {
    statistics.lost(0, i);
    statistics.host_not_ready(i);
  }
  const PeerProbe out = told(statistics);
  EXPECT_EQ(out.lost, 3U);
  EXPECT_EQ(out.answered_late, 3U);
  EXPECT_EQ(out.lost_in_row, 0U);
  EXPECT_FALSE(out.responder_delay);
}

TEST(WindowStatistics, takes_back_what_was_said_of_a_probe_that_was_answered_after_all) {
  WindowStatistics statistics({});
  statistics.sides({1, 2}, 1);
  statistics.sides({}, kWindow + 1);
  statistics.take_back({0, 1});
  EXPECT_EQ(told(statistics).lost_back, Reading<std::uint64_t>(1U));
  EXPECT_EQ(told(statistics).lost_there, Reading<std::uint64_t>(1U));
  statistics.take_back({5, 5});
  EXPECT_EQ(told(statistics).lost_back, Reading<std::uint64_t>(0U)) << "never below nothing";
}

TEST(WindowStatistics, does_not_judge_a_minute_of_few_answers) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  feed(statistics, now, 40 * kMicrosecond);
  for (int i = 0; i < 9; ++i) statistics.answered(0, software(10'000 * kMicrosecond), false, now);
  statistics.advance(now + 3 * kWindow);
  EXPECT_EQ(told(statistics).slow_windows, 0U);
}

TEST(WindowStatistics, does_not_take_minutes_that_this_host_read_late_for_calm_ones) {
  WindowStatistics statistics({});
  std::int64_t now = 0;
  feed(statistics, now, 40 * kMicrosecond);
  for (int i = 0; i < 3; ++i) feed(statistics, now, 90 * kMicrosecond);
  statistics.advance(now);
  for (int minute = 0; minute < 6; ++minute)
    for (int i = 0; i < 60; ++i, now += kSecond) statistics.answered(0, software(90 * kMicrosecond), i % 10 != 0, now);
  statistics.advance(now);
  EXPECT_EQ(told(statistics).slow_windows, 3U) << "nothing is known that speaks against it";
  statistics.advance(now + 20 * kWindow);
  EXPECT_EQ(told(statistics).slow_windows, 0U) << "minutes without answers are long ago at some time";
}

TEST(WindowStatistics, takes_the_limits_that_it_is_given) {
  WindowLimits limits;
  limits.slow = {.p50_factor = 1.2, .p99_factor = 5, .floor_seconds = 1e-6};
  WindowStatistics statistics(limits);
  std::int64_t now = 0;
  feed(statistics, now, 10 * kMicrosecond);
  feed(statistics, now, 13 * kMicrosecond);
  statistics.advance(now);
  EXPECT_EQ(told(statistics).slow_windows, 1U);
}

TEST(Baseline, is_slow_above_twice_the_median_or_five_times_the_tail) {
  const Baseline calm{40e-6, 60e-6};
  EXPECT_FALSE(is_slow({80e-6, 300e-6}, calm, {}));
  EXPECT_TRUE(is_slow({81e-6, 81e-6}, calm, {}));
  EXPECT_TRUE(is_slow({40e-6, 301e-6}, calm, {}));
  EXPECT_FALSE(is_slow({49e-6, 50e-6}, {4e-6, 5e-6}, {})) << "below the floor nobody is harmed";
}

TEST(Baseline, follows_down_fast_and_up_slowly) {
  EXPECT_EQ(learn(std::nullopt, {8e-6, 9e-6}), (Baseline{8e-6, 9e-6}));
  EXPECT_DOUBLE_EQ(learn(Baseline{80e-6, 80e-6}, {40e-6, 40e-6}).p50_seconds, 70e-6);
  EXPECT_DOUBLE_EQ(learn(Baseline{64e-6, 64e-6}, {128e-6, 128e-6}).p99_seconds, 65e-6);
}

TEST(WindowStatistics, of_1000_peers_fits_into_8_mib) {
  WindowStatistics at_one_a_second({.paths = 4});
  for (int i = 0; i < 60; ++i)
    at_one_a_second.answered(static_cast<std::uint32_t>(i % 4), software(5'000), false, i * kSecond);
  EXPECT_LE(at_one_a_second.bytes_held(), 3200U);
  WindowStatistics at_ten({.paths = 4});
  for (int i = 0; i < 600; ++i)
    at_ten.answered(static_cast<std::uint32_t>(i % 4), software(5'000), false, i * kSecond / 10);
  EXPECT_LE(1000 * at_ten.bytes_held(), 8U << 20);
}

}  // namespace
}  // namespace roceready::probes
