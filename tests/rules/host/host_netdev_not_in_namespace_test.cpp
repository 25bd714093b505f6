// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

const Absent kElsewhere{Why::OtherNamespace, "its netdev is not in this network namespace"};

void move_away(RdmaPort& port) {
  port.netdev = kElsewhere;
  port.members.clear();
  port.uppers.clear();
  port.in_scope = false;
  port.why_not = kElsewhere.detail;
}

/// mlx5_0 whose netdev is elsewhere, and eth0 of this kind in its place.
Scene pod(const std::string& kind) {
  Scene scene;
  move_away(scene.port());
  scene.eth0().link.kind = kind;
  return scene;
}

TEST(HostNetdevNotInNamespace, is_critical_in_a_pod_that_has_a_veth_alone) {
  const Judgement said = pod("veth").ask(kHostNetdevNotInNamespace, "");
  expect_fail(said, Severity::Critical, "mlx5_0 is visible, but its netdev is not in this network namespace");
  EXPECT_NE(said.sentence.find("eth0, is a veth"), std::string::npos);
  EXPECT_GE(said.confidence, 0.7);
}

TEST(HostNetdevNotInNamespace, makes_the_node_not_ready) {
  const ReportPtr report = pod("veth").report();
  EXPECT_EQ(report->verdict, Verdict::NotReady);
}

TEST(HostNetdevNotInNamespace, is_info_where_nothing_says_that_roce_is_meant) {
  Scene scene = pod("veth");
  scene.profile("");
  expect_fail(scene.ask(kHostNetdevNotInNamespace, ""), Severity::Info, "No profile says");
  EXPECT_EQ(scene.report()->verdict, Verdict::NotApplicable);
  scene.now().log = {log_line("no_gids", "", "n_gids_found=0")};
  expect_fail(scene.ask(kHostNetdevNotInNamespace, ""), Severity::Critical, "show_gids found none");
}

TEST(HostNetdevNotInNamespace, says_nothing_on_a_host_that_gave_its_nics_away) {
  expect_not_applicable(pod("").ask(kHostNetdevNotInNamespace, ""));
  Scene both = pod("veth");
  Netdev management = both.eth0();
  management.link.name = "eno1";
  management.link.kind = "";
  both.now().netdevs.push_back(management);
  expect_not_applicable(both.ask(kHostNetdevNotInNamespace, ""));
}

TEST(HostNetdevNotInNamespace, says_nothing_where_one_nic_of_several_was_given_to_a_container) {
  Scene scene;
  RdmaPort given = scene.port();
  given.device = "mlx5_1";
  move_away(given);
  scene.now().ports.push_back(given);
  expect_not_applicable(scene.ask(kHostNetdevNotInNamespace, ""));
  EXPECT_NE(scene.report()->verdict, Verdict::NotReady);
}

TEST(HostNetdevNotInNamespace, says_nothing_where_a_macvlan_stands_beside_the_veth) {
  Scene scene = pod("veth");
  Netdev second = scene.eth0();
  second.link.name = "net1";
  second.link.kind = "macvlan";
  scene.now().netdevs.push_back(second);
  expect_not_applicable(scene.ask(kHostNetdevNotInNamespace, ""));
}

TEST(HostNetdevNotInNamespace, leaves_netdevs_without_an_address_out) {
  Scene scene = pod("veth");
  Netdev tunnel = scene.eth0();
  tunnel.link.name = "tunl0";
  tunnel.link.kind = "ipip";
  tunnel.link.addresses.clear();
  scene.now().netdevs.push_back(tunnel);
  expect_fail(scene.ask(kHostNetdevNotInNamespace, ""), Severity::Critical, "eth0, is a veth");
}

TEST(HostNetdevNotInNamespace, does_not_apply_to_infiniband_or_without_rdma) {
  Scene scene = pod("veth");
  scene.port().link_layer = std::string("InfiniBand");
  expect_not_applicable(scene.ask(kHostNetdevNotInNamespace, ""));
  scene.now().ports.clear();
  expect_not_applicable(scene.ask(kHostNetdevNotInNamespace, ""));
}

TEST(HostNetdevNotInNamespace, is_unknown_where_the_kernel_does_not_tell_the_netdev) {
  Scene scene = pod("veth");
  scene.port().netdev = denied();
  expect_unknown(scene.ask(kHostNetdevNotInNamespace, ""), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
