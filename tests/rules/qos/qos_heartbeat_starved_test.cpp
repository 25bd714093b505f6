// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// A class a priority; half for RoCE, `share` for priority 7, the rest for priority 0.
Scene azure(std::uint32_t share, std::uint64_t gigabits = 100) {
  Scene scene;
  scene.profile("azure-local");
  EtsFacts& ets = *scene.eth0().dcb.ets;
  ets.priority_to_class = {0, 1, 2, 3, 4, 5, 6, 7};
  ets.algorithm.fill(kAlgorithmEts);
  ets.bandwidth_percent.fill(0);
  ets.bandwidth_percent[3] = 50;
  ets.bandwidth_percent[7] = share;
  ets.bandwidth_percent[0] = 50 - share;
  scene.eth0().ethtool.link_modes->speed_bits_per_second = gigabits * 1'000'000'000;
  return scene;
}

TEST(QosHeartbeatStarved, wants_one_percent_and_two_on_slow_links) {
  expect_pass(azure(1).ask(kQosHeartbeatStarved));
  expect_fail(azure(0).ask(kQosHeartbeatStarved), Severity::Warning,
              "Priority 7 of the cluster heartbeat on eth0 has 0 % of the bandwidth guaranteed, less than the 1 %");
  expect_pass(azure(2, 10).ask(kQosHeartbeatStarved));
  expect_fail(azure(1, 10).ask(kQosHeartbeatStarved), Severity::Warning, "less than the 2 % expected");
  expect_pass(azure(1, 10).limit("qos-heartbeat-starved.min_percent_slow", 1).ask(kQosHeartbeatStarved));
}

TEST(QosHeartbeatStarved, wants_a_class_of_its_own) {
  Scene with_roce = azure(1);
  with_roce.eth0().dcb.ets->priority_to_class[7] = 3;
  expect_fail(with_roce.ask(kQosHeartbeatStarved), Severity::Warning, "shares traffic class 3 with RoCE");
  Scene with_all = azure(1);
  with_all.eth0().dcb.ets->priority_to_class[7] = 0;
  expect_fail(with_all.ask(kQosHeartbeatStarved), Severity::Warning, "shares traffic class 0 with all other traffic");
}

TEST(QosHeartbeatStarved, is_not_judged_on_a_dedicated_nic) {
  Scene scene = azure(0);
  scene.profile().dedicated_nic = true;
  expect_not_applicable(scene.ask(kQosHeartbeatStarved));
}

TEST(QosHeartbeatStarved, leaves_alone_what_is_strict_and_what_the_firmware_arbitrates) {
  Scene scene = azure(0);
  scene.eth0().dcb.ets->algorithm[7] = kAlgorithmStrict;
  expect_pass(scene.ask(kQosHeartbeatStarved));
  scene.eth0().dcb.ets->algorithm[7] = kAlgorithmVendor;
  expect_not_applicable(scene.ask(kQosHeartbeatStarved));
}

TEST(QosHeartbeatStarved, takes_the_lower_share_where_the_speed_is_not_known) {
  Scene scene = azure(1, 10);
  scene.eth0().ethtool.link_modes = denied();
  expect_pass(scene.ask(kQosHeartbeatStarved));
}

TEST(QosHeartbeatStarved, applies_to_profiles_with_a_heartbeat_alone) {
  expect_not_applicable(Scene().ask(kQosHeartbeatStarved));
}

TEST(QosHeartbeatStarved, is_unknown_when_refused_and_outside_when_never_shown) {
  Scene scene = azure(1);
  scene.eth0().dcb.ets = denied();
  expect_unknown(scene.ask(kQosHeartbeatStarved), Why::Denied);
  scene.eth0().dcb.ets = not_supported();
  expect_not_looked_at(scene.ask(kQosHeartbeatStarved), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
