// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(PcieSignalIntegrity, counts_recoveries_of_both_ends_in_an_hour) {
  struct Case {
    double rx, tx;
    Severity severity;
    const char* part;
  };
  for (const Case& c : {Case{1, 0, Severity::Warning, "1 time"}, Case{2, 2, Severity::Warning, "4 times"},
                        Case{3, 2, Severity::Critical, "5 times"}}) {
    Scene scene;
    scene.every(60, 3).after(1, {{Id::PcieRxSignalIntegrity, c.rx}, {Id::PcieTxSignalIntegrity, c.tx}}).every(60, 30);
    expect_fail(scene.ask(kPcieSignalIntegrity), c.severity, c.part);
  }
}

TEST(PcieSignalIntegrity, does_not_judge_totals_and_forgets_after_an_hour) {
  Scene scene;
  scene.after(1);
  expect_not_looked_at(scene.ask(kPcieSignalIntegrity), "longer_window");
  scene.after(1, {{Id::PcieRxSignalIntegrity, 9}}).every(60, 62);
  expect_pass(scene.ask(kPcieSignalIntegrity));
}

TEST(PcieSignalIntegrity, does_not_count_what_a_new_driver_makes) {
  Scene scene;
  scene.every(60, 61);
  scene.eth0().link.admin_up = false;
  scene.after(1);
  scene.eth0().link.admin_up = true;
  scene.after(1, {{Id::PcieRxSignalIntegrity, 9}}).every(60, 5);
  expect_pass(scene.ask(kPcieSignalIntegrity));
}

TEST(PcieSignalIntegrity, clears_no_link_of_which_one_end_is_hidden) {
  for (const Id id : {Id::PcieRxSignalIntegrity, Id::PcieTxSignalIntegrity}) {
    Scene hidden;
    expect_unknown(hidden.hides(id).every(60, 62).ask(kPcieSignalIntegrity), Why::NotPresent);
    Scene never;
    expect_pass(never.never_shows({id}).every(60, 62).ask(kPcieSignalIntegrity));
  }
}

TEST(PcieSignalIntegrity, is_unknown_or_never_shown) {
  Scene hidden;
  hidden.hides(Id::PcieRxSignalIntegrity).hides(Id::PcieTxSignalIntegrity);
  expect_unknown(hidden.after(1).ask(kPcieSignalIntegrity), Why::NotPresent);
  Scene never;
  never.never_shows({Id::PcieRxSignalIntegrity, Id::PcieTxSignalIntegrity});
  expect_not_looked_at(never.after(1).ask(kPcieSignalIntegrity), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
