// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene bond(std::uint32_t mode) {
  Scene scene;
  scene.bonded(mode, "");
  return scene;
}

/// Two RDMA devices under bond0, one a member.
Scene two_devices() {
  Scene scene = bond(4);
  scene.port().netdev = std::string("eth0");
  scene.port().members = {"eth0"};
  RdmaPort second = scene.port();
  second.device = "mlx5_1";
  second.netdev = std::string("eth1");
  second.members = {"eth1"};
  scene.now().ports.push_back(second);
  return scene;
}

TEST(RoceLagUnsupported, does_not_apply_without_a_bond) {
  expect_not_applicable(Scene().ask(kRoceLagUnsupported));
}

TEST(RoceLagUnsupported, is_quiet_in_modes_that_carry_roce) {
  for (const std::uint32_t mode : {1U, 2U, 4U}) expect_pass(bond(mode).ask(kRoceLagUnsupported));
}

TEST(RoceLagUnsupported, warns_in_other_modes) {
  expect_fail(bond(0).ask(kRoceLagUnsupported), Severity::Warning, "in mode balance-rr");
  expect_fail(bond(5).ask(kRoceLagUnsupported), Severity::Warning, "in mode balance-tlb");
  expect_fail(bond(6).ask(kRoceLagUnsupported), Severity::Warning, "in mode balance-alb");
}

TEST(RoceLagUnsupported, warns_where_each_member_has_a_device_of_its_own) {
  Scene scene = two_devices();
  const Judgement said = scene.ask(kRoceLagUnsupported);
  expect_fail(said, Severity::Warning, "mlx5_0/1 and mlx5_1/1 are RDMA devices of their own under one bond, bond0");
  EXPECT_EQ(said.confidence, 1.0);
}

TEST(RoceLagUnsupported, is_less_sure_of_other_vendors) {
  Scene scene = two_devices();
  for (RdmaPort& port : scene.now().ports) port.driver = "bnxt_re";
  EXPECT_LT(scene.ask(kRoceLagUnsupported).confidence, 0.7);
}

TEST(RoceLagUnsupported, is_sure_of_any_vendor_where_bonds_belong_to_the_design) {
  Scene scene = two_devices();
  for (RdmaPort& port : scene.now().ports) port.driver = "bnxt_re";
  scene.profile().lag = true;
  EXPECT_EQ(scene.ask(kRoceLagUnsupported).confidence, 1.0);
}

TEST(RoceLagUnsupported, does_not_count_virtual_functions) {
  Scene scene = two_devices();
  scene.now().ports.back().function = FunctionKind::Virtual;
  expect_pass(scene.ask(kRoceLagUnsupported));
}

TEST(RoceLagUnsupported, is_unknown_when_the_bond_cannot_be_read) {
  Scene scene = bond(4);
  scene.netdev("bond0").link.bond = denied();
  expect_unknown(scene.ask(kRoceLagUnsupported), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
