// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact error(const std::string& kind, const std::string& status) {
  return log_line(kind, "mlx5_0", "mlx5_0: error " + status, {{"status", status}});
}

TEST(TransportLogCompletionError, does_not_apply_without_such_a_line_or_to_exhausted_retries) {
  Scene scene;
  expect_not_applicable(scene.ask(kTransportLogCompletionError));
  scene.now().log = {error("retry_exceeded", "12"), error("flush_error", "5")};
  expect_not_applicable(scene.ask(kTransportLogCompletionError));
  scene.now().log = {log_line("completion_error", "", "cqe_error_ms: 3738", {{"after_ms", "3738"}})};
  expect_not_applicable(scene.ask(kTransportLogCompletionError));
}

TEST(TransportLogCompletionError, names_the_errors) {
  Scene scene;
  scene.now().log = {error("remote_access_error", "10"), error("completion_error", "9"), error("flush_error", "5")};
  expect_fail(scene.ask(kTransportLogCompletionError), Severity::Warning,
              "on mlx5_0: remote access error and status 9.");
}

TEST(TransportLogCompletionError, flushed_requests_alone_are_a_hint) {
  Scene scene;
  scene.now().log = {error("flush_error", "5")};
  expect_fail(scene.ask(kTransportLogCompletionError), Severity::Info, "no file says why");
}

TEST(TransportLogCompletionError, leaves_protection_errors_beside_the_iommu_to_its_rule) {
  Scene scene;
  scene.now().log = {error("local_protection_error", "4")};
  expect_fail(scene.ask(kTransportLogCompletionError), Severity::Warning, "local protection error");
  scene.now().log.push_back(log_line("iommu_fault", "0000:3b:00.0", "IO_PAGE_FAULT"));
  expect_not_applicable(scene.ask(kTransportLogCompletionError));
}

}  // namespace
}  // namespace roceready::rules_test
