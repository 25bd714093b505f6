// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(EcnMarkedNoCnp, is_quiet_while_marks_are_answered) {
  Scene scene;
  expect_pass(scene.every(10, 31, {{Id::EcnMarkedRx, 5000}, {Id::CnpSent, 40}}).ask(kEcnMarkedNoCnp));
  expect_pass(Scene().every(10, 31, {{Id::EcnMarkedRx, 100}}).ask(kEcnMarkedNoCnp));
}

TEST(EcnMarkedNoCnp, fires_when_it_lasts) {
  Scene scene;
  const Judgement said = scene.every(10, 31, {{Id::EcnMarkedRx, 5000}}).ask(kEcnMarkedNoCnp);
  expect_fail(said, Severity::Warning,
              "received 30000 packets marked for congestion in the last 60 s and sent no congestion notification.");
  EXPECT_LE(said.confidence, 0.7) << "the counter may be stuck";
}

TEST(EcnMarkedNoCnp, is_info_until_it_lasts) {
  expect_fail(Scene().after(1, {{Id::EcnMarkedRx, 5000}}).ask(kEcnMarkedNoCnp), Severity::Info, "not sustained yet");
}

TEST(EcnMarkedNoCnp, does_not_apply_without_notifications) {
  Scene scene;
  scene.profile().congestion_control = CongestionControl::Other;
  expect_not_applicable(scene.ask(kEcnMarkedNoCnp));
}

TEST(EcnMarkedNoCnp, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::CnpSent).after(1).ask(kEcnMarkedNoCnp), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::EcnMarkedRx}).after(1).ask(kEcnMarkedNoCnp), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
