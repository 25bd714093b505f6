// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// A second port, mlx5_1/1 on eth1, with this address, isolated from the first as it should be.
Scene with_second(const std::string& address, std::uint32_t prefix = 24) {
  Scene scene;
  Netdev eth1 = scene.eth0();
  eth1.link.name = "eth1";
  eth1.link.addresses = {{address, prefix, false}};
  scene.now().netdevs.push_back(eth1);
  RdmaPort second = scene.port();
  second.device = "mlx5_1";
  second.netdev = std::string("eth1");
  second.members = {"eth1"};
  scene.now().ports.push_back(second);
  HostFacts& host = scene.now().host;
  host.ipv4_settings = std::vector<Ipv4Settings>{{"eth0", 1U, 2U, 0U}, {"eth1", 1U, 2U, 0U}};
  host.policy_rules = std::vector<PolicyRule>{{"10.0.0.1", 32, "", 101}, {"10.0.0.2", 32, "", 102}};
  return scene;
}

Scene one_subnet() {
  return with_second("10.0.0.2");
}

TEST(HostArpFlux, is_quiet_with_a_subnet_a_port_whatever_is_set) {
  Scene scene = with_second("10.0.1.2");
  scene.now().host.ipv4_settings = denied();
  scene.now().host.policy_rules = denied();
  expect_pass(scene.ask(kHostArpFlux));
  expect_pass(with_second("10.0.0.2", 31).ask(kHostArpFlux));
  expect_pass(Scene().ask(kHostArpFlux));
}

TEST(HostArpFlux, is_quiet_where_the_ports_are_isolated) {
  expect_pass(one_subnet().ask(kHostArpFlux));
  Scene by_netdev = one_subnet();
  by_netdev.now().host.policy_rules = std::vector<PolicyRule>{{"", 0, "eth0", 101}, {"", 0, "eth1", 102}};
  expect_pass(by_netdev.ask(kHostArpFlux));
}

TEST(HostArpFlux, warns_where_a_port_answers_for_the_other) {
  Scene scene = one_subnet();
  scene.now().host.ipv4_settings->back().arp_ignore = 0U;
  expect_fail(scene.ask(kHostArpFlux), Severity::Warning, "share the subnet 10.0.0.0/24; on eth1 ARP is answered");
}

TEST(HostArpFlux, warns_where_nothing_routes_by_source) {
  Scene scene = one_subnet();
  scene.now().host.policy_rules = std::vector<PolicyRule>{};
  expect_fail(scene.ask(kHostArpFlux), Severity::Warning, "what eth0 and eth1 send is not routed by its source");
  scene.now().host.policy_rules = std::vector<PolicyRule>{{"10.0.0.0", 24, "", 254}};
  expect_fail(scene.ask(kHostArpFlux), Severity::Warning);
  scene.now().host.policy_rules = not_supported();
  expect_fail(scene.ask(kHostArpFlux), Severity::Warning);
}

TEST(HostArpFlux, takes_one_rule_for_the_whole_subnet_as_source_routing) {
  Scene scene = one_subnet();
  scene.now().host.policy_rules = std::vector<PolicyRule>{{"10.0.0.0", 24, "", 100}};
  expect_pass(scene.ask(kHostArpFlux));
}

TEST(HostArpFlux, does_not_mind_members_of_one_bond_or_netdevs_in_vrfs) {
  Scene bond;
  bond.bonded(4, "");
  expect_pass(bond.ask(kHostArpFlux));
  Scene vrf = one_subnet();
  vrf.now().host.policy_rules = std::vector<PolicyRule>{};
  Netdev table;
  table.link.name = "rail1";
  table.link.kind = "vrf";
  vrf.now().netdevs.push_back(table);
  vrf.netdev("eth1").link.master = "rail1";
  expect_pass(vrf.ask(kHostArpFlux));
}

TEST(HostArpFlux, leaves_ports_out_of_scope_alone) {
  Scene scene = one_subnet();
  scene.now().host.policy_rules = std::vector<PolicyRule>{};
  scene.now().ports.back().in_scope = false;
  expect_pass(scene.ask(kHostArpFlux));
}

TEST(HostArpFlux, is_unknown_when_the_settings_cannot_be_read) {
  Scene settings = one_subnet();
  settings.now().host.ipv4_settings->front().arp_ignore = denied();
  expect_unknown(settings.ask(kHostArpFlux), Why::Denied);
  Scene rules = one_subnet();
  rules.now().host.policy_rules = Reading<std::vector<PolicyRule>>();
  expect_unknown(rules.ask(kHostArpFlux), Why::NotRecorded);
}

TEST(HostArpFlux, what_was_seen_counts_though_the_rest_cannot_be_read) {
  Scene scene = one_subnet();
  scene.now().host.ipv4_settings->front().arp_ignore = 0U;
  scene.now().host.policy_rules = denied();
  expect_fail(scene.ask(kHostArpFlux), Severity::Warning, "on eth0 ARP is answered");
}

}  // namespace
}  // namespace roceready::rules_test
