// SPDX-License-Identifier: Apache-2.0
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

TEST(PfcInLossyFabric, is_not_looked_at_where_nothing_counts_pause) {
  Scene scene = lossy();
  scene.never_shows({Id::PfcRxPauseFrames, Id::PfcTxPauseFrames, Id::GlobalPauseRxFrames, Id::GlobalPauseTxFrames,
                     Id::MacPauseRxFrames, Id::MacPauseTxFrames});
  expect_not_looked_at(scene.after(1).ask(kPfcInLossyFabric), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
