// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(HostLogGidAddFailed, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kHostLogGidAddFailed));
}

TEST(HostLogGidAddFailed, fires_on_a_refused_gid_and_names_the_line) {
  Scene scene;
  scene.now().log = {
      log_line("gid_add_failed", "mlx5_0", "infiniband mlx5_0: add_roce_gid GID add failed port=1 index=0")};
  const Judgement said = scene.ask(kHostLogGidAddFailed);
  expect_fail(said, Severity::Warning, "mlx5_0");
  EXPECT_EQ(said.evidence.at(0).source, "sent.log:17");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(HostLogGidAddFailed, is_critical_where_a_file_shows_a_multicast_mac) {
  Scene scene;
  scene.now().log = {log_line("gid_add_failed", "mlx5_0", "infiniband mlx5_0: add_roce_gid GID add failed"),
                     log_line("multicast_mac", "eth0", "link/ether 03:00:00:00:00:01")};
  const Judgement said = scene.ask(kHostLogGidAddFailed);
  expect_fail(said, Severity::Critical, "multicast");
  EXPECT_GE(said.confidence, 0.7);
}

TEST(HostLogGidAddFailed, is_quiet_on_other_lines) {
  Scene scene;
  scene.now().log = {log_line("environment", "", "NCCL_IB_TC=106")};
  expect_not_applicable(scene.ask(kHostLogGidAddFailed));
}

}  // namespace
}  // namespace roceready::rules_test
