// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact result(const std::string& test, const std::string& bytes, const std::string& outcome, bool above = false) {
  std::map<std::string, std::string> says{{"bytes", bytes}, {"outcome", outcome}, {"test", test}};
  if (above) says["above"] = "yes";
  return log_line("message_size", "", test + " " + bytes + ": " + outcome, says);
}

TEST(ProbeLogToolsDisagree, says_so_where_another_test_moves_as_much) {
  Scene scene;
  expect_not_applicable(scene.ask(kProbeLogToolsDisagree));
  scene.now().log = {result("ib_write_bw", "65536", "failed", true), result("own probe", "8388608", "passed")};
  expect_fail(scene.ask(kProbeLogToolsDisagree), Severity::Info, "ib_write_bw fails where own probe passes");
}

TEST(ProbeLogToolsDisagree, at_the_same_size_unless_only_larger_ones_fail) {
  Scene scene;
  scene.now().log = {result("ib_write_bw", "65536", "failed"), result("own probe", "65536", "passed")};
  expect_fail(scene.ask(kProbeLogToolsDisagree), Severity::Info);
  scene.now().log = {result("ib_write_bw", "65536", "failed", true), result("own probe", "65536", "passed")};
  expect_not_applicable(scene.ask(kProbeLogToolsDisagree));
}

TEST(ProbeLogToolsDisagree, one_tool_does_not_contradict_itself) {
  Scene scene;
  scene.now().log = {result("ib_write_bw", "65536", "failed"), result("ib_write_bw", "131072", "passed")};
  expect_not_applicable(scene.ask(kProbeLogToolsDisagree));
}

}  // namespace
}  // namespace roceready::rules_test
