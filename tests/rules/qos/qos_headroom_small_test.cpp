// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene sized(std::uint32_t bytes) {
  Scene scene;
  scene.eth0().dcb.buffers->size_bytes[1] = bytes;
  return scene;
}

TEST(QosHeadroomSmall, knows_the_drivers_own_numbers) {
  // 100 Gbit/s, 7 m and MTU 9000: 56 kB by the formula, and one MTU of working room.
  expect_pass(sized(65'092).ask(kQosHeadroomSmall));
  expect_fail(sized(65'000).ask(kQosHeadroomSmall), Severity::Warning,
              "Receive buffer 1 of lossless priority 3 on eth0 has 65000 bytes; pause over 7 m at 100 Gbit/s with MTU "
              "9000 needs 65092.");
}

TEST(QosHeadroomSmall, shows_sizes_that_are_large_enough_and_leaves_a_right_map_alone) {
  Scene scene = sized(20'000);
  expect_fail(scene.ask(kQosHeadroomSmall), Severity::Warning);
  const auto& buffers = *scene.eth0().dcb.buffers;
  // 65092 rounded up to whole kB; what it takes comes from the lossy buffer where the NIC has no more.
  std::array<std::uint32_t, kPriorities> sizes = buffers.size_bytes;
  std::uint64_t all = 0, sum = 0;
  for (const std::uint32_t size : sizes) all += size;
  all = std::max<std::uint64_t>(all, buffers.total_bytes.value_or(0));
  sizes[1] = 65'536;
  for (const std::uint32_t size : sizes) sum += size;
  if (sum > all) sizes[0] -= static_cast<std::uint32_t>(sum - all);
  std::string listed;
  for (const std::uint32_t size : sizes) listed += (listed.empty() ? "" : ",") + std::to_string(size);
  EXPECT_EQ(scene.fix().at(0).command, "mlnx_qos -i eth0 --buffer_size " + listed);
  scene.eth0().dcb.buffers->size_bytes = sizes;
  expect_pass(scene.ask(kQosHeadroomSmall));
}

TEST(QosHeadroomSmall, shows_sizes_for_long_haul_and_none_where_there_is_no_room) {
  Scene far = sized(100'000);
  far.profile().long_haul = true;
  expect_fail(far.ask(kQosHeadroomSmall), Severity::Warning, "pause over 300 m");
  EXPECT_NE(far.fix().at(0).command.find("--buffer_size"), std::string::npos) << far.fix().at(0).command;
  Scene full = sized(20'000);
  BufferFacts& buffers = *full.eth0().dcb.buffers;
  buffers.size_bytes = {60'000, 20'000, 0, 0, 0, 0, 0, 0};
  buffers.total_bytes = 80'000U;
  expect_fail(full.ask(kQosHeadroomSmall), Severity::Warning);
  EXPECT_EQ(full.fix().at(0).command, "mlnx_qos -i eth0 --cable_len METRES");
}

TEST(QosHeadroomSmall, grows_with_cable_speed_and_mtu) {
  Scene far = sized(70'000);
  far.eth0().dcb.pfc->delay = 100;
  expect_fail(far.ask(kQosHeadroomSmall), Severity::Warning, "pause over 100 m");
  Scene fast = sized(100'000);
  fast.eth0().ethtool.link_modes->speed_bits_per_second = 400'000'000'000ULL;
  expect_fail(fast.ask(kQosHeadroomSmall), Severity::Warning, "400 Gbit/s");
  Scene small = sized(40'000);
  small.eth0().link.mtu = 1500U;
  expect_pass(small.ask(kQosHeadroomSmall));
}

TEST(QosHeadroomSmall, takes_a_long_haul_for_300_m_at_least) {
  Scene scene = sized(100'000);
  expect_pass(scene.ask(kQosHeadroomSmall));
  scene.profile().long_haul = true;
  expect_fail(scene.ask(kQosHeadroomSmall), Severity::Warning,
              "pause over 300 m at 100 Gbit/s with MTU 9000 needs 128380");
  scene.eth0().dcb.pfc->delay = 1000;
  expect_fail(scene.ask(kQosHeadroomSmall), Severity::Warning, "pause over 1000 m");
}

TEST(QosHeadroomSmall, is_critical_while_that_buffer_drops) {
  expect_fail(sized(20'000).after(1, {{Id::RxDiscardsPriority, 40, 1}}).ask(kQosHeadroomSmall), Severity::Critical,
              "It dropped 40 packets");
  expect_fail(sized(20'000).after(1, {{Id::RxDiscardsPriority, 40, 0}}).ask(kQosHeadroomSmall), Severity::Warning);
}

TEST(QosHeadroomSmall, needs_neither_speed_nor_mtu_to_tell_what_is_too_small_for_any_port) {
  Scene scene = sized(896);
  scene.eth0().ethtool.link_modes = denied();
  scene.eth0().link.mtu = not_present();
  expect_fail(scene.ask(kQosHeadroomSmall), Severity::Warning,
              "has 896 bytes; pause over 7 m at 1 Gbit/s with MTU 314 needs 1484, and no RoCE port needs less.");
  scene.eth0().dcb.buffers->size_bytes[1] = 1485;
  expect_unknown(scene.ask(kQosHeadroomSmall), Why::Denied);
}

TEST(QosHeadroomSmall, judges_no_driver_that_gives_no_cable_length) {
  Scene scene = sized(20'000);
  scene.eth0().ethtool.driver->driver = "bnxt_en";
  expect_not_looked_at(scene.ask(kQosHeadroomSmall), "never_shown");
}

TEST(QosHeadroomSmall, takes_no_length_for_a_cable_of_no_length) {
  Scene scene = sized(20'000);
  scene.eth0().dcb.pfc->delay = 0;
  expect_unknown(scene.ask(kQosHeadroomSmall), Why::NotRecorded);
  expect_unknown(scene.ask(kQosCableLenDefault), Why::NotRecorded);
}

TEST(QosHeadroomSmall, is_unknown_when_a_part_is_missing_or_absurd) {
  expect_unknown(sized(0).ask(kQosHeadroomSmall), Why::Malformed);
  Scene scene;
  scene.eth0().dcb.buffers = denied();
  expect_unknown(scene.ask(kQosHeadroomSmall), Why::Denied);
  Scene down;
  down.eth0().ethtool.link_modes->speed_bits_per_second = not_present();
  expect_unknown(down.ask(kQosHeadroomSmall), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
