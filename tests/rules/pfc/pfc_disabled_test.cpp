// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene with_pfc(std::uint32_t mask) {
  Scene scene;
  scene.eth0().dcb.pfc->enabled = mask;
  return scene;
}

// One table for both rules: an empty set is pfc-disabled's, one without RoCE's priority pfc-wrong-priority's.
TEST(PfcSet, belongs_to_one_rule_at_a_time) {
  struct Case {
    const char* story;
    std::uint32_t mask;
    Outcome disabled, wrong;
  };
  const Case cases[] = {{"off", 0, Outcome::Fail, Outcome::NotApplicable},
                        {"right", 1U << 3, Outcome::Pass, Outcome::Pass},
                        {"on another priority", 1U << 4, Outcome::NotApplicable, Outcome::Fail},
                        {"on more than needed", 0xFF, Outcome::Pass, Outcome::Pass}};
  for (const Case& c : cases) {
    EXPECT_EQ(with_pfc(c.mask).ask(kPfcDisabled).outcome, c.disabled) << c.story;
    EXPECT_EQ(with_pfc(c.mask).ask(kPfcWrongPriority).outcome, c.wrong) << c.story;
  }
}

TEST(PfcDisabled, says_what_the_profile_needs_and_how_to_get_it) {
  const Scene scene = with_pfc(0);
  expect_fail(scene.ask(kPfcDisabled), Severity::Critical,
              "PFC is off on every priority of eth0; profile nvidia-lossless needs it on priority 3");
  EXPECT_EQ(scene.fix().at(0).command, "mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0");
  EXPECT_EQ(scene.fix().at(1).command, "dcb pfc set dev eth0 prio-pfc all:off 3:on");
}

TEST(PfcSet, is_not_looked_at_where_the_driver_can_never_show_it) {
  Scene scene;
  scene.eth0().dcb.pfc = not_supported();
  expect_not_looked_at(scene.ask(kPfcDisabled), "never_shown");
  expect_not_looked_at(scene.ask(kPfcWrongPriority), "never_shown");
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kPfcDisabled), Why::Denied);
  expect_unknown(scene.ask(kPfcWrongPriority), Why::Denied);
}

TEST(PfcDisabled, judges_each_member_of_a_bond) {
  Scene scene;
  scene.bonded(4, "");
  scene.netdev("eth1").dcb.pfc->enabled = 0;
  expect_pass(scene.ask(kPfcDisabled, "eth0"));
  expect_fail(scene.ask(kPfcDisabled, "eth1"), Severity::Critical, "eth1");
}

TEST(PfcDisabled, waits_as_well_while_the_firmware_runs_dcbx) {
  constexpr std::uint32_t kHost = 1, kCee = 4, kIeee = 8;
  for (const bool by_firmware : {true, false}) {
    Scene scene = with_pfc(0);
    scene.daemon();
    scene.eth0().dcb.dcbx = by_firmware ? kCee | kIeee : kHost | kCee | kIeee;
    expect_fail(scene.after(1).ask(kPfcDisabled), Severity::Critical);
    scene.eth0().link.carrier = false;
    scene.after(1);
    scene.eth0().link.carrier = true;
    expect_fail(scene.after(1).ask(kPfcDisabled), by_firmware ? Severity::Info : Severity::Critical);
    expect_fail(scene.every(1, 120).ask(kPfcDisabled), Severity::Critical);
  }
}

TEST(PfcDisabled, waits_a_minute_after_link_up_while_dcbx_is_willing) {
  for (const bool willing : {true, false}) {
    Scene scene = with_pfc(0);
    scene.daemon();
    scene.eth0().dcb.ets->willing = willing;
    scene.eth0().link.carrier = false;
    scene.eth0().link.oper_state = std::string("down");
    scene.after(1);
    scene.eth0().link.carrier = true;
    scene.eth0().link.oper_state = std::string("up");
    scene.after(1).after(1);
    expect_fail(scene.ask(kPfcDisabled), willing ? Severity::Info : Severity::Critical);
    scene.every(1, 120);
    expect_fail(scene.ask(kPfcDisabled), Severity::Critical);
  }
}

TEST(PfcDisabled, is_unknown_when_the_setting_is_refused) {
  Scene scene;
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kPfcDisabled), Why::Denied);
}

TEST(PfcDisabled, does_not_apply_without_lossless_priorities) {
  Scene scene = with_pfc(0);
  scene.profile().pfc_priorities = 0;
  expect_not_applicable(scene.ask(kPfcDisabled));
}

}  // namespace
}  // namespace roceready::rules_test
