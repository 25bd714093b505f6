// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact rate(const std::string& rails, const std::string& bits_per_second) {
  return log_line("measured_rails", "", rails, {{"rails", rails}, {"bits_per_second", bits_per_second}});
}

TEST(PcieLogPortsShareSlot, does_not_apply_without_both_measurements) {
  Scene scene;
  expect_not_applicable(scene.ask(kPcieLogPortsShareSlot));
  scene.now().log = {rate("two ports of one card", "100000000000"), rate("two cards", "190000000000")};
  expect_not_applicable(scene.ask(kPcieLogPortsShareSlot));
  scene.now().log = {rate("two ports of one card", "100000000000"), rate("one rail", "0")};
  expect_not_applicable(scene.ask(kPcieLogPortsShareSlot));
}

TEST(PcieLogPortsShareSlot, fires_below_one_and_a_half_times) {
  Scene scene;
  scene.now().log = {rate("one rail", "100000000000"), rate("two ports of one card", "149000000000")};
  expect_fail(scene.ask(kPcieLogPortsShareSlot), Severity::Info, "1.49 times");
  scene.now().log = {rate("one rail", "100000000000"), rate("two ports of one card", "150000000000")};
  expect_pass(scene.ask(kPcieLogPortsShareSlot));
}

}  // namespace
}  // namespace roceready::rules_test
