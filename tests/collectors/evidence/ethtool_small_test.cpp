// SPDX-License-Identifier: Apache-2.0
// ethtool -a, --show-fec, -g, --get-tunable.
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

const std::string kPause =
    "Pause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\toff\nRX negotiated: on\nTX negotiated: off\n"
    "Statistics:\n  tx_pause_frames: 17\n  rx_pause_frames: 0\n";
const std::string kFec =
    "FEC parameters for eth0:\nSupported/Configured FEC encodings: Auto RS\nActive FEC encoding: RS\nStatistics:\n"
    "  corrected_blocks: 256\n    Lane 0: 255\n    Lane 1: 1\n  uncorrectable_blocks: 145\n    Lane 0: 145\n";
const std::string kRings =
    "Ring parameters for eth0:\nPre-set maximums:\nRX:\t\t8192\nRX Mini:\tn/a\nRX Jumbo:\tn/a\nTX:\t\t8192\n"
    "Current hardware settings:\nRX:\t\t1024\nRX Mini:\tn/a\nRX Jumbo:\tn/a\nTX:\t\t512\nRX Buf Len:\t\tn/a\n"
    "CQE Size:\t\tn/a\nTX Push:\toff\nTCP data split:\toff\n";

TEST(EthtoolPause, gives_settings_and_frames) {
  const Parsed out = parsed(kPause);
  EXPECT_TRUE(out.unread.empty());
  EXPECT_EQ(out.formats, std::vector<std::string>{"ethtool -a"});
  const PauseFacts& pause = *out.netdev("eth0")->ethtool.pause;
  EXPECT_FALSE(*pause.autoneg);
  EXPECT_TRUE(*pause.rx);
  EXPECT_FALSE(*pause.tx);
  EXPECT_EQ(*pause.tx_frames, 17U);
  EXPECT_EQ(*pause.rx_frames, 0U);
  EXPECT_EQ(out.draft.place_of("ethtool -a eth0"), "a.txt:2");
  const Parsed old = parsed("Pause parameters for eth0:\nAutonegotiate:\ton\nRX:\t\ton\nTX:\t\ton\n");
  EXPECT_FALSE(old.netdev("eth0")->ethtool.pause->tx_frames) << "ethtool without -I counts nothing";
}

TEST(EthtoolPause, leaves_the_same_names_of_ethtool_S_alone) {
  const Parsed out = parsed("rx_pause_frames: 95331\nrx_constant_pause_events: 0\ntx_pause_frames: 0\n");
  EXPECT_EQ(out.draft.counters().statistics.at("").size(), 3U);
}

TEST(EthtoolPause, takes_refusals_for_facts) {
  const Parsed out = parsed(
      "$ ethtool -a eth0\nPause parameters for eth0:\nCannot get device pause settings: Operation not supported\n");
  EXPECT_EQ(out.netdev("eth0")->ethtool.pause.absent().why, Why::NotSupported);
  const Parsed odd = parsed("Pause parameters for eth0:\nAutonegotiate:\tperhaps\nRX:\t\ton\nTX:\t\ton\n");
  EXPECT_EQ(odd.netdev("eth0")->ethtool.pause->autoneg.absent().why, Why::Malformed);
}

TEST(EthtoolFec, reads_both_layouts_and_statistics) {
  const Parsed out = parsed(kFec);
  EXPECT_TRUE(out.unread.empty());
  const FecFacts& fec = *out.netdev("eth0")->ethtool.fec;
  EXPECT_EQ(fec.configured, std::vector<std::string>{"RS"});
  EXPECT_TRUE(*fec.automatic);
  EXPECT_EQ(*fec.active, "RS");
  EXPECT_EQ(*fec.corrected_blocks, 256U);
  EXPECT_EQ(*fec.uncorrectable_blocks, 145U);
  EXPECT_FALSE(fec.corrected_bits);
  EXPECT_EQ(out.draft.place_of("ethtool --show-fec eth0"), "a.txt:2");
  const Parsed old =
      parsed("FEC parameters for eth1:\nConfigured FEC encodings: Off BASER\nActive FEC encoding: Off\n");
  EXPECT_EQ(old.netdev("eth1")->ethtool.fec->configured, (std::vector<std::string>{"Off", "BaseR"}));
  EXPECT_FALSE(*old.netdev("eth1")->ethtool.fec->automatic);
  EXPECT_EQ(*old.netdev("eth1")->ethtool.fec->active, "Off");
}

TEST(EthtoolFec, does_not_take_none_for_off) {
  const Parsed out = parsed("FEC parameters for eth0:\nConfigured FEC encodings: Auto\nActive FEC encoding: None\n");
  EXPECT_EQ(out.netdev("eth0")->ethtool.fec->active.absent().why, Why::NotPresent);
  const Parsed refused =
      parsed("+ ethtool --show-fec eth0\nFEC parameters for eth0:\nnetlink error: Operation not supported\n");
  EXPECT_EQ(refused.netdev("eth0")->ethtool.fec.absent().why, Why::NotSupported);
}

TEST(EthtoolRings, tells_the_largest_from_the_present_size) {
  const Parsed out = parsed(kRings);
  EXPECT_TRUE(out.unread.empty());
  const RingFacts& rings = *out.netdev("eth0")->ethtool.rings;
  EXPECT_EQ(*rings.rx_max, 8192U);
  EXPECT_EQ(*rings.tx_max, 8192U);
  EXPECT_EQ(*rings.rx, 1024U);
  EXPECT_EQ(*rings.tx, 512U);
  EXPECT_EQ(out.draft.place_of("ethtool -g eth0"), "a.txt:3");
  const Parsed cut = parsed("RX:\t\t8192\nTX:\t\t8192\n");
  EXPECT_FALSE(cut.netdev("") && cut.netdev("")->ethtool.rings) << "which of both is not told";
  EXPECT_EQ(cut.unread.size(), 2U);
  const Parsed none = parsed("Ring parameters for eth0:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tmany\n");
  EXPECT_EQ(none.netdev("eth0")->ethtool.rings->rx_max.absent().why, Why::NotSupported);
  EXPECT_EQ(none.netdev("eth0")->ethtool.rings->tx_max.absent().why, Why::Malformed);
}

TEST(EthtoolTunable, gives_the_stall_limit) {
  const Parsed out = parsed("# ethtool --get-tunable eth0 pfc-prevention-tout\npfc-prevention-tout: 8000\n");
  EXPECT_EQ(*out.netdev("eth0")->ethtool.pfc_stall_limit_ms, 8000U);
  EXPECT_EQ(out.draft.place_of("ethtool --get-tunable eth0 pfc-prevention-tout"), "a.txt:2");
  const Parsed refused =
      parsed("root@n1:~# ethtool --get-tunable eth0 pfc-prevention-tout\nnetlink error: Operation not supported\n");
  EXPECT_EQ(refused.netdev("eth0")->ethtool.pfc_stall_limit_ms.absent().why, Why::NotSupported);
  const Parsed odd = parsed("pfc-prevention-tout: 99999\n");
  EXPECT_EQ(odd.netdev("")->ethtool.pfc_stall_limit_ms.absent().why, Why::Malformed);
}

TEST(EthtoolGroups, are_kept_by_the_names_of_the_standard) {
  const std::string text =
      "Standard stats for eth0:\neth-mac-FramesTransmittedOK: 902623288966\neth-mac-FrameCheckSequenceErrors: 1\n"
      "eth-ctrl-MACControlFramesReceived: 0\nrmon-etherStatsUndersizePkts: 0\n"
      "rx-rmon-etherStatsPkts64to64Octets: 2183\ntx-rmon-etherStatsPkts65to127Octets: 9\n"
      "eth-phy-SymbolErrorDuringCarrier: 5\n";
  for (const std::string& before : {std::string(), std::string("# ethtool -S eth0 --groups eth-phy eth-mac\n"),
                                    std::string("# ethtool -S eth0 --all-groups\n")}) {
    const Parsed out = parsed(before + text);
    EXPECT_EQ(out.formats, std::vector<std::string>{"ethtool -S --groups"});
    EXPECT_TRUE(out.unread.empty());
    const auto& statistics = out.draft.counters().statistics.at("eth0");
    EXPECT_EQ(statistics.size(), 7U);
    EXPECT_EQ(statistics.at("eth-phy-SymbolErrorDuringCarrier"), 5U);
  }
  EXPECT_EQ(parsed("# ethtool -S eth0\nNIC statistics:\n     rx_prio3_pause: 7\n").formats,
            std::vector<std::string>{"ethtool -S"});
  const Parsed cut = parsed("Standard stats for eth0:\neth-phy-SymbolErrorDuringCarrier:\n");
  EXPECT_TRUE(cut.draft.counters().statistics.empty());
  expect_no_invention(text);
}

TEST(EthtoolSmall, invents_nothing_when_lines_are_lost) {
  expect_no_invention(kPause);
  expect_no_invention(kFec);
  expect_no_invention(kRings);
  expect_no_invention(kPause + kFec + kRings);
}

TEST(EthtoolSmall, tells_outputs_apart_that_follow_one_another_without_command_lines) {
  const Parsed out = parsed(kPause + "\n" + kFec + kRings);
  EXPECT_EQ(out.formats, (std::vector<std::string>{"ethtool -a", "ethtool --show-fec", "ethtool -g"}));
  EXPECT_TRUE(out.unread.empty());
}

}  // namespace
}  // namespace roceready::evidence
