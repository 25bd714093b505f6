// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene flooded(double missed, const std::vector<Growth>& more = {}) {
  Scene scene;
  std::vector<Growth> growths = {{Id::RxSteerMissed, missed}, {Id::RxPacketsPhy, 1e6}};
  growths.insert(growths.end(), more.begin(), more.end());
  scene.shows(Id::RxSteerMissed).every(60, 6, growths);
  return scene;
}

TEST(DropSteering, is_info_above_one_percent) {
  expect_pass(flooded(0).ask(kDropSteering));
  expect_pass(flooded(9000).ask(kDropSteering));
  expect_fail(flooded(50000).ask(kDropSteering), Severity::Info, "5 % of the packets");
}

TEST(DropSteering, warns_when_the_lossless_class_is_flooded) {
  expect_fail(flooded(50000, {{Id::RxBytesPriority, 5e7, 3}}).ask(kDropSteering), Severity::Warning,
              "floods the lossless class");
  expect_fail(flooded(50000, {{Id::RxBytesPriority, 5e7, 3}, {Id::RdmaRxPackets, 1e5}}).ask(kDropSteering),
              Severity::Info);
}

TEST(DropSteering, reads_the_name_that_the_driver_has) {
  Scene scene;
  scene.shows(Id::RxFilterMiss);
  scene.every(60, 6, {{Id::RxFilterMiss, 1e5}, {Id::RxPacketsPhy, 1e6}});
  expect_fail(scene.ask(kDropSteering), Severity::Info, "10 % of the packets");
}

TEST(DropSteering, is_unknown_or_not_looked_at_without_the_counters) {
  Scene hidden = flooded(0);
  expect_unknown(hidden.hides(Id::RxSteerMissed).after(1).ask(kDropSteering), Why::NotPresent);
  expect_not_looked_at(Scene().after(1).ask(kDropSteering), "never_shown");
  Scene brief;
  brief.shows(Id::RxSteerMissed).every(1, 2);
  expect_not_looked_at(brief.ask(kDropSteering), "longer_window");
}

}  // namespace
}  // namespace roceready::rules_test
