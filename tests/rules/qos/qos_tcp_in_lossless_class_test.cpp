// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Five minutes in which priority 3 received `on_class` bytes every ten seconds, `rdma` of them RDMA.
Scene receiving(double on_class, double rdma) {
  Scene scene;
  scene.every(10, 31, {{Id::RxBytesPriority, on_class, 3}, {Id::RdmaRxBytes, rdma}});
  return scene;
}

TEST(QosTcpInLosslessClass, is_quiet_while_the_class_is_rdmas_own) {
  expect_pass(receiving(1e9, 0.96e9).ask(kQosTcpInLosslessClass));  // headers
}

TEST(QosTcpInLosslessClass, fires_with_share_and_amount) {
  expect_fail(receiving(1e9, 0.8e9).ask(kQosTcpInLosslessClass), Severity::Warning,
              "20 % of what lossless priority 3 carried in the last 5 min was not RDMA: 6 GB.");
}

TEST(QosTcpInLosslessClass, takes_everybody_out_of_the_class_and_puts_nobody_into_it) {
  Scene scene = receiving(1e9, 0.8e9);
  expect_fail(scene.ask(kQosTcpInLosslessClass), Severity::Warning);
  for (const FixCommand& one : scene.fix()) EXPECT_TRUE(one.note.starts_with("only shows")) << one.command;
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.vlan = VlanFacts{100, {{"0", 3}}};
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  expect_fail(scene.ask(kQosTcpInLosslessClass), Severity::Warning);
  EXPECT_EQ(scene.fix().at(0).command, "ip link set dev eth0.100 type vlan egress-qos-map 0:0");
  scene.netdev("eth0.100").link.vlan->egress_qos = {{"0", 0}};
  expect_fail(scene.ask(kQosTcpInLosslessClass), Severity::Warning);
  EXPECT_TRUE(scene.fix().at(0).note.starts_with("only shows"));
}

TEST(QosTcpInLosslessClass, allows_less_on_a_nic_for_roce_alone) {
  Scene scene = receiving(1e9, 0.93e9);
  expect_pass(scene.ask(kQosTcpInLosslessClass));
  scene.profile().dedicated_nic = true;
  expect_fail(scene.ask(kQosTcpInLosslessClass), Severity::Warning, "7 % of what lossless priority 3 carried");
  Scene headers = receiving(1e9, 0.96e9);
  headers.profile().dedicated_nic = true;
  expect_pass(headers.ask(kQosTcpInLosslessClass));
}

TEST(QosTcpInLosslessClass, says_nothing_of_a_class_that_carries_little) {
  expect_pass(receiving(1e6, 0).ask(kQosTcpInLosslessClass));
}

TEST(QosTcpInLosslessClass, is_not_sure_where_virtual_functions_may_have_sent_it) {
  Scene scene;
  RdmaPort virtual_port = scene.port();
  virtual_port.device = "mlx5_2";
  virtual_port.function = FunctionKind::Virtual;
  virtual_port.in_scope = false;
  virtual_port.pci_address = std::string("0000:3b:00.2");
  scene.now().ports.push_back(virtual_port);
  scene.every(10, 31, {{Id::RxBytesPriority, 1e9, 3}});
  const Judgement said = scene.ask(kQosTcpInLosslessClass);
  expect_fail(said, Severity::Warning, "Virtual functions of this card");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(QosTcpInLosslessClass, is_info_until_five_minutes_were_seen) {
  Scene scene;
  scene.every(10, 3, {{Id::RxBytesPriority, 9e9, 3}});
  expect_fail(scene.ask(kQosTcpInLosslessClass), Severity::Info, "not sustained yet");
}

TEST(QosTcpInLosslessClass, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::RdmaRxBytes).after(1).ask(kQosTcpInLosslessClass), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::RxBytesPriority}).after(1).ask(kQosTcpInLosslessClass), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
