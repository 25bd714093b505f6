// SPDX-License-Identifier: Apache-2.0
// dcb … show of iproute2; lldptool and niccli, which print the same settings as TLVs; nicctl.
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

const std::string kPfc =
    "pfc-cap 8 macsec-bypass off delay 7 \nprio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off \n"
    "requests 0:0 1:0 2:0 3:217 4:0 5:0 6:0 7:0 \nindications 0:0 1:0 2:0 3:179 4:0 5:0 6:0 7:0 \n";
const std::string kEts =
    "willing off ets-cap 8 cbs off \ntc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0 \npg-bw 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 \n"
    "tc-tsa 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:vendor \nprio-tc 0:0 1:0 2:0 3:3 4:0 5:0 6:6 "
    "7:0 \n"
    "reco-tc-bw 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 \n";
const std::string kBuffer =
    "prio-buffer 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0 \nbuffer-size 0:130944b 1:128Kb 2:0b 3:0b 4:0b 5:0b 6:0b 7:0b \n"
    "total-size 262016b \n";
const std::string kTlvs =
    "IEEE 8021QAZ ETS Configuration TLV:\n         PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2\n"
    "         TC Bandwidth: 50% 50% 0%\n         TSA_MAP: 0:ets 1:ets 2:strict\nIEEE 8021QAZ PFC TLV:\n"
    "         PFC enabled: 3\nIEEE 8021QAZ APP TLV:\n         APP#0:\n          Priority: 7\n          Sel: 5\n"
    "          DSCP: 48\n\n         APP#1:\n          Priority: 3\n          Sel: 5\n          DSCP: 26\n\n"
    "         APP#2:\n          Priority: 3\n          Sel: 3\n          UDP or DCCP: 4791\n\n"
    "TC Rate Limit: 100% 100% 100% 0% 0% 0% 0% 0%\n";

TEST(DcbTool, reads_pfc) {
  const Parsed out = parsed("$ dcb -s pfc show dev eth0\n" + kPfc);
  EXPECT_TRUE(out.unread.empty());
  const PfcFacts& pfc = *out.netdev("eth0")->dcb.pfc;
  EXPECT_EQ(*pfc.capability, 8U);
  EXPECT_EQ(pfc.enabled, 8U);
  EXPECT_EQ(*pfc.delay, 7U);
  EXPECT_EQ((*pfc.requests)[3], 217U);
  EXPECT_EQ((*pfc.indications)[3], 179U);
  EXPECT_EQ(parsed("prio-pfc 0:off 1:on\n").netdev("")->dcb.pfc.absent().why, Why::Malformed);
}

TEST(DcbTool, reads_ets_only_in_full) {
  const Parsed out = parsed("$ dcb ets show dev eth0\n" + kEts);
  EXPECT_TRUE(out.unread.empty());
  const EtsFacts& ets = *out.netdev("eth0")->dcb.ets;
  EXPECT_EQ(ets.bandwidth_percent[3], 50U);
  EXPECT_EQ(ets.algorithm[7], kAlgorithmVendor);
  EXPECT_EQ(ets.priority_to_class[6], 6U);
  EXPECT_FALSE(*ets.willing);
  EXPECT_FALSE(parsed("tc-bw 0:50 1:0 2:0 3:50 4:0 5:0 6:0 7:0\n").netdev("")->dcb.ets);
}

TEST(DcbTool, reads_the_application_table_with_names_and_numbers) {
  const Parsed out = parsed(
      "$ dcb app show dev eth0\ndefault-prio 2 \ndscp-prio CS3:3 AF31:3 27:3 CS6:6 \ndgram-port-prio 4791:3 \n"
      "ethtype-prio 8906:4 \n");
  EXPECT_TRUE(out.unread.empty());
  const std::vector<AppEntry> wanted = {{1, 0, 2},  {5, 24, 3},   {5, 26, 3},    {5, 27, 3},
                                        {5, 48, 6}, {3, 4791, 3}, {1, 0x8906, 4}};
  EXPECT_EQ(*out.netdev("eth0")->dcb.app, wanted);
  EXPECT_EQ(parsed("dscp-prio XX9:3\n").unread.size(), 1U);
  EXPECT_EQ(parsed("dscp-prio 26:9\n").unread.size(), 1U);
}

TEST(DcbTool, reads_buffers_rates_and_dcbx) {
  const Parsed out =
      parsed("$ dcb buffer show dev eth0\n" + kBuffer +
             "$ dcb maxrate show dev eth0\ntc-maxrate 0:25Gbit "
             "1:100Mbit 2:0bit 3:0bit 4:0bit 5:0bit 6:0bit 7:0bit\n$ dcb dcbx show dev eth0\nhost ieee\n");
  EXPECT_TRUE(out.unread.empty());
  const DcbFacts& dcb = out.netdev("eth0")->dcb;
  EXPECT_EQ(dcb.buffers->size_bytes[0], 130944U);
  EXPECT_EQ(dcb.buffers->size_bytes[1], 131072U);
  EXPECT_EQ(*dcb.buffers->total_bytes, 262016U);
  EXPECT_EQ(dcb.buffers->priority_to_buffer[3], 1U);
  EXPECT_EQ((*dcb.max_rate)[0], 25'000'000'000U);
  EXPECT_EQ((*dcb.max_rate)[1], 100'000'000U);
  EXPECT_EQ(*dcb.dcbx, 9U);
}

TEST(DcbTool, takes_refusals_for_facts) {
  const Parsed out = parsed(
      "$ dcb pfc show dev eth0\nAttribute read: Operation not supported\n"
      "$ dcb buffer show dev eth1\nAttribute read: No such device\n");
  EXPECT_EQ(out.netdev("eth0")->dcb.pfc.absent().why, Why::NotSupported);
  EXPECT_EQ(out.netdev("eth1")->dcb.buffers.absent().why, Why::NotPresent);
}

TEST(DcbTool, invents_nothing_when_lines_are_lost) {
  expect_no_invention(kPfc);
  expect_no_invention(kEts);
  expect_no_invention(kBuffer);
}

TEST(Lldptool, reads_the_settings_of_this_side) {
  const std::string text =
      "IEEE 8021QAZ ETS Configuration TLV\n\t Willing: yes\n\t CBS: not supported\n\t MAX_TCS: 8\n"
      "\t PRIO_MAP: 0:0 1:0 2:0 3:3 4:0 5:0 6:0 7:0\n\t TC Bandwidth: 50% 0% 0% 50% 0% 0% 0% 0%\n"
      "\t TSA_MAP: 0:ets 1:strict 2:strict 3:ets 4:strict 5:strict 6:strict 7:strict\n"
      "IEEE 8021QAZ ETS Recommendation TLV\n\t PRIO_MAP:  0:0 1:1 2:1 3:1 4:2 5:2 6:3 7:3\n"
      "IEEE 8021QAZ PFC TLV\n\t Willing: no\n\t MACsec Bypass Capable: no\n\t PFC capable traffic classes: 8\n"
      "\t PFC enabled: 3 4\nEnd of LLDPDU LTV\n";
  const Parsed out = parsed("# lldptool -t -i eth0\n" + text);
  EXPECT_TRUE(out.unread.empty()) << out.unread[0];
  const DcbFacts& dcb = out.netdev("eth0")->dcb;
  EXPECT_EQ(dcb.pfc->enabled, 0x18U);
  EXPECT_EQ(*dcb.pfc->capability, 8U);
  EXPECT_EQ(dcb.ets->priority_to_class[3], 3U) << "what is recommended to the neighbour is another matter";
  const Parsed neighbor = parsed("# lldptool -t -n -i eth0\n" + text);
  EXPECT_TRUE(neighbor.draft.snapshot().netdevs.empty());
  EXPECT_TRUE(neighbor.unread.empty());
  EXPECT_TRUE(parsed(text).draft.snapshot().netdevs.empty()) << "whose settings these are is not told";
}

TEST(DcbApptrust, tells_what_classifies_a_packet) {
  const Parsed out = parsed("# dcb apptrust show dev eth0\norder: dscp pcp \n\n");
  EXPECT_EQ(out.formats, std::vector<std::string>{"dcb apptrust show"});
  EXPECT_TRUE(out.unread.empty());
  EXPECT_EQ(out.netdev("eth0")->dcb.trust.value_or(""), "dscp");
  EXPECT_EQ(out.draft.place_of("DCB netlink eth0", "trust"), "a.txt:2");
  EXPECT_EQ(parsed("order: pcp\n").netdev("")->dcb.trust.value_or(""), "pcp");
  for (const char* open : {"# dcb apptrust show dev eth0\norder: pcp dscp\n", "# dcb apptrust show dev eth0\norder:\n",
                           "# dcb apptrust show dev eth0\nAttribute not found: Operation not supported\n"}) {
    const Parsed said = parsed(open);
    const Netdev* netdev = said.netdev("eth0");
    EXPECT_TRUE(netdev == nullptr || netdev->dcb.trust.absent().why == Why::NotRecorded) << open;
  }
  EXPECT_TRUE(parsed("order: ascending\n").formats.empty());
  expect_no_invention("# dcb apptrust show dev eth0\norder: dscp pcp \n");
}

TEST(DcbRewr, is_recognised_and_says_nothing_of_what_arrives) {
  const Parsed out = parsed(
      "# dcb rewr show dev eth0\nprio-pcp 0:0nd 3:3nd \nprio-dscp 3:AF31 6:CS6 \n# dcb app show dev eth0\n"
      "dscp-prio AF31:3 \n");
  EXPECT_EQ(out.formats, (std::vector<std::string>{"dcb rewr show", "dcb app show"}));
  EXPECT_TRUE(out.unread.empty());
  EXPECT_EQ(*out.netdev("eth0")->dcb.app, (std::vector<AppEntry>{{5, 26, 3}})) << "none of the rewrite table";
  EXPECT_TRUE(parsed("prio-dscp 3:26 \n").draft.snapshot().netdevs.empty());
}

TEST(Lldptool, reads_single_settings) {
  EXPECT_EQ(parsed("$ lldptool -t -i eth0 -V PFC -c enabled\nenabled=3\n").netdev("eth0")->dcb.pfc->enabled, 8U);
  EXPECT_EQ(parsed("$ lldptool -t -i eth0 -V PFC -c enabled\nenabled=none\n").netdev("eth0")->dcb.pfc->enabled, 0U);
}

TEST(Niccli, reads_the_tlvs_of_a_broadcom_nic) {
  const Parsed out = parsed("$ sudo niccli -dev 1 getqos\n" + kTlvs);
  EXPECT_TRUE(out.unread.empty()) << out.unread[0];
  const DcbFacts& dcb = out.netdev("")->dcb;
  EXPECT_EQ(dcb.pfc->enabled, 8U);
  EXPECT_EQ(dcb.ets->priority_to_class[7], 2U);
  EXPECT_EQ(dcb.ets->bandwidth_percent[1], 50U);
  EXPECT_EQ(dcb.ets->algorithm[2], kAlgorithmStrict);
  EXPECT_EQ(*dcb.app, (std::vector<AppEntry>{{5, 48, 7}, {5, 26, 3}, {3, 4791, 3}}));
  EXPECT_NE(parsed("$ bnxtqos -dev=ens3f0 get_qos\n" + kTlvs).netdev("ens3f0"), nullptr);
  EXPECT_EQ(parsed(kTlvs).netdev("")->dcb.pfc->enabled, 8U);
}

TEST(Nicctl, reads_the_classes_of_one_port) {
  const std::string text =
      "NIC  : 42424650-4c32-3433-3330-323934000000 (0000:06:00.0)\n\nPort : 04908190-8480-4242-4242-000011010000\n\n"
      "  Classification type     : DSCP\n\n  DSCP-to-priority :\n    DSCP bitmap             : 0xffffffffeffffff ==> "
      "priority : 0\n"
      "    DSCP                    : 0-23, 25-63 ==> priority : 0\n    DSCP                    : 24 ==> priority : "
      "3\n\n"
      "  PFC :\n    PFC priority bitmap     : 0x8\n    PFC no-drop priorities  : 3\n";
  const Parsed out = parsed("# nicctl show qos\n" + text);
  EXPECT_TRUE(out.unread.empty());
  const DcbFacts& dcb = out.netdev("")->dcb;
  EXPECT_EQ(*dcb.trust, "dscp");
  EXPECT_EQ(dcb.pfc->enabled, 8U);
  EXPECT_EQ((*dcb.dscp_to_priority)[24], 3U);
  EXPECT_EQ((*dcb.dscp_to_priority)[26], 0U);
  EXPECT_TRUE(parsed("# nicctl show qos\n" + text + text).draft.snapshot().netdevs.empty())
      << "ports have no name here";
}

}  // namespace
}  // namespace roceready::evidence
