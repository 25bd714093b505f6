// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(TransportLogNfsStall, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kTransportLogNfsStall));
}

TEST(TransportLogNfsStall, fires_on_a_server_that_does_not_respond) {
  Scene scene;
  scene.now().log = {log_line("link_went_down", "eth0", "eth0: Link down")};
  expect_not_applicable(scene.ask(kTransportLogNfsStall));
  scene.now().log.push_back(
      log_line("nfs_not_responding", "", "nfs: server 192.0.2.50 not responding", {{"server", "192.0.2.50"}}));
  const Judgement said = scene.ask(kTransportLogNfsStall);
  expect_fail(said, Severity::Info, "old MAC");
  EXPECT_EQ(said.evidence.at(0).source, "sent.log:17");
}

}  // namespace
}  // namespace roceready::rules_test
