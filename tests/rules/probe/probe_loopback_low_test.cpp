// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/bandwidth_runs.h"

namespace roceready::rules_test {
namespace {

TEST(ProbeLoopbackLow, is_judged_where_a_person_measured_alone) {
  expect_waits_for_a_person(kProbeLoopbackLow);
  Scene peer;
  add_run(peer, 1e9);
  expect_not_looked_at(peer.ask(kProbeLoopbackLow), "on_demand");
}

TEST(ProbeLoopbackLow, compares_with_the_line) {
  Scene scene;
  add_loopback(scene, 85.1e9);
  expect_pass(scene.ask(kProbeLoopbackLow));
  probes(scene).bandwidth[0].bits_per_second = 84.9e9;
  const Judgement said = scene.ask(kProbeLoopbackLow);
  expect_fail(said, Severity::Warning, "84.9 Gbit/s");
  EXPECT_TRUE(said.derived_threshold);
}

TEST(ProbeLoopbackLow, wants_no_more_than_the_slot_carries) {
  Scene scene;
  scene.nic().current_width = 4U;  // 64 Gbit/s: the slot's own matter
  add_loopback(scene, 55e9);
  expect_pass(scene.ask(kProbeLoopbackLow));
  probes(scene).bandwidth[0].bits_per_second = 54e9;
  expect_fail(scene.ask(kProbeLoopbackLow), Severity::Warning, "a slot of 64 Gbit/s");
}

TEST(ProbeLoopbackLow, is_unknown_where_something_else_may_be_the_limit) {
  const auto low_with = [](auto change) {
    Scene good;
    change(good, add_loopback(good, 97e9));
    expect_pass(good.ask(kProbeLoopbackLow));
    Scene scene;
    change(scene, add_loopback(scene, 60e9));
    return scene.ask(kProbeLoopbackLow);
  };
  expect_unknown(low_with([](Scene& scene, BandwidthRun&) { scene.nic().current_width = denied(); }), Why::NotPresent);
  expect_unknown(low_with([](Scene& scene, BandwidthRun&) { scene.nic().current_width = 0U; }), Why::NotPresent);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.other_bits_per_second = 6e9; }), Why::NotPresent);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.other_bits_per_second = denied(); }), Why::NotPresent);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.waited_seconds = 1; }), Why::NotPresent);
}

TEST(ProbeLoopbackLow, is_unknown_where_the_run_broke_off_or_the_speed_is_not_known) {
  Scene scene;
  add_loopback(scene, 60e9).bits_per_second = Absent{Why::NotPresent, "cannot register 64 KiB with the NIC"};
  expect_unknown(scene.ask(kProbeLoopbackLow), Why::NotPresent);
  Scene blind;
  add_loopback(blind, 97e9);
  blind.eth0().ethtool.link_modes = denied();
  expect_unknown(blind.ask(kProbeLoopbackLow), Why::Denied);
}

TEST(ProbeLoopbackLow, does_not_judge_software_rdma_and_virtual_machines_unless_somebody_set_the_limit) {
  Scene scene;
  add_loopback(scene, 5e9);
  Scene software = scene, guest = scene;
  software.port().function = FunctionKind::Software;
  expect_not_applicable(software.ask(kProbeLoopbackLow));
  guest.now().host.virtual_machine = true;
  expect_not_applicable(guest.ask(kProbeLoopbackLow));
  guest.limit("probe-loopback-low.share", 0.5);
  expect_fail(guest.ask(kProbeLoopbackLow), Severity::Warning);
}

}  // namespace
}  // namespace roceready::rules_test
