// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact setting(const std::string& name, const std::string& value) {
  return log_line("queue_setting", "", name + ": " + value, {{"name", name}, {"value", value}});
}

TEST(TransportLogReceiveQueue, does_not_apply_where_a_depth_is_not_stated) {
  Scene scene;
  expect_not_applicable(scene.ask(kTransportLogReceiveQueue));
  scene.now().log = {setting("recv_queue", "256"), setting("send_queue", "512")};
  expect_not_applicable(scene.ask(kTransportLogReceiveQueue));
}

TEST(TransportLogReceiveQueue, fires_where_requests_outnumber_receives) {
  Scene scene;
  scene.now().log = {setting("recv_queue", "256"), setting("iodepth", "257")};
  expect_fail(scene.ask(kTransportLogReceiveQueue), Severity::Warning, "holds 256 where 257");
  scene.now().log.push_back(setting("rnr_retry", "7"));
  expect_fail(scene.ask(kTransportLogReceiveQueue), Severity::Warning, "without end");
}

TEST(TransportLogReceiveQueue, as_many_receives_pass) {
  Scene scene;
  scene.now().log = {setting("recv_queue", "256"), setting("iodepth", "256")};
  expect_pass(scene.ask(kTransportLogReceiveQueue));
}

}  // namespace
}  // namespace roceready::rules_test
