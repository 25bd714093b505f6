// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene running(const std::string& firmware, std::vector<std::string> least, std::vector<std::string> bad = {}) {
  Scene scene;
  scene.eth0().ethtool.driver->firmware = firmware;
  scene.demands().firmware_min = std::move(least);
  scene.demands().firmware_bad = std::move(bad);
  return scene;
}

TEST(HostFirmwareBelowMin, invents_no_minimum) {
  expect_not_looked_at(running("1.0.0", {}).ask(kHostFirmwareBelowMin), "not_configured");
  expect_not_looked_at(running("1.0.0", {"bnxt_en 229.0"}).ask(kHostFirmwareBelowMin), "not_configured");
}

TEST(HostFirmwareBelowMin, compares_numbers_not_letters) {
  const std::string firmware = "22.39.2048 (MT_0000000359)";
  for (const char* old : {"mlx5_core 22.39.10000", "mlx5_core 22.100", "mlx5_core 23"})
    expect_fail(running(firmware, {old}).ask(kHostFirmwareBelowMin), Severity::Warning, "older than");
  for (const char* fine : {"mlx5_core 22.39.2048", "mlx5_core 22.39.900", "mlx5_core 22.39", "mlx5_core 9.99.9999"})
    expect_pass(running(firmware, {fine}).ask(kHostFirmwareBelowMin));
  expect_pass(running("229.0.154.0/pkg 229.1.123.0", {"mlx5_core 229.0.154"}).ask(kHostFirmwareBelowMin));
}

TEST(HostFirmwareBelowMin, knows_a_nic_by_driver_psid_or_pci_id) {
  for (const char* match : {"mlx5_core", "MT_0000000359", "15b3:101d"})
    expect_fail(running("22.39.2048 (MT_0000000359)", {std::string(match) + " 22.41.1000"}).ask(kHostFirmwareBelowMin),
                Severity::Warning, "older than 22.41.1000");
  for (const char* other : {"mlx4_core", "MT_0000000838", "15b3:1021"})
    expect_not_looked_at(
        running("22.39.2048 (MT_0000000359)", {std::string(other) + " 22.41.1000"}).ask(kHostFirmwareBelowMin),
        "not_configured");
}

TEST(HostFirmwareBelowMin, is_critical_for_exactly_the_version_that_is_known_to_be_bad) {
  expect_fail(running("22.39.2048", {}, {"mlx5_core 22.39.2048"}).ask(kHostFirmwareBelowMin), Severity::Critical,
              "known to be bad");
  expect_fail(running("22.39.2048", {"mlx5_core 23.0"}, {"mlx5_core 22.39.2048"}).ask(kHostFirmwareBelowMin),
              Severity::Critical);
  expect_pass(running("22.39.2049", {}, {"mlx5_core 22.39.2048"}).ask(kHostFirmwareBelowMin));
}

TEST(HostFirmwareBelowMin, is_unknown_when_the_firmware_cannot_be_read) {
  expect_unknown(running("N/A", {"mlx5_core 22.39"}).ask(kHostFirmwareBelowMin), Why::Malformed);
  Scene scene = running("", {"mlx5_core 22.39"});
  scene.eth0().ethtool.driver = denied();
  expect_unknown(scene.ask(kHostFirmwareBelowMin), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
