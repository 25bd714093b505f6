// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact frames(const char* kind, const std::string& port, const std::string& count) {
  return log_line(kind, port, port + " " + count, {{"priority_3", count}, {"switch", "leaf1"}});
}

TEST(PfcLogSwitchPauses, does_not_apply_without_frames) {
  Scene scene;
  expect_not_applicable(scene.ask(kPfcLogSwitchPauses));
  scene.now().log = {log_line("switch_pfc_sent", "", "TxPPP: 0", {{"TxPPP", "0"}})};
  expect_not_applicable(scene.ask(kPfcLogSwitchPauses));
}

TEST(PfcLogSwitchPauses, tells_who_paused_whom) {
  Scene scene;
  scene.now().log = {frames("switch_pfc_received", "Ethernet0", "7")};
  expect_fail(scene.ask(kPfcLogSwitchPauses), Severity::Info,
              "A switch was paused by what is connected to Ethernet0 of leaf1 (7 PFC frames received)");
  scene.now().log = {frames("switch_pfc_sent", "Ethernet4", "9")};
  expect_fail(scene.ask(kPfcLogSwitchPauses), Severity::Info,
              "A switch paused what is connected to Ethernet4 of leaf1");
}

}  // namespace
}  // namespace roceready::rules_test
