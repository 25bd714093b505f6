// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(HostLogIommuFault, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kHostLogIommuFault));
}

TEST(HostLogIommuFault, is_critical_with_a_protection_error_but_never_sure) {
  Scene scene;
  scene.now().log = {log_line("iommu_fault", "0000:3b:00.0", "AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x002f]")};
  expect_fail(scene.ask(kHostLogIommuFault), Severity::Warning, "0000:3b:00.0");
  scene.now().log.push_back(log_line("local_protection_error", "mlx5_0", "WC error: 4"));
  const Judgement said = scene.ask(kHostLogIommuFault);
  expect_fail(said, Severity::Critical, "not the fabric");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(HostLogIommuFault, leaves_other_devices_out) {
  Scene scene;
  scene.now().log = {log_line("iommu_fault", "0000:18:00.0", "megaraid_sas 0000:18:00.0: AMD-Vi: Event logged")};
  expect_not_applicable(scene.ask(kHostLogIommuFault));
}

}  // namespace
}  // namespace roceready::rules_test
