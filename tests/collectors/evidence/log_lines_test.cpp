// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence_test {
namespace {

struct Case {
  const char* line;
  const char* kind;
  const char* subject;
  std::map<std::string, std::string> says;
};

void expect_fact(const Case& wanted) {
  const evidence::Draft draft = read_text(std::string("some other line\n") + wanted.line + "\n");
  std::vector<LogFact> log = draft.snapshot().log;
  std::erase_if(log, [](const LogFact& one) { return one.kind.starts_with("process_of_"); });
  ASSERT_EQ(log.size(), 1U) << wanted.line;
  const LogFact& fact = log[0];
  EXPECT_EQ(fact.kind, wanted.kind) << wanted.line;
  EXPECT_EQ(fact.subject, wanted.subject) << wanted.line;
  EXPECT_EQ(fact.place, "sent.txt:2");
  for (const auto& [name, value] : wanted.says) {
    const auto at = fact.says.find(name);
    ASSERT_NE(at, fact.says.end()) << name << " of " << wanted.line;
    EXPECT_EQ(at->second, value) << name << " of " << wanted.line;
  }
}

const std::string kBoot =
    "[    5.100000] mlx5_core 0000:3b:00.0: firmware version: 28.39.1002\n"
    "[    6.500000] mlx5_core 0000:3b:00.1: Port module event: module 1, Cable unplugged\n"
    "[   20.000000] mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n"
    "[   22.000000] mlx5_core 0000:3b:00.0 ens1f0np0: Link up\n"
    "[   22.500000] mlx5_core 0000:3b:00.1 ens1f1np1: Link down\n";

TEST(LogLines, a_link_that_comes_up_while_the_node_starts_was_not_lost) {
  const evidence::Draft draft = read_text(kBoot);
  const auto& log = draft.snapshot().log;
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].kind, "cable_event");
  EXPECT_EQ(log[0].says.at("netdev"), "ens1f1np1");
  EXPECT_EQ(log[0].says.at("never_up"), "yes");
  EXPECT_EQ(log[1].subject, "ens1f1np1");
  EXPECT_EQ(log[1].says.at("never_up"), "yes");
  EXPECT_EQ(draft.unread_count(), 0U);
}

TEST(LogLines, a_link_that_is_lost_later_was_lost) {
  const std::string lost = "[ 5000.000000] mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n";
  for (const std::string& text :
       {kBoot + lost, kBoot + lost + "[ 5001.000000] mlx5_core 0000:3b:00.0 ens1f0np0: Link up\n",
        lost + "[ 5001.000000] mlx5_core 0000:3b:00.0 ens1f0np0: Link up\n"}) {
    const evidence::Draft draft = read_text(text);
    const LogFact& fact = draft.snapshot().log.back();
    EXPECT_EQ(fact.kind, "link_went_down");
    EXPECT_EQ(fact.subject, "ens1f0np0");
    EXPECT_FALSE(fact.says.contains("never_up"));
  }
}

TEST(LogLines, without_seconds_the_start_of_the_driver_tells_that_a_link_was_not_up_yet) {
  const std::string up = "Nov 30 10:00:22 n1 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up\n";
  const std::string down = "Nov 30 10:00:20 n1 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n";
  const std::string load = "Nov 30 10:00:05 n1 kernel: mlx5_core 0000:3b:00.0: firmware version: 28.39.1002\n";
  EXPECT_TRUE(read_text(load + down + up).snapshot().log.empty());
  EXPECT_EQ(read_text(down + up).snapshot().log.size(), 1U);
  EXPECT_EQ(read_text(load + up + down + up).snapshot().log.size(), 1U);
}

TEST(LogLines, tell_how_long_a_server_did_not_respond) {
  const auto seconds = [](const std::string& text) {
    const auto draft = read_text(text);
    const LogFact& fact = draft.snapshot().log.at(0);
    EXPECT_EQ(fact.kind, "nfs_not_responding");
    return fact.says.contains("seconds") ? fact.says.at("seconds") : "";
  };
  const std::string away = "nfs: server 192.0.2.50 not responding, still trying\n",
                    back = "nfs: server 192.0.2.50 OK\n";
  EXPECT_EQ(seconds("[  100.500000] " + away + "[  376.400000] " + back), "276");
  EXPECT_EQ(seconds("[Mon Sep 27 14:11:05 2021] " + away + "[Mon Sep 27 14:15:41 2021] " + back), "276");
  EXPECT_EQ(seconds("[  100.500000] " + away), "") << "it is still away";
  EXPECT_EQ(seconds(away + back), "") << "no times";
  EXPECT_EQ(seconds("[  100.5] " + away + "[  376.4] nfs: server 192.0.2.51 OK\n"), "") << "another server";
  EXPECT_EQ(seconds("[  376.5] " + away + "[  100.4] " + back), "") << "of another boot";
  EXPECT_EQ(seconds("[nan] " + away + "[inf] " + back), "");
}

TEST(LogLines, of_the_kernel) {
  const Case cases[] = {
      {"[   12.3] infiniband mlx5_2: add_roce_gid GID add failed port=1 index=0",
       "gid_add_failed",
       "mlx5_2",
       {{"gid_index", "0"}, {"port", "1"}}},
      {"mlx5_core: SET_ROCE_ADDRESS(0x761) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x63c66), err(-22)",
       "gid_add_failed",
       "",
       {{"syndrome", "408678"}}},
      {"mlx5_core 0000:c1:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x002f address=0x24d08000 flags=0x0000]",
       "iommu_fault",
       "0000:c1:00.0",
       {}},
      {"DMAR: [DMA Read NO_PASID] Request device [3b:00.0] fault addr 0x24d08000 [fault reason 0x06] PTE Read access",
       "iommu_fault",
       "0000:3b:00.0",
       {}},
      {"pcieport 0000:3a:00.0: AER: Corrected error received: 0000:3b:00.0",
       "aer_error",
       "0000:3b:00.0",
       {{"severity", "correctable"}}},
      {"mlx5_core 0000:3b:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, (Requester "
       "ID)",
       "aer_error",
       "0000:3b:00.0",
       {{"severity", "nonfatal"}}},
      {"infiniband mlx5_0: WC error: 4, Message: local protection error",
       "local_protection_error",
       "mlx5_0",
       {{"status", "4"}}},
      {"nvme nvme15: RECV for CQE failed with status local protection error (4)",
       "local_protection_error",
       "",
       {{"status", "4"}}},
      {"mlx5_core 0000:01:00.0: mlx5_pcie_event:301:(pid 12): Detected insufficient power on the PCIe slot (27W).",
       "slot_power",
       "0000:01:00.0",
       {{"watts", "27"}}},
      {"Nov 30 14:36:55 node1 kernel: mlx5_core 0000:3b:00.0 ens1f0: Link down", "link_went_down", "ens1f0", {}},
      {"bnxt_en 0000:3b:00.0 eth0: NIC Link is Down", "link_went_down", "eth0", {}},
      {"[86401.1] hns3 0000:bd:00.0 eno1: link down", "link_went_down", "eno1", {}},
      {"Nov 30 11:00:01 n17 kernel: mlx4_en: ens2: Link Down", "link_went_down", "ens2", {}},
      {"bond0: (slave eth1): link status definitely down, disabling slave", "link_went_down", "eth1", {}},
      {"mlx5_core 0000:3b:00.0: Port module event[error]: module 0, Cable error, Power budget exceeded",
       "cable_event",
       "0000:3b:00.0",
       {{"event", "Cable error, Power budget exceeded"}}},
      {"[  412.880146] nfs: server 192.0.2.30 not responding, still trying",
       "nfs_not_responding",
       "",
       {{"server", "192.0.2.30"}}},
      {"mlx5_core 0000:3b:00.0: poll_health:715: device's health compromised - reached miss count",
       "device_error",
       "0000:3b:00.0",
       {}},
  };
  for (const Case& one : cases) expect_fact(one);
}

TEST(LogLines, of_programs) {
  const Case cases[] = {
      {"node1:12:34 [0] NCCL WARN NET/IB : Got completion from peer 192.0.2.6<47891> with status=12 opcode=0 len=0 "
       "vendor err 129 (Recv) localGid ::ffff:192.0.2.5 remoteGid ::ffff:192.0.2.6 hca mlx5_0",
       "retry_exceeded",
       "mlx5_0",
       {{"status", "12"}, {"vendor_error", "129"}, {"gid", "::ffff:192.0.2.5"}, {"peer_gid", "::ffff:192.0.2.6"}}},
      {"node1:12:34 [6] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer 192.0.2.5<53908> with "
       "status=12 opcode=129 len=1048576 vendor err 129 (Recv) localGid ::ffff:192.0.2.5 remoteGids::ffff:192.0.2.6 "
       "hca "
       "mlx5_10",
       "retry_exceeded",
       "mlx5_10",
       {{"gid", "::ffff:192.0.2.5"}, {"peer_gid", "::ffff:192.0.2.6"}}},
      {"NET/IB : Got completion with error 13, opcode 1, len 0, vendor err 135",
       "rnr_retry_exceeded",
       "",
       {{"vendor_error", "135"}}},
      {"Completion with error 12", "retry_exceeded", "", {{"status", "12"}}},
      {"NET/IB : Got async event : port error", "async_event", "", {{"event", "port error"}}},
      {"NET/IB : mlx5_2:1 Got non-fatal async event: port error(10)",
       "async_event",
       "mlx5_2",
       {{"event", "port error(10)"}}},
      {"NCCL WARN NET/IB : mlx5_3:1 async fatal event: device fatal error",
       "async_event",
       "mlx5_3",
       {{"event", "device fatal error"}}},
      {"NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory", "memory_not_registered", "", {}},
      {"NCCL INFO NCCL_IB_TC set by environment to 106.",
       "environment",
       "",
       {{"name", "NCCL_IB_TC"}, {"value", "106"}}},
      {"NCCL WARN Call to ibv_modify_qp failed with error Connection timed out, on dev mlx5_0:1, curr state INIT, next "
       "state RTR, local GID index 1, local GID fe80::1, remote GID fe80::2",
       "modify_qp_failed",
       "mlx5_0",
       {{"gid_index", "1"}, {"error", "Connection timed out"}}},
      {"ibvwrap.c:262 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_3:1, curr "
       "state "
       "INIT, next state RTR, local GID index 3, local GID ::ffff:192.0.2.5, remote GID ::ffff:192.0.2.6",
       "modify_qp_failed",
       "mlx5_3",
       {{"gid_index", "3"}, {"error", "Connection timed out"}, {"gid", "::ffff:192.0.2.5"}}},
      {"Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)",
       "retry_exceeded",
       "mlx5_0",
       {{"vendor_error", "129"}, {"syndrome", "21"}}},
      {"DCI QP wqe[332]: SEND s-e [sgix 3 dgid ::ffff:192.0.2.46 tc 106]",
       "gid_choice",
       "",
       {{"gid_index", "3"}, {"traffic_class", "106"}, {"gid", "::ffff:192.0.2.46"}}},
      {"type SEND, status: (12): transport retry counter exceeded", "retry_exceeded", "", {}},
      {"IBV_EVENT_DEVICE_FATAL", "async_event", "", {{"event", "IBV_EVENT_DEVICE_FATAL"}}},
      {" Failed status 10: wr_id 0 syndrom 0x88", "remote_access_error", "", {{"vendor_error", "136"}}},
  };
  for (const Case& one : cases) expect_fact(one);
}

TEST(LogLines, tell_the_limit_of_the_process_that_could_not_register_memory) {
  const std::string line =
      "[1701337201.123456] [gpu01:33312:0]      ib_iface.c:1100 UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot "
      "allocate memory : Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)\n";
  const evidence::Draft draft = read_text(line + line);
  const auto& limits = draft.snapshot().host.memlock;
  ASSERT_TRUE(limits);
  ASSERT_EQ(limits->size(), 1U);
  EXPECT_EQ((*limits)[0].unit, "the process of sent.txt (pid 33312)");
  EXPECT_EQ((*limits)[0].bytes.value_or(0), 65536U);
  EXPECT_EQ((*limits)[0].source, "sent.txt:1");
  EXPECT_FALSE(
      read_text("NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n").snapshot().host.memlock);
  for (const char* other : {"bash: fork: Cannot allocate memory\n", "Couldn't allocate MR\n",
                            "NCCL WARN Call to ibv_create_qp failed with error Cannot allocate memory\n",
                            "bnxt_en 0000:17:00.0 ens1f0np0: Firmware reset request successful.\n",
                            "virtio_net virtio0 eth0: TX timeout detected\n"})
    EXPECT_TRUE(read_text(other).snapshot().log.empty()) << other;
}

TEST(LogLines, repeated_lines_are_counted_and_others_are_unread) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += "Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)\nnoise\n";
  const evidence::Draft draft = read_text(text);
  ASSERT_EQ(draft.snapshot().log.size(), 1U);
  EXPECT_EQ(draft.snapshot().log[0].count, 30U);
  EXPECT_EQ(draft.unread_count(), 30U);
}

TEST(LogLines, senseless_statuses_are_no_facts) {
  EXPECT_TRUE(read_text("Completion with error 4711\nGot completion with error abc\n").snapshot().log.empty());
  EXPECT_TRUE(read_text("nfs: server 192.0.2.30 OK\n").snapshot().log.empty());
  EXPECT_TRUE(read_text(" Failed status 4711: wr_id 0 syndrom 0x81\n").snapshot().log.empty());
}

const std::string kBandwidth =
    "---------------------------------------------------------------------------------------\n"
    "                    RDMA_Write BW Test\n"
    " Dual-port       : OFF\t\tDevice         : mlx5_0\n Number of qps   : 1\t\tTransport type : IB\n"
    " Connection type : RC\t\tUsing SRQ      : OFF\n TX depth        : 128\n Mtu             : 4096[B]\n"
    " Link type       : Ethernet\n GID index       : 3\n"
    "---------------------------------------------------------------------------------------\n"
    " local address: LID 0000 QPN 0x0127 PSN 0x9b3c2a RKey 0x1ff VAddr 0x007f\n"
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " 65536      5000             13.40              13.23 \t\t   0.025\n"
    "---------------------------------------------------------------------------------------\n";

TEST(Perftest, bandwidth_in_bits_per_second) {
  const evidence::Draft draft = read_text("$ ib_write_bw -d mlx5_0 --report_gbits node2\n" + kBandwidth);
  const LogFact* fact = fact_of(draft, "measured_bandwidth");
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->subject, "mlx5_0");
  EXPECT_EQ(fact->says.at("bits_per_second"), "13230000000");
  EXPECT_EQ(fact->says.at("message_bytes"), "65536");
  EXPECT_EQ(fact->says.at("mtu_bytes"), "4096");
  EXPECT_EQ(fact->says.at("gid_index"), "3");
  EXPECT_EQ(fact->says.at("tool"), "ib_write_bw");
}

TEST(Perftest, keeps_the_rate_limit_of_its_command) {
  for (const char* option : {"--rate_limit=10", "--rate_limit 10"}) {
    const evidence::Draft draft = read_text(std::string("$ ib_write_bw -d mlx5_0 ") + option + " node2\n" + kBandwidth);
    const LogFact* fact = fact_of(draft, "measured_bandwidth");
    ASSERT_NE(fact, nullptr);
    EXPECT_EQ(fact->says.at("rate_limit"), "10");
  }
  const evidence::Draft free = read_text("$ ib_write_bw -d mlx5_0 --rate_units=g node2\n" + kBandwidth);
  EXPECT_FALSE(fact_of(free, "measured_bandwidth")->says.contains("rate_limit"));
}

TEST(Perftest, megabytes_latency_and_short_lists) {
  const evidence::Draft megabytes = read_text(
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
      " 65536      5000             1100.00            1000.00 \t\t   0.016\n");
  EXPECT_EQ(fact_of(megabytes, "measured_bandwidth")->says.at("bits_per_second"), "8388608000");
  const evidence::Draft latency = read_text(
      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]\n"
      " 2       1000          1.00           4.55         1.05     \t       1.06        \t0.10\n");
  ASSERT_NE(fact_of(latency, "measured_latency"), nullptr);
  EXPECT_EQ(fact_of(latency, "measured_latency")->says.at("seconds"), "0.00000105");
  const evidence::Draft brief = read_text("ib_write_bw_8qp_gbps: 13.23\nib_write_bw_gbps: nan\n");
  ASSERT_NE(fact_of(brief, "measured_bandwidth"), nullptr);
  EXPECT_EQ(fact_of(brief, "measured_bandwidth")->says.at("bits_per_second"), "13230000000");
  EXPECT_EQ(brief.snapshot().log.size(), 1U);
}

const std::string kFailed =
    "                    Send BW Test\n"
    " Dual-port       : OFF\t\tDevice         : mlx5_1\n"
    " Connection type : RC\t\tUsing SRQ      : OFF\n"
    " GID index       : 5\n"
    " local address: LID 0000 QPN 0x012c PSN 0x3b7e1d\n"
    " GID: 32:01:13:184:01:113:00:02:00:00:00:00:00:00:00:32\n"
    " remote address: LID 0000 QPN 0x012d PSN 0x80c2f1\n"
    " GID: 00:00:00:00:00:00:00:00:00:00:255:255:192:00:02:06\n"
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " Completion with error at client\n"
    " Failed status 12: wr_id 0 syndrom 0x81\n";

TEST(Perftest, the_completion_that_ended_a_run_and_between_whom_it_ran) {
  const evidence::Draft draft = read_text("$ ib_send_bw -d mlx5_1 -x 5 node2\n" + kFailed);
  const LogFact* fact = fact_of(draft, "retry_exceeded");
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(draft.snapshot().log.size(), 1U);
  EXPECT_EQ(fact->subject, "mlx5_1");
  EXPECT_EQ(fact->place, "sent.txt:12");
  EXPECT_EQ(fact->says.at("status"), "12");
  EXPECT_EQ(fact->says.at("vendor_error"), "129");
  EXPECT_EQ(fact->says.at("gid"), "2001:db8:171:2::20");
  EXPECT_EQ(fact->says.at("peer_gid"), "::ffff:192.0.2.6");
  EXPECT_EQ(fact->says.at("gid_index"), "5");
  const evidence::Draft bare = read_text(kFailed);
  ASSERT_NE(fact_of(bare, "retry_exceeded"), nullptr);
  EXPECT_EQ(fact_of(bare, "retry_exceeded")->says.at("peer_gid"), "::ffff:192.0.2.6");
}

TEST(Perftest, the_next_run_has_ends_of_its_own) {
  const evidence::Draft draft =
      read_text(kFailed + "                    Send BW Test\n Failed status 13: wr_id 0 syndrom 0x87\n");
  const LogFact* fact = fact_of(draft, "rnr_retry_exceeded");
  ASSERT_NE(fact, nullptr);
  EXPECT_FALSE(fact->says.contains("gid"));
  EXPECT_FALSE(fact->says.contains("peer_gid"));
}

TEST(Perftest, a_gid_that_makes_no_sense_is_none) {
  for (const char* gid : {"GID: 32:01:13", "GID: 300:00:00:00:00:00:00:00:00:00:255:255:192:00:02:06",
                          "GID: fe80::1:2:3:4:5:6:7:8:9:a:b:c:d:e"}) {
    const evidence::Draft draft = read_text(" local address: LID 0000 QPN 0x012c PSN 0x3b7e1d\n " + std::string(gid) +
                                            "\n Failed status 12: wr_id 0 syndrom 0x81\n");
    const LogFact* fact = fact_of(draft, "retry_exceeded");
    ASSERT_NE(fact, nullptr) << gid;
    EXPECT_FALSE(fact->says.contains("gid")) << gid;
  }
}

TEST(Perftest, every_cut_is_lived_with) {
  cut_everywhere(kBandwidth);
  cut_everywhere(kFailed);
}

}  // namespace
}  // namespace roceready::evidence_test
