// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(LinkLogPortEvent, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kLinkLogPortEvent));
}

TEST(LinkLogPortEvent, fires_on_port_errors_lost_links_and_bad_cables) {
  for (const LogFact& fact :
       {log_line("async_event", "", "Got async event : port error", {{"event", "port error"}}),
        log_line("async_event", "", "IBV_EVENT_DEVICE_FATAL", {{"event", "IBV_EVENT_DEVICE_FATAL"}}),
        log_line("link_went_down", "eth0", "mlx5_core 0000:3b:00.0 eth0: Link down"),
        log_line("cable_event", "0000:3b:00.0", "Cable error", {{"event", "Cable error, Power budget exceeded"}})}) {
    Scene scene;
    scene.now().log = {fact};
    expect_fail(scene.ask(kLinkLogPortEvent), Severity::Warning, "");
  }
}

TEST(LinkLogPortEvent, is_quiet_on_changes_that_belong_to_life) {
  Scene scene;
  scene.now().log = {log_line("cable_event", "0000:3b:00.0", "Cable plugged", {{"event", "Cable plugged"}}),
                     log_line("async_event", "", "IBV_EVENT_GID_CHANGE", {{"event", "IBV_EVENT_GID_CHANGE"}}),
                     log_line("link_went_down", "docker0", "docker0: Link down")};
  expect_not_applicable(scene.ask(kLinkLogPortEvent));
}

TEST(LinkLogPortEvent, a_link_that_never_came_up_counts_for_ports_in_scope_alone) {
  Scene scene;
  LogFact fact = log_line("link_went_down", scene.now().ports[0].netdev.value_or(""), "mlx5_core: Link down",
                          {{"never_up", "yes"}});
  scene.now().log = {fact};
  expect_fail(scene.ask(kLinkLogPortEvent), Severity::Warning, "");
  fact.subject = "ens1f1np1";
  scene.now().log = {fact};
  expect_not_applicable(scene.ask(kLinkLogPortEvent));
  fact.says["netdev"] = scene.now().ports[0].netdev.value_or("");
  scene.now().log = {fact};
  expect_fail(scene.ask(kLinkLogPortEvent), Severity::Warning, "");
}

TEST(LinkLogPortEvent, is_quiet_on_ports_that_are_not_in_scope) {
  Scene scene;
  scene.now().log = {log_line("link_went_down", scene.now().ports[0].netdev.value_or(""), "mlx5_core: Link down")};
  expect_fail(scene.ask(kLinkLogPortEvent), Severity::Warning, "");
  scene.now().ports[0].in_scope = false;
  expect_not_applicable(scene.ask(kLinkLogPortEvent));
}

}  // namespace
}  // namespace roceready::rules_test
