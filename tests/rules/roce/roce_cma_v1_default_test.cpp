// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene with_mode(Reading<std::string> mode) {
  Scene scene;
  scene.shows(Id::VportLoopbackPackets).port().cma_default_mode = std::move(mode);
  return scene;
}
const Reading<std::string> kVersion1 = std::string("IB/RoCE v1");
const std::vector<Growth> kAstray = {{Id::RdmaTxPackets, 1e6}, {Id::TxPacketsPriority, 1e6, 0}};

TEST(RoceCmaV1Default, is_quiet_with_version_2) {
  expect_pass(with_mode(std::string("RoCE v2")).ask(kRoceCmaV1Default));
}

TEST(RoceCmaV1Default, is_unknown_while_nobody_made_the_view) {
  expect_unknown(with_mode(not_present()).ask(kRoceCmaV1Default), Why::NotPresent);
  expect_unknown(with_mode(denied()).ask(kRoceCmaV1Default), Why::Denied);
}

TEST(RoceCmaV1Default, is_info_since_programs_choose_their_own) {
  expect_fail(with_mode(kVersion1).ask(kRoceCmaV1Default), Severity::Info, "\"IB/RoCE v1\"");
  Scene right = with_mode(kVersion1);
  right.every(1, 60, {{Id::RdmaTxPackets, 1e6}, {Id::TxPacketsPriority, 1e6, 3}});
  expect_fail(right.ask(kRoceCmaV1Default), Severity::Info);
}

TEST(RoceCmaV1Default, is_a_warning_when_counters_show_rdma_on_another_priority) {
  const Judgement said = with_mode(kVersion1).every(1, 60, kAstray).ask(kRoceCmaV1Default);
  expect_fail(said, Severity::Warning, "left on other priorities than 3");
  EXPECT_TRUE(said.derived_threshold);
}

TEST(RoceCmaV1Default, is_critical_where_peers_are_reached_by_routing_only) {
  Scene scene = with_mode(kVersion1);
  scene.eth0().link.addresses = {{"10.0.0.1", 31, false}, {"fe80::1", 64, false}};
  expect_fail(scene.ask(kRoceCmaV1Default), Severity::Info);
  expect_fail(scene.every(1, 60, kAstray).ask(kRoceCmaV1Default), Severity::Critical, "version 1 cannot be routed");
}

TEST(RoceCmaV1Default, proves_nothing_while_the_nic_classifies_otherwise_or_without_traffic) {
  Scene pcp = with_mode(kVersion1);
  pcp.eth0().dcb.trust = std::string("pcp");
  expect_fail(pcp.every(1, 60, kAstray).ask(kRoceCmaV1Default), Severity::Info);
  Scene idle = with_mode(kVersion1);
  idle.every(1, 60, {{Id::RdmaTxPackets, 10}, {Id::TxPacketsPriority, 10, 0}});
  expect_fail(idle.ask(kRoceCmaV1Default), Severity::Info);
}

TEST(RoceCmaV1Default, needs_a_profile) {
  expect_not_looked_at(with_mode(kVersion1).profile("").ask(kRoceCmaV1Default), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test
