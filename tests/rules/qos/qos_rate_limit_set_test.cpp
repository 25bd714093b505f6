// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// RoCE's class 3 may send this many bits a second.
Scene limited(std::uint64_t bits_per_second) {
  Scene scene;
  scene.eth0().dcb.max_rate = std::array<std::uint64_t, kPriorities>{0, 0, 0, bits_per_second, 0, 0, 0, 0};
  return scene;
}

TEST(QosRateLimitSet, is_quiet_without_a_limit_below_the_link) {
  expect_pass(limited(0).ask(kQosRateLimitSet));
  expect_pass(limited(100'000'000'000).ask(kQosRateLimitSet));
}

TEST(QosRateLimitSet, fires_with_limit_and_speed) {
  const Scene scene = limited(40'000'000'000);
  expect_fail(scene.ask(kQosRateLimitSet), Severity::Warning,
              "class 3 on eth0 may send no more than 40 Gbit/s on a link of 100 Gbit/s.");
  EXPECT_EQ(scene.fix().back().command, "dcb maxrate set dev eth0 tc-maxrate 3:0");
}

TEST(QosRateLimitSet, looks_at_the_class_that_carries_roce) {
  Scene scene = limited(40'000'000'000);
  scene.eth0().dcb.ets->priority_to_class = {0, 1, 2, 4, 3, 5, 6, 7};
  expect_pass(scene.ask(kQosRateLimitSet));
}

TEST(QosRateLimitSet, does_not_apply_where_the_limit_is_meant) {
  Scene scene = limited(40'000'000'000);
  scene.profile().allow_rate_limit = true;
  expect_not_applicable(scene.ask(kQosRateLimitSet));
  expect_not_looked_at(limited(1).profile("").ask(kQosRateLimitSet), "no_profile");
}

TEST(QosRateLimitSet, is_unknown_when_refused_and_not_looked_at_on_other_nics) {
  Scene scene;
  scene.eth0().dcb.max_rate = denied();
  expect_unknown(scene.ask(kQosRateLimitSet), Why::Denied);
  scene.eth0().dcb.max_rate = not_present();
  expect_unknown(scene.ask(kQosRateLimitSet), Why::NotPresent);
  scene.eth0().ethtool.driver->driver = "bnxt_en";
  expect_not_looked_at(scene.ask(kQosRateLimitSet), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
