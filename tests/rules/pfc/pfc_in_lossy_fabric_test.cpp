// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// A lossy node with all pause off, as mlx5 shows it.
Scene lossy() {
  Scene scene;
  scene.profile("lossy-ecn").hides(Id::PfcRxPauseFrames).hides(Id::PfcTxPauseFrames);
  scene.eth0().dcb.pfc->enabled = 0;
  return scene;
}

TEST(PfcInLossyFabric, is_quiet_without_pause) {
  expect_pass(lossy().every(10, 31).ask(kPfcInLossyFabric));
}

TEST(PfcInLossyFabric, fires_at_a_frame_a_second_that_lasts) {
  expect_fail(lossy().every(10, 31, {{Id::MacPauseRxFrames, 20}}).ask(kPfcInLossyFabric), Severity::Warning,
              "2 pause frames per second received.");
  expect_pass(lossy().every(10, 31, {{Id::MacPauseRxFrames, 5}}).ask(kPfcInLossyFabric));
  expect_fail(lossy().after(1, {{Id::MacPauseRxFrames, 5}}).ask(kPfcInLossyFabric), Severity::Info,
              "not sustained yet");
}

TEST(PfcInLossyFabric, never_adds_the_kinds) {
  Scene scene;
  scene.profile("lossy-ecn");
  scene.every(10, 31, {{Id::MacPauseTxFrames, 20}, {Id::PfcTxPauseFrames, 20, 3}});
  expect_fail(scene.ask(kPfcInLossyFabric), Severity::Warning, "2 pause frames per second sent.");
}

TEST(PfcInLossyFabric, lets_a_semi_lossless_host_obey) {
  Scene scene = lossy();
  scene.profile().semi_lossless = true;
  expect_pass(scene.every(10, 31, {{Id::MacPauseRxFrames, 20}}).ask(kPfcInLossyFabric));
  expect_fail(scene.every(10, 31, {{Id::MacPauseTxFrames, 20}}).ask(kPfcInLossyFabric), Severity::Warning, "sent");
}

TEST(PfcInLossyFabric, takes_hidden_counters_for_evidence_only_while_pause_is_off) {
  Scene scene = lossy();
  scene.eth0().dcb.pfc->enabled = 1U << 3;
  expect_unknown(scene.every(10, 31).ask(kPfcInLossyFabric), Why::NotPresent);
  expect_unknown(lossy().hides(Id::MacPauseRxFrames).every(10, 31).ask(kPfcInLossyFabric), Why::NotPresent);
}

TEST(PfcInLossyFabric, switches_off_the_kind_that_is_on_and_no_other) {
  using Commands = std::vector<std::string>;
  const auto on_this_nic = [](const Scene& scene) {
    (void)scene.judge(kPfcInLossyFabric);
    Commands out;
    for (const FixCommand& one : scene.fix())
      if (one.vendor == "nvidia" || one.vendor == "generic") out.push_back(one.command);
    return out;
  };
  const std::string no_pause = "ethtool -A eth0 rx off tx off";
  const Commands no_pfc{"mlnx_qos -i eth0 --pfc 0,0,0,0,0,0,0,0", "dcb pfc set dev eth0 prio-pfc all:off"};
  Scene scene = lossy();
  scene.eth0().ethtool.pause = PauseFacts{false, false, false, {}, {}};
  EXPECT_EQ(on_this_nic(scene), Commands());
  scene.eth0().dcb.pfc->enabled = 1U << 3;
  EXPECT_EQ(on_this_nic(scene), no_pfc);
  (void)scene.judge(kDropRxNoPfc);  // dropped packets are no reason to switch PFC off
  for (const FixCommand& one : scene.fix()) EXPECT_EQ(one.command.find("pfc"), std::string::npos) << one.command;
  scene.profile().semi_lossless = true;
  EXPECT_EQ(on_this_nic(scene), Commands());
  scene.profile().semi_lossless = false;
  scene.eth0().dcb.pfc->enabled = 0;
  scene.eth0().ethtool.pause = PauseFacts{false, true, false, {}, {}};
  EXPECT_EQ(on_this_nic(scene), Commands{no_pause});
  scene.eth0().ethtool.pause = denied();
  scene.eth0().dcb.pfc = denied();
  EXPECT_EQ(on_this_nic(scene), Commands{no_pause});
}

TEST(PfcInLossyFabric, is_not_looked_at_where_nothing_counts_pause) {
  Scene scene = lossy();
  scene.never_shows({Id::PfcRxPauseFrames, Id::PfcTxPauseFrames, Id::GlobalPauseRxFrames, Id::GlobalPauseTxFrames,
                     Id::MacPauseRxFrames, Id::MacPauseTxFrames});
  expect_not_looked_at(scene.after(1).ask(kPfcInLossyFabric), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
