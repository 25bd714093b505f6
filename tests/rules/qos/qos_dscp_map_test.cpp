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

TEST(QosDscpMap, looks_at_both_classes_of_a_design_with_two) {
  const auto two = [](std::uint32_t first, std::uint32_t second) {
    Scene scene = mapping(3, first);
    (*scene.eth0().dcb.dscp_to_priority)[4] = second;
    scene.profile("sonic-two-class");
    return scene;
  };
  expect_pass(two(3, 4).ask(kQosDscpMap));
  expect_fail(two(3, 0).ask(kQosDscpMap), Severity::Critical,
              "DSCP 4 (RoCE, second class) maps to priority 0 instead of 4");
  expect_fail(two(0, 4).ask(kQosDscpMap), Severity::Critical, "DSCP 3 (RoCE) maps to priority 0 instead of 3");
  Scene scene = two(3, 0);
  (void)scene.ask(kQosDscpMap);
  ASSERT_GE(scene.fix().size(), 2U);
  EXPECT_EQ(scene.fix()[1].command, "mlnx_qos -i eth0 --dscp2prio set,4,4");
  // A site whose second class is not lossless, or is not there, has none.
  scene.profile().pfc_priorities = 8;
  expect_pass(scene.ask(kQosDscpMap));
  scene.profile("sonic-two-class").profile().second_priority = 3;
  expect_pass(scene.ask(kQosDscpMap));
}

TEST(QosDscpMap, is_not_looked_at_where_an_application_table_tells_of_one_class_alone) {
  Scene scene;
  scene.profile("sonic-two-class").eth0().dcb.dscp_to_priority = not_supported();
  scene.eth0().dcb.app = std::vector<AppEntry>{{kSelectorDscp, 3, 3}, {kSelectorDscp, 48, 6}};
  expect_not_looked_at(scene.ask(kQosDscpMap), "never_shown");
  scene.eth0().dcb.app->push_back({kSelectorDscp, 4, 4});
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
