// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene e800(std::array<std::uint32_t, 8> classes, std::uint32_t pfc = 1U << 3) {
  Scene scene;
  scene.eth0().ethtool.driver->driver = "ice";
  scene.eth0().dcb.ets->priority_to_class = classes;
  scene.eth0().dcb.pfc->enabled = pfc;
  return scene;
}

TEST(QosHwLimitExceeded, is_quiet_within_the_limits) {
  expect_pass(Scene().ask(kQosHwLimitExceeded));
  expect_pass(e800({0, 0, 0, 1, 0, 0, 2, 2}).ask(kQosHwLimitExceeded));
}

TEST(QosHwLimitExceeded, compares_with_what_the_nic_says_it_has) {
  Scene scene;
  scene.eth0().dcb.pfc->capability = 2;
  scene.eth0().dcb.pfc->enabled = 0x38;
  expect_fail(scene.ask(kQosHwLimitExceeded), Severity::Warning, "priorities with PFC are 3 of at most 2");
  scene.eth0().dcb.pfc->capability = 0;  // it does not say
  expect_pass(scene.ask(kQosHwLimitExceeded));
}

TEST(QosHwLimitExceeded, knows_the_limits_of_intel_e800) {
  expect_fail(e800({0, 1, 2, 3, 4, 0, 0, 0}).ask(kQosHwLimitExceeded), Severity::Warning,
              "traffic classes are 5 of at most 4");
  expect_fail(e800({0, 0, 0, 1, 2, 0, 0, 0}, 0x18).ask(kQosHwLimitExceeded), Severity::Warning,
              "traffic classes with PFC are 2 of at most 1");
  expect_fail(e800({0, 0, 0, 3, 0, 0, 0, 0}).ask(kQosHwLimitExceeded), Severity::Warning, "without gaps");
  // Two lossless priorities in one class are one class with PFC.
  expect_pass(e800({0, 0, 0, 1, 1, 0, 0, 0}, 0x18).ask(kQosHwLimitExceeded));
}

TEST(QosHwLimitExceeded, is_critical_when_roce_itself_is_beyond) {
  expect_fail(e800({0, 1, 2, 4, 3, 0, 0, 0}).ask(kQosHwLimitExceeded), Severity::Critical,
              "RoCE's class 4 is beyond the limit.");
}

TEST(QosHwLimitExceeded, is_unknown_when_refused) {
  Scene scene;
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kQosHwLimitExceeded), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
