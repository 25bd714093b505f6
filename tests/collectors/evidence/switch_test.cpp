// SPDX-License-Identifier: Apache-2.0
// What the other end says: SONiC's counters, LLDP; and mlxlink, tc, /proc/net/dev, ethtool -S.
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

TEST(SwitchCounters, become_log_facts_of_the_peer) {
  const Parsed out = parsed(
      "admin@leaf1:~$ show pfc counters\n    Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
      "-----------  ------  ------  ------  ------  ------  ------  ------  ------\n"
      "  Ethernet0       0       0       0   1,234       0       0       0       0\n"
      "    Port Tx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
      "  Ethernet4       7       0       0       0       0       0       0       0\n");
  EXPECT_TRUE(out.unread.empty());
  const auto& log = out.draft.snapshot().log;
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].kind, "switch_pfc_received");
  EXPECT_EQ(log[0].subject, "Ethernet0");
  EXPECT_EQ(log[0].says.at("priority_3"), "1234");
  EXPECT_EQ(log[1].kind, "switch_pfc_sent");
  EXPECT_TRUE(out.draft.snapshot().netdevs.empty()) << "a switch's ports are no netdevs of this host";
}

TEST(SwitchCounters, reads_short_layouts_and_tables) {
  const Parsed pfc = parsed("Ethernet0: 0 0 0 0 0 0 0 0\nEthernet152: 0 0 0 0 179523 0 0 0\n");
  ASSERT_EQ(pfc.draft.snapshot().log.size(), 1U);
  EXPECT_EQ(pfc.draft.snapshot().log[0].says.at("priority_4"), "179523");
  const Parsed drops =
      parsed("Ethernet0 RX_OK: 61115381 RX_DRP: 0 TX_OK: 51847244 TX_DRP: 9268210\nEthernet2 RX_OK: 61115379\n");
  ASSERT_EQ(drops.draft.snapshot().log.size(), 2U);
  EXPECT_EQ(drops.draft.snapshot().log[0].kind, "switch_drops");
  EXPECT_EQ(drops.draft.snapshot().log[0].says.at("tx_drp"), "9268210");
  const Parsed table = parsed(
      "      IFACE    STATE            RX_OK       RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR            TX_OK    "
      "   "
      "TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR\n"
      "  Ethernet0        U  471,729,839,997  653.87 MB/s     12.77%         0    18,682         0  409,682,385,925  "
      "556.84 MB/s     10.88%         0         3         0\n");
  ASSERT_EQ(table.draft.snapshot().log.size(), 1U);
  EXPECT_EQ(table.draft.snapshot().log[0].says.at("rx_drp"), "18682");
  EXPECT_EQ(table.draft.snapshot().log[0].says.at("tx_drp"), "3");
  const Parsed single = parsed("output_discards: 322434\nTxPPP: 0\npfc_mode: on\npause_storms: 0\n");
  EXPECT_TRUE(single.unread.empty());
  EXPECT_EQ(single.draft.snapshot().log[0].says.at("output_discards"), "322434");
}

TEST(SwitchCounters, tells_bytes_of_priority_groups_from_pause_frames) {
  const std::string head =
      "      Port    PG0    PG1    PG2      PG3    PG4    PG5    PG6    PG7\n"
      "----------  -----  -----  -----  -------  -----  -----  -----  -----\n";
  const Parsed out = parsed(
      "admin@leaf1:~$ show priority-group watermark shared\n"
      "Ingress shared pool occupancy per PG:\n" +
      head + " Ethernet4      0      0      0  1143168      0      0      0      0\n" +
      "admin@leaf1:~$ show priority-group watermark headroom\nIngress headroom per PG:\n" + head +
      " Ethernet4      0      0      0    20800      0      0      0      0\n" +
      "   Port Tx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n" +
      " Ethernet4       0       0       0       9       0       0       0       0\n");
  const auto& log = out.draft.snapshot().log;
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].kind, "switch_headroom");
  EXPECT_EQ(log[0].says.at("group_3"), "20800");
  EXPECT_EQ(log[0].says.at("group_0"), "0");
  EXPECT_EQ(log[1].kind, "switch_pfc_sent");
  EXPECT_EQ(log[1].says.at("priority_3"), "9");
  EXPECT_EQ(out.unread.size(), 1U) << "occupancy of the shared pool";
}

TEST(SwitchCounters, a_cell_without_a_number_leaves_the_others_of_its_row) {
  const Parsed out = parsed("Ethernet0: 0 0 0 7 N/A 0 0 0\nEthernet4: 0 0 0 N/A 0 0 0 0\n");
  EXPECT_TRUE(out.unread.empty());
  ASSERT_EQ(out.draft.snapshot().log.size(), 1U);
  EXPECT_EQ(out.draft.snapshot().log[0].says.at("priority_3"), "7");
}

TEST(SwitchCounters, reads_the_watchdog) {
  const Parsed out = parsed(
      "      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST "
      "OK/DROP\n"
      "-----------  -----------  -------------------------  ------------  ------------  -----------------  "
      "-----------------\n"
      "Ethernet0:3      stormed                        1/0       100/300       100/301              0/200              "
      "0/200\n");
  EXPECT_TRUE(out.unread.empty());
  ASSERT_EQ(out.draft.snapshot().log.size(), 1U);
  const LogFact& fact = out.draft.snapshot().log[0];
  EXPECT_EQ(fact.kind, "switch_watchdog");
  EXPECT_EQ(fact.says.at("storms_detected"), "1");
  EXPECT_EQ(fact.says.at("tx_drop"), "300");
  EXPECT_EQ(fact.says.at("rx_drop"), "301");
  EXPECT_EQ(fact.says.at("status"), "stormed");
}

TEST(Lldpcli, names_the_neighbour_of_a_netdev) {
  const Parsed out = parsed(
      "-------------------------------------------------------------------------------\nLLDP neighbors:\n"
      "-------------------------------------------------------------------------------\n"
      "Interface:    eth0, via: LLDP, RID: 1, Time: 0 day, 01:02:03\n  Chassis:     \n    ChassisID:    mac "
      "02:00:00:00:00:aa\n"
      "    SysName:      leaf1\n    SysDescr:     SONiC\n    Capability:   Bridge, on\n  Port:        \n"
      "    PortID:       local Ethernet152\n    PortDescr:    rack3-node7\n    TTL:          120\n");
  ASSERT_EQ(out.draft.snapshot().log.size(), 1U);
  const LogFact& fact = out.draft.snapshot().log[0];
  EXPECT_EQ(fact.kind, "lldp_neighbor");
  EXPECT_EQ(fact.subject, "eth0");
  EXPECT_EQ(fact.says.at("system"), "leaf1");
  EXPECT_EQ(fact.says.at("port"), "local Ethernet152");
}

TEST(Mlxlink, gives_the_state_of_the_port) {
  const std::string text =
      "Operational Info\n----------------\nState                              : Active\nPhysical state                 "
      "    : LinkUp\n"
      "Speed                              : 200G\nWidth                              : 4x\n"
      "FEC                                : Standard_RS-FEC - (544,514)\nLoopback Mode                      : No "
      "Loopback\n"
      "Auto Negotiation                   : ON\n";
  const Parsed out = parsed("# mlxlink -d mlx5_0 -c\n" + text);
  EXPECT_TRUE(out.unread.empty());
  ASSERT_EQ(out.draft.snapshot().ports.size(), 1U);
  EXPECT_EQ(*out.draft.snapshot().ports[0].state, "ACTIVE");
  EXPECT_EQ(*out.draft.snapshot().ports[0].physical_state, "LinkUp");
  EXPECT_TRUE(parsed(text).draft.snapshot().ports.empty());
}

TEST(Recognised, are_outputs_that_say_nothing_of_rdma) {
  const Parsed tc =
      parsed("qdisc mqprio 8001: root tc 8 map 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0\n             queues:(0:7) (8:15)\n");
  EXPECT_EQ(tc.formats, std::vector<std::string>{"tc"});
  EXPECT_TRUE(tc.unread.empty());
  const Parsed net = parsed(
      "eth2: 322480275246795 161202637791 12245 2396226 0 0 0 71204126 497958797609464 188500340907 0 0 0 0 0 0\n");
  EXPECT_EQ(net.formats, std::vector<std::string>{"/proc/net/dev"});
}

TEST(EthtoolStatistics, takes_names_that_hold_a_colon_and_refusals) {
  const Parsed bnxt =
      parsed("$ ethtool -S eth0\nNIC statistics:\n     [0]: rx_ucast_packets: 17\n     rx_total_discard_pkts: 3\n");
  EXPECT_EQ(bnxt.draft.counters().statistics.at("eth0").at("[0]: rx_ucast_packets"), 17U);
  EXPECT_TRUE(bnxt.unread.empty());
  const Parsed none = parsed("$ ethtool -S lo\nno stats available\n");
  EXPECT_EQ(none.netdev("lo")->ethtool.statistics.absent().why, Why::NotSupported);
}

TEST(EthtoolStatistics, takes_counts_with_commas_between_groups_of_three) {
  const Parsed out = parsed(
      "$ ethtool -S eth0\nNIC statistics:\n     rx_prio3_pause: 1,234,567\n     tx_prio3_pause: 18,446,744,073,709\n"
      "     rx_discards_phy: 12,34\n     tx_discards_phy: 0,123\n     rx_crc_errors_phy: 1234,567\n");
  const auto& values = out.draft.counters().statistics.at("eth0");
  EXPECT_EQ(values.at("rx_prio3_pause"), 1'234'567U);
  EXPECT_EQ(values.at("tx_prio3_pause"), 18'446'744'073'709U);
  EXPECT_EQ(values.size(), 2U) << "the other commas part no thousands";
  const Parsed port = parsed("$ show_counters mlx5_0\nout_of_sequence: 1,234,567\npacket_seq_err: 1,23\n");
  EXPECT_EQ(port.draft.counters().hw_counters.at("mlx5_0/1").at("out_of_sequence"), 1'234'567U);
  EXPECT_FALSE(port.draft.counters().hw_counters.at("mlx5_0/1").contains("packet_seq_err"));
}

}  // namespace
}  // namespace roceready::evidence
