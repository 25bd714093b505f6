// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(HostLogSlotPower, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kHostLogSlotPower));
}

TEST(HostLogSlotPower, is_info_and_explains_nothing) {
  Scene scene;
  scene.now().log = {log_line("slot_power", "0000:3b:00.0", "Detected insufficient power on the PCIe slot (27W).")};
  expect_fail(scene.ask(kHostLogSlotPower), Severity::Info, "no fault follows");
}

TEST(HostLogSlotPower, is_quiet_on_other_lines) {
  Scene scene;
  scene.now().log = {log_line("environment", "", "NCCL_IB_TC=106")};
  expect_not_applicable(scene.ask(kHostLogSlotPower));
}

}  // namespace
}  // namespace roceready::rules_test
