// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(DropLogSwitchPort, does_not_apply_without_counts) {
  expect_not_applicable(Scene().ask(kDropLogSwitchPort));
}

TEST(DropLogSwitchPort, adds_up_what_was_dropped) {
  Scene scene;
  scene.now().log = {
      log_line("switch_drops", "Ethernet0", "row", {{"rx_drp", "555"}, {"tx_drp", "66"}, {"switch", "leaf1"}}),
      log_line("switch_drops", "Ethernet4", "row", {{"rx_drp", "0"}, {"tx_drp", "0"}, {"switch", "leaf1"}}),
      log_line("switch_drops", "", "output_discards: 9", {{"output_discards", "9"}, {"switch", "leaf1"}})};
  expect_fail(scene.ask(kDropLogSwitchPort), Severity::Info,
              "A switch dropped 630 packets on Ethernet0 of leaf1 and switch leaf1,");
}

TEST(DropLogSwitchPort, passes_where_nothing_was_dropped) {
  Scene scene;
  scene.now().log = {log_line("switch_drops", "Ethernet0", "row", {{"rx_drp", "0"}, {"rx_ok", "7"}})};
  expect_pass(scene.ask(kDropLogSwitchPort));
}

}  // namespace
}  // namespace roceready::rules_test
