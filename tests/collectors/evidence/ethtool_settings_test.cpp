// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

/// ConnectX-6 as ethtool 5.16 shows it to root.
const std::string kConnectX = R"(Settings for ens6f0np0:
	Supported ports: [ Backplane ]
	Supported link modes:   1000baseKX/Full
	                        10000baseKR/Full
	                        25000baseCR/Full 50000baseCR2/Full
	                        200000baseCR4/Full
	Supported pause frame use: Symmetric
	Supports auto-negotiation: Yes
	Supported FEC modes: None	 RS	 BASER
	Advertised link modes:  25000baseCR/Full
	                        100000baseCR4/Full
	Advertised pause frame use: Symmetric
	Advertised auto-negotiation: Yes
	Advertised FEC modes: RS
	Link partner advertised link modes:  Not reported
	Link partner advertised pause frame use: No
	Link partner advertised auto-negotiation: Yes
	Link partner advertised FEC modes: Not reported
	Speed: 100000Mb/s
	Lanes: 4
	Duplex: Full
	Auto-negotiation: on
	Port: Direct Attach Copper
	PHYAD: 0
	Transceiver: internal
	Supports Wake-on: d
	Wake-on: d
	Current message level: 0x00000004 (4)
			       link
	Link detected: yes
)";

TEST(EthtoolSettings, gives_speed_modes_medium_and_link) {
  const Parsed out = parsed(kConnectX);
  EXPECT_EQ(out.formats, std::vector<std::string>{"ethtool"});
  EXPECT_TRUE(out.unread.empty()) << out.unread[0];
  const Netdev* netdev = out.netdev("ens6f0np0");
  ASSERT_NE(netdev, nullptr);
  const LinkModes& modes = *netdev->ethtool.link_modes;
  EXPECT_EQ(*modes.speed_bits_per_second, 100'000'000'000U);
  EXPECT_EQ(*modes.lanes, 4U);
  EXPECT_TRUE(*modes.autoneg);
  EXPECT_EQ(*modes.max_supported_bits_per_second, 200'000'000'000U);
  EXPECT_EQ(*modes.max_advertised_bits_per_second, 100'000'000'000U);
  EXPECT_EQ(modes.max_peer_bits_per_second.absent().why, Why::NotPresent);
  EXPECT_EQ(*netdev->ethtool.medium, "DirectAttach");
  EXPECT_TRUE(*netdev->ethtool.link_state->link);
  EXPECT_EQ(out.draft.place_of("ethtool ens6f0np0"), "a.txt:2");
}

TEST(EthtoolSettings, says_why_there_is_no_link) {
  const Parsed out = parsed(
      "Settings for eth2:\n\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n\tPort: FIBRE\n\tLink Down Events: 3\n"
      "\tLink detected: no (Autoneg, No partner detected)\n");
  const EthtoolFacts& facts = out.netdev("eth2")->ethtool;
  EXPECT_EQ(facts.link_modes->speed_bits_per_second.absent().why, Why::NotPresent);
  EXPECT_EQ(*facts.medium, "Fibre");
  EXPECT_FALSE(*facts.link_state->link);
  EXPECT_EQ(*facts.link_state->extended_state, "Autoneg");
  EXPECT_EQ(*facts.link_state->extended_substate, "No partner detected");
  EXPECT_EQ(*facts.link_state->extended_down_count, 3U);
  const Parsed cable = parsed("\tLink detected: no (No cable)\n");
  EXPECT_EQ(*cable.netdev("")->ethtool.link_state->extended_state, "No cable");
}

TEST(EthtoolSettings, takes_a_few_lines_that_somebody_filtered_out) {
  const Parsed out = parsed("Speed: 200000Mb/s\nLink detected: yes\n");
  EXPECT_EQ(*out.netdev("")->ethtool.link_modes->speed_bits_per_second, 200'000'000'000U);
  EXPECT_FALSE(out.netdev("")->ethtool.link_modes->lanes);
  const Parsed grep = parsed("Supported link modes:   1000baseT/Full\nAdvertised link modes:  1000baseT/Full\n");
  EXPECT_FALSE(field(grep.netdev("")->ethtool.link_modes, &LinkModes::max_supported_bits_per_second))
      << "the rest of the list may have been filtered away";
}

TEST(EthtoolSettings, keeps_two_netdevs_apart) {
  const Parsed out = parsed(
      "# ethtool eth0\nSettings for eth0:\n\tSpeed: 100000Mb/s\n\tLink detected: yes\n"
      "Settings for eth1:\n\tSpeed: 25000Mb/s\n\tLink detected: yes\n");
  EXPECT_EQ(*out.netdev("eth0")->ethtool.link_modes->speed_bits_per_second, 100'000'000'000U);
  EXPECT_EQ(*out.netdev("eth1")->ethtool.link_modes->speed_bits_per_second, 25'000'000'000U);
}

TEST(EthtoolSettings, takes_refusals_for_facts) {
  const Parsed gone = parsed("$ ethtool eth9\nnetlink error: No such device\n");
  EXPECT_EQ(gone.netdev("eth9")->ethtool.link_modes.absent().why, Why::NotPresent);
  const Parsed denied = parsed(
      "[root@node1 ~]# ethtool eth0\nSettings for eth0:\n\tCannot get wake-on-lan settings: Operation not permitted\n"
      "\tLink detected: yes\n");
  EXPECT_TRUE(*denied.netdev("eth0")->ethtool.link_state->link);
  EXPECT_TRUE(denied.unread.empty());
}

TEST(EthtoolSettings, calls_a_speed_that_makes_no_sense_malformed) {
  for (const char* speed : {"-1Mb/s", "0Mb/s", "fastMb/s", "99999999999999999999Mb/s", "4294967295Mb/s"}) {
    const Parsed out = parsed(std::string("Settings for eth0:\n\tSpeed: ") + speed + "\n\tLink detected: maybe\n");
    EXPECT_EQ(out.netdev("eth0")->ethtool.link_modes->speed_bits_per_second.absent().why, Why::Malformed) << speed;
    EXPECT_EQ(out.netdev("eth0")->ethtool.link_state->link.absent().why, Why::Malformed);
  }
}

TEST(EthtoolSettings, invents_nothing_when_lines_are_lost) {
  // That a line in the middle of a list of modes is lost shows nowhere.
  const auto behind_lists = kConnectX.find("\tLink partner advertised link modes");
  expect_no_invention(kConnectX.substr(0, kConnectX.find('\n') + 1) + kConnectX.substr(behind_lists));
}

}  // namespace
}  // namespace roceready::evidence
