// SPDX-License-Identifier: Apache-2.0
// Evidence of a finding names the line that states its value, not the head of the output or an earlier one.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "daemon/evidence/judge.h"
#include "rules/report.h"
#include "rules/rule.h"

namespace roceready::hosts {
namespace {

namespace fs = std::filesystem;

/// Files that a test writes, below a directory of its own.
class Sent {
 public:
  Sent() {
    std::string name = (fs::temp_directory_path() / "roceready-places-XXXXXX").string();
    root_ = ::mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~Sent() { fs::remove_all(root_); }
  Sent(const Sent&) = delete;
  Sent& operator=(const Sent&) = delete;
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((fs::path(root_) / path).parent_path());
    std::ofstream(fs::path(root_) / path) << text;
  }
  [[nodiscard]] daemon::EvidenceReports judge(const std::string& device = "") const {
    daemon::EvidenceRequest request;
    request.paths = {root_};
    request.device = device;
    request.overrides["profile"] = "nvidia-lossless";
    auto judged = daemon::judge_evidence(request);
    EXPECT_TRUE(judged) << (judged ? "" : judged.error().text());
    return judged ? std::move(*judged) : daemon::EvidenceReports{};
  }

 private:
  std::string root_;
};

/// Source of the first item of a rule's evidence whose words begin so; "" where there is none.
std::string source_of(const daemon::EvidenceReports& reports, const std::string& rule, const std::string& what) {
  for (const rules::ReportPtr& report : reports.hosts) {
    for (const rules::Finding& finding : report->findings) {
      if (finding.rule->id != rule) continue;
      for (const rules::EvidenceItem& item : finding.evidence)
        if (item.what.starts_with(what)) return item.source;
    }
  }
  return {};
}

TEST(Places, of_a_priority_s_counter_is_its_own_line) {
  const Sent sent;
  sent.write("a.txt",
             "[root@n1 ~]# ethtool -S eth0\nNIC statistics:\n     rx_prio0_pause: 5\n     rx_prio3_pause: 100\n"
             "     link_down_events_phy: 2\n");
  const auto reports = sent.judge();
  const std::string three = source_of(reports, "transport-seen-since-boot", "pfc_rx_pause_frames 3");
  EXPECT_NE(three.find("a.txt:4 "), std::string::npos) << three;
  const std::string zero = source_of(reports, "transport-seen-since-boot", "pfc_rx_pause_frames 0");
  EXPECT_NE(zero.find("a.txt:3 "), std::string::npos) << zero;
}

TEST(Places, of_a_setting_is_the_line_that_holds) {
  const Sent sent;
  sent.write("a.txt",
             "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n"
             "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n");
  sent.write("b.txt",
             "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n"
             "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   0   0   0   0   0   \n");
  const auto reports = sent.judge();
  const std::string trust = source_of(reports, "qos-trust-pcp", "trust");
  EXPECT_NE(trust.find("b.txt:3 "), std::string::npos) << trust;
  const std::string pfc = source_of(reports, "pfc-disabled", "priorities with PFC");
  EXPECT_NE(pfc.find("b.txt:6 "), std::string::npos) << pfc;
}

TEST(Places, of_the_dcb_tool_s_settings_are_theirs) {
  const Sent sent;
  sent.write("a.txt",
             "[root@n1 ~]# dcb pfc show dev eth0\npfc-cap 8 macsec-bypass off delay 0\n"
             "prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n");
  const std::string pfc = source_of(sent.judge(), "pfc-disabled", "priorities with PFC");
  EXPECT_NE(pfc.find("a.txt:3 "), std::string::npos) << pfc;
}

TEST(Places, of_a_kernel_s_file_is_the_file) {
  const Sent sent;
  sent.write("n1/proc/sys/kernel/numa_balancing", "1\n");
  sent.write("n1/link.txt", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n");
  const std::string source = source_of(sent.judge(), "host-numa-balancing-on", "kernel.numa_balancing");
  EXPECT_NE(source.find("numa_balancing:1 "), std::string::npos) << source;
}

const std::string kLink = "[root@n1 ~]# rdma link\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n";

/// The place of an item of a rule's evidence, where one file holds `text`.
std::string place_of(const std::string& text, const std::string& rule, const std::string& what) {
  const Sent sent;
  sent.write("a.txt", text);
  const std::string source = source_of(sent.judge(), rule, what);
  const std::string place = source.substr(0, source.find(' '));
  return place.substr(place.rfind('/') + 1);
}

TEST(Places, of_pause_are_the_lines_of_both_directions) {
  const std::string text = kLink +
                           "[root@n1 ~]# ethtool -a eth0\nPause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\ton\n"
                           "TX:\t\ton\n";
  EXPECT_EQ(place_of(text, "pfc-global-pause", "receive pause"), "a.txt:6");
  EXPECT_EQ(place_of(text, "pfc-global-pause", "transmit pause"), "a.txt:7");
}

TEST(Places, of_mtus_are_those_of_the_outputs_that_state_them) {
  const std::string text =
      "[root@n1 ~]# ibdev2netdev\nmlx5_0 port 1 ==> eth0 (Up)\n[root@n1 ~]# ibv_devinfo -d mlx5_0\nhca_id:\tmlx5_0\n"
      "\ttransport:\t\t\tInfiniBand (0)\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n"
      "\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n\t\t\tlink_layer:\t\tEthernet\n"
      "[root@n1 ~]# ip link show dev eth0\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode "
      "DEFAULT group default qlen 1000\n";
  EXPECT_EQ(place_of(text, "roce-mtu-low", "RDMA MTU"), "a.txt:9");
  EXPECT_EQ(place_of(text, "roce-mtu-low", "netdev MTU"), "a.txt:12");
}

TEST(Places, of_a_speed_is_its_line_behind_the_link_modes) {
  const std::string text =
      kLink +
      "[root@n1 ~]# ethtool eth0\nSettings for eth0:\n\tSupported link modes:   50000baseKR2/Full\n"
      "\t                        100000baseCR4/Full\n\tSupported pause frame use: Symmetric\n"
      "\tAdvertised link modes:  100000baseCR4/Full\n\tAdvertised pause frame use: Symmetric\n"
      "\tSpeed: 50000Mb/s\n\tLink detected: yes\n";
  EXPECT_EQ(place_of(text, "link-speed-low", "negotiated speed"), "a.txt:10");
}

TEST(Places, of_a_dscp_is_the_line_that_maps_it) {
  const std::string text =
      kLink +
      "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
      "\tprio:0 dscp:07,06,05,04,03,02,01,00,\n\tprio:1 dscp:15,14,13,12,11,10,09,08,\n"
      "\tprio:2 dscp:23,22,21,20,19,18,17,16,\n\tprio:3 dscp:31,30,29,28,27,25,24,\n"
      "\tprio:4 dscp:39,38,37,36,35,34,33,32,\n\tprio:5 dscp:47,46,45,44,43,42,41,40,26,\n"
      "\tprio:6 dscp:55,54,53,52,51,50,49,48,\n\tprio:7 dscp:63,62,61,60,59,58,57,56,\n";
  EXPECT_EQ(place_of(text, "qos-dscp-map", "priority of RoCE's DSCP 26"), "a.txt:12");
}

TEST(Places, of_fec_totals_are_the_lines_of_show_fec) {
  const std::string text =
      kLink +
      "[root@n1 ~]# ethtool -I --show-fec eth0\nFEC parameters for eth0:\nSupported/Configured FEC encodings: Auto RS\n"
      "Active FEC encoding: RS\nStatistics:\n  corrected_blocks: 123456\n  uncorrectable_blocks: 77\n"
      "  corrected_bits: 99\n";
  EXPECT_EQ(place_of(text, "transport-seen-since-boot", "fec_corrected_bits"), "a.txt:10");
  EXPECT_EQ(place_of(text, "transport-seen-since-boot", "fec_uncorrectable_blocks"), "a.txt:9");
}

TEST(Places, of_what_a_module_measures_are_the_lines_of_the_values) {
  const std::string text = kLink +
                           "[root@n1 ~]# ethtool -m eth0\n\tIdentifier                                : 0x11 (QSFP28)\n"
                           "\tModule temperature                        : 82.00 degrees C / 179.60 degrees F\n"
                           "\tRcvr signal avg optical power(Channel 1)  : 0.5000 mW / -3.01 dBm\n"
                           "\tRcvr signal avg optical power(Channel 2)  : 0.0100 mW / -20.00 dBm\n"
                           "\tModule temperature high alarm threshold   : 80.00 degrees C / 176.00 degrees F\n"
                           "\tModule temperature low alarm threshold    : -10.00 degrees C / 14.00 degrees F\n"
                           "\tModule temperature high warning threshold : 75.00 degrees C / 167.00 degrees F\n"
                           "\tModule temperature low warning threshold  : -5.00 degrees C / 23.00 degrees F\n"
                           "\tLaser rx power high alarm threshold       : 3.4673 mW / 5.40 dBm\n"
                           "\tLaser rx power low alarm threshold        : 0.0467 mW / -13.31 dBm\n"
                           "\tLaser rx power high warning threshold     : 2.1878 mW / 3.40 dBm\n"
                           "\tLaser rx power low warning threshold      : 0.0933 mW / -10.30 dBm\n";
  EXPECT_EQ(place_of(text, "link-module-fault", "temperature"), "a.txt:5");
  EXPECT_EQ(place_of(text, "link-module-fault", "receive power of lane 2"), "a.txt:7");
}

TEST(Places, of_niccli_s_and_nicctl_s_settings_are_theirs) {
  const std::string broadcom =
      "[root@n1 ~]# rdma link\nlink bnxt_re0/1 state ACTIVE physical_state LINK_UP netdev eth0\n"
      "[root@n1 ~]# niccli -i 1 getqos\nIEEE 8021QAZ ETS Configuration TLV:\n"
      "\t PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2 \n\t TC Bandwidth: 50% 50% 0%\n\t TSA_MAP: 0:ets 1:ets 2:strict \n"
      "IEEE 8021QAZ PFC TLV:\n\t PFC enabled: none\nIEEE 8021QAZ APP TLV:\n\t APP#0:\n\t  Priority: 7\n\t  Sel: 5\n"
      "\t  DSCP: 48\n\n\t APP#1:\n\t  Priority: 3\n\t  Sel: 5\n\t  DSCP: 26\n";
  EXPECT_EQ(place_of(broadcom, "pfc-disabled", "priorities with PFC"), "a.txt:9");
  EXPECT_EQ(place_of(broadcom, "qos-dscp-map", "priority of DSCP 48"), "a.txt:14");
  const std::string amd =
      "[root@n1 ~]# nicctl show qos\nNIC  : 42424650-4c32-3434-3330-303433000000\n"
      "Port : 04908134-9e38-4242-4242-000011010000\n  Classification type                       : DSCP\n"
      "  DSCP-to-priority :\n    DSCP                                    : 0-63 ==> priority : 0\n  PFC :\n"
      "    PFC priority bitmap                     : 0x0\n";
  EXPECT_EQ(place_of(amd, "pfc-disabled", "priorities with PFC"), "a.txt:8");
  EXPECT_EQ(place_of(amd, "qos-dscp-map", "priority of RoCE's DSCP 26"), "a.txt:6");
}

TEST(Places, of_a_share_of_time_is_the_counter_s_last_line) {
  const std::string text =
      kLink +
      "[root@n1 ~]# date; ethtool -S eth0\nMon Nov 30 10:00:00 UTC 2026\nNIC statistics:\n     rx_prio3_bytes: 1000\n"
      "     rx_prio3_pause: 100\n     rx_prio3_pause_duration: 1000\n     tx_prio3_bytes: 1000\n"
      "[root@n1 ~]# date; ethtool -S eth0\nMon Nov 30 10:01:00 UTC 2026\nNIC statistics:\n     rx_prio3_bytes: 1000\n"
      "     rx_prio3_pause: 9000100\n     rx_prio3_pause_duration: 50001000\n     tx_prio3_bytes: 1000\n";
  EXPECT_EQ(place_of(text, "pfc-rx-pause-high", "share of time that priority 3"), "a.txt:15");
  EXPECT_EQ(place_of(text, "pfc-rx-pause-high", "sent on priority 3"), "a.txt:16");
}

TEST(Places, of_drops_and_shares_are_the_counter_s_last_line) {
  const auto reading = [](const std::string& clock, const std::string& packets, const std::string& bad) {
    return "[root@n1 ~]# date; ethtool -S eth0\nMon Nov 30 " + clock +
           " UTC 2026\nNIC statistics:\n     rx_vport_rdma_unicast_packets: " + packets +
           "\n     tx_vport_rdma_unicast_packets: " + packets + "\n     rx_prio3_discards: " + bad +
           "\n[root@n1 ~]# rdma statistic show link mlx5_0/1\nlink mlx5_0/1 packet_seq_err " + bad +
           " out_of_sequence " + bad + "\n";
  };
  const std::string text = kLink + reading("10:00:00", "1000", "0") + reading("10:01:00", "80001000", "90000");
  EXPECT_EQ(place_of(text, "drop-rx-lossless-prio", "packets dropped on receive"), "a.txt:16");
  EXPECT_EQ(place_of(text, "transport-oos", "out of sequence"), "a.txt:18");
  EXPECT_EQ(place_of(text, "transport-seq-err", "sequence NAKs per packet sent"), "a.txt:18");
}

TEST(Places, of_a_carrier_by_the_driver_is_link_detected) {
  const std::string text =
      "[root@n1 ~]# rdma link\nlink mlx5_0/1 state DOWN physical_state DISABLED netdev eth0\n"
      "[root@n1 ~]# ethtool eth0\nSettings for eth0:\n\tSupported ports: [ Backplane ]\n\tSpeed: Unknown!\n"
      "\tLink detected: no (Autoneg, No partner detected)\n";
  EXPECT_EQ(place_of(text, "link-down", "carrier"), "a.txt:7");
}

TEST(Places, of_the_kernel_s_counts_are_the_lines_of_the_tools_that_show_them) {
  const auto reading = [](const std::string& clock, const std::string& frames) {
    return "[root@n1 ~]# date; dcb -s pfc show dev eth0\nMon Nov 30 " + clock +
           " UTC 2026\npfc-cap 8 macsec-bypass off delay 0\n"
           "prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\nrequests 0:0 1:0 2:0 3:" +
           frames + " 4:0 5:0 6:0 7:0\nindications 0:0 1:0 2:0 3:50 4:0 5:0 6:0 7:0\n";
  };
  const Sent sent;
  sent.write("a.txt", reading("10:00:00", "100") + reading("10:01:00", "90000100"));
  const std::string source = source_of(sent.judge(), "transport-seen-since-boot", "pfc_tx_pause_frames 3");
  EXPECT_NE(source.find("a.txt:11 "), std::string::npos) << source;
}

TEST(Places, of_growth_without_the_packets_is_the_second_reading) {
  const auto reading = [](const std::string& clock, const std::string& count) {
    return "[root@n1 ~]# date; rdma statistic show link mlx5_0/1\nMon Nov 30 " + clock +
           " UTC 2026\nlink mlx5_0/1 out_of_sequence " + count + " packet_seq_err 7 local_ack_timeout_err 3\n";
  };
  const std::string text = kLink + reading("10:00:00", "1000") + reading("10:01:00", "6000");
  EXPECT_EQ(place_of(text, "transport-seen-since-boot", "out_of_sequence"), "a.txt:8");
}

TEST(Devices, named_by_the_person_are_ports_of_the_report) {
  const Sent sent;
  sent.write("a.txt", "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: pcp\n");
  const auto reports = sent.judge("mlx5_3");
  ASSERT_EQ(reports.hosts.size(), 1U);
  const std::string trust = source_of(reports, "qos-trust-pcp", "trust");
  EXPECT_FALSE(trust.empty());
  EXPECT_EQ(reports.hosts[0]->findings.at(0).subject.device, "mlx5_3");
}

}  // namespace
}  // namespace roceready::hosts
