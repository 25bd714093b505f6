// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene fresh() {
  Scene scene;
  scene.profile("");
  scene.eth0().dcb.pfc->enabled = 0;
  scene.eth0().dcb.trust = std::string("pcp");
  scene.eth0().dcb.dscp_to_priority = not_supported();
  scene.port().cma_default_tos = 0U;
  return scene;
}

TEST(QosNeverConfigured, is_one_warning_for_all_that_is_missing) {
  const Judgement said = fresh().ask(kQosNeverConfigured);
  expect_fail(said, Severity::Warning, "RoCE QoS was never configured on eth0");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
}

TEST(QosNeverConfigured, claims_nothing_of_a_default_tos_that_was_not_read) {
  Scene scene = fresh();
  expect_fail(scene.ask(kQosNeverConfigured), Severity::Warning, "no default ToS is set");
  scene.port().cma_default_tos = Absent{Why::NotRecorded, "no file says it"};
  const Judgement said = scene.ask(kQosNeverConfigured);
  expect_fail(said, Severity::Warning, "the default ToS was not read");
  EXPECT_EQ(said.sentence.find("no default ToS is set"), std::string::npos);
}

TEST(QosNeverConfigured, is_quiet_where_anything_was_set_or_cannot_be_seen) {
  Scene pfc = fresh();
  pfc.eth0().dcb.pfc->enabled = 8;
  expect_pass(pfc.ask(kQosNeverConfigured));
  Scene map = fresh();
  map.eth0().dcb.app = std::vector<AppEntry>{{kSelectorDscp, 26, 3}};
  expect_pass(map.ask(kQosNeverConfigured));
  Scene tos = fresh();
  tos.port().cma_default_tos = 106U;
  expect_pass(tos.ask(kQosNeverConfigured));
  Scene pause = fresh();
  pause.eth0().ethtool.pause->rx = true;
  pause.eth0().ethtool.pause->tx = true;
  expect_pass(pause.ask(kQosNeverConfigured));
}

TEST(QosNeverConfigured, is_unknown_when_pfc_is_refused) {
  Scene scene = fresh();
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kQosNeverConfigured), Why::Denied);
}

TEST(QosNeverConfigured, leaves_single_settings_to_the_rules_that_a_profile_switches_on) {
  expect_not_applicable(fresh().profile("lossy-ecn").ask(kQosNeverConfigured));
}

}  // namespace
}  // namespace roceready::rules_test
