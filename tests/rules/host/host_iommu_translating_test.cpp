// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene with_group(Reading<std::string> type) {
  Scene scene;
  scene.nic().iommu_group_type = std::move(type);
  return scene;
}

TEST(HostIommuTranslating, judges_the_groups_type) {
  expect_pass(with_group(std::string("identity")).ask(kHostIommuTranslating));
  expect_pass(with_group(not_present()).ask(kHostIommuTranslating));
  for (const char* type : {"DMA", "DMA-FQ"})
    expect_fail(with_group(std::string(type)).ask(kHostIommuTranslating), Severity::Warning, type);
}

TEST(HostIommuTranslating, does_not_apply_in_a_virtual_machine_or_on_a_slow_port) {
  Scene guest = with_group(std::string("DMA"));
  guest.now().host.virtual_machine = true;
  expect_not_applicable(guest.ask(kHostIommuTranslating));
  Scene target = with_group(std::string("DMA"));
  target.profile().role = Role::StorageTarget;
  expect_not_applicable(target.ask(kHostIommuTranslating));
  Scene slow = with_group(std::string("DMA"));
  slow.eth0().ethtool.link_modes->speed_bits_per_second = 25'000'000'000ULL;
  expect_not_applicable(slow.ask(kHostIommuTranslating));
}

TEST(HostIommuTranslating, fires_at_any_speed_where_the_kernel_stalls_rdma) {
  Scene scene = with_group(std::string("DMA"));
  scene.eth0().ethtool.link_modes->speed_bits_per_second = 40'000'000'000ULL;
  scene.now().host.cpu_vendor = std::string("AuthenticAMD");
  for (const char* kernel : {"5.5.3-rc1", "5.6.0-rc1"}) {
    scene.now().node.kernel = std::string(kernel);
    expect_fail(scene.ask(kHostIommuTranslating), Severity::Warning, kernel);
  }
  for (const char* kernel : {"5.4.249", "5.6.0", "5.50.0", "6.8.0-51-generic"}) {
    scene.now().node.kernel = std::string(kernel);
    expect_not_applicable(scene.ask(kHostIommuTranslating));
  }
  scene.now().node.kernel = std::string("5.6.0-rc1");
  scene.now().host.cpu_vendor = std::string("GenuineIntel");
  expect_not_applicable(scene.ask(kHostIommuTranslating));
  scene.now().host.cpu_vendor = not_present();
  expect_unknown(scene.ask(kHostIommuTranslating), Why::NotPresent);
  scene.now().host.cpu_vendor = std::string("AuthenticAMD");
  scene.now().node.kernel = not_present();
  expect_unknown(scene.ask(kHostIommuTranslating), Why::NotPresent);
  scene.nic().iommu_group_type = std::string("identity");
  expect_pass(scene.ask(kHostIommuTranslating));
}

TEST(HostIommuTranslating, does_not_apply_to_a_host_of_virtual_machines) {
  Scene scene = with_group(std::string("DMA"));
  scene.profile().role = Role::VmHost;
  expect_not_applicable(scene.ask(kHostIommuTranslating));
  scene.profile().role = Role::Gpu;
  expect_fail(scene.ask(kHostIommuTranslating), Severity::Warning);
}

TEST(HostIommuTranslating, is_unknown_when_the_kernel_names_no_type) {
  for (const char* type : {"unknown", ""})
    expect_unknown(with_group(std::string(type)).ask(kHostIommuTranslating), Why::NotPresent);
}

TEST(HostIommuTranslating, is_unknown_when_the_type_is_denied) {
  expect_unknown(with_group(denied()).ask(kHostIommuTranslating), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
