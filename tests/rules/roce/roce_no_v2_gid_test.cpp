// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(RoceNoV2Gid, is_quiet_with_a_v2_gid_of_the_address) {
  expect_pass(Scene().ask(kRoceNoV2Gid));
}

TEST(RoceNoV2Gid, does_not_depend_on_the_spelling_of_an_address) {
  Scene scene;
  scene.eth0().link.addresses = {{"2001:db8::1", 64, false}};
  scene.port().gids = std::vector<GidEntry>{{1, "2001:0db8:0000:0000:0000:0000:0000:0001", "RoCE v2", {}}};
  expect_pass(scene.ask(kRoceNoV2Gid));
}

TEST(RoceNoV2Gid, counts_the_address_of_a_vlan_on_the_port) {
  Scene scene;
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.lower = "eth0";
  scene.eth0().link.addresses.clear();
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  expect_pass(scene.ask(kRoceNoV2Gid));
}

TEST(RoceNoV2Gid, is_critical_with_v1_alone_and_a_warning_with_link_local_ones) {
  Scene scene;
  scene.port().gids = std::vector<GidEntry>{{2, "::ffff:10.0.0.1", "RoCE v1", {}}};
  expect_fail(scene.ask(kRoceNoV2Gid), Severity::Critical, "no RoCE v2 GID for 10.0.0.1");
  scene.port().gids->push_back({1, "fe80::e42:a1ff:fe00:1", "RoCE v2", {}});
  expect_fail(scene.ask(kRoceNoV2Gid), Severity::Warning);
}

TEST(RoceNoV2Gid, is_critical_with_gids_of_other_addresses_alone) {
  Scene scene;
  scene.port().gids = std::vector<GidEntry>{{3, "::ffff:10.9.9.9", "RoCE v2", {}}};
  expect_fail(scene.ask(kRoceNoV2Gid), Severity::Critical, "of link-local or other addresses");
  scene.eth0().link.addresses.clear();  // they may be in another namespace
  expect_fail(scene.ask(kRoceNoV2Gid), Severity::Warning);
}

TEST(RoceNoV2Gid, says_that_the_netdev_lost_its_address) {
  Scene scene;
  scene.eth0().link.addresses.clear();
  scene.port().gids = std::vector<GidEntry>{};
  expect_fail(scene.ask(kRoceNoV2Gid), Severity::Critical, "no routable address");
}

TEST(RoceNoV2Gid, is_unknown_without_a_gid_table) {
  Scene scene;
  scene.port().gids = denied();
  expect_unknown(scene.ask(kRoceNoV2Gid), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
