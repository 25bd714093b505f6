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

TEST(HostLogIommuFault, takes_drivers_for_what_they_are_called_as_whole_words) {
  for (const char* text : {"DMAR: [DMA Write NO_PASID] Request device [18:00.0] fault addr 0xdeadb000",
                           "manager 0000:18:00.0: AMD-Vi: Event logged", "nice 0000:18:00.0: AMD-Vi: Event logged"}) {
    Scene scene;
    scene.now().log = {log_line("iommu_fault", "0000:18:00.0", text)};
    expect_not_applicable(scene.ask(kHostLogIommuFault));
    scene.now().ports.clear();
    scene.now().pci.clear();
    expect_not_applicable(scene.ask(kHostLogIommuFault));
  }
}

TEST(HostLogIommuFault, takes_another_function_for_a_nic_s_by_the_driver_of_one_that_is_known) {
  Scene scene;
  scene.now().log = {log_line("iommu_fault", "0000:5e:00.0", "mlx5_core 0000:5e:00.0: AMD-Vi: Event logged")};
  expect_fail(scene.ask(kHostLogIommuFault), Severity::Warning, "0000:5e:00.0");
  scene.now().log = {log_line("iommu_fault", "0000:18:00.0", "i40e 0000:18:00.0: AMD-Vi: Event logged")};
  expect_not_applicable(scene.ask(kHostLogIommuFault));
  scene.now().ports.clear();
  scene.now().pci.clear();
  expect_fail(scene.ask(kHostLogIommuFault), Severity::Warning, "0000:18:00.0");
}

}  // namespace
}  // namespace roceready::rules_test
