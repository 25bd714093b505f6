// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact setting(const std::string& name, const std::string& value) {
  return log_line("switch_pfc_setting", "", name + ": " + value, {{name, value}});
}

TEST(PfcLogSwitchSetting, does_not_apply_without_a_setting) {
  Scene scene;
  expect_not_applicable(scene.ask(kPfcLogSwitchSetting));
  scene.now().log = {log_line("switch_drops", "", "output_discards: 7", {{"output_discards", "7"}})};
  expect_not_applicable(scene.ask(kPfcLogSwitchSetting));
}

TEST(PfcLogSwitchSetting, fires_where_it_is_off_or_on_for_another_priority) {
  Scene scene;
  scene.now().log = {setting("pfc_mode", "off")};
  expect_fail(scene.ask(kPfcLogSwitchSetting), Severity::Warning, "PFC is off on a switch");
  scene.now().log = {setting("pfc_mode", "on"), setting("pfc_cos", "4")};
  expect_fail(scene.ask(kPfcLogSwitchSetting), Severity::Warning, "PFC is on for priority 4");
}

TEST(PfcLogSwitchSetting, passes_with_the_priority_of_the_profile_among_others) {
  Scene scene;
  scene.now().log = {setting("pfc_mode", "on"), setting("pfc_cos", "3,4")};
  expect_pass(scene.ask(kPfcLogSwitchSetting));
}

}  // namespace
}  // namespace roceready::rules_test
