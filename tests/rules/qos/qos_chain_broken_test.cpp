// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// A healthy port of which one thing is changed.
template <class Change>
Scene with(Change change) {
  Scene scene;
  change(scene);
  return scene;
}

TEST(QosChainBroken, is_quiet_while_every_hop_is_lossless) {
  expect_pass(Scene().ask(kQosChainBroken));
}

TEST(QosChainBroken, names_the_hop_that_breaks) {
  struct Case {
    void (*change)(Scene&);
    const char* words;
  };
  const Case cases[] = {
      {[](Scene& s) { (*s.eth0().dcb.dscp_to_priority)[26] = 0; },
       "DSCP 26 goes to priority 0 (the DSCP map), and PFC is off on priority 0."},
      {[](Scene& s) { s.eth0().dcb.trust = std::string("pcp"); },
       "the NIC trusts the VLAN tag and eth0 sends none), and PFC is off on priority 0."},
      {[](Scene& s) { s.eth0().dcb.pfc->enabled = 1U << 4; }, "PFC is off on priority 3."},
      {[](Scene& s) { s.eth0().dcb.ets->priority_to_class[5] = 3; },
       "priority 3 shares traffic class 3 with lossy priority 5."},
      {[](Scene& s) { s.port().forced_traffic_class = 0U; },
       "the traffic class forced on all queue pairs, DSCP 0 goes to priority 0"},
  };
  for (const Case& c : cases) expect_fail(with(c.change).ask(kQosChainBroken), Severity::Critical, c.words);
}

/// The address of eth0 goes to its VLAN 100, which has no egress map.
void move_to_vlan(Scene& scene) {
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.vlan = VlanFacts{100, {}};
  scene.eth0().link.addresses.clear();
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
}

TEST(QosChainBroken, follows_the_vlan_tag_where_the_nic_trusts_it) {
  Scene scene;
  scene.eth0().dcb.trust = std::string("pcp");
  move_to_vlan(scene);
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical, "the VLAN tag that eth0.100 sends");
  // The kernel makes priority 2 of ToS 104.
  scene.netdev("eth0.100").link.vlan = VlanFacts{100, {{"2", 3}}};
  expect_pass(scene.ask(kQosChainBroken));
}

TEST(QosChainBroken, a_design_of_tags_is_whole_with_the_map_that_the_fix_sets) {
  Scene scene;
  scene.profile("azure-local").eth0().dcb.trust = std::string("pcp");
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.vlan = VlanFacts{100, {{"0", 3}}};
  scene.eth0().link.addresses.clear();
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  scene.port().cma_default_tos = 0U;
  expect_pass(scene.ask(kQosChainBroken));
  scene.port().cma_default_tos = 106U;  // the kernel makes priority 2 of it, which the map does not hold
  expect_fail(scene.ask(kQosChainBroken), Severity::Info, "programs that leave the choice to RDMA-CM");
  scene.netdev("eth0.100").link.vlan = VlanFacts{100, {{"0", 5}}};
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical, "RoCE goes to priority 5");
}

/// Commands that the finding shows, without those that only look.
std::vector<std::string> typed(const Scene& scene) {
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical);
  std::vector<std::string> out;
  for (const FixCommand& one : scene.fix())
    if (!one.note.starts_with("only shows")) out.push_back(one.command);
  return out;
}

TEST(QosChainBroken, of_tags_where_the_nic_goes_by_dscp_goes_by_a_dscp_that_nobody_sets) {
  Scene scene;
  scene.profile("azure-local").eth0().dcb.trust = std::string("dscp");
  move_to_vlan(scene);
  scene.netdev("eth0.100").link.vlan = VlanFacts{100, {{"0", 3}}};
  EXPECT_EQ(typed(scene),
            (std::vector<std::string>{"mlnx_qos -i eth0 --trust pcp", "dcb app flush dev eth0 dscp-prio"}));
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical, "DSCP 0 goes to priority 0 (the DSCP map)");
}

TEST(QosChainBroken, follows_the_second_class_too) {
  Scene scene;
  scene.profile("sonic-two-class").eth0().dcb.pfc->enabled = 0x18;
  (*scene.eth0().dcb.dscp_to_priority)[3] = 3;
  (*scene.eth0().dcb.dscp_to_priority)[4] = 4;
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 3, 4, 0, 6, 0};
  expect_pass(scene.ask(kQosChainBroken));
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 3, 0, 0, 6, 0};
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical,
              "DSCP 4 goes to priority 4 (the DSCP map), and priority 4 shares traffic class 0 with lossy");
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 3, 4, 0, 6, 0};
  (*scene.eth0().dcb.dscp_to_priority)[4] = 0;
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical, "DSCP 4 goes to priority 0");
}

TEST(QosChainBroken, is_info_while_one_address_is_tagged_as_the_design_has_it) {
  Scene scene;
  scene.profile("azure-local").eth0().dcb.trust = std::string("pcp");
  const std::vector<IpAddress> untagged = scene.eth0().link.addresses;
  move_to_vlan(scene);
  scene.netdev("eth0.100").link.vlan = VlanFacts{100, {{"0", 3}}};
  scene.eth0().link.addresses = untagged;
  expect_fail(scene.ask(kQosChainBroken), Severity::Info, "What its other addresses send is lossless");
  scene.netdev("eth0.100").link.vlan = VlanFacts{100, {}};
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical);
}

TEST(QosChainBroken, takes_the_default_of_rdma_cm_for_a_candidate_only) {
  Scene scene;
  scene.port().cma_default_tos = 0U;
  expect_fail(scene.ask(kQosChainBroken), Severity::Info, "programs that leave the choice to RDMA-CM");
}

// A buffer that holds one lossless priority is lossless: what shares it costs headroom (qos-buffer-shared), no packets.
TEST(QosChainBroken, takes_a_shared_buffer_for_no_break) {
  Scene scene;
  scene.eth0().dcb.buffers->priority_to_buffer.fill(0);
  expect_pass(scene.ask(kQosChainBroken));
  scene.eth0().dcb.buffers = denied();
  expect_pass(scene.ask(kQosChainBroken));
}

TEST(QosChainBroken, shows_the_commands_of_the_broken_hop_and_no_others) {
  using Commands = std::vector<std::string>;
  struct Case {
    void (*change)(Scene&);
    Commands commands;
  };
  const Case cases[] = {
      {[](Scene& s) { (*s.eth0().dcb.dscp_to_priority)[26] = 0; },
       {"mlnx_qos -i eth0 --dscp2prio set,26,3", "mlnx_qos -i eth0 --dscp2prio set,48,6",
        "dcb app replace dev eth0 dscp-prio 26:3 48:6"}},
      {[](Scene& s) { s.eth0().dcb.trust = std::string("pcp"); },
       {"mlnx_qos -i eth0 --trust dscp", "dcb app add dev eth0 dscp-prio 26:3"}},
      {[](Scene& s) { s.eth0().dcb.pfc->enabled = 1U << 4; },
       {"mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0", "dcb pfc set dev eth0 prio-pfc all:off 3:on"}},
      {[](Scene& s) { s.eth0().dcb.ets->priority_to_class[5] = 3; },
       {"mlnx_qos -i eth0 --prio_tc 0,0,0,1,0,0,2,0 --tsa ets,ets,strict,strict,strict,strict,strict,strict --tc_bw "
        "50,50,0,0,0,0,0,0",
        "dcb ets set dev eth0 prio-tc all:0 3:1 6:2 tc-tsa all:strict 0:ets 1:ets tc-bw all:0 0:50 1:50"}},
      {[](Scene& s) { s.port().forced_traffic_class = 0U; },
       {"echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class", "cma_roce_tos -d mlx5_0 -t 106",
        "mkdir -p /sys/kernel/config/rdma_cm/mlx5_0 && echo 106 > "
        "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos",
        "export NCCL_IB_TC=106 UCX_IB_TRAFFIC_CLASS=106"}},
      // The map is RoCE's own matter where the forced class has RoCE's DSCP.
      {[](Scene& s) {
         s.port().forced_traffic_class = 106U;
         (*s.eth0().dcb.dscp_to_priority)[26] = 4;
       },
       {"mlnx_qos -i eth0 --dscp2prio set,26,3", "mlnx_qos -i eth0 --dscp2prio set,48,6",
        "dcb app replace dev eth0 dscp-prio 26:3 48:6"}},
      // Lossless, but not where the design has RoCE, and among lossy ones: not the classes are wrong.
      {[](Scene& s) {
         s.eth0().dcb.pfc->enabled = 1U << 3 | 1U << 4;
         (*s.eth0().dcb.dscp_to_priority)[26] = 4;
         s.eth0().dcb.ets->priority_to_class[5] = 4;
         s.eth0().dcb.ets->priority_to_class[4] = 4;
       },
       {"mlnx_qos -i eth0 --dscp2prio set,26,3", "mlnx_qos -i eth0 --dscp2prio set,48,6",
        "dcb app replace dev eth0 dscp-prio 26:3 48:6"}},
  };
  for (const Case& c : cases) EXPECT_EQ(typed(with(c.change)), c.commands);
}

TEST(QosChainBroken, repairs_a_design_of_tags_by_tags) {
  Scene scene;
  scene.profile("azure-local").eth0().dcb.trust = std::string("dscp");
  (*scene.eth0().dcb.dscp_to_priority)[26] = 0;
  EXPECT_EQ(typed(scene),
            (std::vector<std::string>{"mlnx_qos -i eth0 --trust pcp", "dcb app flush dev eth0 dscp-prio"}));
  scene.eth0().dcb.trust = std::string("pcp");
  move_to_vlan(scene);
  EXPECT_EQ(typed(scene), std::vector<std::string>{"ip link set dev eth0.100 type vlan egress-qos-map 0:3"});
}

TEST(QosChainBroken, is_repaired_by_what_it_shows_for_shared_classes) {
  Scene scene;
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 0, 0, 0, 6, 7};
  expect_fail(scene.ask(kQosChainBroken), Severity::Critical, "shares traffic class 0");
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 1, 0, 0, 2, 0};  // --prio_tc of the command
  expect_pass(scene.ask(kQosChainBroken));
}

TEST(QosChainBroken, is_unknown_when_a_hop_was_refused_and_not_looked_at_when_it_is_never_shown) {
  expect_unknown(with([](Scene& s) { s.eth0().dcb.pfc = denied(); }).ask(kQosChainBroken), Why::Denied);
  expect_unknown(with([](Scene& s) { s.eth0().dcb.ets = denied(); }).ask(kQosChainBroken), Why::Denied);
  expect_unknown(with([](Scene& s) { s.port().forced_traffic_class = denied(); }).ask(kQosChainBroken), Why::Denied);
  expect_not_looked_at(with([](Scene& s) { s.eth0().dcb.trust = not_supported(); }).ask(kQosChainBroken),
                       "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
