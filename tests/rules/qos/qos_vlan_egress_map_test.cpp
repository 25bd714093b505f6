// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// RoCE on VLAN 711 of eth0, in a design that classifies by the tag.
Scene tagged(std::map<std::string, std::uint32_t> egress) {
  Scene scene;
  scene.profile().trust = "pcp";
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.711";
  vlan.link.kind = "vlan";
  vlan.link.vlan = VlanFacts{711, std::move(egress)};
  scene.eth0().link.addresses.clear();
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.711"};
  return scene;
}

TEST(QosVlanEgressMap, fires_when_nothing_leads_to_roces_priority) {
  expect_fail(tagged({}).ask(kQosVlanEgressMap), Severity::Critical,
              "Packets from eth0.711 never carry priority 3 in the VLAN tag");
  expect_fail(tagged({{"0", 4}}).ask(kQosVlanEgressMap), Severity::Critical);
  expect_pass(tagged({{"0", 3}}).ask(kQosVlanEgressMap));
}

TEST(QosVlanEgressMap, counts_only_what_the_kernel_makes_of_a_tos) {
  for (const char* reached : {"0", "2", "4", "6"}) expect_pass(tagged({{reached, 3}}).ask(kQosVlanEgressMap));
  for (const char* never : {"1", "3", "5", "7"})
    expect_fail(tagged({{"0", 0}, {never, 3}}).ask(kQosVlanEgressMap), Severity::Critical);
}

TEST(QosVlanEgressMap, offers_the_command_for_that_vlan) {
  const Scene scene = tagged({});
  (void)scene.ask(kQosVlanEgressMap);
  ASSERT_FALSE(scene.fix().empty());
  EXPECT_EQ(scene.fix()[0].command, "ip link set dev eth0.711 type vlan egress-qos-map 0:3");
}

TEST(QosVlanEgressMap, does_not_apply_without_tags) {
  Scene by_dscp = tagged({});
  by_dscp.profile().trust = "dscp";
  expect_not_applicable(by_dscp.ask(kQosVlanEgressMap));
  Scene without_address;
  without_address.profile().trust = "pcp";
  without_address.eth0().link.addresses.clear();
  expect_not_applicable(without_address.ask(kQosVlanEgressMap));
}

TEST(QosVlanEgressMap, fires_when_the_address_is_on_the_port_itself) {
  Scene untagged;
  untagged.profile().trust = "pcp";
  expect_fail(untagged.ask(kQosVlanEgressMap), Severity::Critical, "is on no VLAN");
  untagged.nic().physical_function = std::string("0000:3b:00.0");  // which may tag for it
  expect_not_looked_at(untagged.ask(kQosVlanEgressMap), "never_shown");
}

TEST(QosVlanEgressMap, is_unknown_when_the_map_was_refused) {
  Scene scene = tagged({});
  scene.netdev("eth0.711").link.vlan = denied();
  expect_unknown(scene.ask(kQosVlanEgressMap), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
