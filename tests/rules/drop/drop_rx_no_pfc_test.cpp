// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene dropping(double drops, const std::string& profile = "lossy-ecn") {
  Scene scene;
  scene.eth0().dcb.pfc->enabled = 0;
  scene.profile(profile);
  scene.every(60, 6, {{Id::RxDiscardsPhy, drops}, {Id::RxPacketsPhy, 1e8}});
  return scene;
}

TEST(DropRxNoPfc, warns_from_one_in_a_million_on) {
  expect_pass(dropping(0).ask(kDropRxNoPfc));
  expect_pass(dropping(9).ask(kDropRxNoPfc));
  expect_pass(dropping(50).ask(kDropRxNoPfc));
  const Judgement said = dropping(500).ask(kDropRxNoPfc);
  expect_fail(said, Severity::Warning, "no flow control on priority 3");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7) << "TCP can be among them";
  expect_fail(dropping(500, "nvidia-lossless").ask(kDropRxNoPfc), Severity::Warning);
}

TEST(DropRxNoPfc, is_surer_on_a_nic_of_roce_alone) {
  Scene scene = dropping(500);
  scene.profile().dedicated_nic = true;
  EXPECT_DOUBLE_EQ(scene.ask(kDropRxNoPfc).confidence, 1.0);
}

TEST(DropRxNoPfc, is_not_applicable_where_pfc_is_on) {
  expect_not_applicable(Scene().after(1).ask(kDropRxNoPfc));
}

TEST(DropRxNoPfc, is_unknown_when_drops_cannot_be_attributed_or_read) {
  Scene scene = dropping(500, "nvidia-lossless");
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.after(60, {{Id::RxDiscardsPhy, 500}, {Id::RxPacketsPhy, 1e8}}).ask(kDropRxNoPfc), Why::Denied);
  Scene hidden = dropping(0);
  expect_unknown(hidden.hides(Id::RxDiscardsPhy).after(1).ask(kDropRxNoPfc), Why::NotPresent);
  Scene never = dropping(0);
  expect_not_looked_at(never.never_shows({Id::RxDiscardsPhy}).after(1).ask(kDropRxNoPfc), "never_shown");
  Scene uncounted = dropping(0);
  uncounted.never_shows({Id::RxPacketsPhy}).every(60, 2, {{Id::RxDiscardsPhy, 500}});
  expect_not_looked_at(uncounted.ask(kDropRxNoPfc), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
