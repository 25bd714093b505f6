// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr std::uint64_t kGiga = 1'000'000'000ULL;

TEST(PcieSpeedDegraded, is_quiet_at_the_speed_of_nic_and_slot) {
  Scene scene;
  expect_pass(scene.ask(kPcieSpeedDegraded));
  scene.nic().current_speed = 8 * kGiga;
  scene.bridge().max_speed = 8 * kGiga;
  expect_pass(scene.ask(kPcieSpeedDegraded));
}

TEST(PcieSpeedDegraded, warns_and_is_critical_when_the_link_cannot_carry_the_port) {
  Scene scene;
  scene.nic().current_speed = 8 * kGiga;
  expect_fail(scene.ask(kPcieSpeedDegraded), Severity::Warning, "runs at 8 GT/s although 16 GT/s");
  scene.nic().current_speed = 2'500'000'000ULL;
  expect_fail(scene.ask(kPcieSpeedDegraded), Severity::Critical, "carries 32 Gbit/s, less than the port's 100 Gbit/s");
}

TEST(PcieSpeedDegraded, is_unknown_when_denied) {
  Scene scene;
  scene.nic().max_speed = denied();
  expect_unknown(scene.ask(kPcieSpeedDegraded), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
