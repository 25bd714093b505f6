// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene with_vlan(std::uint32_t mtu) {
  Scene scene;
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.lower = "eth0";
  vlan.link.mtu = mtu;
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  return scene;
}

TEST(RoceMtuInconsistent, is_quiet_when_all_agree_or_a_vlan_is_smaller) {
  expect_pass(Scene().ask(kRoceMtuInconsistent));
  expect_pass(with_vlan(1500).ask(kRoceMtuInconsistent));
}

TEST(RoceMtuInconsistent, fires_on_a_vlan_or_bond_larger_than_what_carries_it) {
  expect_fail(with_vlan(9100).ask(kRoceMtuInconsistent), Severity::Warning,
              "eth0.100 has an MTU of 9100, more than the 9000 of eth0");
  Scene bond;
  bond.bonded(4, "");
  bond.netdev("eth1").link.mtu = 1500U;
  expect_fail(bond.ask(kRoceMtuInconsistent), Severity::Warning, "more than the 1500 of eth1");
}

TEST(RoceMtuInconsistent, fires_on_an_rdma_mtu_that_the_netdev_does_not_allow) {
  Scene scene;
  scene.eth0().link.mtu = 1500U;
  expect_fail(scene.ask(kRoceMtuInconsistent), Severity::Warning, "allows 1024");
}

TEST(RoceMtuInconsistent, is_unknown_without_one_of_the_mtus) {
  Scene scene;
  scene.port().active_mtu = not_supported();
  expect_unknown(scene.ask(kRoceMtuInconsistent), Why::NotSupported);
  Scene other;
  other.eth0().link.mtu = denied();
  expect_unknown(other.ask(kRoceMtuInconsistent), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
