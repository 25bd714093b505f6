// SPDX-License-Identifier: Apache-2.0
// Lines with the name of a host in front, as pdsh and clush print them.
#include "collectors/evidence/host_prefix.h"

#include <gtest/gtest.h>

#include "collectors/evidence/bundle.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/split.h"

namespace roceready::evidence {
namespace {

/// Two hosts whose lines came as they came.
const std::string kMixed =
    "node7: NIC statistics:\n"
    "node8: NIC statistics:\n"
    "node7:      rx_prio3_pause: 7\n"
    "node8:      rx_prio3_pause: 8\n"
    "node8:      tx_prio3_pause: 80\n"
    "node7:      tx_prio3_pause: 70\n"
    "node7:\n";

Split split_of(const std::string& text) {
  FileFacts file;
  file.name = "a.txt";
  return split(text, file);
}

std::vector<HostEvidence> hosts_of(const std::string& text) {
  Bundle bundle;
  bundle.add("a.txt", text, 0);
  return bundle.finish({});
}

std::uint64_t statistic(const HostEvidence& host, const std::string& netdev, const std::string& name) {
  const Netdev* found = host.snapshots.back().netdev(netdev);
  if (found == nullptr || !found->ethtool.statistics) return 0;
  const RawCounters& counters = *found->ethtool.statistics;
  for (std::size_t i = 0; i < counters.size(); ++i)
    if ((*counters.names)[i] == name) return counters.values[i];
  return 0;
}

TEST(HostPrefix, parts_the_name_from_the_line) {
  const auto found = host_prefix("node7.cluster:      rx_prio3_pause: 7");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->host, "node7");
  EXPECT_EQ(found->rest, "     rx_prio3_pause: 7");
  EXPECT_EQ(host_prefix("node7:")->rest, "");
  for (const char* other : {"mlx5_0: 5", "eth0: link up", "enp59s0np0: 5", "192.0.2.1: 5", "t0.txt:  rx_prio3_pause: 5",
                            "a b: 5", "node7:5", "node7"})
    EXPECT_FALSE(host_prefix(other)) << other;
}

TEST(HostPrefix, gives_each_host_its_own_lines) {
  const Split out = split_of("[root@head ~]# pdsh -w node[7-8] ethtool -S eth0\n" + kMixed);
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(out.sections[0].host, "node7");
  EXPECT_EQ(out.sections[0].about.netdev, "eth0") << "by the command that pdsh ran";
  EXPECT_EQ(out.sections[1].host, "node8");
  EXPECT_EQ(out.sections[1].lines[2].number, 6U);
  EXPECT_EQ(out.unread_count, 0U);
  const auto hosts = hosts_of("[root@head ~]# clush -w node[7-8] 'ethtool -S eth0'\n" + kMixed);
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(statistic(hosts[0], "eth0", "rx_prio3_pause"), 7U);
  EXPECT_EQ(statistic(hosts[1], "eth0", "tx_prio3_pause"), 80U);
}

TEST(HostPrefix, of_fabric_is_the_host_in_brackets) {
  const auto found = host_prefix("[root@gpu01.cluster:22] out:      rx_prio3_pause: 7");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->host, "gpu01");
  EXPECT_EQ(found->rest, "     rx_prio3_pause: 7");
  EXPECT_EQ(host_prefix("[gpu01] out:")->rest, "");
  for (const char* other : {"[0]: rx_ucast_packets: 17", "[gpu01] output: 5", "[mlx5_0] out: 5", "[gpu01 ~]# date",
                            "[gpu01] out:5", "[gpu01] Executing task 'stats'", "[10.0.0.1] out: 5"})
    EXPECT_FALSE(host_prefix(other)) << other;
  const std::string text =
      "[gpu01] run: ethtool -S eth0\n[gpu01] out: NIC statistics:\n[gpu01] out:      rx_prio3_pause: 7\n"
      "[gpu01] out:      tx_prio3_pause: 70\n[gpu01] out:\n"
      "[gpu02] run: ethtool -S eth0\n[gpu02] out: NIC statistics:\n[gpu02] out:      rx_prio3_pause: 8\n"
      "[gpu02] out:      tx_prio3_pause: 80\n";
  const auto hosts = hosts_of(text);
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(statistic(hosts[0], "eth0", "rx_prio3_pause"), 7U);
  EXPECT_EQ(statistic(hosts[1], "eth0", "tx_prio3_pause"), 80U);
}

TEST(HostPrefix, needs_no_command_and_no_second_host) {
  const Split out = split_of(
      "node7: link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n"
      "node7: link mlx5_1/1 state DOWN physical_state DISABLED netdev eth1\n"
      "node7: driver: mlx5_core\nnode7: version: 6.1\nnode7: firmware-version: 28.39.1002\n");
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(out.sections[0].host, "node7");
}

TEST(HostPrefix, of_a_short_output_is_one_where_every_line_is_an_output_s) {
  const Split out = split_of(
      "gpu01: link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n"
      "gpu02: link mlx5_0/1 state DOWN physical_state DISABLED netdev eth0\n");
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(out.sections[1].host, "gpu02");
  for (const char* other :
       {"first: link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\nsecond: nothing\n", "a: 5\nb: 6\n"})
    for (const Section& section : split_of(other).sections) EXPECT_EQ(section.host, "") << other;
}

TEST(HostPrefix, is_a_number_of_srun_alone) {
  const std::string lines =
      "0:      rx_prio3_pause: 100\n0:      tx_prio3_pause: 5\n1:      rx_prio3_pause: 8\n1:      tx_prio3_pause: 7\n";
  for (const char* command : {"srun -N2 -l -w gpu[01-02] ethtool -S eth0", "srun --label -N 2 ethtool -S eth0",
                              "srun -l bash -c 'ethtool -S eth0'"}) {
    const Split out = split_of("$ " + std::string(command) + " | grep prio3_pause\n" + lines);
    ASSERT_EQ(out.sections.size(), 2U) << command;
    EXPECT_EQ(out.sections[0].host, "task 0") << command;
    EXPECT_EQ(out.sections[1].host, "task 1") << command;
  }
  const std::string others[] = {
      "$ ethtool -S eth0 | grep -n prio3\n112:     rx_prio3_bytes: 1005\n113:     rx_prio3_packets: 5\n"
      "115:     rx_prio3_pause: 12\n116:     tx_prio3_pause: 50\n",
      "$ for i in 0 1; do echo \"$i: $(ethtool -i eth$i | grep driver)\"; done\n"
      "0: driver: mlx5_core\n1: driver: mlx5_core\n",
      "$ srun -N 2 ls -l\n" + lines, lines};
  for (const std::string& other : others) {
    EXPECT_FALSE(has_labelled_tasks(other)) << other;
    for (const Section& section : split_of(other).sections) EXPECT_EQ(section.host, "") << other;
  }
}

TEST(HostPrefix, strange_lines_between_are_counted) {
  const Split out = split_of(kMixed + "pdsh@head: node9: ssh exited with exit code 255\n");
  EXPECT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(out.unread_count, 1U);
}

TEST(HostPrefix, is_the_same_whatever_the_pieces) {
  FileFacts file;
  file.name = "a.txt";
  Splitter splitter(file);
  for (const char c : kMixed) splitter.feed(std::string_view(&c, 1));
  EXPECT_EQ(splitter.finish().sections.size(), 2U);
}

TEST(HostPrefix, is_no_name_of_a_value) {
  EXPECT_FALSE(has_host_prefixes("rx_prio3_pause: 7\ntx_prio3_pause: 8\nrx_discards_phy: 5\ntx_discards_phy: 7\n"));
  EXPECT_FALSE(has_host_prefixes("driver: mlx5_core\nversion: 6.1\nfirmware-version: 28\nbus-info: 0000:3b:00.0\n"));
  // One word in front of every line, behind which nothing of ours stands.
  EXPECT_FALSE(has_host_prefixes("error: a\nerror: b\nerror: c\nerror: d\nerror: e\n"));
  EXPECT_FALSE(has_host_prefixes(""));
}

TEST(HostPrefix, of_more_hosts_than_are_kept_are_counted) {
  std::string text;
  for (int host = 0; host < 80; ++host) {
    for (int i = 0; i < 4; ++i) text += "node" + std::to_string(host) + ": rx_prio" + std::to_string(i) + "_pause: 5\n";
  }
  const Split out = split_of(text);
  EXPECT_EQ(out.sections.size(), 64U);
  EXPECT_EQ(out.read_count + out.unread_count, 320U);
}

}  // namespace
}  // namespace roceready::evidence
