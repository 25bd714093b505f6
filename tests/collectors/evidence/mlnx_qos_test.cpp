// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

const std::string kWhole =
    "DCBX mode: OS controlled\n"
    "Priority trust state: dscp\n"
    "dscp2prio mapping:\n"
    "\tprio:0 dscp:07,06,05,04,03,02,01,00,\n"
    "\tprio:1 dscp:15,14,13,12,11,10,09,08,\n"
    "\tprio:2 dscp:23,22,21,20,19,18,17,16,\n"
    "\tprio:3 dscp:31,30,29,28,27,26,25,24,\n"
    "\tprio:4 dscp:39,38,37,36,35,34,33,32,\n"
    "\tprio:5 dscp:47,46,45,44,43,42,41,40,\n"
    "\tprio:6 dscp:55,54,53,52,51,50,49,48,\n"
    "\tprio:7 dscp:63,62,61,60,59,58,57,56,\n"
    "default priority:\n"
    "Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,max_buffer_size=262016\n"
    "Cable len: 7\n"
    "PFC configuration:\n"
    "\tpriority    0   1   2   3   4   5   6   7\n"
    "\tenabled     0   0   0   1   0   0   0   0   \n"
    "\tbuffer      0   0   0   1   0   0   0   0   \n"
    "tc: 0 ratelimit: unlimited, tsa: ets, bw: 50%\n"
    "\t priority:  0\n\t priority:  1\n\t priority:  2\n\t priority:  4\n\t priority:  5\n\t priority:  7\n"
    "tc: 3 ratelimit: 25.0 Gbps, tsa: ets, bw: 50%\n"
    "\t priority:  3\n"
    "tc: 6 ratelimit: unlimited, tsa: strict\n"
    "\t priority:  6\n";

TEST(MlnxQos, reads_its_own_layout) {
  const Parsed out = parsed("[root@node1 ~]# mlnx_qos -i eth0\n" + kWhole);
  EXPECT_EQ(out.formats, std::vector<std::string>{"mlnx_qos"});
  EXPECT_TRUE(out.unread.empty()) << out.unread[0];
  const DcbFacts& dcb = out.netdev("eth0")->dcb;
  EXPECT_EQ(*dcb.dcbx, 1U);
  EXPECT_EQ(*dcb.trust, "dscp");
  ASSERT_TRUE(dcb.dscp_to_priority);
  EXPECT_EQ((*dcb.dscp_to_priority)[26], 3U);
  EXPECT_EQ((*dcb.dscp_to_priority)[48], 6U);
  EXPECT_EQ(dcb.pfc->enabled, 8U);
  EXPECT_EQ(*dcb.pfc->delay, 7U);
  EXPECT_EQ(dcb.buffers->size_bytes[1], 130944U);
  EXPECT_EQ(dcb.buffers->priority_to_buffer[3], 1U);
  EXPECT_EQ(*dcb.buffers->total_bytes, 262016U);
  ASSERT_TRUE(dcb.ets);
  EXPECT_EQ(dcb.ets->priority_to_class[3], 3U);
  EXPECT_EQ(dcb.ets->bandwidth_percent[3], 50U);
  EXPECT_EQ(dcb.ets->algorithm[6], kAlgorithmStrict);
  EXPECT_EQ((*dcb.max_rate)[3], 25'000'000'000U);
  EXPECT_EQ((*dcb.max_rate)[0], 0U);
  EXPECT_EQ(out.draft.place_of("DCB netlink eth0"), "a.txt:2");
}

TEST(MlnxQos, reads_the_short_layout) {
  const Parsed out = parsed(
      "dcbx: os\ntrust: pcp\nbuffer_size: 80256,80256,896,80256,896,896,896,896\ncable_len: 7\n"
      "pfc: 0,0,0,1,0,0,0,0\nprio_to_buffer: 0,2,5,7,1,2,3,6\n");
  EXPECT_TRUE(out.unread.empty());
  const DcbFacts& dcb = out.netdev("")->dcb;
  EXPECT_EQ(*dcb.trust, "pcp");
  EXPECT_EQ(dcb.pfc->enabled, 8U);
  EXPECT_EQ(dcb.buffers->priority_to_buffer[3], 7U);
  EXPECT_EQ(dcb.buffers->size_bytes[7], 896U);
  EXPECT_EQ(dcb.dscp_to_priority.absent().why, Why::NotPresent);
}

TEST(MlnxQos, knows_older_layouts_and_what_a_system_does_not_offer) {
  const Parsed out = parsed(
      "Priority trust mode is not supported on your system\nBuffers commands are not supported on your system\n"
      "DCBX mode: Firmware controlled\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n"
      "\tenabled     0   0   0   0   0   0   0   0   \n"
      "tc: 0 ratelimit: unlimited, tsa: vendor\n\t up:  0\n\t\tskprio: 0\n\t\tskprio: 2 (tos: 8)\n");
  const DcbFacts& dcb = out.netdev("")->dcb;
  EXPECT_EQ(*dcb.dcbx, 2U);
  EXPECT_EQ(dcb.pfc->enabled, 0U);
  EXPECT_FALSE(dcb.ets) << "most priorities are in no class that is shown";
}

TEST(MlnxQos, tells_no_shares_where_some_may_not_be_shown) {
  std::string text = "tc: 0 ratelimit: unlimited, tsa: ets, bw: 12%\n";
  for (int p = 0; p < 8; ++p) text += "\t priority:  " + std::to_string(p) + "\n";
  EXPECT_FALSE(parsed(text).netdev("")->dcb.ets);
}

std::string classes(const std::string& share) {
  std::string text;
  for (int p = 0; p < 8; ++p)
    text += "tc: " + std::to_string(p) + " ratelimit: unlimited, tsa: ets," + share +
            "\n\t priority:  " + std::to_string(p) + "\n";
  return text;
}

TEST(MlnxQos, gives_no_share_to_an_ets_class_that_states_none) {
  for (const char* share : {"", " bw:", " bw: ", " bw: 12", " bw: x%"})
    EXPECT_FALSE(parsed("$ mlnx_qos -i eth0\n" + classes(share)).netdev("eth0")->dcb.ets) << share;
  EXPECT_TRUE(parsed("$ mlnx_qos -i eth0\n" + classes(" bw: 12%")).netdev("eth0")->dcb.ets);
}

TEST(MlnxQos, reads_shares_that_a_mail_put_on_the_next_line) {
  const Parsed out = parsed("$ mlnx_qos -i eth0\n" + classes("\n bw: 12%"));
  EXPECT_TRUE(out.unread.empty());
  ASSERT_TRUE(out.netdev("eth0")->dcb.ets);
  EXPECT_EQ(out.netdev("eth0")->dcb.ets->bandwidth_percent[7], 12U);
  EXPECT_FALSE(parsed("$ mlnx_qos -i eth0\n" + classes(" bw: 12%") + " bw: 12%\n\t priority:  7\n").unread.empty());
}

TEST(MlnxQos, takes_no_table_of_another_length) {
  const Parsed out =
      parsed("# mlnx_qos -i eth0\nPFC configuration:\n\tenabled     0   0   0   1\n\tbuffer      0   x\n");
  EXPECT_FALSE(out.netdev("eth0")->dcb.buffers);
  EXPECT_FALSE(out.netdev("eth0")->dcb.pfc);
  EXPECT_EQ(parsed("# mlnx_qos -i eth0\npfc: 0,0,0,2,0,0,0,0\n").netdev("eth0")->dcb.pfc.absent().why, Why::Malformed);
}

TEST(MlnxQos, invents_nothing_when_lines_are_lost) {
  // Which class a priority belongs to stands in the line above it alone.
  expect_no_invention(kWhole.substr(0, kWhole.find("tc: 0")));
}

TEST(MlnxQos, reads_a_text_that_lost_its_newlines) {
  const Parsed out = parsed(
      "$ mlnx_qos -i eth0 DCBX mode: OS controlled Priority trust state: pcp default priority: Cable len: 7 PFC "
      "configuration: priority 0 1 2 3 4 5 6 7 enabled 0 0 0 1 0 0 0 0 buffer 0 0 0 1 0 0 0 0 "
      "tc: 0 ratelimit: unlimited, tsa: ets, bw: 50% \t priority:  0 \t priority: 1");
  ASSERT_NE(out.netdev("eth0"), nullptr);
  EXPECT_EQ(*out.netdev("eth0")->dcb.trust, "pcp");
  ASSERT_TRUE(out.netdev("eth0")->dcb.pfc);
  EXPECT_EQ(out.netdev("eth0")->dcb.pfc->enabled, 1U << 3U);
}

}  // namespace
}  // namespace roceready::evidence
