// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(LinkFecMismatch, compares_what_was_set_with_what_is_active) {
  struct Case {
    bool automatic;
    std::vector<std::string> configured;
    const char* active;
    bool fails;
  };
  for (const Case& c : {Case{false, {"RS"}, "RS", false}, Case{false, {"RS"}, "BaseR", true},
                        Case{false, {"RS"}, "Off", true}, Case{false, {"RS", "BaseR"}, "BaseR", false},
                        Case{true, {"RS"}, "BaseR", false}, Case{false, {}, "BaseR", false}}) {
    Scene scene;
    scene.eth0().ethtool.fec->automatic = c.automatic;
    scene.eth0().ethtool.fec->configured = c.configured;
    scene.eth0().ethtool.fec->active = std::string(c.active);
    const Judgement said = scene.ask(kLinkFecMismatch);
    if (c.fails)
      expect_fail(said, Severity::Warning, std::string("is set to FEC RS but runs with ") + c.active);
    else
      expect_pass(said);
  }
}

TEST(LinkFecMismatch, is_less_than_sure_where_only_the_other_ports_speak_against_it) {
  Scene scene;
  for (const char* name : {"eth1", "eth2", "eth3"}) {
    Netdev other = scene.eth0();
    other.link.name = name;
    scene.now().netdevs.push_back(other);
  }
  scene.eth0().ethtool.fec->active = std::string("BaseR");
  const Judgement said = scene.ask(kLinkFecMismatch);
  expect_fail(said, Severity::Warning, "most ports of this NIC model and speed on the node run with RS");
  EXPECT_LT(said.confidence, 0.7);
  for (const char* name : {"eth1", "eth2", "eth3"})
    scene.netdev(name).ethtool.link_modes->speed_bits_per_second = 25'000'000'000ULL;
  expect_pass(scene.ask(kLinkFecMismatch));
}

TEST(LinkFecMismatch, is_unknown_not_looked_at_or_not_applicable) {
  Scene scene;
  scene.eth0().ethtool.fec->active = not_present();
  expect_unknown(scene.ask(kLinkFecMismatch), Why::NotPresent);
  scene.eth0().ethtool.fec = denied();
  expect_unknown(scene.ask(kLinkFecMismatch), Why::Denied);
  scene.eth0().ethtool.fec = not_supported();
  expect_not_looked_at(scene.ask(kLinkFecMismatch), "never_shown");
  Scene down;
  down.eth0().link.carrier = false;
  expect_not_applicable(down.ask(kLinkFecMismatch));
}

}  // namespace
}  // namespace roceready::rules_test
