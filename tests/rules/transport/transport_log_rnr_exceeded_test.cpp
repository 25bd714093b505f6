// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(TransportLogRnrExceeded, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kTransportLogRnrExceeded));
}

TEST(TransportLogRnrExceeded, fires_on_status_13_alone) {
  Scene scene;
  scene.now().log = {log_line("retry_exceeded", "", "transport retry counter exceeded")};
  expect_not_applicable(scene.ask(kTransportLogRnrExceeded));
  scene.now().log.push_back(log_line("rnr_retry_exceeded", "", "RNR retry counter exceeded"));
  expect_fail(scene.ask(kTransportLogRnrExceeded), Severity::Warning, "not ready");
}

}  // namespace
}  // namespace roceready::rules_test
