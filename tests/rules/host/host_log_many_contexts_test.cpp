// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact usage(const std::string& contexts, const std::string& pairs) {
  return log_line("resource_usage", "mlx5_0", "0: mlx5_0: qp " + pairs + " ctx " + contexts,
                  {{"qp", pairs}, {"ctx", contexts}});
}

TEST(HostLogManyContexts, does_not_apply_where_no_file_tells) {
  expect_not_applicable(Scene().ask(kHostLogManyContexts));
  Scene scene;
  scene.now().log = {log_line("environment", "", "NCCL_IB_TC=106")};
  expect_not_applicable(scene.ask(kHostLogManyContexts));
}

TEST(HostLogManyContexts, tells_how_many_are_in_use_and_where_queue_pairs_failed) {
  Scene scene;
  scene.now().log = {usage("1", "1"), usage("4027", "8053")};
  const Judgement said = scene.ask(kHostLogManyContexts);
  expect_fail(said, Severity::Info, "mlx5_0 (4027 contexts, 8053 queue pairs)");
  EXPECT_NE(said.sentence.find("Near 4000 contexts"), std::string::npos);
  EXPECT_EQ(said.sentence.find("emlock"), std::string::npos);
  EXPECT_EQ(said.evidence.at(0).source, "sent.log:17");
}

TEST(HostLogManyContexts, passes_below_its_limit_which_may_be_changed) {
  Scene scene;
  scene.now().log = {usage("2999", "8053")};
  expect_pass(scene.ask(kHostLogManyContexts));
  scene.limit("host-log-many-contexts.contexts", 2999);
  expect_fail(scene.ask(kHostLogManyContexts), Severity::Info, "2999 contexts");
}

TEST(HostLogManyContexts, takes_no_nonsense_for_a_number) {
  Scene scene;
  scene.now().log = {usage("many", "8053")};
  expect_not_applicable(scene.ask(kHostLogManyContexts));
}

}  // namespace
}  // namespace roceready::rules_test
