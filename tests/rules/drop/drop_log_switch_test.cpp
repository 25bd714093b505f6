// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact drops(const char* port, const char* packets) {
  return log_line("switch_drops", port, std::string(port) + " U 1,204 0.01 B/s", {{"rx_drp", packets}});
}
LogFact pauses(const char* port) {
  return log_line("switch_pfc_sent", port, std::string(port) + " 0 0 0 48,211 0 0 0 0", {{"priority_3", "48211"}});
}

TEST(DropLogSwitch, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kDropLogSwitch));
}

TEST(DropLogSwitch, is_critical_where_drops_of_a_pausing_port_grow) {
  Scene scene;
  scene.now().log = {drops("Ethernet4", "100"), drops("Ethernet4", "350"), pauses("Ethernet4")};
  const Judgement said = scene.ask(kDropLogSwitch);
  expect_fail(said, Severity::Critical, "250 packets");
  expect_fail(said, Severity::Critical, "priority 3");
  EXPECT_LT(said.confidence, 0.7) << "a switch's file alone decides no verdict";
  EXPECT_EQ(said.sentence.find("headroom"), std::string::npos) << "nothing was told of it";
}

TEST(DropLogSwitch, takes_a_total_of_unknown_age_as_info) {
  Scene scene;
  scene.now().log = {drops("Ethernet4", "100"), pauses("Ethernet4")};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Info, "at some time");
  scene.now().log = {drops("Ethernet4", "100"), drops("Ethernet4", "20"), pauses("Ethernet4")};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Info, "20 packets");
}

TEST(DropLogSwitch, says_that_no_headroom_was_used) {
  Scene scene;
  const auto headroom = [](const char* bytes) {
    return log_line("switch_headroom", "Ethernet4", "Ethernet4 0 0 0 0 0 0 0 0", {{"group_3", bytes}});
  };
  scene.now().log = {drops("Ethernet4", "100"), drops("Ethernet4", "350"), pauses("Ethernet4"), headroom("0")};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Critical, "no headroom at all");
  scene.now().log.back() = headroom("20800");
  EXPECT_EQ(scene.ask(kDropLogSwitch).sentence.find("headroom"), std::string::npos);
}

TEST(DropLogSwitch, takes_drops_of_ports_that_pause_nobody_as_info) {
  Scene scene;
  scene.now().log = {drops("Ethernet0", "100"), drops("Ethernet0", "350"), drops("Ethernet4", "0"),
                     pauses("Ethernet4")};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Info, "A switch dropped 350 packets on Ethernet0 of a switch,");
  scene.now().log = {
      log_line("switch_drops", "Ethernet0", "row", {{"rx_drp", "555"}, {"tx_drp", "66"}, {"switch", "leaf1"}}),
      log_line("switch_drops", "Ethernet4", "row", {{"rx_drp", "0"}, {"tx_drp", "0"}, {"switch", "leaf1"}}),
      log_line("switch_drops", "", "output_discards: 9", {{"output_discards", "9"}, {"switch", "leaf1"}})};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Info,
              "A switch dropped 630 packets on Ethernet0 of leaf1 and switch leaf1,");
}

TEST(DropLogSwitch, takes_single_counters_of_a_nameless_switch_together) {
  Scene scene;
  scene.now().log = {log_line("switch_drops", "", "output_discards: 322434", {{"output_discards", "322434"}}),
                     log_line("switch_drops", "", "discard_queue: 0", {{"discard_queue", "0"}}),
                     log_line("switch_drops", "", "avg_discard_size: 4049", {{"avg_discard_size", "4049"}})};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Info, "A switch dropped 322434 packets, since");
}

TEST(DropLogSwitch, tells_drops_of_other_ports_beside_those_of_a_pausing_one) {
  Scene scene;
  scene.now().log = {drops("Ethernet0", "100"), drops("Ethernet4", "100"), drops("Ethernet8", "7"),
                     drops("Ethernet0", "160"), drops("Ethernet4", "350"), drops("Ethernet8", "7"),
                     pauses("Ethernet4")};
  const Judgement said = scene.ask(kDropLogSwitch);
  expect_fail(said, Severity::Critical, "dropped 250 packets on receive at Ethernet4 between two outputs");
  expect_fail(said, Severity::Critical, "elsewhere: 60 packets on Ethernet0 of a switch in the same time.");
  EXPECT_EQ(said.sentence.find("Ethernet8"), std::string::npos) << "its drops are old";
  scene.now().log = {drops("Ethernet0", "100"), drops("Ethernet4", "350"), pauses("Ethernet4")};
  expect_fail(scene.ask(kDropLogSwitch), Severity::Info,
              "elsewhere: 100 packets on Ethernet0 of a switch since the counters were cleared.");
}

TEST(DropLogSwitch, keeps_ports_of_two_switches_apart) {
  const auto of = [](const char* name, LogFact fact) {
    fact.says["switch"] = name;
    return fact;
  };
  Scene scene;
  scene.now().log = {of("leaf1", drops("Ethernet4", "100")), of("leaf1", pauses("Ethernet4")),
                     of("leaf2", drops("Ethernet4", "350"))};
  const Judgement said = scene.ask(kDropLogSwitch);
  expect_fail(said, Severity::Info, "dropped 100 packets on receive at Ethernet4 of leaf1 at some time");
  expect_fail(said, Severity::Info, "elsewhere: 350 packets on Ethernet4 of leaf2 since");
}

TEST(DropLogSwitch, passes_where_nothing_was_dropped) {
  Scene scene;
  scene.now().log = {drops("Ethernet4", "0"), pauses("Ethernet4")};
  expect_pass(scene.ask(kDropLogSwitch));
}

}  // namespace
}  // namespace roceready::rules_test
