// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence_test {
namespace {

const std::string kDevinfo =
    "hca_id:\tmlx5_0\n\ttransport:\t\t\tInfiniBand "
    "(0)\n\tfw_ver:\t\t\t\t16.35.2000\n\tnode_guid:\t\t\t0c42:a103:00d6:b2a8\n"
    "\tvendor_id:\t\t\t0x02c9\n\tvendor_part_id:\t\t\t4119\n\tphys_port_cnt:\t\t\t2\n\tmax_qp:\t\t\t\t262144\n"
    "\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n"
    "\t\t\tsm_lid:\t\t\t0\n\t\t\tlink_layer:\t\tEthernet\n\t\t\tactive_width:\t\t4X (2)\n"
    "\t\t\tphys_state:\t\tLINK_UP (5)\n"
    "\t\t\tGID[  0]:\t\tfe80::5eff:fe00:5301, RoCE v1\n\t\t\tGID[  3]:\t\t::ffff:192.0.2.6, RoCE v2\n\n"
    "\t\tport:\t2\n\t\t\tstate:\t\t\tPORT_DOWN (1)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n"
    "\t\t\tlink_layer:\t\tEthernet\n\n"
    "hca_id:\trxe0\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t0.0.0\n\t\tport:\t1\n"
    "\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t9999 (9)\n";

TEST(IbvDevinfo, devices_and_ports) {
  const evidence::Draft draft = read_text(kDevinfo);
  const auto& ports = draft.snapshot().ports;
  ASSERT_EQ(ports.size(), 3U);
  EXPECT_EQ(ports[0].firmware.value_or(""), "16.35.2000");
  EXPECT_EQ(ports[0].state.value_or(""), "ACTIVE");
  EXPECT_EQ(ports[0].physical_state.value_or(""), "LinkUp");
  EXPECT_EQ(ports[0].active_mtu.value_or(0), 1024U);
  EXPECT_EQ(ports[0].max_mtu.value_or(0), 4096U);
  EXPECT_EQ(ports[0].link_layer.value_or(""), "Ethernet");
  EXPECT_EQ(ports[0].protocol.value_or(""), "roce");
  ASSERT_TRUE(ports[0].gids);
  ASSERT_EQ(ports[0].gids->size(), 2U);
  EXPECT_EQ(ports[0].gids->at(1).index, 3U);
  EXPECT_EQ(ports[0].gids->at(1).gid, "::ffff:192.0.2.6");
  EXPECT_EQ(ports[0].gids->at(1).type, "RoCE v2");
  EXPECT_EQ(ports[1].port, 2U);
  EXPECT_EQ(ports[1].state.value_or(""), "DOWN");
  EXPECT_EQ(ports[1].firmware.value_or(""), "16.35.2000");
  EXPECT_FALSE(ports[1].gids);
  EXPECT_EQ(ports[2].driver, "rdma_rxe");
  EXPECT_EQ(ports[2].function, FunctionKind::Software);
  EXPECT_EQ(ports[2].active_mtu.absent().why, Why::Malformed);
  EXPECT_EQ(draft.unread_count(), 0U);
}

TEST(IbvDevinfo, short_layouts) {
  const evidence::Draft named = read_text(
      "hca_id: mlx5_bond_0\nphys_state: LINK_UP (5)\n"
      "GID[  0]: fe80:0000:0000:0000:0000:5eff:fe00:5301, RoCE v1\nGID[  1]: fe80::5eff:fe00:5301, RoCE v2\n"
      "GID[  2]: 0000:0000:0000:0000:0000:ffff:c000:0206, RoCE v1\nGID[  3]: ::ffff:192.0.2.6, RoCE v2\n");
  ASSERT_TRUE(named.snapshot().ports.at(0).gids);
  EXPECT_EQ(named.snapshot().ports[0].gids->size(), 4U);
  EXPECT_EQ(named.snapshot().ports[0].gids->at(2).gid, "::ffff:192.0.2.6");
  const evidence::Draft nameless = read_text("max_mtu: 4096 (5)\nactive_mtu: 1024 (3)\nlink_layer: Ethernet\n");
  EXPECT_EQ(nameless.snapshot().ports.at(0).device, "");
  EXPECT_EQ(nameless.snapshot().ports.at(0).active_mtu.value_or(0), 1024U);
  const evidence::Draft mixed =
      read_text("fw_ver: 14.20.1010\nvendor_part_id: 4117\nmlx5_1 state: PORT_DOWN (1)\nmax_mtu: 4096 (5)\n");
  EXPECT_EQ(mixed.snapshot().ports.back().device, "mlx5_1");
  EXPECT_EQ(mixed.snapshot().ports.back().state.value_or(""), "DOWN");
}

TEST(IbvDevinfo, gids_without_types_are_no_table) {
  const evidence::Draft draft =
      read_text("hca_id: mlx5_0\n\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:0000:5eff:fe00:5301\n");
  ASSERT_FALSE(draft.snapshot().ports.at(0).gids);
  EXPECT_EQ(draft.snapshot().ports[0].gids.absent().why, Why::NotRecorded);
}

TEST(IbvDevinfo, every_cut_is_lived_with) {
  cut_everywhere(kDevinfo);
}

TEST(IbvDevices, names_devices) {
  const evidence::Draft draft = read_text(
      "    device          \t   node GUID\n    ------          \t----------------\n"
      "    mlx5_0          \t0c42a10300d6b2a8\n    rocep65s0f0     \t0c42a10300d6b2a9\n");
  ASSERT_EQ(draft.snapshot().ports.size(), 2U);
  EXPECT_EQ(draft.snapshot().ports[1].device, "rocep65s0f0");
  EXPECT_EQ(read_text("mlx5_0\nmlx5_1\n").snapshot().ports.size(), 2U);
}

TEST(Ibdev2netdev, both_layouts) {
  const evidence::Draft draft = read_text(
      "mlx5_0 port 1 ==> ens1f0 (Up)\n"
      "0000:3b:00.1 mlx5_1 (MT4119 - MCX556A-EDAT) CX556A - ConnectX-5 QSFP28 fw 16.35.2000 port 1 (DOWN  ) ==> "
      "ens1f1 (Down)\n");
  EXPECT_EQ(draft.snapshot().ports.at(0).netdev.value_or(""), "ens1f0");
  EXPECT_EQ(draft.snapshot().ports.at(1).netdev.value_or(""), "ens1f1");
  EXPECT_EQ(draft.snapshot().ports.at(1).pci_address.value_or(""), "0000:3b:00.1");
  EXPECT_EQ(draft.snapshot().ports.at(1).firmware.value_or(""), "16.35.2000");
  EXPECT_EQ(draft.snapshot().netdev("ens1f1")->link.oper_state.value_or(""), "down");
  EXPECT_EQ(draft.snapshot().ports.at(1).state.value_or(""), "DOWN");
  EXPECT_FALSE(draft.snapshot().ports.at(0).state) << "without -v it is not told";
}

TEST(ShowGids, a_table_with_and_without_ipv4) {
  const std::string text =
      "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"
      "mlx5_0\t1\t0\tfe80:0000:0000:0000:0000:5eff:fe00:5301\t\t\tv1\tens1f0\n"
      "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:0206\t192.0.2.6  \tv2\tens1f0\nn_gids_found=2\n";
  const evidence::Draft draft = read_text(text);
  ASSERT_TRUE(draft.snapshot().ports.at(0).gids);
  ASSERT_EQ(draft.snapshot().ports[0].gids->size(), 2U);
  EXPECT_EQ(draft.snapshot().ports[0].gids->at(0).type, "RoCE v1");
  EXPECT_EQ(draft.snapshot().ports[0].gids->at(1).netdev.value_or(""), "ens1f0");
  cut_everywhere(text);
}

TEST(ShowGids, none_found_is_an_empty_table_of_the_devices_that_there_are) {
  const evidence::Draft draft =
      read_text("$ show_gids\nDEV PORT INDEX GID IPv4 VER NETDEV\nn_gids_found=0\n$ ibv_devices\nmlx5_0\nmlx5_1\n");
  ASSERT_EQ(draft.snapshot().ports.size(), 2U);
  for (const RdmaPort& port : draft.snapshot().ports) {
    ASSERT_TRUE(port.gids);
    EXPECT_TRUE(port.gids->empty());
  }
}

TEST(Ibstat, and_ibstatus) {
  const std::string ibstat =
      "CA 'mlx5_0'\n\tCA type: MT4123\n\tNumber of ports: 1\n\tFirmware version: 20.31.1014\n\tPort 1:\n"
      "\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 100\n\t\tBase lid: 0\n\t\tLink layer: Ethernet\n"
      "CA 'mlx5_1'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Disabled\n\t\tLink layer: InfiniBand\n";
  const evidence::Draft draft = read_text(ibstat);
  EXPECT_EQ(draft.snapshot().ports.at(0).firmware.value_or(""), "20.31.1014");
  EXPECT_EQ(draft.snapshot().ports.at(0).state.value_or(""), "ACTIVE");
  EXPECT_EQ(draft.snapshot().ports.at(1).physical_state.value_or(""), "Disabled");
  EXPECT_EQ(draft.snapshot().ports.at(1).link_layer.value_or(""), "InfiniBand");
  cut_everywhere(ibstat);
  const evidence::Draft status = read_text(
      "Infiniband device 'mlx5_2' port 1 status:\n\tdefault gid:\t fe80:0000:0000:0000:0000:5eff:fe00:5301\n"
      "\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n\trate:\t\t 100 Gb/sec (4X EDR)\n\tlink_layer:\t Ethernet\n");
  EXPECT_EQ(status.snapshot().ports.at(0).device, "mlx5_2");
  EXPECT_EQ(status.snapshot().ports.at(0).state.value_or(""), "ACTIVE");
  EXPECT_EQ(status.snapshot().ports.at(0).physical_state.value_or(""), "LinkUp");
}

}  // namespace
}  // namespace roceready::evidence_test
