// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PcieLogAer, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kPcieLogAer));
}

TEST(PcieLogAer, corrected_errors_are_info_and_others_a_warning) {
  Scene scene;
  scene.now().log = {log_line("aer_error", "0000:3a:00.0", "severity=Corrected", {{"severity", "correctable"}})};
  expect_fail(scene.ask(kPcieLogAer), Severity::Info, "0000:3a:00.0");
  scene.now().log.push_back(log_line("aer_error", "0000:3b:00.0", "severity=Uncorrected", {{"severity", "fatal"}}));
  const Judgement both = scene.ask(kPcieLogAer);
  expect_fail(both, Severity::Warning,
              "not corrected on 0000:3b:00.0 (1 log line) and corrected PCIe errors on 0000:3a:00.0 (1 log line)");
  ASSERT_EQ(both.evidence.size(), 2U);
  EXPECT_EQ(both.evidence.at(0).what, "log line about 0000:3b:00.0");
}

TEST(PcieLogAer, leaves_other_devices_out) {
  Scene scene;
  scene.now().log = {
      log_line("aer_error", "0000:18:00.0", "megaraid_sas: severity=Corrected", {{"severity", "correctable"}})};
  expect_not_applicable(scene.ask(kPcieLogAer));
}

}  // namespace
}  // namespace roceready::rules_test
