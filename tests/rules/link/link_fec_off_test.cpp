// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene without_fec(std::uint64_t speed, std::uint32_t lanes, const std::string& medium) {
  Scene scene;
  scene.eth0().ethtool.fec->active = std::string("Off");
  scene.eth0().ethtool.link_modes->speed_bits_per_second = speed;
  scene.eth0().ethtool.link_modes->lanes = lanes;
  scene.eth0().ethtool.medium = medium;
  return scene;
}
constexpr std::uint64_t kGigabit = 1'000'000'000;

TEST(LinkFecOff, is_critical_on_pam4_lanes_and_a_warning_on_25_gigabit_ones) {
  expect_fail(without_fec(400 * kGigabit, 4, "DirectAttach").ask(kLinkFecOff), Severity::Critical,
              "eth0 runs without FEC on lanes of 100 Gbit/s");
  expect_fail(without_fec(200 * kGigabit, 4, "Fibre").ask(kLinkFecOff), Severity::Critical, "PAM4");
  expect_fail(without_fec(100 * kGigabit, 4, "Fibre").ask(kLinkFecOff), Severity::Warning, "(Fibre)");
  expect_pass(Scene().ask(kLinkFecOff));
}

TEST(LinkFecOff, lets_short_copper_and_slow_lanes_be) {
  Scene copper = without_fec(25 * kGigabit, 1, "DirectAttach");
  copper.eth0().ethtool.module->copper_length_metres = 3.0;
  expect_pass(copper.ask(kLinkFecOff));
  copper.eth0().ethtool.module->copper_length_metres = 5.0;
  expect_fail(copper.ask(kLinkFecOff), Severity::Warning, "over 5 m of copper");
  copper.eth0().ethtool.module = denied();
  expect_unknown(copper.ask(kLinkFecOff), Why::Denied);
  expect_not_applicable(without_fec(10 * kGigabit, 1, "Fibre").ask(kLinkFecOff));
  expect_not_applicable(without_fec(40 * kGigabit, 4, "Fibre").ask(kLinkFecOff));
}

TEST(LinkFecOff, can_be_permitted) {
  Scene scene = without_fec(200 * kGigabit, 4, "Fibre");
  expect_not_applicable(scene.limit("link-fec-off.allow_nofec", 1).ask(kLinkFecOff));
}

TEST(LinkFecOff, is_unknown_not_looked_at_or_not_applicable) {
  Scene unsure;
  unsure.eth0().ethtool.fec->active = not_present();
  expect_unknown(unsure.ask(kLinkFecOff), Why::NotPresent);
  unsure.eth0().ethtool.fec = denied();
  expect_unknown(unsure.ask(kLinkFecOff), Why::Denied);
  unsure.eth0().ethtool.fec = not_supported();
  expect_not_looked_at(unsure.ask(kLinkFecOff), "never_shown");
  Scene laneless = without_fec(100 * kGigabit, 4, "Fibre");
  laneless.eth0().ethtool.link_modes->lanes = denied();
  expect_unknown(laneless.ask(kLinkFecOff), Why::Denied);
  Scene no_medium = without_fec(100 * kGigabit, 4, "Fibre");
  no_medium.eth0().ethtool.medium = denied();
  expect_unknown(no_medium.ask(kLinkFecOff), Why::Denied);
  Scene down = without_fec(100 * kGigabit, 4, "Fibre");
  down.eth0().link.carrier = false;
  expect_not_applicable(down.ask(kLinkFecOff));
}

}  // namespace
}  // namespace roceready::rules_test
