// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Six minutes; in each of the last `bad` ones, buffer `lane` dropped.
Scene dropping(std::size_t bad, std::uint8_t lane) {
  Scene scene;
  scene.every(60, 6 - bad).every(60, bad, {{Id::RxDiscardsPriority, 5, lane}});
  return scene;
}

TEST(DropRxLosslessPrio, is_quiet_without_drops_whatever_the_totals) {
  expect_pass(dropping(0, 1).ask(kDropRxLosslessPrio));
  Scene scene;
  expect_not_looked_at(scene.every(1, 2).ask(kDropRxLosslessPrio), "longer_window");
}

TEST(DropRxLosslessPrio, counts_what_a_minute_with_a_gap_in_its_reads_saw) {
  Scene scene;
  scene.every(1, 300).after(1, {{Id::RxDiscardsPriority, 5, 1}}).after(1);
  const CounterReadings shown = scene.eth0().counters;
  scene.hides(Id::RxDiscardsPriority).every(1, 30);
  scene.eth0().counters.values = shown.values;
  expect_fail(scene.after(1).after(1).ask(kDropRxLosslessPrio), Severity::Warning, "dropped 5 packets");
}

TEST(DropRxLosslessPrio, finds_the_priority_by_its_buffer) {
  // Priority 3 has buffer 1 to itself, so what mlx5 calls "priority 1" is ours.
  expect_fail(dropping(1, 1).ask(kDropRxLosslessPrio), Severity::Warning, "receive buffer 1 of priority 3");
  expect_fail(dropping(3, 1).ask(kDropRxLosslessPrio), Severity::Critical, "happened 2 times in the last five minutes");
}

TEST(DropRxLosslessPrio, counts_one_burst_once_wherever_windows_cut_it) {
  const std::vector<Growth> drops = {{Id::RxDiscardsPriority, 5, 1}};
  Scene scene;
  scene.every(1, 300).every(1, 4, drops);
  for (int second = 0; second < 600; second += 13) {
    const Judgement said = scene.every(1, 13).ask(kDropRxLosslessPrio);
    EXPECT_FALSE(said.outcome == Outcome::Fail && said.severity == Severity::Critical) << second << words_of(said);
  }
  expect_pass(scene.ask(kDropRxLosslessPrio));
  scene.every(1, 4, drops).every(1, 116).every(1, 4, drops);
  expect_fail(scene.ask(kDropRxLosslessPrio), Severity::Critical);
  expect_fail(dropping(2, 1).ask(kDropRxLosslessPrio), Severity::Warning);
}

TEST(DropRxLosslessPrio, takes_growth_under_a_number_whose_buffer_serves_nobody_for_a_priority) {
  const Judgement said = dropping(3, 3).ask(kDropRxLosslessPrio);
  expect_fail(said, Severity::Warning, "what the driver calls priority 3");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(DropRxLosslessPrio, leaves_drops_of_another_priority_s_buffer_to_that_priority) {
  Scene scene;
  scene.eth0().dcb.buffers->priority_to_buffer = {0, 3, 0, 1, 0, 0, 0, 0};
  scene.every(60, 6, {{Id::RxDiscardsPriority, 5, 3}});
  expect_pass(scene.ask(kDropRxLosslessPrio));
}

TEST(DropRxLosslessPrio, claims_no_lossless_drop_for_a_shared_buffer) {
  Scene scene;
  scene.eth0().dcb.buffers->priority_to_buffer = {};
  scene.every(60, 6, {{Id::RxDiscardsPriority, 5, 0}});
  const Judgement said = scene.ask(kDropRxLosslessPrio);
  expect_fail(said, Severity::Warning, "cannot be told");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(DropRxLosslessPrio, is_careful_when_the_buffer_map_is_not_readable) {
  Scene scene;
  scene.eth0().dcb.buffers = not_supported();
  scene.every(60, 6, {{Id::RxDiscardsPriority, 5, 3}});
  expect_fail(scene.ask(kDropRxLosslessPrio), Severity::Warning, "what the driver calls priority 3");
}

TEST(DropRxLosslessPrio, takes_the_roce_engines_own_drops_where_they_are_counted) {
  Scene scene;
  scene.never_shows({Id::RxDiscardsPriority}).shows(Id::RxRoceDiscards);
  scene.every(60, 6, {{Id::RxRoceDiscards, 2}});
  expect_fail(scene.ask(kDropRxLosslessPrio), Severity::Critical, "RoCE engine");
}

TEST(DropRxLosslessPrio, takes_drops_of_the_port_where_those_by_priority_are_hidden) {
  Scene scene;
  scene.hides(Id::RxDiscardsPriority).every(60, 6);
  expect_unknown(scene.ask(kDropRxLosslessPrio), Why::NotPresent);
  const Judgement said = scene.every(60, 6, {{Id::RxDiscardsPhy, 5}}).ask(kDropRxLosslessPrio);
  expect_fail(said, Severity::Warning, "They may be of a lossy class");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(DropRxLosslessPrio, takes_drops_of_the_port_where_nobody_sent_those_by_priority) {
  Scene scene;
  scene.hides(Id::RxDiscardsPriority).eth0().counters.why_absent = {Why::NotRecorded, "no file says it"};
  scene.after(60, {{Id::RxDiscardsPhy, 90000}});
  expect_fail(scene.ask(kDropRxLosslessPrio), Severity::Info, "They may be of a lossy class");
  scene.eth0().dcb.pfc = Absent{Why::NotRecorded, "no file says it"};
  expect_unknown(scene.ask(kDropRxLosslessPrio), Why::NotRecorded);
}

TEST(DropRxLosslessPrio, takes_drops_of_the_port_where_the_nic_counts_no_others) {
  Scene scene;
  scene.never_shows({Id::RxDiscardsPriority});
  expect_pass(scene.every(60, 6).ask(kDropRxLosslessPrio));
  Scene once = scene;
  expect_fail(once.after(60, {{Id::RxDiscardsPhy, 1}}).ask(kDropRxLosslessPrio), Severity::Info, "1 packet");
  const Judgement said = scene.every(60, 6, {{Id::RxDiscardsPhy, 40}}).ask(kDropRxLosslessPrio);
  expect_fail(said, Severity::Warning, "They may be of a lossy class");
  EXPECT_NE(said.sentence.find("in the receive buffer of the whole port"), std::string::npos) << words_of(said);
  EXPECT_DOUBLE_EQ(said.confidence, 0.4);
  EXPECT_FALSE(said.subject.priority.has_value());
  scene.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(scene.after(1).ask(kDropRxLosslessPrio));
  Scene hidden;
  hidden.never_shows({Id::RxDiscardsPriority}).hides(Id::RxDiscardsPhy);
  expect_unknown(hidden.after(1).ask(kDropRxLosslessPrio), Why::NotPresent);
}

TEST(DropRxLosslessPrio, leaves_drops_of_the_port_be_where_it_knows_the_buffer) {
  Scene scene;
  expect_pass(scene.every(60, 6, {{Id::RxDiscardsPhy, 40}}).ask(kDropRxLosslessPrio));
}

TEST(DropRxLosslessPrio, is_unknown_not_looked_at_or_not_applicable) {
  Scene hidden;
  hidden.hides(Id::RxDiscardsPriority).after(1);
  expect_unknown(hidden.ask(kDropRxLosslessPrio), Why::NotPresent);
  Scene never;
  never.never_shows({Id::RxDiscardsPriority, Id::RxDiscardsPhy}).after(1);
  expect_not_looked_at(never.ask(kDropRxLosslessPrio), "never_shown");
  Scene off;
  off.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(off.after(1).ask(kDropRxLosslessPrio));
}

}  // namespace
}  // namespace roceready::rules_test
