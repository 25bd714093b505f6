// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene mapping(std::size_t dscp, std::uint32_t priority) {
  Scene scene;
  (*scene.eth0().dcb.dscp_to_priority)[dscp] = priority;
  return scene;
}

TEST(QosDscpMap, is_quiet_with_nvidias_default_map) {
  expect_pass(Scene().ask(kQosDscpMap));
}

TEST(QosDscpMap, is_critical_for_data_and_a_warning_for_notifications) {
  expect_fail(mapping(26, 0).ask(kQosDscpMap), Severity::Critical, "DSCP 26 (RoCE) maps to priority 0 instead of 3");
  expect_fail(mapping(48, 7).ask(kQosDscpMap), Severity::Warning, "DSCP 48 (CNP) maps to priority 7 instead of 6");
  expect_fail(mapping(26, 0).profile("lossy-ecn").ask(kQosDscpMap), Severity::Warning);
}

TEST(QosDscpMap, compares_with_the_profile_not_with_a_constant) {
  Scene scene = mapping(48, 7);
  scene.profile().cnp_priority = 7;
  expect_pass(scene.ask(kQosDscpMap));
}

TEST(QosDscpMap, leaves_a_nic_that_trusts_the_tag_to_its_own_rule) {
  Scene scene;
  scene.eth0().dcb.trust = std::string("pcp");
  scene.eth0().dcb.dscp_to_priority = not_present();
  expect_not_applicable(scene.ask(kQosDscpMap));
}

TEST(QosDscpMap, goes_by_the_application_table_where_the_default_map_is_not_known) {
  Scene scene;
  scene.eth0().dcb.dscp_to_priority = not_supported();
  scene.eth0().dcb.app = std::vector<AppEntry>{{kSelectorDscp, 26, 3}, {kSelectorDscp, 48, 6}};
  expect_pass(scene.ask(kQosDscpMap));
  (*scene.eth0().dcb.app)[0].priority = 0;
  expect_fail(scene.ask(kQosDscpMap), Severity::Critical, "DSCP 26 (RoCE) maps to priority 0 instead of 3");
  (*scene.eth0().dcb.app)[0].priority = 3;
  scene.eth0().dcb.app->pop_back();
  expect_not_looked_at(scene.ask(kQosDscpMap), "never_shown");
  EXPECT_NE(scene.ask(kQosDscpMap).sentence.find("that of RoCE is right"), std::string::npos);
  scene.eth0().dcb.app->clear();
  expect_not_looked_at(scene.ask(kQosDscpMap), "never_shown");
}

TEST(QosDscpMap, is_unknown_or_not_looked_at_without_a_whole_map) {
  Scene scene;
  scene.eth0().dcb.dscp_to_priority = denied();
  expect_unknown(scene.ask(kQosDscpMap), Why::Denied);
  scene.eth0().dcb.dscp_to_priority = std::vector<std::uint32_t>{0, 1};
  expect_unknown(scene.ask(kQosDscpMap), Why::Malformed);
  scene.eth0().dcb.dscp_to_priority = not_supported();
  expect_not_looked_at(scene.ask(kQosDscpMap), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
