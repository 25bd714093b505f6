// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact size(const std::string& bytes, const std::string& outcome) {
  return log_line("message_size", "", "write_size " + bytes + ": " + outcome,
                  {{"bytes", bytes}, {"outcome", outcome}, {"test", "write_size"}});
}

TEST(ProbeLogSizeLimit, does_not_apply_without_logs_or_without_both_outcomes) {
  Scene scene;
  expect_not_applicable(scene.ask(kProbeLogSizeLimit));
  scene.now().log = {size("1444", "passed")};
  expect_not_applicable(scene.ask(kProbeLogSizeLimit));
  scene.now().log = {size("1445", "failed")};
  expect_not_applicable(scene.ask(kProbeLogSizeLimit));
}

TEST(ProbeLogSizeLimit, names_both_ends) {
  Scene scene;
  scene.now().log = {size("64", "passed"), size("4096", "failed"), size("1444", "passed"), size("1445", "failed")};
  expect_fail(scene.ask(kProbeLogSizeLimit), Severity::Warning, "Messages of 1444 bytes pass and those of 1445");
}

TEST(ProbeLogSizeLimit, a_size_that_passes_above_one_that_fails_is_no_limit) {
  Scene scene;
  scene.now().log = {size("1444", "passed"), size("1445", "failed"), size("4096", "passed")};
  expect_not_applicable(scene.ask(kProbeLogSizeLimit));
}

TEST(ProbeLogSizeLimit, more_than_one_packet_is_not_judged) {
  Scene scene;
  scene.now().log = {size("4097", "passed"), size("4098", "failed")};
  expect_not_applicable(scene.ask(kProbeLogSizeLimit));
  scene.now().log = {size("4096", "passed"), size("4097", "failed")};
  expect_fail(scene.ask(kProbeLogSizeLimit), Severity::Warning, "4097");
}

}  // namespace
}  // namespace roceready::rules_test
