// SPDX-License-Identifier: Apache-2.0
#include "rules/unread_counters.h"

#include "rules/verdict.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

void take_away(CounterReadings& counters, const Absent& why) {
  counters.values.clear();
  counters.why_absent = why;
}

/// A node of which nobody recorded a counter.
Scene uncounted(const Absent& why = {Why::NotRecorded, "no such file in the recording"}) {
  Scene scene;
  take_away(scene.port().counters, why);
  take_away(scene.eth0().counters, why);
  return scene;
}

TEST(UnreadCounters, of_a_whole_port_make_it_unknown_and_the_report_says_why_and_what_settles_it) {
  const ReportPtr report = uncounted().report();
  EXPECT_EQ(report->verdict, Verdict::Unknown);
  EXPECT_FALSE(report->score.has_value());
  EXPECT_EQ(
      report->summary,
      "Not judged: no counter of loss or transport of mlx5_0/1 was read (no such file in the recording), so nobody "
      "knows whether it loses packets; what settles it: rdma statistic show link mlx5_0/1 and ethtool -S eth0.");
  EXPECT_EQ(report->unknown.front().why, "not_recorded");
  EXPECT_EQ(report->unknown.front().subject.device, "mlx5_0");
}

TEST(UnreadCounters, decide_whatever_the_coverage_is_and_after_what_is_broken) {
  PortState port;
  port.profile_stated = true;
  port.coverage.ratio = 0.9;
  EXPECT_EQ(verdict_of(port), Verdict::Ready);
  port.no_counters = true;
  EXPECT_EQ(verdict_of(port), Verdict::Unknown);
  port.initializing = true;
  EXPECT_EQ(verdict_of(port), Verdict::Initializing);
}

TEST(UnreadCounters, are_no_matter_where_one_side_was_read) {
  Scene rdma = uncounted();
  rdma.port().counters = Scene().port().counters;
  EXPECT_FALSE(counters_unread(rdma.now(), rdma.port()).has_value());
  Scene netdev = uncounted();
  netdev.eth0().counters = Scene().eth0().counters;
  EXPECT_FALSE(counters_unread(netdev.now(), netdev.port()).has_value());
}

TEST(UnreadCounters, are_no_matter_of_how_long_was_looked) {
  Scene once;
  EXPECT_EQ(once.report()->verdict, Verdict::Ready) << once.report()->summary;
}

TEST(UnreadCounters, are_expected_of_a_driver_that_has_none) {
  Scene scene = uncounted();
  scene.port().counters = {};
  scene.eth0().counters = {};
  scene.port().counters.driver_known = scene.eth0().counters.driver_known = true;
  EXPECT_FALSE(counters_unread(scene.now(), scene.port()).has_value());
  scene.port().counters.driver_known = false;
  EXPECT_TRUE(counters_unread(scene.now(), scene.port()).has_value()) << "what an unknown driver counts nobody knows";
}

TEST(UnreadCounters, do_not_hide_what_is_known_to_be_broken) {
  Scene scene = uncounted();
  scene.eth0().dcb.pfc->enabled = 0;
  EXPECT_EQ(scene.report()->verdict, Verdict::NotReady);
}

TEST(UnreadCounters, mean_nothing_where_roce_is_not_judged) {
  Scene scene = uncounted();
  scene.profile("not-roce");
  const ReportPtr report = scene.report();
  EXPECT_EQ(report->verdict, Verdict::NotApplicable);
  for (const Gap& gap : report->unknown) EXPECT_FALSE(gap.rule.empty()) << gap.detail;
}

}  // namespace
}  // namespace roceready::rules_test
