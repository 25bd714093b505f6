// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene dropping(double drops, const std::string& profile = "nvidia-lossless", Id id = Id::RxRoceDiscards) {
  Scene scene;
  scene.profile(profile).shows_rdma(id).every(60, 6, {{id, drops}, {Id::RdmaRxPackets, 1e8}});
  return scene;
}

TEST(DropRoceEngine, takes_share_and_design_into_account) {
  expect_pass(dropping(0).ask(kDropRoceEngine));
  expect_pass(dropping(9).ask(kDropRoceEngine));
  expect_fail(dropping(500).ask(kDropRoceEngine), Severity::Warning, "threw away 500 packets");
  expect_fail(dropping(50000).ask(kDropRoceEngine), Severity::Critical, "1 in 2000");
  expect_fail(dropping(50000, "lossy-ecn").ask(kDropRoceEngine), Severity::Warning);
}

TEST(DropRoceEngine, adds_up_what_the_engine_counts_apart) {
  Scene scene;
  scene.shows_rdma(Id::RdmaRxDiscards).shows_rdma(Id::RdmaRxVlanErrors);
  scene.every(60, 6, {{Id::RdmaRxDiscards, 6}, {Id::RdmaRxVlanErrors, 6}, {Id::RdmaRxPackets, 1e6}});
  const Judgement said = scene.ask(kDropRoceEngine);
  expect_fail(said, Severity::Warning, "12 packets");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7) << "irdma counts more than RDMA";
}

TEST(DropRoceEngine, is_info_until_it_is_sustained) {
  Scene scene = dropping(0);
  scene.after(60, {{Id::RxRoceDiscards, 50000}, {Id::RdmaRxPackets, 1e8}});
  expect_fail(scene.ask(kDropRoceEngine), Severity::Info, "not sustained yet");
}

TEST(DropRoceEngine, is_unknown_not_looked_at_or_without_profile) {
  Scene hidden = dropping(0);
  expect_unknown(hidden.hides(Id::RxRoceDiscards).after(1).ask(kDropRoceEngine), Why::NotPresent);
  expect_not_looked_at(Scene().after(1).ask(kDropRoceEngine), "never_shown");
  expect_not_looked_at(Scene().profile("").after(1).ask(kDropRoceEngine), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test
