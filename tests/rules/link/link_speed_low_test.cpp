// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr std::uint64_t kGiga = 1'000'000'000ULL;

/// A scene whose port negotiated `speed`.
Scene at(std::uint64_t speed) {
  Scene scene;
  scene.eth0().ethtool.link_modes->speed_bits_per_second = speed;
  return scene;
}

TEST(LinkSpeedLow, is_quiet_at_the_fastest_mode) {
  expect_pass(Scene().ask(kLinkSpeedLow));
}

TEST(LinkSpeedLow, judges_by_the_profile_first) {
  Scene scene = at(40 * kGiga);
  scene.profile().link_speed_bits_per_second = 100 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Critical, "runs at 40 Gbit/s; expected are 100 Gbit/s");
  scene.eth0().ethtool.link_modes->speed_bits_per_second = 50 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Warning);
  scene.profile().link_speed_bits_per_second = 50 * kGiga;
  expect_pass(scene.ask(kLinkSpeedLow));
}

TEST(LinkSpeedLow, judges_by_what_both_ends_advertise) {
  Scene scene = at(25 * kGiga);
  scene.eth0().ethtool.link_modes->max_peer_bits_per_second = 100 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Critical, "both ends");
  scene.eth0().ethtool.link_modes->max_peer_bits_per_second = 25 * kGiga;
  expect_pass(scene.ask(kLinkSpeedLow));
}

TEST(LinkSpeedLow, judges_by_most_ports_of_the_model) {
  Scene scene;
  for (const char* name : {"eth1", "eth2"}) {
    Netdev other = scene.eth0();
    other.link.name = name;
    scene.now().netdevs.push_back(other);
  }
  scene.eth0().ethtool.link_modes->speed_bits_per_second = 50 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Warning, "most ports of this NIC model");
  // Optical links do not say what the other end offers.
  scene.eth0().ethtool.link_modes->speed_bits_per_second = 40 * kGiga;
  const Judgement said = scene.ask(kLinkSpeedLow);
  expect_fail(said, Severity::Critical, "most ports of this NIC model");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
}

TEST(LinkSpeedLow, convicts_no_port_whose_partner_offers_less_than_the_others_have) {
  Scene scene;
  for (const char* name : {"eth1", "eth2", "eth3"}) {
    Netdev other = scene.eth0();
    other.link.name = name;
    scene.now().netdevs.push_back(other);
  }
  LinkModes& modes = *scene.eth0().ethtool.link_modes;
  modes.speed_bits_per_second = 25 * kGiga;
  modes.max_peer_bits_per_second = 25 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Info, "The other end offers no more than 25 Gbit/s");
  modes.max_peer_bits_per_second = 50 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Warning, "expected are 50 Gbit/s (both ends");
  modes.max_peer_bits_per_second = 100 * kGiga;
  expect_fail(scene.ask(kLinkSpeedLow), Severity::Critical, "both ends");
}

TEST(LinkSpeedLow, only_mentions_what_may_be_meant_so) {
  expect_fail(at(25 * kGiga).ask(kLinkSpeedLow), Severity::Info, "may be meant so");
}

TEST(LinkSpeedLow, does_not_apply_to_a_link_that_is_down) {
  Scene scene;
  scene.eth0().ethtool.link_modes->speed_bits_per_second = not_present();
  expect_not_applicable(scene.ask(kLinkSpeedLow));
}

TEST(LinkSpeedLow, is_unknown_when_the_speed_is_refused) {
  Scene scene;
  scene.eth0().ethtool.link_modes = denied();
  expect_unknown(scene.ask(kLinkSpeedLow), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
