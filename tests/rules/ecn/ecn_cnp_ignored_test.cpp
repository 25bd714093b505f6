// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene receiving(double ignored, double handled) {
  Scene scene;
  scene.every(10, 7, {{Id::CnpIgnored, ignored}, {Id::CnpHandled, handled}});
  return scene;
}

TEST(EcnCnpIgnored, fires_with_share_and_number) {
  expect_fail(receiving(100, 900).ask(kEcnCnpIgnored), Severity::Warning,
              "ignored 600 congestion notifications in the last 60 s, 10 % of those that it received.");
}

TEST(EcnCnpIgnored, leaves_room_for_late_ones) {
  expect_pass(receiving(10, 90).ask(kEcnCnpIgnored));       // 60 a minute
  expect_pass(receiving(100, 99'000).ask(kEcnCnpIgnored));  // 0.1 %
}

TEST(EcnCnpIgnored, is_info_until_a_minute_was_seen) {
  Scene scene;
  scene.after(5, {{Id::CnpIgnored, 500}});
  expect_fail(scene.ask(kEcnCnpIgnored), Severity::Info, "not sustained yet");
}

TEST(EcnCnpIgnored, does_not_apply_where_the_reaction_is_off_on_purpose) {
  for (const CongestionControl other : {CongestionControl::Off, CongestionControl::Other}) {
    Scene scene = receiving(100, 0);
    scene.profile().congestion_control = other;
    expect_not_applicable(scene.ask(kEcnCnpIgnored));
  }
}

TEST(EcnCnpIgnored, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::CnpIgnored).after(1).ask(kEcnCnpIgnored), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::CnpIgnored}).after(1).ask(kEcnCnpIgnored), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
