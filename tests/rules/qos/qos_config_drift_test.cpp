// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/kept_past.h"

namespace roceready::rules_test {
namespace {

using List = std::vector<SettingDrift>;

TEST(QosConfigDrift, is_quiet_while_nothing_changed) {
  expect_pass(ask_with(kQosConfigDrift, Scene(), List{}));
}

TEST(QosConfigDrift, is_a_warning_that_says_what_from_and_to) {
  const Judgement said = ask_with(kQosConfigDrift, Scene(), List{drifted("pfc", false), drifted("trust", true)});
  expect_fail(said, Severity::Warning, "pfc of eth0 is none, it was 3; trust of eth0 is none, it was 3.");
  EXPECT_EQ(said.evidence.size(), 2U);
  EXPECT_NE(said.sentence.find("stands for 24 h is accepted"), std::string::npos) << said.sentence;
}

TEST(QosConfigDrift, is_info_on_a_nic_that_is_willing) {
  Scene scene;
  EtsFacts ets;
  if (scene.eth0().dcb.ets) ets = *scene.eth0().dcb.ets;
  ets.willing = true;
  scene.eth0().dcb.ets = ets;
  expect_fail(ask_with(kQosConfigDrift, scene, List{drifted("pfc", false)}), Severity::Info, "is willing");
}

TEST(QosConfigDrift, does_not_mind_what_changed_on_another_port) {
  expect_pass(ask_with(kQosConfigDrift, Scene(), List{drifted("pfc", false, "mlx5_1")}));
}

TEST(QosConfigDrift, is_not_looked_at_without_a_daemon_that_remembers) {
  expect_not_looked_at(ask_with(kQosConfigDrift, Scene(), {}), "longer_window");
  expect_not_looked_at(Scene().ask(kQosConfigDrift), "longer_window");
}

}  // namespace
}  // namespace roceready::rules_test
