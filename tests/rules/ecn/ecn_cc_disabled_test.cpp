// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// NVIDIA's own driver with these switches on priority 3.
Scene switched(const char* np, const char* rp) {
  Scene scene;
  scene.profile().congestion_control = CongestionControl::Dcqcn;
  scene.eth0().vendor_files["ecn/roce_np/enable/3"] = std::string(np);
  scene.eth0().vendor_files["ecn/roce_rp/enable/3"] = std::string(rp);
  return scene;
}

TEST(EcnCcDisabled, is_quiet_while_both_halves_are_on) {
  expect_pass(switched("1", "1").ask(kEcnCcDisabled));
}

TEST(EcnCcDisabled, names_the_half_that_is_off) {
  expect_fail(switched("0", "1").ask(kEcnCcDisabled), Severity::Warning, "notification of marks (NP) is off");
  expect_fail(switched("1", "0").ask(kEcnCcDisabled), Severity::Warning, "reaction to notifications (RP) is off");
  expect_fail(switched("0", "0").ask(kEcnCcDisabled), Severity::Warning, " are off for priority 3");
}

TEST(EcnCcDisabled, is_critical_where_nothing_else_slows_a_sender) {
  Scene scene = switched("0", "1");
  scene.profile("lossy-ecn").profile().congestion_control = CongestionControl::Dcqcn;
  expect_fail(scene.ask(kEcnCcDisabled), Severity::Critical);
}

TEST(EcnCcDisabled, reads_the_switches_of_other_vendors) {
  Scene scene;
  scene.profile().congestion_control = CongestionControl::Dcqcn;
  scene.port().vendor_files["cc_config/enable_cc"] = std::string("0");
  expect_fail(scene.ask(kEcnCcDisabled), Severity::Warning, "congestion control is off");
  scene.port().vendor_files = {{"irdma/roce_dcqcn_enable", std::string("0")}};
  expect_fail(scene.ask(kEcnCcDisabled), Severity::Warning);
  scene.port().vendor_files["irdma/roce_timely_enable"] = std::string("1");
  expect_pass(scene.ask(kEcnCcDisabled));
}

TEST(EcnCcDisabled, is_not_looked_at_where_the_driver_does_not_show_it) {
  Scene scene;
  scene.profile().congestion_control = CongestionControl::Dcqcn;
  scene.port().vendor_files["cc_params/rp_gd"] = std::string("11");  // parameters say nothing of the switch
  expect_not_looked_at(scene.ask(kEcnCcDisabled), "never_shown");
}

TEST(EcnCcDisabled, is_unknown_when_a_file_or_its_directory_was_refused) {
  Scene scene = switched("1", "1");
  scene.eth0().vendor_files["ecn/roce_rp/enable/3"] = denied();
  expect_unknown(scene.ask(kEcnCcDisabled), Why::Denied);
  scene.eth0().vendor_files = {{"ecn", denied()}};
  expect_unknown(scene.ask(kEcnCcDisabled), Why::Denied);
  scene.eth0().vendor_files = {{"ecn/roce_np/enable/3", std::string("maybe")}};
  expect_unknown(scene.ask(kEcnCcDisabled), Why::Malformed);
}

TEST(EcnCcDisabled, does_not_apply_where_the_design_controls_congestion_otherwise) {
  for (const CongestionControl other : {CongestionControl::Other, CongestionControl::Off, CongestionControl::Any}) {
    Scene scene = switched("0", "0");
    scene.profile().congestion_control = other;
    expect_not_applicable(scene.ask(kEcnCcDisabled));
  }
}

}  // namespace
}  // namespace roceready::rules_test
