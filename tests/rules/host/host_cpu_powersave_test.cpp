// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene with(Reading<std::string> governor, Reading<std::string> driver) {
  Scene scene;
  scene.now().host.cpu_governor = std::move(governor);
  scene.now().host.cpu_frequency_driver = std::move(driver);
  return scene;
}

TEST(HostCpuPowersave, is_info_where_powersave_is_a_fixed_speed) {
  for (const char* driver : {"acpi-cpufreq", "intel_cpufreq", "amd-pstate"})
    expect_fail(with(std::string("powersave"), std::string(driver)).ask(kHostCpuPowersave), Severity::Info, driver);
}

TEST(HostCpuPowersave, is_quiet_where_the_processor_decides_or_another_governor_runs) {
  for (const char* driver : {"intel_pstate", "amd-pstate-epp"})
    expect_pass(with(std::string("powersave"), std::string(driver)).ask(kHostCpuPowersave));
  for (const char* governor : {"performance", "schedutil", "ondemand"})
    expect_pass(with(std::string(governor), std::string("acpi-cpufreq")).ask(kHostCpuPowersave));
}

TEST(HostCpuPowersave, does_not_apply_where_the_kernel_sets_no_frequency) {
  expect_not_applicable(with(not_present(), not_present()).ask(kHostCpuPowersave));
}

TEST(HostCpuPowersave, is_unknown_when_governor_or_driver_cannot_be_read) {
  expect_unknown(with(denied(), std::string("acpi-cpufreq")).ask(kHostCpuPowersave), Why::Denied);
  expect_unknown(with(std::string("powersave"), denied()).ask(kHostCpuPowersave), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
