// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene dropping(double per_minute) {
  Scene scene;
  scene.shows(Id::TxDiscardsPhy).every(60, 6, {{Id::TxDiscardsPhy, per_minute}});
  return scene;
}

TEST(DropTxDiscards, warns_from_ten_a_minute_on) {
  expect_pass(dropping(9).ask(kDropTxDiscards));
  expect_fail(dropping(40).ask(kDropTxDiscards), Severity::Warning, "threw away 40 packets");
}

TEST(DropTxDiscards, leaves_out_minutes_in_which_the_link_went_down) {
  Scene scene;
  scene.shows(Id::TxDiscardsPhy).every(60, 6);
  scene.eth0().link.carrier = false;
  scene.eth0().link.carrier_down_count = 8U;
  scene.after(60, {{Id::TxDiscardsPhy, 5000}});
  scene.eth0().link.carrier = true;
  scene.after(60);
  EXPECT_NE(scene.ask(kDropTxDiscards).outcome, Outcome::Fail) << words_of(scene.ask(kDropTxDiscards));
}

TEST(DropTxDiscards, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene scene;
  expect_not_looked_at(Scene().after(1).ask(kDropTxDiscards), "never_shown");
  expect_unknown(scene.shows(Id::TxDiscardsPhy).hides(Id::TxDiscardsPhy).after(1).ask(kDropTxDiscards),
                 Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
