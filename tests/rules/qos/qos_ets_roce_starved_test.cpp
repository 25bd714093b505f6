// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// A converged NIC with one class a priority.
Scene converged(std::uint32_t share_of_roce, std::uint32_t default_algorithm = kAlgorithmEts) {
  Scene scene;
  scene.profile().converged = true;
  EtsFacts& ets = *scene.eth0().dcb.ets;
  ets.priority_to_class = {0, 1, 2, 3, 4, 5, 6, 7};
  ets.algorithm.fill(kAlgorithmEts);
  ets.algorithm[0] = default_algorithm;
  ets.bandwidth_percent[3] = share_of_roce;
  ets.bandwidth_percent[0] = 100 - share_of_roce;
  return scene;
}

TEST(QosEtsRoceStarved, fires_below_half_of_the_bandwidth) {
  expect_pass(converged(50).ask(kQosEtsRoceStarved));
  expect_fail(converged(49).ask(kQosEtsRoceStarved), Severity::Warning,
              "class 3 on eth0 has 49 % of the bandwidth guaranteed, less than the 50 % expected.");
}

TEST(QosEtsRoceStarved, fires_when_bulk_traffic_goes_first) {
  expect_fail(converged(60, kAlgorithmStrict).ask(kQosEtsRoceStarved), Severity::Warning,
              "class 0 of the default priority 0 is strict");
}

TEST(QosEtsRoceStarved, takes_the_profiles_share_unless_the_user_set_one) {
  Scene scene = converged(30);
  scene.profile().roce_ets_min_percent = 30;
  expect_pass(scene.ask(kQosEtsRoceStarved));
  expect_fail(scene.limit("qos-ets-roce-starved.min_percent", 40).ask(kQosEtsRoceStarved), Severity::Warning, "40 %");
}

TEST(QosEtsRoceStarved, leaves_alone_what_is_strict_and_what_the_firmware_arbitrates) {
  Scene scene = converged(0);
  scene.eth0().dcb.ets->algorithm[3] = kAlgorithmStrict;
  expect_pass(scene.ask(kQosEtsRoceStarved));
  scene.eth0().dcb.ets->algorithm[3] = kAlgorithmVendor;
  expect_not_applicable(scene.ask(kQosEtsRoceStarved));
}

TEST(QosEtsRoceStarved, does_not_apply_to_a_nic_for_roce_alone) {
  Scene scene = converged(10);
  scene.profile().converged = false;
  expect_not_applicable(scene.ask(kQosEtsRoceStarved));
  scene.profile().converged = scene.profile().dedicated_nic = true;
  expect_not_applicable(scene.ask(kQosEtsRoceStarved));
  expect_not_looked_at(Scene().profile("").ask(kQosEtsRoceStarved), "no_profile");
}

TEST(QosEtsRoceStarved, is_unknown_when_refused) {
  Scene scene = converged(10);
  scene.eth0().dcb.ets = denied();
  expect_unknown(scene.ask(kQosEtsRoceStarved), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
