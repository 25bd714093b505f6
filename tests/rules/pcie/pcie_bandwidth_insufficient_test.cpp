// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr std::uint64_t kGiga = 1'000'000'000;

Scene with_link(std::uint64_t gigatransfers, std::uint32_t lanes, std::uint64_t gigabits) {
  Scene scene;
  scene.nic().current_speed = gigatransfers * kGiga;
  scene.nic().current_width = lanes;
  scene.nic().max_speed = 64 * kGiga;  // the card could do more: the slot is to blame
  scene.nic().max_width = 16U;
  scene.eth0().ethtool.link_modes->speed_bits_per_second = gigabits * kGiga;
  return scene;
}

TEST(PcieBandwidthInsufficient, compares_the_bus_with_the_port) {
  struct Case {
    std::uint64_t gigatransfers;
    std::uint32_t lanes;
    std::uint64_t gigabits;
    Outcome outcome;
    Severity severity;
  };
  for (const Case& c :
       {Case{8, 16, 100, Outcome::Pass, {}}, Case{32, 16, 400, Outcome::Pass, {}}, Case{64, 16, 800, Outcome::Pass, {}},
        Case{16, 16, 400, Outcome::Fail, Severity::Critical}, Case{8, 16, 200, Outcome::Fail, Severity::Critical},
        Case{8, 8, 56, Outcome::Fail, Severity::Warning},  // 63 Gbit/s raw
        Case{16, 8, 100, Outcome::Pass, {}}, Case{8, 8, 100, Outcome::Fail, Severity::Critical}}) {
    const Judgement said = with_link(c.gigatransfers, c.lanes, c.gigabits).ask(kPcieBandwidthInsufficient);
    EXPECT_EQ(said.outcome, c.outcome) << c.gigatransfers << " " << c.lanes << ": " << words_of(said);
    if (c.outcome == Outcome::Fail)
      expect_fail(said, c.severity, "the port runs at " + std::to_string(c.gigabits) + " Gbit/s");
  }
}

TEST(PcieBandwidthInsufficient, blames_no_slot_where_several_functions_feed_a_port) {
  Scene scene = with_link(32, 4, 200);
  scene.nic().max_speed = 32 * kGiga;
  scene.nic().max_width = 4U;
  expect_fail(scene.ask(kPcieBandwidthInsufficient), Severity::Info, "built for no more than 126 Gbit/s");
  scene.nic().max_width = 16U;
  expect_fail(scene.ask(kPcieBandwidthInsufficient), Severity::Critical);
  scene.nic().max_width = denied();
  expect_fail(scene.ask(kPcieBandwidthInsufficient), Severity::Critical);
  for (const std::uint32_t absurd : {0U, 1U, 2U}) {  // less than the link does
    scene.nic().max_width = absurd;
    expect_fail(scene.ask(kPcieBandwidthInsufficient), Severity::Critical);
  }
}

/// A second port of the same card, at the speed of the first.
Scene two_ports(std::uint64_t gigatransfers) {
  Scene scene = with_link(gigatransfers, 16, 100);
  PciFunction second = scene.nic();
  second.address = "0000:3b:00.1";
  scene.now().pci.push_back(second);
  Netdev netdev = scene.eth0();
  netdev.link.name = "eth1";
  netdev.link.parent_device = second.address;
  scene.now().netdevs.push_back(netdev);
  RdmaPort port = scene.port();
  port.device = "mlx5_1";
  port.members = {"eth1"};
  scene.now().ports.push_back(port);
  return scene;
}

TEST(PcieBandwidthInsufficient, adds_up_the_ports_in_use_of_one_card) {
  expect_pass(two_ports(32).ask(kPcieBandwidthInsufficient));
  expect_fail(two_ports(8).ask(kPcieBandwidthInsufficient), Severity::Warning,
              "its 2 ports in use run at 200 Gbit/s together");
  Scene unused = two_ports(8);
  unused.now().ports[1].in_scope = false;
  expect_pass(unused.ask(kPcieBandwidthInsufficient));
  Scene down = two_ports(8);
  down.netdev("eth1").link.carrier = false;
  expect_pass(down.ask(kPcieBandwidthInsufficient));
}

TEST(PcieBandwidthInsufficient, does_not_count_the_spare_of_a_bond) {
  Scene scene = with_link(8, 16, 100);
  expect_pass(scene.bonded(1, "eth0").ask(kPcieBandwidthInsufficient));
  Scene both = with_link(8, 16, 100);
  expect_fail(both.bonded(4, "").ask(kPcieBandwidthInsufficient), Severity::Warning, "its 2 ports in use");
}

TEST(PcieBandwidthInsufficient, is_less_sure_in_a_virtual_machine) {
  Scene scene = with_link(8, 8, 100);
  scene.now().host.virtual_machine = true;
  EXPECT_LT(scene.ask(kPcieBandwidthInsufficient).confidence, 0.7);
}

TEST(PcieBandwidthInsufficient, is_unknown_or_not_applicable) {
  Scene scene;
  scene.nic().current_width = denied();
  expect_unknown(scene.ask(kPcieBandwidthInsufficient), Why::Denied);
  scene.nic().current_width = 0U;
  expect_unknown(scene.ask(kPcieBandwidthInsufficient), Why::Malformed);
  Scene speedless;
  speedless.eth0().ethtool.link_modes = denied();
  expect_unknown(speedless.ask(kPcieBandwidthInsufficient), Why::Denied);
  Scene down;
  down.eth0().ethtool.link_modes->speed_bits_per_second = not_present();
  expect_not_applicable(down.ask(kPcieBandwidthInsufficient));
  Scene software;
  software.eth0().link.parent_device = not_present();
  software.port().pci_address = not_present();
  expect_not_applicable(software.ask(kPcieBandwidthInsufficient));
}

}  // namespace
}  // namespace roceready::rules_test
