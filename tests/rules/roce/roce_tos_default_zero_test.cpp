// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(RoceTosDefaultZero, is_quiet_when_the_default_or_the_forced_class_is_right) {
  expect_pass(Scene().ask(kRoceTosDefaultZero));
  Scene scene;
  scene.port().cma_default_tos = not_present();
  scene.port().forced_traffic_class = 104U;
  expect_pass(scene.ask(kRoceTosDefaultZero));
}

TEST(RoceTosDefaultZero, is_unknown_while_nobody_made_the_view) {
  Scene scene;
  scene.port().cma_default_tos = not_present();
  expect_unknown(scene.ask(kRoceTosDefaultZero), Why::NotPresent);
}

TEST(RoceTosDefaultZero, is_info_since_applications_may_set_their_own) {
  Scene scene;
  scene.port().cma_default_tos = 0U;
  expect_fail(scene.ask(kRoceTosDefaultZero), Severity::Info, "ToS 0 (DSCP 0)");
  scene.every(1, 60, {{Id::RdmaTxPackets, 1e6}, {Id::TxPacketsPriority, 1e6, 3}});
  expect_fail(scene.ask(kRoceTosDefaultZero), Severity::Info);
}

TEST(RoceTosDefaultZero, is_critical_when_counters_show_rdma_on_another_priority) {
  Scene scene;
  scene.shows(Id::VportLoopbackPackets).port().cma_default_tos = 0U;
  scene.every(1, 60, {{Id::RdmaTxPackets, 1e6}, {Id::TxPacketsPriority, 1e6, 0}, {Id::TxPacketsPriority, 1e5, 3}});
  const Judgement said = scene.ask(kRoceTosDefaultZero);
  expect_fail(said, Severity::Critical, "At least 90 % of the RDMA packets");
  EXPECT_TRUE(said.derived_threshold);
}

TEST(RoceTosDefaultZero, takes_off_what_stays_inside_the_nic) {
  Scene scene;
  scene.shows(Id::VportLoopbackPackets).port().cma_default_tos = 0U;
  scene.every(1, 60, {{Id::RdmaTxPackets, 1e6}, {Id::VportLoopbackPackets, 9e5}, {Id::TxPacketsPriority, 1e5, 3}});
  expect_fail(scene.ask(kRoceTosDefaultZero), Severity::Info);
}

TEST(RoceTosDefaultZero, proves_nothing_where_the_nic_does_not_say_what_stays_inside) {
  const std::vector<Growth> astray = {{Id::RdmaTxPackets, 1e6}, {Id::TxPacketsPriority, 1e6, 0}};
  Scene never;
  never.port().cma_default_tos = 0U;
  expect_fail(never.every(1, 60, astray).ask(kRoceTosDefaultZero), Severity::Info);
  Scene hidden;
  hidden.shows(Id::VportLoopbackPackets).hides(Id::VportLoopbackPackets).port().cma_default_tos = 0U;
  expect_fail(hidden.every(1, 60, astray).ask(kRoceTosDefaultZero), Severity::Info);
}

TEST(RoceTosDefaultZero, stays_info_in_a_lossy_design) {
  Scene scene;
  scene.profile("lossy-ecn").shows(Id::VportLoopbackPackets).port().cma_default_tos = 0U;
  scene.every(1, 60, {{Id::RdmaTxPackets, 1e6}, {Id::TxPacketsPriority, 1e6, 0}});
  expect_fail(scene.ask(kRoceTosDefaultZero), Severity::Info, "ToS 0");
  expect_not_looked_at(scene.profile("").ask(kRoceTosDefaultZero), "no_profile");
}

TEST(RoceTosDefaultZero, does_not_judge_counters_without_traffic) {
  Scene scene;
  scene.port().cma_default_tos = 0U;
  scene.every(1, 60, {{Id::RdmaTxPackets, 10}, {Id::TxPacketsPriority, 10, 0}});
  expect_fail(scene.ask(kRoceTosDefaultZero), Severity::Info);
}

}  // namespace
}  // namespace roceready::rules_test
