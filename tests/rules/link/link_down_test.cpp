// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

void take_carrier(Netdev& netdev) {
  netdev.link.carrier = false;
  netdev.link.oper_state = std::string("down");
}

TEST(LinkDown, is_quiet_while_port_and_link_are_up) {
  expect_pass(Scene().ask(kLinkDown));
}

TEST(LinkDown, fires_without_carrier_and_says_what_the_kernel_says) {
  Scene scene;
  take_carrier(scene.eth0());
  scene.port().state = std::string("DOWN");
  scene.eth0().ethtool.link_state = LinkState{false, std::string("No cable"), {}, {}};
  expect_fail(scene.ask(kLinkDown), Severity::Critical, "eth0 has no carrier: No cable");
}

TEST(LinkDown, fires_when_the_rdma_port_is_not_active_over_a_link_that_is_up) {
  Scene scene;
  scene.port().state = std::string("INIT");
  expect_fail(scene.ask(kLinkDown), Severity::Critical, "mlx5_0/1 is INIT although eth0 has carrier");
}

TEST(LinkDown, is_unknown_when_neither_carrier_nor_state_is_readable) {
  Scene scene;
  scene.eth0().link.carrier = denied();
  scene.eth0().link.oper_state = denied();
  expect_unknown(scene.ask(kLinkDown), Why::Denied);
  Scene other;
  other.port().state = not_supported();
  expect_unknown(other.ask(kLinkDown), Why::NotSupported);
}

TEST(LinkDown, is_a_warning_for_the_standby_member_of_an_active_backup_bond_alone) {
  for (const std::uint32_t mode : {1U, 4U}) {
    Scene scene;
    scene.bonded(mode, mode == 1 ? "eth0" : "");
    take_carrier(scene.netdev("eth1"));
    expect_fail(scene.ask(kLinkDown, "eth1"), mode == 1 ? Severity::Warning : Severity::Critical);
    expect_pass(scene.ask(kLinkDown, "eth0"));
  }
}

TEST(LinkDown, is_info_in_a_daemon_just_after_somebody_set_it_down) {
  Scene scene;
  scene.daemon().after(1);
  take_carrier(scene.eth0());
  scene.eth0().link.admin_up = false;
  scene.after(10);
  expect_fail(scene.ask(kLinkDown), Severity::Info, "administratively down");
  scene.every(30, 10);
  expect_fail(scene.ask(kLinkDown), Severity::Critical, "administratively down");
}

}  // namespace
}  // namespace roceready::rules_test
