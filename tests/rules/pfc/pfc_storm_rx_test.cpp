// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

const std::vector<Growth> kBlocked = {{Id::PfcRxPauseDuration, 0.997, 3}};
const std::vector<Growth> kBusy = {{Id::PfcRxPauseDuration, 0.01, 3}, {Id::TxBytesPriority, 5e9, 3}};

TEST(PfcStormRx, is_critical_when_traffic_stopped_by_pause_was_flowing_before) {
  Scene scene;
  scene.after(1, kBusy).every(1, 2, kBlocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Critical,
              "Priority 3 was paused by the peer for 99.7 % of the last 2 s (2 samples), and nothing was sent on it.");
}

TEST(PfcStormRx, is_critical_when_acknowledgements_time_out_meanwhile) {
  Scene scene;
  scene.after(1, kBlocked).after(1, {{Id::PfcRxPauseDuration, 1, 3}, {Id::LocalAckTimeout, 2}});
  expect_fail(scene.ask(kPfcStormRx), Severity::Critical, "acknowledgements timed out");
}

TEST(PfcStormRx, is_a_warning_without_a_sign_that_traffic_waits) {
  Scene scene;
  scene.every(1, 2, kBlocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Warning, "Nothing shows that anything waits");
  Scene blind;
  blind.never_shows({Id::TxBytesPriority}).every(1, 3, kBlocked);
  expect_fail(blind.ask(kPfcStormRx), Severity::Warning, "what was sent on it is not known");
}

TEST(PfcStormRx, is_info_for_one_sample) {
  Scene scene;
  scene.after(1, kBusy).after(1, kBlocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Info, "(1 sample)");
}

TEST(PfcStormRx, stays_critical_for_as_long_as_it_lasts) {
  Scene scene;
  scene.every(1, 30, kBusy).every(1, 120, kBlocked);
  for (int minute = 3; minute <= 9; ++minute) {
    scene.every(1, 60, kBlocked);
    expect_fail(scene.ask(kPfcStormRx), Severity::Critical,
                "for at least " + std::to_string(minute - 1) + ".93 min (99.7 %");
  }
  const std::vector<Growth> blocked = {{Id::PfcRxPauseDuration, 9.97, 3}};
  for (int half_hour = 1; half_hour <= 6; ++half_hour) {
    scene.every(10, 180, blocked);
    expect_fail(scene.ask(kPfcStormRx), Severity::Critical, "It had been sending just before the pause began");
  }
}

TEST(PfcStormRx, is_one_storm_over_a_break_shorter_than_the_restoration_time) {
  Scene scene;
  scene.after(1, kBusy).every(1, 4, kBlocked).after(1, {{Id::PfcRxPauseDuration, 0.5, 3}});
  expect_fail(scene.ask(kPfcStormRx), Severity::Critical, "It stopped 1 s ago.");
  scene.every(1, 2, kBlocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Critical, "of the last 6 s (6 samples)");
}

TEST(PfcStormRx, is_over_after_the_restoration_time) {
  Scene scene;
  scene.daemon().after(1, kBusy).every(1, 4, kBlocked).every(1, 2);
  expect_pass(scene.ask(kPfcStormRx));
  expect_fail(scene.limit("pfc-storm-rx.restore_seconds", 10).ask(kPfcStormRx), Severity::Critical, "2 s ago");
}

TEST(PfcStormRx, is_one_finding_with_one_beginning_however_often_it_breaks_off) {
  Scene scene;
  scene.daemon().after(1, kBusy);
  for (int k = 0; k < 20; ++k) scene.every(1, 5, kBlocked).after(1);
  const ReportPtr report = scene.report();
  std::size_t storms = 0;
  for (const Finding& finding : report->findings) {
    if (std::string(finding.rule->id) != "pfc-storm-rx") continue;
    ++storms;
    EXPECT_EQ(finding.state, FindingState::Active);
    EXPECT_GT(finding.age_seconds, 115) << "since it began, not since the last break";
  }
  EXPECT_EQ(storms, 1U);
}

TEST(PfcStormRx, shows_no_demand_by_what_was_sent_long_before_the_pause) {
  Scene scene;
  scene.every(1, 30, kBusy).every(1, 120).every(1, 300, kBlocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Warning, "Nothing shows that anything waits");
}

TEST(PfcStormRx, needs_two_seconds_whatever_the_sampling) {
  const std::vector<Growth> blocked = {{Id::PfcRxPauseDuration, 0.2, 3}};
  Scene scene;
  scene.after(1, kBusy).every(0.2, 8, blocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Info, "too short to call it a storm");
  scene.every(0.2, 2, blocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Critical);
  Scene slow;
  slow.after(10, kBusy).after(10, {{Id::PfcRxPauseDuration, 9.97, 3}});
  expect_fail(slow.ask(kPfcStormRx), Severity::Info, "(1 sample)");
}

TEST(PfcStormRx, is_no_storm_while_something_gets_through) {
  Scene scene;
  scene.every(1, 3, {{Id::PfcRxPauseDuration, 0.995, 3}, {Id::TxBytesPriority, 4096, 3}});
  expect_pass(scene.ask(kPfcStormRx));
}

TEST(PfcStormRx, is_over_once_traffic_flowed_for_the_restoration_time) {
  Scene scene;
  scene.daemon().after(1, kBusy).every(1, 5, kBlocked).every(1, 2, kBusy);
  expect_pass(scene.ask(kPfcStormRx));
}

TEST(PfcStormRx, that_is_over_is_told_to_who_asks_once) {
  Scene scene;
  scene.every(1, 30, kBusy).every(1, 90, kBlocked).every(1, 20, kBusy);
  expect_fail(
      scene.ask(kPfcStormRx), Severity::Warning,
      "Priority 3 was paused by the peer for at least 90 s (99.7 % of that time), and nothing was sent on it. It "
      "stopped 20 s ago. It had been sending just before the pause began.");
  scene.every(1, 300, kBusy);
  expect_pass(scene.ask(kPfcStormRx));
  for (const std::size_t since : {19U, 20U}) {  // of two samples, wherever they fall
    Scene shortest;
    shortest.every(1, 30, kBusy).every(1, 2, kBlocked).every(1, since, kBusy);
    expect_fail(shortest.ask(kPfcStormRx), Severity::Warning, "for at least 2 s");
  }
}

TEST(PfcStormRx, that_is_over_takes_two_samples_however_large_one_is) {
  for (const double paused : {1.0, 1.99, 3600.0}) {
    Scene scene;
    scene.after(1, kBusy).after(1, {{Id::PfcRxPauseDuration, paused, 3}}).every(1, 20, kBusy);
    expect_pass(scene.ask(kPfcStormRx));
  }
}

TEST(PfcStormRx, is_unknown_when_hidden_not_looked_at_when_never_shown_not_applicable_without_pfc) {
  Scene hidden;
  hidden.hides(Id::PfcRxPauseDuration).after(1);
  expect_unknown(hidden.ask(kPfcStormRx), Why::NotPresent);
  Scene never;
  never.never_shows({Id::PfcRxPauseDuration}).after(1);
  expect_not_looked_at(never.ask(kPfcStormRx), "never_shown");
  Scene off;
  off.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(off.after(1).ask(kPfcStormRx));
}

TEST(PfcStormRx, is_judged_under_every_roce_profile_and_without_one) {
  for (const char* profile : {"lossy-ecn", "semi-lossless", "lfc-simple", "meta-pfc-only", ""}) {
    SCOPED_TRACE(profile);
    Scene scene;
    scene.profile(profile).after(1, kBusy).every(1, 2, kBlocked);
    expect_fail(scene.ask(kPfcStormRx), Severity::Critical, "Priority 3 was paused by the peer");
  }
  EXPECT_EQ(kPfcStormRx.modes, kRoceModes);
}

TEST(PfcStormRx, takes_timeouts_for_demand_on_the_priority_of_roce_alone) {
  const std::vector<Growth> other = {
      {Id::PfcRxPauseDuration, 1, 5}, {Id::TxBytesPriority, 1e9, 3}, {Id::LocalAckTimeout, 2}};
  for (const char* profile : {"nvidia-lossless", "lossy-ecn", ""}) {
    SCOPED_TRACE(profile);
    Scene scene;
    scene.profile(profile).shows(Id::PfcRxPauseDuration, 5).eth0().dcb.pfc->enabled = 0x28;
    const std::vector<Judgement> said = scene.every(1, 3, other).judge(kPfcStormRx);
    const auto storm = std::find_if(said.begin(), said.end(), [](const Judgement& one) {
      return one.subject.priority == std::optional<std::uint8_t>(5);
    });
    ASSERT_NE(storm, said.end());
    expect_fail(*storm, Severity::Warning, "Nothing shows that anything waits");
  }
}

TEST(PfcStormRx, takes_no_timeout_of_long_ago_for_demand) {
  Scene scene;
  scene.after(1, kBlocked).after(1, {{Id::PfcRxPauseDuration, 1, 3}, {Id::LocalAckTimeout, 2}}).every(1, 400, kBlocked);
  expect_fail(scene.ask(kPfcStormRx), Severity::Warning, "Nothing shows that anything waits");
}

TEST(PfcStormRx, does_not_apply_where_a_lossy_design_has_its_pfc_off) {
  Scene off;
  off.profile("lossy-ecn").eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(off.every(1, 3).ask(kPfcStormRx));
}

TEST(PfcStormRx, goes_by_the_counters_where_the_setting_cannot_be_read) {
  for (const Absent& why : {denied(), not_supported(), Absent{Why::Malformed, "cut off"}}) {
    Scene scene;
    scene.profile("lossy-ecn").eth0().dcb.pfc = why;
    expect_pass(Scene(scene).every(1, 3).ask(kPfcStormRx));
    expect_fail(scene.after(1, kBusy).every(1, 2, kBlocked).ask(kPfcStormRx), Severity::Critical, "Priority 3");
  }
  // A storm on a priority that the profile does not want lossless is one too.
  Scene other;
  other.shows(Id::PfcRxPauseDuration, 5).eth0().dcb.pfc = denied();
  other.after(1, {{Id::TxBytesPriority, 1e9, 5}}).every(1, 2, {{Id::PfcRxPauseDuration, 1, 5}});
  const std::vector<Judgement> said = other.judge(kPfcStormRx);
  ASSERT_EQ(said.size(), 2U);
  expect_fail(said[1], Severity::Critical, "Priority 5");
}

TEST(PfcStormRx, is_unknown_where_neither_setting_nor_counters_tell_and_a_denied_setting_alone_costs_no_verdict) {
  Scene scene;
  scene.profile("lossy-ecn").hides(Id::PfcRxPauseDuration);
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.every(1, 3).ask(kPfcStormRx), Why::NotPresent);
  scene.eth0().dcb.pfc = Absent{Why::Malformed, "cut off"};
  expect_unknown(scene.ask(kPfcStormRx), Why::Malformed);
}

TEST(LossyDesign, whose_pfc_setting_is_denied_pays_with_coverage_and_not_with_its_verdict) {
  Scene scene;
  scene.profile("lossy-ecn").eth0().dcb.pfc->enabled = 0;
  for (const CounterId id :
       {Id::PfcRxPauseDuration, Id::PfcTxPauseDuration, Id::PfcRxPauseFrames, Id::PfcTxPauseFrames})
    scene.hides(id);
  const ReportPtr open = Scene(scene).every(1, 3).report();
  scene.eth0().dcb.pfc = denied();
  const ReportPtr hidden = scene.every(1, 3).report();
  EXPECT_EQ(hidden->verdict, open->verdict) << hidden->summary;
  EXPECT_LT(hidden->coverage.ratio, open->coverage.ratio);
  Scene lossless;
  lossless.eth0().dcb.pfc = denied();
  EXPECT_EQ(lossless.every(1, 3).report()->verdict, Verdict::Unknown) << "there it is a mandatory check";
}

TEST(PfcStormRx, is_not_ruled_out_by_one_average) {
  Scene scene;
  scene.after(60, {{Id::PfcRxPauseDuration, 3, 3}, {Id::TxBytesPriority, 5e9, 3}});
  const Judgement said = scene.ask(kPfcStormRx);
  expect_not_looked_at(said, "longer_window");
  EXPECT_NE(said.sentence.find("was paused for 3 s of 60 s"), std::string::npos) << said.sentence;
  Scene short_of_it;
  short_of_it.after(60, {{Id::PfcRxPauseDuration, 1.9, 3}, {Id::TxBytesPriority, 5e9, 3}});
  expect_pass(short_of_it.ask(kPfcStormRx));
}

}  // namespace
}  // namespace roceready::rules_test
