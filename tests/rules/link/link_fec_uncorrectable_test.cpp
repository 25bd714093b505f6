// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(LinkFecUncorrectable, does_not_judge_what_was_counted_since_boot) {
  Scene scene;
  scene.after(2);
  expect_not_looked_at(scene.ask(kLinkFecUncorrectable), "longer_window");
  expect_pass(scene.every(60, 61).ask(kLinkFecUncorrectable));
}

TEST(LinkFecUncorrectable, grows_worse_with_the_rate_and_with_the_minutes) {
  struct Case {
    Id id;
    double each;
    std::size_t minutes;
    Severity severity;
    const char* part;
  };
  for (const Case& c :
       {Case{Id::FecUncorrectableBlocks, 1, 1, Severity::Warning, "1 block in the last 7 min"},
        Case{Id::SymbolErrorsUncorrected, 9, 1, Severity::Warning, "9 symbols"},
        Case{Id::FecUncorrectableBlocks, 10, 1, Severity::Critical, "In the last minute it was 10 blocks"},
        Case{Id::FecUncorrectableBlocks, 2, 3, Severity::Critical, "in 3 of the last 5 minutes"}}) {
    Scene scene;
    scene.every(60, 7 - c.minutes).every(60, c.minutes, {{c.id, c.each}});
    expect_fail(scene.ask(kLinkFecUncorrectable), c.severity, c.part);
  }
}

TEST(LinkFecUncorrectable, ignores_the_burst_of_a_link_that_trains_and_tells_of_the_next) {
  Scene scene;
  scene.every(10, 30);
  scene.eth0().link.carrier = false;
  scene.after(10, {{Id::FecUncorrectableBlocks, 500}});
  scene.eth0().link.carrier = true;
  scene.after(10, {{Id::FecUncorrectableBlocks, 5000}}).every(60, 58);
  expect_pass(scene.ask(kLinkFecUncorrectable));
  expect_fail(scene.after(10, {{Id::FecUncorrectableBlocks, 3}}).ask(kLinkFecUncorrectable), Severity::Warning,
              "3 blocks");
}

TEST(LinkFecUncorrectable, is_critical_in_a_report_only_with_a_finding_of_another_family) {
  Scene scene;
  scene.every(60, 6, {{Id::FecUncorrectableBlocks, 50}});
  const auto severity_of = [](const ReportPtr& report) {
    for (const Finding& finding : report->findings)
      if (finding.rule == &kLinkFecUncorrectable) return finding.severity;
    return Severity::Info;
  };
  EXPECT_EQ(severity_of(scene.report()), Severity::Warning);
  scene.eth0().dcb.pfc->enabled = 0;
  EXPECT_EQ(severity_of(scene.after(1).report()), Severity::Critical);
}

TEST(LinkFecUncorrectable, clears_no_link_of_which_one_counter_is_hidden) {
  for (const Id id : {Id::FecUncorrectableBlocks, Id::SymbolErrorsUncorrected}) {
    Scene hidden;
    expect_unknown(hidden.hides(id).every(60, 61).ask(kLinkFecUncorrectable), Why::NotPresent);
    Scene never;
    expect_pass(never.never_shows({id}).every(60, 61).ask(kLinkFecUncorrectable));
  }
  Scene old_kernel;
  old_kernel.hides(Id::FecUncorrectableBlocks).eth0().ethtool.fec->uncorrectable_blocks = not_supported();
  expect_pass(old_kernel.every(60, 61).ask(kLinkFecUncorrectable));
}

TEST(LinkFecUncorrectable, needs_one_of_its_two_counters) {
  Scene one;
  one.hides(Id::FecUncorrectableBlocks).every(60, 3, {{Id::SymbolErrorsUncorrected, 1}});
  expect_fail(one.ask(kLinkFecUncorrectable), Severity::Critical, "3 symbols");
  Scene hidden;
  hidden.hides(Id::FecUncorrectableBlocks).hides(Id::SymbolErrorsUncorrected);
  expect_unknown(hidden.after(1).ask(kLinkFecUncorrectable), Why::NotPresent);
  Scene never;
  never.never_shows({Id::FecUncorrectableBlocks, Id::SymbolErrorsUncorrected});
  expect_not_looked_at(never.after(1).ask(kLinkFecUncorrectable), "never_shown");
  Scene refused;
  refused.hides(Id::FecUncorrectableBlocks).hides(Id::SymbolErrorsUncorrected);
  refused.eth0().counters.why_absent = denied();
  expect_unknown(refused.after(1).ask(kLinkFecUncorrectable), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
