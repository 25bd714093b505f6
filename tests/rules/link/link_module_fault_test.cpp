// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

ModuleMonitor& monitor(Scene& scene, std::size_t index) {
  return scene.eth0().ethtool.module->monitors->at(index);
}

TEST(LinkModuleFault, compares_values_with_the_modules_own_limits) {
  struct Case {
    double celsius;
    Outcome outcome;
    Severity severity;
    const char* part;
  };
  for (const Case& c :
       {Case{41, Outcome::Pass, {}, ""}, Case{72, Outcome::Fail, Severity::Warning, "above the warning limit of 70"},
        Case{80, Outcome::Fail, Severity::Critical, "temperature is 80 degrees C, above the alarm limit of 75"},
        Case{-3, Outcome::Fail, Severity::Warning, "below the warning limit of 0"},
        Case{-9, Outcome::Fail, Severity::Critical, "below the alarm limit of -5"}}) {
    Scene scene;
    monitor(scene, 0).value = c.celsius;
    const Judgement said = scene.ask(kLinkModuleFault);
    EXPECT_EQ(said.outcome, c.outcome) << words_of(said);
    if (c.outcome == Outcome::Fail) expect_fail(said, c.severity, c.part);
  }
}

TEST(LinkModuleFault, names_the_lane_and_lets_dark_lanes_be) {
  Scene scene;
  monitor(scene, 1).value = 2e-6;
  expect_fail(scene.ask(kLinkModuleFault), Severity::Critical, "(QSFP28) reports: receive power of lane 2 is");
  monitor(scene, 1).value = 0;
  expect_pass(scene.ask(kLinkModuleFault));
}

TEST(LinkModuleFault, tells_of_events_that_the_driver_counted_in_the_last_hour) {
  struct Case {
    Id id;
    Severity severity;
    const char* part;
  };
  for (const Case& c : {Case{Id::ModuleHighTemp, Severity::Critical, "1 time in the last hour: too hot"},
                        Case{Id::ModuleBusStuck, Severity::Critical, "its control bus is stuck"},
                        Case{Id::ModuleBadShorted, Severity::Critical, "bad or shorted cable"},
                        Case{Id::ModuleUnplug, Severity::Warning, "pulled out"}}) {
    Scene scene;
    scene.every(60, 5).after(1, {{c.id, 1}}).every(60, 5);
    expect_fail(scene.ask(kLinkModuleFault), c.severity, c.part);
    expect_pass(scene.every(60, 61).ask(kLinkModuleFault));
  }
}

TEST(LinkModuleFault, is_not_excused_by_the_loss_of_carrier_that_it_causes) {
  Scene scene;
  scene.every(10, 6);
  scene.eth0().link.carrier = false;
  scene.after(10, {{Id::ModuleUnplug, 1}});
  expect_fail(scene.every(10, 6).ask(kLinkModuleFault), Severity::Warning, "pulled out");
}

TEST(LinkModuleFault, tells_of_a_module_that_gave_up) {
  Scene scene;
  scene.eth0().ethtool.module->fault = std::string("the module says that it is in its fault state");
  expect_fail(scene.ask(kLinkModuleFault), Severity::Critical, "fault state");
}

TEST(LinkModuleFault, judges_copper_by_the_drivers_events_alone) {
  Scene scene;
  scene.eth0().ethtool.module->monitors = Absent{Why::NotPresent, "a passive copper cable measures nothing"};
  expect_not_looked_at(scene.after(1).ask(kLinkModuleFault), "longer_window");
  expect_pass(scene.every(60, 61).ask(kLinkModuleFault));
  scene.never_shows({Id::ModuleBadShorted, Id::ModuleBusStuck, Id::ModuleHighTemp, Id::ModuleUnplug});
  expect_not_applicable(scene.after(1).ask(kLinkModuleFault));
  scene.eth0().ethtool.module = not_supported();
  expect_not_looked_at(scene.ask(kLinkModuleFault), "never_shown");
}

TEST(LinkModuleFault, is_unknown_when_the_module_is_denied_unless_the_driver_saw_something) {
  Scene scene;
  scene.eth0().ethtool.module = denied();
  expect_unknown(scene.every(60, 61).ask(kLinkModuleFault), Why::Denied);
  expect_fail(scene.after(1, {{Id::ModuleBadShorted, 2}}).ask(kLinkModuleFault), Severity::Critical, "2 times");
}

TEST(LinkModuleFault, clears_no_module_of_which_one_event_is_hidden) {
  for (const Id id : {Id::ModuleHighTemp, Id::ModuleBusStuck, Id::ModuleBadShorted, Id::ModuleUnplug}) {
    Scene hidden;
    expect_unknown(hidden.hides(id).every(60, 61).ask(kLinkModuleFault), Why::NotPresent);
    hidden.eth0().ethtool.module->monitors = Absent{Why::NotPresent, "a passive copper cable measures nothing"};
    expect_unknown(hidden.after(1).ask(kLinkModuleFault), Why::NotPresent);
    Scene never;
    expect_pass(never.never_shows({id}).every(60, 61).ask(kLinkModuleFault));
  }
}

TEST(LinkModuleFault, waits_in_a_daemon_until_a_value_has_stayed) {
  Scene scene;
  scene.daemon();
  scene.every(60, 3);
  const auto severity_now = [&] {
    const ReportPtr report = scene.report();
    for (const Finding& finding : report->findings)
      if (finding.rule == &kLinkModuleFault) return finding.severity;
    return Severity::Info;
  };
  monitor(scene, 0).value = 80;
  scene.after(30);
  EXPECT_EQ(severity_now(), Severity::Info);
  scene.every(30, 4);
  EXPECT_EQ(severity_now(), Severity::Critical);
}

}  // namespace
}  // namespace roceready::rules_test
