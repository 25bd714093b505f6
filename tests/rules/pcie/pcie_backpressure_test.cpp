// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(PcieBackpressure, warns_at_three_stalled_seconds_of_ten) {
  Scene scene;
  scene.every(1, 20).every(1, 2, {{Id::PcieStalledWriteSeconds, 1}});
  expect_pass(scene.ask(kPcieBackpressure));
  scene.after(1, {{Id::PcieStalledWriteSeconds, 1}});
  expect_fail(scene.ask(kPcieBackpressure), Severity::Warning, "in 3 of the last 10 s the PCIe bus stalled it");
}

TEST(PcieBackpressure, only_mentions_drops_that_are_not_sustained) {
  Scene lost;
  lost.every(60, 6).after(60, {{Id::PcieBufferOverflowDrops, 40}, {Id::PfcTxPauseDuration, 3, 3}});
  expect_fail(lost.ask(kPcieBackpressure), Severity::Info, "dropped 40 packets in the last minute");
  expect_fail(lost.ask(kPcieBackpressure), Severity::Info, "that is not sustained yet");
  lost.after(60, {{Id::PcieBufferOverflowDrops, 1}});
  expect_fail(lost.ask(kPcieBackpressure), Severity::Info, "dropped 1 packet");
  Scene stalls = lost;
  stalls.every(1, 3, {{Id::PcieStalledWriteSeconds, 1}});
  expect_fail(stalls.ask(kPcieBackpressure), Severity::Warning, "that is not sustained yet");
}

TEST(PcieBackpressure, is_critical_when_drops_go_on_and_reach_the_network) {
  Scene quiet;
  quiet.every(60, 6, {{Id::PcieBufferOverflowDrops, 40}});
  expect_fail(quiet.ask(kPcieBackpressure), Severity::Warning, "dropped 40 packets");
  Scene pausing;
  pausing.every(60, 6, {{Id::PcieBufferOverflowDrops, 40}, {Id::PfcTxPauseDuration, 3, 3}});
  expect_fail(pausing.ask(kPcieBackpressure), Severity::Critical, "paused the fabric for 5 % of the last 60 s");
  Scene dropping;
  dropping.every(60, 6, {{Id::PcieBufferOverflowDrops, 40}, {Id::RxDiscardsPhy, 40}});
  expect_fail(dropping.ask(kPcieBackpressure), Severity::Critical, "The port dropped 40 packets");
}

TEST(PcieBackpressure, is_info_in_a_benchmark_and_does_not_mind_stalled_reads) {
  Scene scene;
  scene.every(1, 12, {{Id::PcieStalledReadSeconds, 1}});
  expect_pass(scene.ask(kPcieBackpressure));
  scene.profile().benchmark_window = true;
  scene.every(1, 5, {{Id::PcieStalledWriteSeconds, 1}});
  expect_fail(scene.ask(kPcieBackpressure), Severity::Info, "A benchmark is announced");
}

TEST(PcieBackpressure, clears_no_host_of_which_one_counter_is_hidden) {
  for (const Id id : {Id::PcieStalledWriteSeconds, Id::PcieBufferOverflowDrops}) {
    Scene hidden;
    expect_unknown(hidden.hides(id).every(1, 20).ask(kPcieBackpressure), Why::NotPresent);
    Scene never;
    expect_pass(never.never_shows({id}).every(1, 20).ask(kPcieBackpressure));
  }
}

TEST(PcieBackpressure, is_unknown_never_shown_or_too_young) {
  expect_not_looked_at(Scene().after(2).ask(kPcieBackpressure), "longer_window");
  Scene hidden;
  hidden.hides(Id::PcieStalledWriteSeconds).hides(Id::PcieBufferOverflowDrops);
  expect_unknown(hidden.after(1).ask(kPcieBackpressure), Why::NotPresent);
  Scene never;
  never.never_shows({Id::PcieStalledWriteSeconds, Id::PcieBufferOverflowDrops});
  expect_not_looked_at(never.after(1).ask(kPcieBackpressure), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
