// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(RoceDualPortCounterScope, is_quiet_on_a_port_of_its_own) {
  expect_pass(Scene().ask(kRoceDualPortCounterScope));
}

TEST(RoceDualPortCounterScope, notes_a_bond_of_several_members) {
  Scene scene;
  scene.bonded(4, "");
  expect_fail(scene.ask(kRoceDualPortCounterScope), Severity::Info, "a sum over eth0 and eth1, the members of bond0");
}

TEST(RoceDualPortCounterScope, mentions_no_sum_where_bonds_belong_to_the_design) {
  Scene scene;
  scene.bonded(4, "");
  scene.profile().lag = true;
  expect_pass(scene.ask(kRoceDualPortCounterScope));
  scene.eth0().link.phys_switch_id = std::string("ec0d9a0003");
  expect_fail(scene.ask(kRoceDualPortCounterScope), Severity::Info, "eth0 is in switchdev mode");
}

TEST(RoceDualPortCounterScope, notes_a_device_with_several_ports) {
  Scene scene;
  RdmaPort second = scene.port();
  second.port = 2;
  scene.now().ports.push_back(second);
  expect_fail(scene.ask(kRoceDualPortCounterScope), Severity::Info, "the ports of mlx5_0 share one device");
}

TEST(RoceDualPortCounterScope, notes_switchdev_mode) {
  Scene scene;
  scene.eth0().link.phys_switch_id = std::string("ec0d9a0003");
  expect_fail(scene.ask(kRoceDualPortCounterScope), Severity::Info, "eth0 is in switchdev mode");
}

TEST(RoceDualPortCounterScope, says_nothing_of_what_cannot_be_read) {
  Scene scene;
  scene.eth0().link.phys_switch_id = denied();
  expect_unknown(scene.ask(kRoceDualPortCounterScope), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
