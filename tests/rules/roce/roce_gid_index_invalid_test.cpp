// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// The scene's table: 0 and 1 link-local, 2 and 3 of 10.0.0.1; even ones RoCE v1.
Scene nccl_says(std::int64_t index) {
  Scene scene;
  scene.now().host.nccl_gid_index = index;
  return scene;
}

TEST(RoceGidIndexInvalid, looks_the_index_up) {
  expect_pass(nccl_says(3).ask(kRoceGidIndexInvalid));
  expect_fail(nccl_says(2).ask(kRoceGidIndexInvalid), Severity::Warning, "entry is of type RoCE v1");
  expect_fail(nccl_says(7).ask(kRoceGidIndexInvalid), Severity::Warning, "GID index 7, and on RDMA port mlx5_0/1");
}

TEST(RoceGidIndexInvalid, looks_up_the_configured_one_as_well) {
  Scene scene = nccl_says(3);
  scene.demands().gid_index = 5;
  expect_fail(scene.ask(kRoceGidIndexInvalid), Severity::Warning, "host.gid_index says GID index 5");
  scene.now().host.nccl_gid_index = denied();
  expect_fail(scene.ask(kRoceGidIndexInvalid), Severity::Warning, "host.gid_index says GID index 5");
  scene.demands().gid_index = 3;
  expect_pass(scene.ask(kRoceGidIndexInvalid));
}

TEST(RoceGidIndexInvalid, fires_for_a_vlan_without_address_while_the_port_has_one) {
  Scene scene = nccl_says(5);
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.addresses = {{"fe80::e42:a1ff:fe00:1", 64, false}};
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  scene.port().gids->push_back({5, "fe80::e42:a1ff:fe00:1", "RoCE v2", std::string("eth0.100")});
  expect_fail(scene.ask(kRoceGidIndexInvalid), Severity::Warning, "belongs to eth0.100, which has no routable address");
  scene.netdev("eth0.100").link.addresses.push_back({"10.0.100.1", 24, false});
  expect_pass(scene.ask(kRoceGidIndexInvalid));
}

TEST(RoceGidIndexInvalid, names_the_routable_entry_beside_a_link_local_one) {
  Scene scene = nccl_says(1);
  expect_fail(scene.ask(kRoceGidIndexInvalid), Severity::Warning,
              "which no router passes on; entry 3 is ::ffff:10.0.0.1");
}

TEST(RoceGidIndexInvalid, takes_a_link_local_entry_where_there_is_no_other) {
  Scene scene = nccl_says(1);
  scene.port().gids->resize(2);
  expect_pass(scene.ask(kRoceGidIndexInvalid));
}

TEST(RoceGidIndexInvalid, tells_an_entry_that_the_kernel_refuses) {
  Scene scene = nccl_says(0);
  scene.port().gids->at(0) = {0, "", "", Absent{Why::OtherNamespace, "refused"}};
  expect_fail(scene.ask(kRoceGidIndexInvalid), Severity::Warning, "entry is empty or of another network namespace");
}

TEST(RoceGidIndexInvalid, does_not_judge_an_entry_of_another_namespace) {
  Scene scene = nccl_says(4);
  scene.port().gids->push_back({4, "::ffff:10.9.0.1", "RoCE v2", Absent{Why::OtherNamespace, "elsewhere"}});
  expect_pass(scene.ask(kRoceGidIndexInvalid));
}

TEST(RoceGidIndexInvalid, does_not_apply_where_programs_choose) {
  expect_not_applicable(Scene().ask(kRoceGidIndexInvalid));
  expect_not_applicable(nccl_says(-1).ask(kRoceGidIndexInvalid));
}

TEST(RoceGidIndexInvalid, is_unknown_when_table_or_file_cannot_be_read) {
  Scene table = nccl_says(3);
  table.port().gids = denied();
  expect_unknown(table.ask(kRoceGidIndexInvalid), Why::Denied);
  Scene file;
  file.now().host.nccl_gid_index = denied();
  expect_unknown(file.ask(kRoceGidIndexInvalid), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
