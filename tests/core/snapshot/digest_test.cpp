// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/digest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace roceready {
namespace {

Snapshot snapshot() {
  Netdev eth0;
  eth0.link.name = "eth0";
  eth0.link.mtu = 9000U;
  eth0.ethtool.driver = DriverInfo{"mlx5_core", "6.1", "22.39.2048 (MT_0000000359)", "0000:3b:00.0"};
  LinkModes modes;
  modes.speed_bits_per_second = 100'000'000'000ULL;
  eth0.ethtool.link_modes = modes;
  FecFacts fec;
  fec.active = std::string("RS");
  eth0.ethtool.fec = fec;
  PfcFacts pfc;
  pfc.enabled = 8;
  eth0.dcb.pfc = pfc;
  eth0.dcb.trust = std::string("dscp");
  std::vector<std::uint32_t> map;
  for (std::uint32_t dscp = 0; dscp < 64; ++dscp) map.push_back(dscp / 8);
  map[46] = 3;
  eth0.dcb.dscp_to_priority = map;
  PciFunction nic;
  nic.address = "0000:3b:00.0";
  nic.vendor_device = std::string("15b3:101d");
  RdmaPort port;
  port.device = "mlx5_0";
  port.in_scope = true;
  port.driver = "mlx5_ib";
  port.netdev = std::string("eth0");
  port.members = {"eth0"};
  port.pci_address = nic.address;
  port.active_mtu = 4096U;
  port.gids = std::vector<GidEntry>{
      {0, "fe80::1", "RoCE v2", {}}, {2, "::ffff:10.0.0.1", "RoCE v1", {}}, {3, "::ffff:10.0.0.1", "RoCE v2", {}}};
  Snapshot out;
  out.netdevs = {eth0};
  out.ports = {port};
  out.pci = {nic};
  return out;
}

TEST(Digest, tells_of_a_port_what_peers_compare) {
  const NodeDigest node = digest_of(snapshot(), "nvidia-lossless", "gpu");
  EXPECT_EQ(node.profile, "nvidia-lossless");
  EXPECT_EQ(node.role, "gpu");
  ASSERT_EQ(node.ports.size(), 1U);
  const PortDigest& port = node.ports[0];
  EXPECT_EQ(port.address.value_or(""), "10.0.0.1");
  EXPECT_EQ(port.trust.value_or(""), "dscp");
  EXPECT_EQ(port.driver.value_or(""), "mlx5_core");
  EXPECT_EQ(port.firmware.value_or(""), "22.39.2048 (MT_0000000359)");
  EXPECT_EQ(port.model.value_or(""), "15b3:101d");
  EXPECT_EQ(port.fec.value_or(""), "RS");
  EXPECT_EQ(port.pfc_mask.value_or(0), 8U);
  EXPECT_EQ(port.mtu.value_or(0), 9000U);
  EXPECT_EQ(port.active_mtu.value_or(0), 4096U);
  EXPECT_EQ(port.speed_bits_per_second.value_or(0), 100'000'000'000ULL);
  EXPECT_EQ(port.roce_versions.value_or({}), (std::vector<std::string>{"RoCE v1", "RoCE v2"}));
}

TEST(Digest, holds_of_the_dscp_map_what_is_not_the_common_default) {
  Snapshot one = snapshot();
  const std::map<std::string, std::uint32_t> only_46{{"46", 3}};
  EXPECT_EQ(digest_of(one, one.ports[0]).dscp_to_priority.value_or({}), only_46);
  // A default that somebody configured anew makes no difference.
  one.netdevs[0].dcb.app = std::vector<AppEntry>{{kSelectorDscp, 26, 3}, {kSelectorDscp, 46, 3}};
  EXPECT_EQ(digest_of(one, one.ports[0]).dscp_to_priority.value_or({}), only_46);
}

TEST(Digest, takes_the_app_table_where_the_effective_map_is_not_known) {
  Snapshot one = snapshot();
  one.netdevs[0].dcb.dscp_to_priority = Absent{Why::NotSupported, "the default map is not known"};
  one.netdevs[0].dcb.app = std::vector<AppEntry>{{kSelectorDscp, 26, 3}, {kSelectorDscp, 26, 1}, {1, 0x8915, 3}};
  const std::map<std::string, std::uint32_t> highest{{"26", 3}};
  EXPECT_EQ(digest_of(one, one.ports[0]).dscp_to_priority.value_or({}), highest);
}

TEST(Digest, never_tells_the_firmware_in_another_spelling) {
  Snapshot one = snapshot();
  one.ports[0].firmware = std::string("22.39.2048");
  EXPECT_EQ(digest_of(one, one.ports[0]).firmware.value_or(""), "22.39.2048 (MT_0000000359)");
  one.netdevs[0].ethtool.driver = Absent{Why::TimedOut, "the device is held up"};
  EXPECT_EQ(digest_of(one, one.ports[0]).firmware.absent().why, Why::TimedOut);
  one.netdevs.clear();
  EXPECT_FALSE(digest_of(one, one.ports[0]).firmware) << "it is not visible for a moment";
  one.ports[0].members.clear();
  EXPECT_EQ(digest_of(one, one.ports[0]).firmware.value_or(""), "22.39.2048") << "a port without a netdev has no other";
}

TEST(Digest, says_why_a_fact_is_missing_and_leaves_out_ports_out_of_scope) {
  Snapshot one = snapshot();
  one.netdevs[0].dcb.pfc = Absent{Why::Denied, "EPERM"};
  EXPECT_EQ(digest_of(one, one.ports[0]).pfc_mask.absent().why, Why::Denied);
  one.netdevs.clear();
  const PortDigest bare = digest_of(one, one.ports[0]);
  EXPECT_EQ(bare.mtu.absent().why, Why::NotPresent);
  EXPECT_EQ(bare.trust.absent().why, Why::NotPresent);
  EXPECT_EQ(bare.driver.value_or(""), "mlx5_ib");
  one.ports[0].in_scope = false;
  EXPECT_TRUE(digest_of(one, "", "").ports.empty());
}

}  // namespace
}  // namespace roceready
