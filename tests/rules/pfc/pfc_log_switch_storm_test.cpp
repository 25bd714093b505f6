// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact queue(const std::string& name, const std::string& status, const std::string& storms,
              const std::string& dropped = "0") {
  return log_line("switch_watchdog", name, name + " " + status,
                  {{"status", status}, {"storms_detected", storms}, {"tx_drop", dropped}, {"switch", "leaf1"}});
}

TEST(PfcLogSwitchStorm, does_not_apply_without_a_watchdog) {
  Scene scene;
  expect_not_applicable(scene.ask(kPfcLogSwitchStorm));
  scene.now().log = {log_line("switch_drops", "Ethernet0", "Ethernet0", {{"tx_drp", "7"}})};
  expect_not_applicable(scene.ask(kPfcLogSwitchStorm));
}

TEST(PfcLogSwitchStorm, fires_on_queues_in_storm_and_on_storms_that_passed) {
  Scene scene;
  scene.now().log = {queue("Ethernet0:3", "stormed", "0"), queue("Ethernet4:3", "operational", "0")};
  expect_fail(scene.ask(kPfcLogSwitchStorm), Severity::Warning, "on Ethernet0:3 of leaf1.");
  scene.now().log = {queue("Ethernet0:3", "operational", "2", "300")};
  expect_fail(scene.ask(kPfcLogSwitchStorm), Severity::Warning, "(2 storms) and dropped 300 packets");
  scene.now().log = {log_line("switch_watchdog", "", "pause_storms: 1", {{"pause_storms", "1"}})};
  expect_fail(scene.ask(kPfcLogSwitchStorm), Severity::Warning, "on a switch (1 storm)");
}

TEST(PfcLogSwitchStorm, a_watchdog_that_found_none_passes) {
  Scene scene;
  scene.now().log = {queue("Ethernet0:3", "operational", "0")};
  expect_pass(scene.ask(kPfcLogSwitchStorm));
}

}  // namespace
}  // namespace roceready::rules_test
