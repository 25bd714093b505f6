// SPDX-License-Identifier: Apache-2.0
// What stands in front of every line of a text: numbers, times, and hosts as pssh, salt, srun and kubectl print them.
#include "collectors/evidence/line_prefix.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/split.h"

namespace roceready::evidence {
namespace {

const std::vector<std::string> kOutput = {"$ mlnx_qos -i eth0",
                                          "DCBX mode: OS controlled",
                                          "Priority trust state: pcp",
                                          "PFC configuration:",
                                          "\tpriority    0   1   2   3   4   5   6   7",
                                          "\tenabled     0   0   0   0   0   0   0   0"};

/// kOutput with something in front of each line.
template <class Front>
std::string behind(Front front) {
  std::string out;
  for (std::size_t i = 0; i < kOutput.size(); ++i) out += front(i) + kOutput[i] + "\n";
  return out;
}

Split split_of(const std::string& text) {
  FileFacts file;
  file.name = "a.txt";
  return split(text, file);
}

TEST(LinePrefix, is_a_number_or_a_time_of_each_line) {
  const std::string texts[] = {
      behind([](std::size_t i) { return "     " + std::to_string(i + 1) + "\t"; }),
      behind([](std::size_t i) { return "2026-11-30T10:00:0" + std::to_string(i) + ".123456789Z "; }),
      behind([](std::size_t i) { return "2026-11-30T10:00:0" + std::to_string(i) + "+01:00 "; }),
      behind([](std::size_t i) { return "Nov 30 10:00:0" + std::to_string(i) + " "; })};
  for (const std::string& text : texts) {
    EXPECT_NE(line_prefix_of(text), LinePrefix::None) << text;
    const Split out = split_of(text);
    ASSERT_EQ(out.sections.size(), 1U) << text;
    EXPECT_EQ(out.sections[0].about.netdev, "eth0") << text;
    EXPECT_EQ(out.sections[0].lines.size(), kOutput.size() - 1) << text;
    EXPECT_EQ(out.unread_count, 0U) << text;
  }
}

TEST(LinePrefix, is_no_stamp_of_a_log_and_no_value) {
  const std::string log =
      "2026-11-30T10:00:01+00:00 gpu17 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n"
      "2026-11-30T10:00:05+00:00 gpu17 kernel: mlx5_core 0000:3b:00.0 ens1f0np0: Link up\n"
      "2026-11-30T10:00:11+00:00 gpu18 kernel: infiniband mlx5_0: GID add failed port=1 index=5\n"
      "2026-11-30T10:00:12+00:00 gpu18 sudo: root : COMMAND=/usr/sbin/ethtool -S eth0\n";
  EXPECT_EQ(line_prefix_of(log), LinePrefix::None);
  EXPECT_EQ(split_of(log).sections.size(), 2U) << "each host its own";
  for (const char* text :
       {"1\n2\n3\n4\n", "1: lo: <LOOPBACK> mtu 65536\n2: eth0: <UP> mtu 1500\n", "", "1\ta\n3\tb\n4\tc\n"})
    EXPECT_EQ(line_prefix_of(text), LinePrefix::None) << text;
}

TEST(LinePrefix, that_a_line_has_not_leaves_it_as_it_is) {
  EXPECT_EQ(without_prefix("RX:\t\ton", LinePrefix::Number), "RX:\t\ton");
  EXPECT_EQ(without_prefix("     7", LinePrefix::Number), "");
  EXPECT_EQ(without_prefix("RX: on", LinePrefix::Stamp), "RX: on");
  EXPECT_EQ(without_prefix("2026-11-30T10:00:00Z", LinePrefix::Stamp), "");
  EXPECT_EQ(without_prefix("2026-11-30T10:00:00 x", LinePrefix::Stamp), "2026-11-30T10:00:00 x") << "no zone";
}

using Names = std::vector<std::string>;

Names hosts_of_sections(const std::string& text) {
  Names out;
  for (const Section& section : split_of(text).sections) out.push_back(section.host);
  return out;
}

std::string lines_behind(const std::string& front, std::size_t from = 2) {
  std::string out;
  for (std::size_t i = from; i < kOutput.size(); ++i) out += front + kOutput[i] + "\n";
  return out;
}

TEST(LinePrefix, of_launchers_parts_their_hosts) {
  EXPECT_EQ(hosts_of_sections(lines_behind("gpu01:") + lines_behind("gpu02:")), (Names{"gpu01", "gpu02"}));
  EXPECT_EQ(hosts_of_sections("$ srun -N2 -l mlnx_qos -i eth0\n" + lines_behind("0: ") + lines_behind("1: ")),
            (Names{"task 0", "task 1"}));
  EXPECT_EQ(hosts_of_sections(lines_behind("[pod/rdma-a/main] ") + lines_behind("[pod/rdma-b/main] ")),
            (Names{"pod rdma-a", "pod rdma-b"}));
  EXPECT_EQ(hosts_of_sections("gpu01:\n" + lines_behind("    ") + "gpu02:\n" + lines_behind("    ")),
            (Names{"gpu01", "gpu02"}));
  EXPECT_EQ(hosts_of_sections("[1] 10:00:01 [SUCCESS] gpu01\n" + lines_behind("") +
                              "[2] 10:00:01 [FAILURE] gpu02 Exited with error code 1\n" + lines_behind("")),
            (Names{"gpu01", "gpu02"}));
  EXPECT_EQ(hosts_of_sections("error:\n" + lines_behind("    ")), Names{""});
}

TEST(Split, reads_what_is_of_the_host_alone_behind_a_heading_that_no_format_knows) {
  const Split out = split_of(
      "# /usr/sbin/ethtool -k eth0\nFeatures for eth0:\nrx-checksumming: on\n\n"
      "#==[ Configuration File ]===========================#\n# /proc/cmdline\n"
      "BOOT_IMAGE=/boot/vmlinuz-6.4.0 root=/dev/sda2 intel_iommu=on\n");
  ASSERT_EQ(out.sections.size(), 1U);
  EXPECT_EQ(out.sections[0].lines.size(), 1U);
}

}  // namespace
}  // namespace roceready::evidence
