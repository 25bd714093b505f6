// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/split.h"

#include <gtest/gtest.h>

#include "collectors/evidence/format.h"
#include "collectors/evidence/path.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/wall_time.h"
#include "collectors/vendors/vendor.h"

namespace roceready::evidence {
namespace {

constexpr char kStatistics[] = "NIC statistics:\n     rx_prio3_pause: 12\n     tx_prio3_pause: 0\n";

FileFacts file() {
  FileFacts out;
  out.name = "file.txt";
  return out;
}

TEST(CleanLine, takes_off_what_pasting_put_on) {
  EXPECT_EQ(clean_line("\x1b[1;32mrx_prio3_pause: 12\x1b[0m\r"), "rx_prio3_pause: 12");
  EXPECT_EQ(clean_line("rx_prio3_pause:\xc2\xa0"
                       "12\xe2\x80\x8b"),
            "rx_prio3_pause: 12");
  EXPECT_EQ(clean_line("> > Speed: 100000Mb/s", {.quoted = true}), "Speed: 100000Mb/s");
  EXPECT_EQ(clean_line("```console"), "");
  EXPECT_EQ(clean_line(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(clean_line("eth0\tup"), "eth0\tup");
}

TEST(Split, knows_a_command_by_its_prompt) {
  for (const char* prompt : {"[root@node1 ~]# ", "root@node1:/tmp# ", "admin@node1:~$ sudo ", "node1:~ # "}) {
    const Split out = split(std::string(prompt) + "ethtool -S eth0 | grep pause\n" + kStatistics, file());
    ASSERT_EQ(out.sections.size(), 1U) << prompt;
    EXPECT_EQ(out.sections[0].about.netdev, "eth0") << prompt;
    EXPECT_EQ(out.sections[0].host, "node1") << prompt;
    EXPECT_EQ(out.unread_count, 0U) << prompt;
  }
  for (const char* line : {"$ ethtool -S eth0", "+ ethtool -S eth0",
                           "==== ethtool -S eth0 ====", "### ethtool -S eth0:", "ethtool -S eth0"}) {
    const Split out = split(std::string(line) + "\n" + kStatistics, file());
    ASSERT_EQ(out.sections.size(), 1U) << line;
    EXPECT_EQ(out.sections[0].about.netdev, "eth0") << line;
  }
}

TEST(CommandLine, what_is_told_of_a_command_is_none) {
  CommandLine out;
  EXPECT_FALSE(read_command_line("ib_write_bw 65536: ok", out));
  EXPECT_FALSE(read_command_line("ib_write_bw >65536: fail 0x3b 0x0 0x9d", out));
  EXPECT_TRUE(read_command_line("=== ethtool -S eth0: ===", out));
  EXPECT_TRUE(read_command_line("ethtool -S eth0 | grep 'prio3_pause: '", out));
  EXPECT_TRUE(read_command_line("[root@node1 ~]# ib_write_bw 65536: ok", out)) << "at a prompt everything is a command";
}

TEST(Split, parts_outputs_that_follow_each_other) {
  const Split out = split(std::string("# ethtool -S eth0\n") + kStatistics +
                              "# ethtool -i eth1\ndriver: mlx5_core\nversion: 6.1\n" + "Some words of a person.\n",
                          file());
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_STREQ(out.sections[0].format->name, "ethtool -S");
  EXPECT_STREQ(out.sections[1].format->name, "ethtool -i");
  EXPECT_EQ(out.sections[1].about.netdev, "eth1");
  EXPECT_EQ(out.unread_count, 1U);
  EXPECT_EQ(out.unread[0].number, 8U);
}

TEST(Split, goes_on_with_an_output_that_foreign_lines_interrupted) {
  const Split out = split("rx_prio3_pause: 12\n^C oops\n# not a command\ntx_prio3_pause: 4\n", file());
  ASSERT_EQ(out.sections.size(), 1U);
  EXPECT_EQ(out.sections[0].lines.size(), 2U);
  EXPECT_EQ(out.unread_count, 2U);
}

TEST(Split, dates_what_follows_a_date) {
  const Split out = split(std::string("Mon Nov 30 14:36:55 UTC 2026\n# ethtool -S eth0\n") + kStatistics +
                              "2026-11-30T14:37:55Z\n# ethtool -S eth0\n" + kStatistics,
                          file());
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(out.sections[1].wall_ns - out.sections[0].wall_ns, 60'000'000'000);
}

TEST(Split, reads_the_same_whatever_the_pieces) {
  const std::string text = std::string("# ethtool -S eth0\r\n") + kStatistics;
  for (std::size_t size = 1; size < text.size(); size += 7) {
    Splitter splitter(file());
    for (std::size_t at = 0; at < text.size(); at += size) splitter.feed(std::string_view(text).substr(at, size));
    const Split out = splitter.finish();
    ASSERT_EQ(out.sections.size(), 1U) << size;
    EXPECT_EQ(out.sections[0].lines.size(), 3U) << size;
  }
}

TEST(Split, survives_a_line_without_end_and_noise) {
  const std::string noise(std::size_t{4} << 20, 'x');
  const Split out = split(noise + "\n" + kStatistics + std::string("\xff\xfe\x00\x01", 4), file());
  EXPECT_EQ(out.sections.size(), 1U);
  EXPECT_GE(out.unread_count, 1U);
}

TEST(Split, finds_an_output_behind_thousands_of_lines_that_begin_alike) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "java " + std::to_string(i) + " root mem REG 253,0 /usr/lib/libc.so.6\n";
  text +=
      "java mlx5_core 0000:c1:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x002f address=0x24d08000 "
      "flags=0x0000]\n";
  const Split out = split(text + "# ethtool -S eth0\n" + kStatistics, file());
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_STREQ(out.sections[1].format->name, "ethtool -S");
  EXPECT_EQ(out.unread_count, 3000U);
}

TEST(FactsOfPath, name_host_moment_device_and_command) {
  const FileFacts sos = facts_of_path("sosreport-node17-2026-11-30-abcdefg/sos_commands/networking/ethtool_-S_eth0");
  EXPECT_EQ(sos.host, "node17");
  EXPECT_EQ(sos.words, (std::vector<std::string>{"ethtool", "-S", "eth0"}));
  EXPECT_EQ(facts_of_path("t0_ethtool_S.txt").moment, 1U);
  EXPECT_EQ(facts_of_path("t2/ethtool.txt").moment, 3U);
  EXPECT_EQ(facts_of_path("counters_after.txt").moment, 2U);
  EXPECT_EQ(facts_of_path("sender_rdma_statistic.txt").host, "sender");
  EXPECT_EQ(facts_of_path("mlx5_bond_0_counters.txt").about.device, "mlx5_bond_0");
  EXPECT_EQ(facts_of_path("ethtool_ens1f0np0.txt").about.netdev, "ens1f0np0");
  EXPECT_EQ(facts_of_path("notes.txt").about, About{});
}

TEST(DeviceNames, tell_the_driver_that_some_vendors_table_knows) {
  for (const char* device : {"mlx5_0", "mlx4_0", "bnxt_re1", "irdma0", "hns_0", "qedr0", "erdma_0", "ionic_0", "mana_0",
                             "cxgb4_0", "efa_0", "rxe0"}) {
    EXPECT_NE(vendor_of_rdma(driver_of_device(device)), nullptr) << device;
    EXPECT_EQ(device_within(std::string("t0_") + device + "_counters.txt"), device);
  }
  EXPECT_EQ(device_within("mlx5_bond_0.txt"), "mlx5_bond_0");
  EXPECT_EQ(device_within("bnxt_re_bond0.txt"), "bnxt_re_bond0");
  EXPECT_EQ(device_within("mlx5_notes.txt"), "");
}

TEST(KernelPath, is_what_lies_below_a_copied_tree) {
  EXPECT_EQ(kernel_path("dump/sys/class/net/eth0/mtu"), "/sys/class/net/eth0/mtu");
  EXPECT_EQ(kernel_path("/proc/cmdline"), "/proc/cmdline");
  EXPECT_EQ(kernel_path("ethtool.txt"), std::nullopt);
}

TEST(WallTime, is_read_in_the_ways_that_date_prints_it) {
  const auto expected = wall_time_line("1796049415");
  ASSERT_TRUE(expected);
  for (const char* line : {"Mon Nov 30 14:36:55 UTC 2026", "Mon 30 Nov 2026 02:36:55 PM UTC",
                           "2026-11-30T15:36:55+01:00", "2026-11-30 14:36:55", "2026-11-30T14:36:55Z"})
    EXPECT_EQ(wall_time_line(line), expected) << line;
  EXPECT_EQ(wall_time_in_name("capture_20261130-143655.txt"), expected);
  for (const char* line : {"Mon", "2026-13-30T15:36:55Z", "rx_bytes: 1796049415", "31415926535", ""})
    EXPECT_EQ(wall_time_line(line), std::nullopt) << line;
}

}  // namespace
}  // namespace roceready::evidence
