// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// A minute in which RDMA sent 6 GB, of which RoCE's priority carried `own` and priority 0 `other`.
Scene sending(double own, double other) {
  Scene scene;
  scene.every(10, 7, {{Id::RdmaTxBytes, 1e9}, {Id::TxBytesPriority, own, 3}, {Id::TxBytesPriority, other, 0}});
  return scene;
}

TEST(QosRdmaOnWrongPrio, is_quiet_while_roce_is_where_it_belongs) {
  expect_pass(sending(1e9, 0).ask(kQosRdmaOnWrongPrio));
  expect_pass(sending(1e9, 5e9).ask(kQosRdmaOnWrongPrio));  // TCP beside it
}

TEST(QosRdmaOnWrongPrio, is_critical_where_it_is_to_be_lossless_and_a_warning_else) {
  const Judgement said = sending(1e7, 1e9).ask(kQosRdmaOnWrongPrio);
  expect_fail(said, Severity::Critical, "of 6 GB RDMA sent, priority 3 carried 0.06 GB and priority 0 6 GB");
  EXPECT_TRUE(said.derived_threshold);
  expect_fail(sending(1e7, 1e9).profile("lossy-ecn").ask(kQosRdmaOnWrongPrio), Severity::Warning);
  EXPECT_TRUE(kQosRdmaOnWrongPrio.weak);
}

TEST(QosRdmaOnWrongPrio, asks_for_no_priority_where_the_design_has_none) {
  for (const char* profile : {"ztr-rtt", "lfc-simple"})
    expect_not_applicable(sending(1e7, 1e9).profile(profile).ask(kQosRdmaOnWrongPrio));
}

TEST(QosRdmaOnWrongPrio, needs_another_priority_that_carries_it) {
  expect_pass(sending(1e7, 1e8).ask(kQosRdmaOnWrongPrio));  // looped back inside the NIC
}

TEST(QosRdmaOnWrongPrio, is_info_until_a_minute_was_seen) {
  Scene scene;
  scene.after(5, {{Id::RdmaTxBytes, 9e9}, {Id::TxBytesPriority, 9e9, 0}});
  expect_fail(scene.ask(kQosRdmaOnWrongPrio), Severity::Info, "not sustained yet");
}

TEST(QosRdmaOnWrongPrio, says_nothing_of_little_traffic) {
  Scene scene;
  scene.every(10, 7, {{Id::RdmaTxBytes, 1e6}, {Id::TxBytesPriority, 1e6, 0}});
  expect_not_looked_at(scene.ask(kQosRdmaOnWrongPrio), "longer_window");
}

/// A minute in which bytes of RDMA were not to be had: packets of priority 3 sent, of 0 received and sent.
Scene marked_one_way(double sent, double received, double answered) {
  Scene scene;
  for (std::uint8_t p : {std::uint8_t{0}, std::uint8_t{3}})
    for (const Id id : {Id::TxPacketsPriority, Id::RxPacketsPriority}) scene.shows(id, p);
  scene.hides(Id::RdmaTxBytes);
  scene.every(
      10, 7,
      {{Id::TxPacketsPriority, sent, 3}, {Id::RxPacketsPriority, received, 0}, {Id::TxPacketsPriority, answered, 0}});
  return scene;
}

TEST(QosRdmaOnWrongPrio, sees_peers_that_do_not_mark_by_packets_alone) {
  const Judgement said = marked_one_way(4e6, 4e6, 5e4).ask(kQosRdmaOnWrongPrio);
  expect_fail(said, Severity::Info, "24 million packets left on priority 3 and 24 million arrived on priority 0");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(QosRdmaOnWrongPrio, takes_answered_packets_for_tcp) {
  expect_unknown(marked_one_way(4e6, 4e6, 4e5).ask(kQosRdmaOnWrongPrio), Why::NotPresent);
}

TEST(QosRdmaOnWrongPrio, says_nothing_of_peers_from_few_packets_or_where_roce_arrives_too) {
  expect_unknown(marked_one_way(1e4, 1e4, 0).ask(kQosRdmaOnWrongPrio), Why::NotPresent);
  Scene both = marked_one_way(4e6, 4e6, 5e4);
  both.every(10, 7,
             {{Id::TxPacketsPriority, 4e6, 3}, {Id::RxPacketsPriority, 4e6, 0}, {Id::RxPacketsPriority, 4e6, 3}});
  expect_unknown(both.ask(kQosRdmaOnWrongPrio), Why::NotPresent);
}

TEST(QosRdmaOnWrongPrio, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::TxBytesPriority).after(1).ask(kQosRdmaOnWrongPrio), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::RdmaTxBytes}).after(1).ask(kQosRdmaOnWrongPrio), "never_shown");
  expect_not_looked_at(Scene().ask(kQosRdmaOnWrongPrio), "longer_window");
}

}  // namespace
}  // namespace roceready::rules_test
