// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact failure(const std::string& gid) {
  return log_line("modify_qp_failed", "mlx5_0", "ibv_modify_qp failed",
                  {{"error", "Connection timed out"}, {"gid", gid}});
}

TEST(TransportLogConnectFailed, does_not_apply_without_such_a_line) {
  Scene scene;
  expect_not_applicable(scene.ask(kTransportLogConnectFailed));
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", "status 12", {{"status", "12"}})};
  expect_not_applicable(scene.ask(kTransportLogConnectFailed));
}

TEST(TransportLogConnectFailed, says_where_a_link_local_gid_was_used) {
  Scene scene;
  scene.now().log = {failure("fe80::1")};
  expect_fail(scene.ask(kTransportLogConnectFailed), Severity::Warning, "timed out. It used a link-local GID");
  scene.now().log = {failure("::ffff:192.0.2.6")};
  const auto asked = scene.ask(kTransportLogConnectFailed);
  expect_fail(asked, Severity::Warning, "on mlx5_0: Connection timed out.");
}

}  // namespace
}  // namespace roceready::rules_test
