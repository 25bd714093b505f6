// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/split.h"

#include <gtest/gtest.h>

#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
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

std::vector<std::string> netdevs_of(const Split& out) {
  std::vector<std::string> names;
  for (const Section& section : out.sections) names.push_back(section.about.netdev);
  return names;
}
using Names = std::vector<std::string>;

TEST(Split, ends_an_output_where_another_prompt_or_heading_stands) {
  for (const char* prompt : {"(base) user@node7:~$ ", "bash-5.1# ", "sh-4.4$ ", "eth-lab > ", "~ \xe2\x9d\xaf $ "}) {
    const Split out =
        split(std::string("user@node7:~$ ethtool -S eth0\n") + kStatistics + prompt + "ethtool -S eth1\n" + kStatistics,
              file());
    EXPECT_EQ(netdevs_of(out), (Names{"eth0", "eth1"})) << prompt;
    EXPECT_EQ(out.unread_count, 0U) << prompt;
  }
}

TEST(Split, believes_no_second_output_of_a_command_that_makes_one) {
  for (const char* between : {"", "=== the other one ===\n", "ethX> show\n"}) {
    const Split out = split(std::string("$ ethtool -S eth0\n") + kStatistics + between + kStatistics, file());
    EXPECT_EQ(netdevs_of(out), Names{"eth0"}) << between;
    EXPECT_EQ(out.read_count, 4U) << between;
    EXPECT_GE(out.unread_count, 3U) << between;
    ASSERT_EQ(out.left_out.size(), 1U) << between;
  }
  const std::string filtered = "rx_prio3_pause: 12\n";
  const Split cut = split("$ ethtool -S eth0 | grep pause\n" + filtered + "??? next\n" + filtered, file());
  EXPECT_EQ(netdevs_of(cut), Names{"eth0"});
  EXPECT_EQ(cut.left_out.size(), 1U);
}

TEST(Split, gives_outputs_of_a_list_of_commands_to_each_in_its_order) {
  const std::string qos = "DCBX mode: OS controlled\nPriority trust state: dscp\n";
  EXPECT_EQ(netdevs_of(split("[root@n1 ~]# mlnx_qos -i eth0; mlnx_qos -i eth1\n" + qos + qos, file())),
            (Names{"eth0", "eth1"}));
  EXPECT_EQ(netdevs_of(split("[root@n1 ~]# for d in eth0 eth1; do mlnx_qos -i \"$d\"; done\n" + qos + qos, file())),
            (Names{"eth0", "eth1"}));
  EXPECT_EQ(netdevs_of(split("# for d in eth0 eth1; do echo $d; ethtool -S ${d} | grep pause; done\neth0\n"
                             "rx_prio3_pause: 1\neth1\nrx_prio3_pause: 2\n",
                             file())),
            (Names{"eth0", "eth1"}));
  const Split hosts = split("$ for h in n1 n2; do ssh root@$h mlnx_qos -i eth0; done\n" + qos + qos, file());
  ASSERT_EQ(hosts.sections.size(), 2U);
  EXPECT_EQ(hosts.sections[0].host, "n1");
  EXPECT_EQ(hosts.sections[1].host, "n2");
}

TEST(Split, believes_none_where_a_list_of_commands_made_more_or_fewer_outputs) {
  const std::string qos = "DCBX mode: OS controlled\nPriority trust state: dscp\n";
  for (const std::string& text :
       {"$ mlnx_qos -i eth0; mlnx_qos -i eth1\n" + qos, "$ mlnx_qos -i eth0; mlnx_qos -i eth1\n" + qos + qos + qos,
        "$ for d in $(ls /sys/class/net); do mlnx_qos -i $d; done\n" + qos + qos,
        std::string("$ ethtool -S eth0 | grep x; ethtool -S eth1 | grep x\nrx_prio3_pause: 1\n")}) {
    const Split out = split(text, file());
    EXPECT_TRUE(out.sections.empty()) << text;
    EXPECT_FALSE(out.left_out.empty()) << text;
    EXPECT_EQ(out.read_count, 1U) << text;
  }
}

TEST(Split, reads_the_list_that_it_advises) {
  const Split out =
      split(std::string("[root@n1 ~]# date; ethtool -S eth0; rdma statistic; sleep 60; date; ethtool -S eth0; "
                        "rdma statistic\nTue Nov 25 10:00:00 UTC 2025\n") +
                kStatistics + "link mlx5_0/1 rx_write_requests 1\nTue Nov 25 10:01:00 UTC 2025\n" + kStatistics +
                "link mlx5_0/1 rx_write_requests 2\n",
            file());
  ASSERT_EQ(out.sections.size(), 4U);
  EXPECT_EQ(out.unread_count, 0U);
  EXPECT_EQ(out.sections[0].about.netdev, "eth0");
  EXPECT_EQ(out.sections[2].about.netdev, "eth0");
  EXPECT_EQ(out.sections[2].wall_ns - out.sections[0].wall_ns, 60'000'000'000);
  const Split small = split(
      "$ hostname; uname -r; cat /proc/cmdline; ulimit -l\nnode9\n5.14.0-362.el9.x86_64\n"
      "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro\nunlimited\n",
      file());
  ASSERT_EQ(small.sections.size(), 4U);
  EXPECT_EQ(small.sections[1].words, (Names{"uname", "-r"}));
  EXPECT_STREQ(small.sections[3].format->name, "limits");
  EXPECT_EQ(small.sections[3].host, "node9");
}

TEST(Split, leaves_out_what_another_network_namespace_shows) {
  const Split out =
      split(std::string("# ip netns exec blue ethtool -S eth0\n") + kStatistics + "# ethtool -S eth0\n" + kStatistics,
            file());
  EXPECT_EQ(out.sections.size(), 1U);
  ASSERT_EQ(out.left_out.size(), 1U);
  EXPECT_NE(out.left_out[0].find("blue"), std::string::npos);
  const FileFacts facts = facts_of_path(
      "sosreport-node17-2026-11-30-abc/sos_commands/networking/namespaces/blue/ip_netns_exec_blue_ethtool_-S_eth0");
  EXPECT_FALSE(facts.left_out.empty());
}

TEST(Split, takes_the_host_from_what_names_it) {
  const auto hosts_in = [](const std::string& text) {
    Names out;
    for (const Section& section : split(text, file()).sections) out.push_back(section.host);
    return out;
  };
  const std::string link = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n";
  EXPECT_EQ(hosts_in("Linux nodeA 5.14.0 #1 SMP x86_64 GNU/Linux\n" + link +
                     "Linux nodeB.example 5.14.0 #1 SMP x86_64 "
                     "GNU/Linux\n" +
                     link),
            (Names{"nodeA", "nodeA", "nodeB", "nodeB"}));
  EXPECT_EQ(hosts_in("node1:42:43 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.\n"
                     "node2:51:52 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 0.\n"),
            (Names{"node1", "node2"}));
  EXPECT_EQ(
      hosts_in("Nov 30 10:00:01 node1 kernel: mlx5_core 0000:3b:00.0: Port module event[error]: module 0, Cable error\n"
               "2026-11-30T10:00:01+01:00 node2.example kernel: infiniband mlx5_0: GID add failed port=1 index=5\n"),
      (Names{"node1", "node2"}));
  const std::string rule = "---------------\n";
  EXPECT_EQ(hosts_in(rule + "node1\n" + rule + kStatistics + rule + "node2\n" + rule + kStatistics),
            (Names{"node1", "node2"}));
  EXPECT_EQ(
      hosts_in(std::string("node1 | CHANGED | rc=0 >>\n") + kStatistics + "node2 | CHANGED | rc=0 >>\n" + kStatistics),
      (Names{"node1", "node2"}));
}

Names hosts_of_sections(const std::string& text) {
  Names out;
  for (const Section& section : split(text, file()).sections) out.push_back(section.host);
  return out;
}

constexpr char kQos[] = "DCBX mode: OS controlled\nPriority trust state: dscp\n";
constexpr char kPause[] = "Pause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\ton\n\n";

TEST(Split, takes_no_banner_between_rules_for_a_host) {
  const std::string rule(79, '-');
  const Split lldp = split("[root@gpu07 ~]# lldpcli show neighbors; mlnx_qos -i eth2\n" + rule + "\nLLDP neighbors:\n" +
                               rule + "\nInterface:    eth2, via: LLDP, RID: 1, Time: 0 day, 00:10:33\n" +
                               "  Chassis:     \n    SysName:      leaf1\n" + rule + "\n" + kQos,
                           file());
  ASSERT_FALSE(lldp.sections.empty());
  for (const Section& section : lldp.sections) EXPECT_EQ(section.host, "gpu07") << section.format->name;
  EXPECT_EQ(lldp.sections.back().about.netdev, "eth2");
  const std::string banner = rule + "\nScrutiny NIC CLI v229.0.150.0 - Broadcom Inc. (c) 2023\n" + rule + "\n";
  EXPECT_EQ(hosts_of_sections("[root@bcm01 ~]# niccli -i 1 getqos\n" + banner +
                              "IEEE 8021QAZ PFC TLV:\n         PFC enabled: 3\n"),
            Names{"bcm01"});
}

TEST(HostOfHeading, is_one_word_and_how_many_hosts_it_stands_for) {
  EXPECT_EQ(host_of_heading("node1.example"), "node1");
  EXPECT_EQ(host_of_heading("node1 (2)"), "node1");
  EXPECT_EQ(host_of_heading("node[1-3] (3)"), "node[1-3]");
  for (const char* line : {"LLDP neighbors:", "Broadcom NIC CLI", "node1 (up)", "node1 2", "node1:", "", " node1"})
    EXPECT_EQ(host_of_heading(line), "") << line;
}

TEST(HostOfLog, is_no_part_of_a_date) {
  EXPECT_EQ(host_of_log("2025-12-01T09:00:00 gpu01 kernel: mlx5_core 0000:3b:00.0 ens1f0: Link down"), "gpu01");
  EXPECT_EQ(host_of_log("2025-12-01T09:00:00 Link down"), "");
  EXPECT_EQ(host_of_log("2025-03-01T12:00:03 gpu02: gpu02:2222:2777 [3] NCCL WARN NET/IB : Got async event"), "gpu02");
}

TEST(HostOfLog, is_that_of_the_process_behind_what_a_launcher_puts_in_front) {
  for (const char* front : {"", "[2025-03-01 12:00:03] ", "[1,0]<stdout>:", "[1,1]<stderr>: ", "worker-0: ", " 0: "})
    EXPECT_EQ(host_of_log(std::string(front) + "gpu03:2222:2777 [3] NCCL INFO NCCL_IB_GID_INDEX set"), "gpu03")
        << front;
  EXPECT_EQ(host_of_log("[1614690123.456789] [node1:12345:0]  ib_mlx5_log.c:143  UCX  ERROR Transport retry count "
                        "exceeded on mlx5_0:1/RoCE"),
            "node1");
  for (const char* line : {"[1614690123.456789] mlx5_core 0000:3b:00.0: eth0:1:2 Link down",
                           "worker-0: net.cc:12:34 Got completion with status=12", "[12:00:03] status=12"})
    EXPECT_EQ(host_of_log(line), "") << line;
}

TEST(CommandLine, a_prompt_of_ones_own_names_its_host_where_a_known_command_follows) {
  for (const char* prompt : {"gpu01# ", "[gpu01 ~]$ ", "[gpu01 network-scripts]# ", "gpu01> ", "gpu01 $ ", "gpu01 ~ # ",
                             "root@gpu01:~ > ", "gpu01.example% "}) {
    CommandLine out;
    ASSERT_TRUE(read_command_line(std::string(prompt) + "dcb pfc show dev eth2", out)) << prompt;
    EXPECT_EQ(out.host, "gpu01") << prompt;
    EXPECT_TRUE(out.known()) << prompt;
  }
  for (const char* prompt : {"sh-5.1# ", "bash-5.1$ ", "bash-5.1> ", "# ", "$ ", "root# ", "eth2# ", "mlx5_0> ",
                             "Output $ ", "as told > ", "[INFO] $ ", "[Step 1]$ ", "1> ", "eth-lab > "}) {
    CommandLine out;
    ASSERT_TRUE(read_command_line(std::string(prompt) + "dcb pfc show dev eth2", out)) << prompt;
    EXPECT_EQ(out.host, "") << prompt;
  }
  CommandLine none;
  EXPECT_FALSE(read_command_line("gpu01# frobnicate eth2", none));
}

TEST(CommandLine, a_prompt_may_have_a_clock_in_front_and_no_blank_behind) {
  for (const char* prompt : {"[10:23:01] root@gpu01:~# ", "10:23:01 root@gpu01:~# ", "[10:23] [root@gpu01 ~]# ",
                             "[2026-11-30 10:23:01] root@gpu01:~ > ", "[root@gpu01 ~]#", "root@gpu01:~$"}) {
    CommandLine out;
    ASSERT_TRUE(read_command_line(std::string(prompt) + "mlnx_qos -i eth2", out)) << prompt;
    EXPECT_EQ(out.host, "gpu01") << prompt;
    EXPECT_TRUE(out.known()) << prompt;
  }
  for (const char* line : {"[10:23:01] a@gpu01: 50% of it", "see root@gpu01:~#top", "root@gpu01:~#frobnicate eth2"}) {
    CommandLine none;
    EXPECT_FALSE(read_command_line(line, none)) << line;
  }
}

TEST(HostOfTitle, may_be_markdown_and_a_role) {
  EXPECT_EQ(host_of_title("**Server A (10.0.0.1)**"), "Server A");
  EXPECT_EQ(host_of_title("### Node 2:"), "Node 2");
  EXPECT_EQ(host_of_title("**gpu01.example:**"), "gpu01");
  EXPECT_EQ(host_of_title("### Describe the bug"), "");
  for (const char* role : {"Server A", "node 2", "Client", "Host B", "receiver"}) EXPECT_TRUE(is_role(role)) << role;
  for (const char* other : {"Node", "Server room", "Host 2026", "Servers", "Node A B", ""})
    EXPECT_FALSE(is_role(other)) << other;
}

TEST(Split, parts_the_hosts_of_an_issue_by_bold_titles) {
  EXPECT_EQ(hosts_of_sections("**Server A (10.0.0.1)**\n```\n" + std::string(kQos) + "```\n**Server B**\n```\n" +
                              kPause + "```\n"),
            (Names{"Server A", "Server B"}));
  for (const char* title : {"### Environment\n", "**eth0**\n", "## ConnectX-7\n", "**Node**\n"})
    EXPECT_EQ(hosts_of_sections(title + std::string(kPause)), Names{""}) << title;
}

TEST(Split, takes_the_only_role_for_no_host_of_its_own) {
  const std::string log = "Nov 30 11:00:00 gpu01 kernel: mlx5_core 0000:3b:00.0 eth0: Link down\n";
  for (const char* title : {"### Server 1\n", "**Client**\n"}) {
    EXPECT_EQ(hosts_of_sections(title + std::string(kPause)), Names{""}) << title;
    EXPECT_EQ(hosts_of_sections(title + std::string(kPause) + log), (Names{"gpu01", "gpu01"})) << title;
    EXPECT_EQ(hosts_of_sections("root@gpu02:~# ethtool -a eth0\n" + std::string(kPause) + title + kQos),
              (Names{"gpu02", "gpu02"}))
        << title;
  }
}

TEST(Split, calls_a_role_by_the_only_host_that_is_met_below_it) {
  const auto below = [](const std::string& title, const std::string& host) {
    return "### " + title + "\n" + kPause + "Nov 30 11:00:00 " + host +
           " kernel: mlx5_core 0000:3b:00.0 eth0: Link down\n";
  };
  EXPECT_EQ(hosts_of_sections(below("Server", "gpu01") + below("Client", "gpu02")),
            (Names{"gpu01", "gpu01", "gpu02", "gpu02"}));
  EXPECT_EQ(hosts_of_sections(below("Server", "gpu01") + below("Client", "gpu01")),
            (Names{"Server", "gpu01", "Client", "gpu01"}))
      << "of both";
  EXPECT_EQ(hosts_of_sections(below("Server", "gpu01") + "### Client\n" + kPause), (Names{"gpu01", "gpu01", "Client"}));
  const auto typed = [](const std::string& title, const std::string& host) {
    return "**" + title + "**\n```\n$ mlnx_qos -i eth0\n" + kQos + "root@" + host + ":~# ethtool -a eth0\n" + kPause +
           "```\n";
  };
  EXPECT_EQ(hosts_of_sections(typed("Server 1", "gpu01") + typed("Server 2", "gpu02")),
            (Names{"gpu01", "gpu01", "gpu02", "gpu02"}));
}

TEST(Split, merges_no_two_outputs_that_tell_one_value_twice) {
  const Split out = split("eth0\nRX:\t\toff\nTX:\t\toff\neth1\nRX:\t\ton\nTX:\t\ton\n", file());
  EXPECT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(netdevs_of(split("# for i in eth0 eth1; do echo $i; ethtool -a $i | grep X; done\n"
                             "eth0\nRX:\t\toff\nTX:\t\toff\neth1\nRX:\t\ton\nTX:\t\ton\n",
                             file())),
            (Names{"eth0", "eth1"}));
}

TEST(Split, parts_the_hosts_of_one_file_by_their_prompts_and_titles) {
  const std::string pfc = "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n";
  const std::string command = "dcb pfc show dev eth2\n";
  EXPECT_EQ(hosts_of_sections("gpu01# " + command + pfc + "gpu02# " + command + pfc), (Names{"gpu01", "gpu02"}));
  EXPECT_EQ(hosts_of_sections("On gpu01:\n$ " + command + pfc + "On gpu02:\n$ " + command + pfc),
            (Names{"gpu01", "gpu02"}));
  EXPECT_EQ(hosts_of_sections(std::string("=== gpu01 ===\n") + kPause + "=== gpu02 ===\n" + kPause),
            (Names{"gpu01", "gpu02"}));
  for (const char* title :
       {"=== step1 ===\n", "=== eth1 ===\n", "=== mlx5_0 ===\n", "On failure:\n", "=== numa0 ===\n"})
    EXPECT_EQ(hosts_of_sections(title + std::string(kPause)), Names{""}) << title;
}

TEST(Split, takes_a_sentence_of_a_program_for_no_title) {
  const std::string before = std::string("[root@gpu01 ~]# ./job\n");
  for (const char* sentence : {"On gpu02:\n  rank 3 is stuck\n", "Node gpu02 reported:\n  error 12\n",
                               "On gpu02:\nDec  1 10:00:02 gpu01 kernel: mlx5_core 0000:3b:00.0 eth0: Link down\n"})
    EXPECT_EQ(hosts_of_sections(before + sentence +
                                "$ dcb pfc show dev eth2\nprio-pfc 0:off 1:off 2:off 3:on 4:off "
                                "5:off 6:off 7:off\n"),
              std::string(sentence).find("kernel") == std::string::npos ? Names{"gpu01"} : (Names{"gpu01", "gpu01"}))
        << sentence;
  for (const char* begin : {"$ dcb pfc show dev eth2\n", "dcb pfc show dev eth2\n", "\n", ""})
    EXPECT_EQ(hosts_of_sections(before + "On gpu02:\n" + begin + kPause), Names{"gpu02"}) << begin;
  EXPECT_EQ(hosts_of_sections("On gpu02:\n[  123.456789] mlx5_core 0000:3b:00.0 eth0: Link down\n"), Names{"gpu02"});
}

TEST(Split, takes_a_launchers_rules_for_no_output) {
  const std::string text =
      "$ clush -w gpu[01-02] -b 'cat /sys/class/infiniband/mlx5_0/ports/1/state'\n---------------\ngpu01\n"
      "---------------\n4: ACTIVE\n---------------\ngpu02\n---------------\n1: DOWN\n";
  EXPECT_EQ(hosts_of_sections(text), (Names{"gpu01", "gpu02"}));
}

TEST(Split, gives_a_title_within_a_loop_to_the_host_that_the_loop_goes_to) {
  const std::string titled = std::string("=== a1 ===\n") + kQos + "=== a2 ===\n" + kQos;
  for (const char* command : {"mlnx_qos -i eth0", "'uptime; mlnx_qos -i eth0'"}) {
    const Split out =
        split("$ for h in a1 a2; do echo \"=== $h ===\"; ssh $h " + std::string(command) + "; done\n" + titled, file());
    ASSERT_EQ(out.sections.size(), 2U) << command;
    EXPECT_EQ(out.sections[0].host, "a1") << command;
    EXPECT_EQ(out.sections[1].host, "a2") << command;
    EXPECT_EQ(netdevs_of(out), (Names{"eth0", "eth0"})) << command;
  }
  EXPECT_EQ(hosts_of_sections("[root@gpu01 ~]# for h in gpu02; do echo \"=== $h ===\"; mlnx_qos -i eth0; done\n"
                              "=== gpu02 ===\n" +
                              std::string(kQos)),
            Names{"gpu01"})
      << "gpu02 may be a peer";
}

TEST(CommandLine, all_commands_in_the_quotes_of_ssh_are_run_there) {
  for (const char* text :
       {"ssh gpu01 'rdma link; sudo ethtool -a ens1; mlnx_qos -i ens1'",
        "ssh -p 22 root@gpu01.example \"rdma link && ethtool -a ens1 && mlnx_qos -i ens1 | head\""}) {
    const CommandLine line = commands_of(text);
    ASSERT_EQ(line.commands.size(), 3U) << text;
    for (const Command& one : line.commands) {
      EXPECT_EQ(one.host, "gpu01") << text;
      EXPECT_NE(one.format, nullptr) << text;
    }
    EXPECT_EQ(line.commands[1].words[0], "ethtool") << text;
    EXPECT_EQ(line.commands[2].about.netdev, "ens1") << text;
  }
  EXPECT_EQ(commands_of("ssh 10.0.0.1 'rdma link; uname -r'").commands.back().host, "10.0.0.1");
  const CommandLine watched = commands_of("watch -n 1 'ethtool -S eth0; rdma statistic'");
  EXPECT_TRUE(watched.repeats);
  EXPECT_EQ(watched.commands.size(), 2U);
  EXPECT_EQ(commands_of("pdsh -w n[1-2] 'ethtool -S eth0; rdma statistic'").commands.size(), 2U);
  EXPECT_EQ(commands_of("ssh gpu01 'rdma link'; mlnx_qos -i ens1").commands.back().host, "");
}

TEST(CommandLine, what_runs_a_command_in_another_place_says_which) {
  struct Case {
    const char *text, *host, *within;
    bool elsewhere;
  };
  const Case cases[] = {
      {"kubectl exec -it rdma-test-0 -n ml -- ethtool -a ens1", "", "pod ml/rdma-test-0", false},
      {"kubectl -n ml exec pod/rdma-test-0 -c main -- ethtool -a ens1", "", "pod ml/rdma-test-0", false},
      {"kubectl exec a -- bash -c 'ethtool -a ens1'", "", "pod a", false},
      {"kubectl exec a ethtool -a ens1", "", "pod a", false},
      {"oc rsh -n ml a ethtool -a ens1", "", "pod ml/a", false},
      {"oc debug node/gpu01.example -- chroot /host ethtool -a ens1", "gpu01", "", false},
      {"sudo docker exec -it -u root c1 ethtool -a ens1", "", "container c1", false},
      {"podman exec c1 sh -c \"ethtool -a ens1\"", "", "container c1", false},
      {"crictl exec 3f2a ethtool -a ens1", "", "container 3f2a", false},
      {"ssh gpu01 docker exec c1 ethtool -a ens1", "gpu01", "container c1", false},
      {"lxc exec c1 -- ethtool -a ens1", "", "container c1", false},
      {"lxc-attach -n c1 -- ethtool -a ens1", "", "container c1", false},
      {"nsenter -t 1 -n ethtool -a ens1", "", "", false},
      {"nsenter --target 1 --mount --net -- ethtool -a ens1", "", "", false},
      {"nsenter -t 4242 -m ethtool -a ens1", "", "", false},
      {"nsenter -t 4242 -n ethtool -a ens1", "", "", true},
      {"nsenter -t4242 -n ethtool -a ens1", "", "", true},
      {"nsenter --net=/run/netns/blue ethtool -a ens1", "", "", true},
      {"nsenter -n/proc/1/ns/net ethtool -a ens1", "", "", false},
      {"chroot /host ethtool -a ens1", "", "", false},
      {"srun -N1 -w gpu01 ethtool -a ens1", "gpu01", "", false},
      {"srun --nodelist=gpu01 --pty -n 1 ethtool -a ens1", "gpu01", "", false},
      {"srun -N2 -w gpu[01-02] -l ethtool -a ens1", "", "", false},
      {"sudo -E bash -c 'ethtool -a ens1'", "", "", false},
      {"sudo -n ethtool -a ens1", "", "", false},
      {"su - admin -c 'ethtool -a ens1'", "", "", false},
  };
  for (const Case& one : cases) {
    const CommandLine line = commands_of(one.text);
    ASSERT_EQ(line.commands.size(), 1U) << one.text;
    const Command& command = line.commands[0];
    EXPECT_EQ(command.about.netdev, "ens1") << one.text;
    EXPECT_EQ(command.host, one.host) << one.text;
    EXPECT_EQ(command.within, one.within) << one.text;
    EXPECT_EQ(!command.elsewhere.empty(), one.elsewhere) << one.text;
  }
  for (const char* text : {"kubectl get pods -o wide", "docker ps", "bash collect.sh", "chroot", "nsenter", "srun"})
    EXPECT_FALSE(commands_of(text).known()) << text;
}

TEST(Split, takes_no_output_of_a_pod_or_container_for_the_hosts) {
  const std::string on_host = "[root@gpu01 ~]# ethtool -a eth0\n" + std::string(kPause), prompt = "[root@gpu01 ~]# ";
  EXPECT_EQ(hosts_of_sections(on_host + prompt + "kubectl exec a -- ethtool -a eth0\n" + kPause + prompt +
                              "docker exec c1 ethtool -a eth0\n" + kPause),
            (Names{"gpu01", "pod a", "container c1 on gpu01"}));
  EXPECT_EQ(hosts_of_sections(on_host + prompt + "kubectl exec a -- ./collect.sh\n" + kPause),
            (Names{"gpu01", "pod a"}));
  EXPECT_EQ(hosts_of_sections(prompt + "kubectl exec -it a -- bash\nbash-5.1# ethtool -a eth0\n" + kPause +
                              "bash-5.1# exit\n" + on_host),
            (Names{"pod a", "gpu01"}));
  // A shell in a pod shows the pod's name as a host's.
  const std::string in_pod = "kubectl exec -it a -- bash\nroot@a-7f:/# ethtool -a eth0\n" + std::string(kPause);
  EXPECT_EQ(hosts_of_sections(prompt + in_pod + "root@a-7f:/# exit\n" + on_host), (Names{"pod a", "gpu01"}));
  EXPECT_EQ(hosts_of_sections(prompt + in_pod + on_host), (Names{"pod a", "gpu01"})) << "it ended by a key";
  EXPECT_EQ(hosts_of_sections("$ " + in_pod + "$ ethtool -a eth0\n" + kPause), (Names{"pod a", ""}));
  EXPECT_EQ(hosts_of_sections(prompt + "kubectl exec -it a -- bash\nError: no such pod\n" + on_host), Names{"gpu01"});
  EXPECT_EQ(hosts_of_sections("$ kubectl exec a -- hostname\na-7f\n$ ethtool -a eth0\n" + std::string(kPause)),
            (Names{"pod a", ""}));
  EXPECT_EQ(
      hosts_of_sections("$ for p in a b; do kubectl exec $p -- mlnx_qos -i eth0; done\n" + std::string(kQos) + kQos),
      (Names{"pod a", "pod b"}));
  for (const char* before : {"cd /opt/diag && ", "export KUBECONFIG=/x; ", "source env.sh; sleep 1; "})
    EXPECT_EQ(hosts_of_sections("$ " + std::string(before) + "docker exec nccl ./diag.sh\n" + kPause),
              Names{"container nccl"})
        << before;
  const Split both = split(prompt + "./collect.sh; kubectl exec a -- ./collect.sh\n" + kPause, file());
  EXPECT_TRUE(both.sections.empty()) << "of the host or of the pod";
  EXPECT_EQ(both.left_out.size(), 1U);
}

TEST(Split, gives_each_output_of_ssh_to_the_host_it_was_run_on) {
  std::string text;
  for (const char* host : {"gpu01", "gpu02"})
    text += "user@jump:~$ ssh " + std::string(host) + " \"ethtool -a eth0; mlnx_qos -i eth0\"\n" + kPause + kQos;
  EXPECT_EQ(hosts_of_sections(text), (Names{"gpu01", "gpu01", "gpu02", "gpu02"}));
  EXPECT_EQ(netdevs_of(split(text, file())), (Names{"eth0", "eth0", "eth0", "eth0"}));
}

TEST(Split, reads_command_host_and_time_of_each_screen_of_watch) {
  const std::string head = "Every 2.0s: ethtool -S eth2 | grep -E 'prio3'              node7: Mon Dec  1 09:00:";
  const Split out = split(
      head + "00 2025\n\n     rx_prio3_pause: 1000\n\n" + head + "02 2025\n\n     rx_prio3_pause: " + "1100\n", file());
  ASSERT_EQ(out.sections.size(), 2U);
  EXPECT_EQ(netdevs_of(out), (Names{"eth2", "eth2"}));
  EXPECT_EQ(out.sections[0].host, "node7");
  EXPECT_EQ(out.sections[0].clock, "local");
  EXPECT_EQ(out.sections[1].wall_ns - out.sections[0].wall_ns, 2'000'000'000);
  EXPECT_EQ(out.unread_count, 0U);
}

TEST(WatchHeading, is_a_command_and_a_time) {
  CommandLine out;
  WallTime when;
  ASSERT_TRUE(read_watch_heading("Every 1.0s: ethtool -S eth...  n1.example: Mon Dec  1 09:00:00 2025", out, when));
  EXPECT_TRUE(out.commands.empty()) << "the name of the netdev is cut";
  EXPECT_EQ(out.host, "n1");
  CommandLine plain;
  ASSERT_TRUE(read_watch_heading("Every 2s: rdma link    Mon Dec  1 09:00:00 2025", plain, when));
  EXPECT_TRUE(plain.known());
  EXPECT_EQ(plain.host, "");
  for (const char* line : {"Every 2.0s: ethtool -S eth0", "Every now and then: Mon Dec  1 09:00:00 2025", "Every ", ""})
    EXPECT_FALSE(read_watch_heading(line, plain, when)) << line;
}

TEST(Split, closes_the_door_behind_an_output_that_no_format_knows) {
  for (const char* command : {"$ ethtool -l eth0\n", ""}) {
    const Split out = split(std::string(command) +
                                "Channel parameters for eth0:\nPre-set maximums:\nRX:\t\t63\nTX:\t\t63\n"
                                "Current hardware settings:\nRX:\t\t8\nTX:\t\t8\n",
                            file());
    EXPECT_TRUE(out.sections.empty()) << command;
    EXPECT_EQ(out.unread_count, 7U) << command;
    EXPECT_EQ(out.read_count, command[0] == '\0' ? 0U : 1U) << command;
  }
}

TEST(Split, reads_a_mail_that_is_quoted_in_part) {
  const Split out =
      split("Hi,\nsee below\n> $ ethtool -S eth0\n> NIC statistics:\n>      rx_prio3_pause: 12\nregards\nme\n", file());
  ASSERT_EQ(out.sections.size(), 1U);
  EXPECT_EQ(out.sections[0].about.netdev, "eth0");
}

TEST(Split, reads_statistics_that_lost_their_newlines) {
  const Split out = split("NIC statistics: rx_prio3_pause: 100 [0]: rx_ucast_packets: 7 rx_discards_phy: 9\n", file());
  ASSERT_EQ(out.sections.size(), 1U);
  ASSERT_EQ(out.sections[0].lines.size(), 4U);
  EXPECT_EQ(out.sections[0].lines[2].text, "[0]: rx_ucast_packets: 7");
}

TEST(Split, never_takes_the_last_word_of_a_line_that_is_too_long) {
  const Split out = split("rx_prio3_pause:" + std::string(kLongestLine - 18, ' ') + "123456789\n", file());
  EXPECT_TRUE(out.sections.empty());
  EXPECT_GE(out.unread_count, 1U);
}

TEST(Split, reads_a_long_text_whose_lines_end_with_carriage_returns) {
  std::string text = "NIC statistics:\r";
  for (int i = 0; i < 4000; ++i) text += "     rx" + std::to_string(i) + "_prio3_pause: 1\r";
  for (const std::size_t size : {text.size(), std::size_t{10'000}}) {
    Splitter splitter(file());
    for (std::size_t at = 0; at < text.size(); at += size) splitter.feed(std::string_view(text).substr(at, size));
    const Split out = splitter.finish();
    ASSERT_EQ(out.sections.size(), 1U);
    EXPECT_EQ(out.read_count, 4001U);
    EXPECT_EQ(out.unread_count, 0U);
  }
}

TEST(Split, keeps_the_first_part_of_too_much_and_counts_the_rest) {
  std::string text = "NIC statistics:\n";
  for (int i = 0; i < 1000; ++i) text += "     rx_queue_" + std::to_string(i) + "_packets: 1\n";
  Splitter splitter(file(), 10'000);
  splitter.feed(text);
  const Split out = splitter.finish();
  ASSERT_EQ(out.sections.size(), 1U);
  EXPECT_LT(out.read_count, 400U);
  EXPECT_EQ(out.read_count + out.unread_count, 1001U);
  EXPECT_EQ(out.left_out.size(), 1U);
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
  EXPECT_EQ(facts_of_path("receiver/rdma.txt").host, "receiver");
  EXPECT_EQ(facts_of_path("case-002-receiver-without-buffers/rdma.txt").host, "");
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
  EXPECT_EQ(expected->clock, "UTC");
  for (const char* line : {"Mon Nov 30 14:36:55 UTC 2026", "Mon 30 Nov 2026 02:36:55 PM UTC",
                           "2026-11-30T15:36:55+01:00", "Mon Nov 30 15:36:55 +01 2026", "2026-11-30T14:36:55Z"})
    EXPECT_EQ(wall_time_line(line), expected) << line;
  for (const char* line : {"2026年 11月 30日 星期一 14:36:55 CST", "2026年11月30日 星期一 14:36:55 CST"})
    EXPECT_EQ(wall_time_line(line), (WallTime{expected->ns, "CST"})) << line;
  for (const char* line :
       {"2026年 11月 30日 星期一", "2026年 13月 30日 14:36:55", "2026年 11月 30日 14:36:55 log line"})
    EXPECT_EQ(wall_time_line(line), std::nullopt) << line;
  EXPECT_EQ(wall_time_line("Mon Nov 30 14:36:55 CET 2026"), (WallTime{expected->ns, "CET"}));
  for (const char* line : {"2026-11-30 14:36:55", "Mon Nov 30 14:36:55 2026"})
    EXPECT_EQ(wall_time_line(line), (WallTime{expected->ns, "local"})) << line;
  EXPECT_EQ(wall_time_in_name("capture_20261130-143655.txt"), (WallTime{expected->ns, "name"}));
  EXPECT_EQ(wall_time_in_name("capture_20261130T143655Z.txt"), expected);
  for (const char* line : {"Mon", "2026-13-30T15:36:55Z", "rx_bytes: 1796049415", "31415926535", ""})
    EXPECT_EQ(wall_time_line(line), std::nullopt) << line;
}

}  // namespace
}  // namespace roceready::evidence
