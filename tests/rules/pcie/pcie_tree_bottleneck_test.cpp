// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// Puts a switch above the NIC's bridge: 0000:38:00.0 is its uplink, below root port 0000:00:01.0.
Scene behind_switch() {
  Scene scene;
  PciFunction uplink = scene.bridge(), root = scene.bridge();
  uplink.address = "0000:38:00.0";
  root.address = "0000:00:01.0";
  uplink.parent = root.address;
  scene.bridge().parent = uplink.address;
  scene.now().pci.insert(scene.now().pci.begin(), {root, uplink});
  return scene;
}
PciFunction& uplink(Scene& scene) {
  return scene.now().pci[1];
}

TEST(PcieTreeBottleneck, finds_the_narrow_link_further_up) {
  Scene scene = behind_switch();
  expect_pass(scene.ask(kPcieTreeBottleneck));
  uplink(scene).current_width = 8U;
  expect_fail(scene.ask(kPcieTreeBottleneck), Severity::Warning,
              "bridge 0000:38:00.0 above it runs at 16 GT/s on 8 lanes");
  // The NIC's own link is as narrow: nothing further up holds it back.
  scene.nic().current_width = 8U;
  scene.eth0().link.carrier = false;
  expect_pass(scene.ask(kPcieTreeBottleneck));
}

TEST(PcieTreeBottleneck, leaves_the_other_end_of_the_nics_own_link_to_other_rules) {
  Scene scene = behind_switch();
  scene.bridge().current_width = 4U;
  expect_pass(scene.ask(kPcieTreeBottleneck));
}

/// A second NIC in use below the same switch, at the speed of the first.
Scene sharing(std::uint64_t speed) {
  Scene scene = behind_switch();
  PciFunction bridge = scene.bridge(), nic = scene.nic();
  bridge.address = "0000:3c:00.0";
  nic.address = "0000:3d:00.0";
  nic.parent = bridge.address;
  scene.now().pci.push_back(bridge);
  scene.now().pci.push_back(nic);
  scene.eth0().ethtool.link_modes->speed_bits_per_second = speed;
  Netdev netdev = scene.eth0();
  netdev.link.name = "eth1";
  netdev.link.parent_device = nic.address;
  scene.now().netdevs.push_back(netdev);
  RdmaPort port = scene.port();
  port.device = "mlx5_1";
  port.members = {"eth1"};
  scene.now().ports.push_back(port);
  return scene;
}

TEST(PcieTreeBottleneck, adds_up_the_ports_that_share_an_uplink) {
  expect_pass(sharing(100'000'000'000).ask(kPcieTreeBottleneck));
  Scene scene = sharing(200'000'000'000);
  expect_fail(scene.ask(kPcieTreeBottleneck), Severity::Warning,
              "for eth0 and eth1, whose ports run at 400 Gbit/s together");
  scene.now().gpus = std::vector<Gpu>{{"0000:3e:00.0", {}, {}, "0000:38:00.0"}};
  expect_fail(scene.ask(kPcieTreeBottleneck), Severity::Info, "a GPU below the same switch");
  scene.netdev("eth1").link.carrier = false;
  expect_pass(scene.ask(kPcieTreeBottleneck));
}

TEST(PcieTreeBottleneck, is_unknown_when_denied_and_passes_over_bridges_without_a_link) {
  Scene scene = behind_switch();
  uplink(scene).current_width = denied();
  expect_unknown(scene.ask(kPcieTreeBottleneck), Why::Denied);
  uplink(scene).current_width = not_present();
  expect_pass(scene.ask(kPcieTreeBottleneck));
  scene.nic().current_speed = denied();
  expect_unknown(scene.ask(kPcieTreeBottleneck), Why::Denied);
  Scene software;
  software.eth0().link.parent_device = not_present();
  software.port().pci_address = not_present();
  expect_not_applicable(software.ask(kPcieTreeBottleneck));
}

}  // namespace
}  // namespace roceready::rules_test
