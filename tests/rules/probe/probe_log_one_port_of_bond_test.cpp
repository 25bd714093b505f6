// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene bond_of_two(const char* bits_per_second) {
  Scene scene;
  scene.bonded(4, "");
  Netdev& bond = scene.netdev("bond0");
  bond.ethtool.link_modes = scene.eth0().ethtool.link_modes;
  bond.ethtool.link_modes->speed_bits_per_second = 200'000'000'000ULL;
  scene.now().log = {log_line("measured_bandwidth", "mlx5_0", "65536 5000 96.41 96.38",
                              {{"bits_per_second", bits_per_second}, {"message_bytes", "65536"}})};
  return scene;
}

TEST(ProbeLogOnePortOfBond, does_not_apply_without_logs_or_bond) {
  Scene scene;
  expect_not_applicable(scene.ask(kProbeLogOnePortOfBond));
  scene.now().log = bond_of_two("50000000000").now().log;
  expect_not_applicable(scene.ask(kProbeLogOnePortOfBond));
}

TEST(ProbeLogOnePortOfBond, is_info_where_no_more_was_measured_than_one_port_carries) {
  expect_fail(bond_of_two("96380000000").ask(kProbeLogOnePortOfBond), Severity::Info, "a bond of 2 ports");
  expect_not_applicable(bond_of_two("192000000000").ask(kProbeLogOnePortOfBond));
}

TEST(ProbeLogOnePortOfBond, leaves_a_bond_with_one_port_in_use) {
  Scene scene = bond_of_two("96380000000");
  scene.netdev("bond0").link.bond->mode = 1;  // active-backup
  expect_not_applicable(scene.ask(kProbeLogOnePortOfBond));
}

TEST(ProbeLogOnePortOfBond, is_unknown_without_the_speed_of_the_bond) {
  Scene scene = bond_of_two("96380000000");
  scene.netdev("bond0").ethtool.link_modes = denied();
  expect_unknown(scene.ask(kProbeLogOnePortOfBond), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
