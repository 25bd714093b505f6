// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(LinkFlap, does_not_judge_what_was_counted_since_boot) {
  Scene scene;
  scene.after(2);
  expect_not_looked_at(scene.ask(kLinkFlap), "longer_window");
  scene.every(60, 61);
  expect_pass(scene.ask(kLinkFlap));
}

TEST(LinkFlap, warns_at_one_loss_that_only_the_counter_saw) {
  Scene scene;
  scene.every(1, 5).after(1, {{CounterId::LinkDownEvents, 1}}).after(1);
  expect_fail(scene.ask(kLinkFlap), Severity::Warning, "eth0 lost its carrier 1 time");
}

TEST(LinkFlap, is_critical_at_three_losses_in_an_hour) {
  Scene scene;
  scene.every(60, 3, {{CounterId::CarrierDownEvents, 1}, {CounterId::LinkDownEvents, 1}});
  expect_fail(scene.ask(kLinkFlap), Severity::Critical, "3 times in the last 24 h");
}

/// The carrier is lost and back within one sample.
void blip(Scene& scene) {
  scene.eth0().link.carrier_down_count = *scene.eth0().link.carrier_down_count + 1;
  scene.eth0().link.carrier_up_count = *scene.eth0().link.carrier_up_count + 1;
}

/// The carrier is seen down, and back after `seconds`.
void lose_carrier(Scene& scene, double seconds) {
  scene.after(1);
  scene.eth0().link.carrier = false;
  scene.eth0().link.carrier_down_count = *scene.eth0().link.carrier_down_count + 1;
  scene.after(seconds);
  scene.eth0().link.carrier = true;
}

TEST(LinkFlap, takes_no_loss_for_a_long_one_that_was_over_at_once) {
  Scene scene;
  for (int time = 0; time < 3; ++time) {
    scene.every(60, 220);
    blip(scene);
  }
  scene.every(60, 1);
  lose_carrier(scene, 2);
  const Judgement said = scene.after(1).ask(kLinkFlap);
  EXPECT_FALSE(said.outcome == Outcome::Fail && said.severity == Severity::Critical) << words_of(said);
}

TEST(LinkFlap, is_critical_at_three_long_losses_in_a_day) {
  Scene scene;
  for (int time = 0; time < 3; ++time) {
    scene.every(60, 220);
    lose_carrier(scene, 30);
  }
  expect_fail(scene.after(1).ask(kLinkFlap), Severity::Critical, "3 times it stayed down for at least 25 s");
}

TEST(LinkFlap, ignores_losses_that_a_person_caused) {
  Scene scene;
  scene.after(1);
  scene.eth0().link.admin_up = false;
  scene.eth0().link.carrier = false;
  scene.after(1, {{CounterId::CarrierDownEvents, 1}});
  scene.eth0().link.admin_up = true;
  scene.eth0().link.carrier = true;
  scene.every(60, 60);
  expect_pass(scene.ask(kLinkFlap));
}

TEST(LinkFlap, is_unknown_without_counter_and_carrier) {
  Scene scene;
  scene.hides(CounterId::CarrierDownEvents).hides(CounterId::LinkDownEvents);
  scene.eth0().link.carrier = denied();
  expect_unknown(scene.after(1).ask(kLinkFlap), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
