// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene shares(std::array<std::uint32_t, 8> algorithm, std::array<std::uint32_t, 8> percent) {
  Scene scene;
  scene.eth0().dcb.ets->algorithm = algorithm;
  scene.eth0().dcb.ets->bandwidth_percent = percent;
  return scene;
}

TEST(QosEtsSum, is_quiet_when_the_shares_add_up_or_nothing_has_one) {
  expect_pass(Scene().ask(kQosEtsSum));
  expect_pass(shares({2, 2, 2, 2, 2, 2, 0, 2}, {50, 0, 0, 50, 0, 0, 0, 0}).ask(kQosEtsSum));
}

TEST(QosEtsSum, does_not_count_strict_classes_and_those_of_the_firmware) {
  expect_pass(shares({2, 255, 2, 0, 2, 2, 0, 2}, {60, 7, 40, 9, 0, 0, 30, 0}).ask(kQosEtsSum));
}

TEST(QosEtsSum, fires_with_the_sum_and_the_classes) {
  expect_fail(shares({2, 0, 0, 2, 0, 0, 0, 0}, {50, 0, 0, 40, 0, 0, 0, 0}).ask(kQosEtsSum), Severity::Warning,
              "have 90 % of the bandwidth instead of 100 % (0: 50 %, 3: 40 %).");
  expect_fail(shares({2, 0, 0, 2, 0, 0, 0, 0}, {80, 0, 0, 40, 0, 0, 0, 0}).ask(kQosEtsSum), Severity::Warning, "120 %");
}

TEST(QosEtsSum, separates_what_was_refused_from_what_is_never_shown) {
  Scene scene;
  scene.eth0().dcb.ets = denied();
  expect_unknown(scene.ask(kQosEtsSum), Why::Denied);
  scene.eth0().dcb.ets = not_supported();
  expect_not_looked_at(scene.ask(kQosEtsSum), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
