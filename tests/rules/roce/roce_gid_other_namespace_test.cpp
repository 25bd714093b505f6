// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

GidEntry foreign(std::uint32_t index, const std::string& type, const std::string& gid = "::ffff:10.9.0.1") {
  return {index, gid, type, Absent{Why::OtherNamespace, "elsewhere"}};
}

GidEntry own(std::uint32_t index, const std::string& type, const std::string& gid = "::ffff:10.0.0.1") {
  return {index, gid, type, std::string("eth0")};
}

Scene with(std::vector<GidEntry> table) {
  Scene scene;
  scene.port().gids = std::move(table);
  return scene;
}

TEST(RoceGidOtherNamespace, names_the_entries_and_the_first_that_can_be_used) {
  const Judgement said =
      with({foreign(0, "", ""), foreign(1, "", ""), own(2, "RoCE v1"), own(3, "RoCE v2")}).ask(kRoceGidOtherNamespace);
  expect_fail(said, Severity::Info, "entries 0 and 1 are not of this network namespace");
  EXPECT_NE(said.sentence.find("EINVAL"), std::string::npos);
  EXPECT_NE(said.sentence.find("The first entry that can be used here is 3 (RoCE v2, 10.0.0.1)"), std::string::npos);
}

TEST(RoceGidOtherNamespace, passes_over_a_foreign_entry_that_would_fit) {
  const Judgement said = with({foreign(0, "RoCE v1"), foreign(1, "RoCE v2"), foreign(2, "RoCE v1"),
                               foreign(3, "RoCE v2"), own(7, "RoCE v2")})
                             .ask(kRoceGidOtherNamespace);
  expect_fail(said, Severity::Info, "entries 0 to 3 are not");
  EXPECT_NE(said.sentence.find("here is 7"), std::string::npos);
  EXPECT_EQ(said.sentence.find("EINVAL"), std::string::npos);
}

TEST(RoceGidOtherNamespace, passes_where_those_of_containers_stand_behind) {
  expect_pass(Scene().ask(kRoceGidOtherNamespace));
  expect_pass(with({own(3, "RoCE v2"), foreign(5, "RoCE v2")}).ask(kRoceGidOtherNamespace));
}

TEST(RoceGidOtherNamespace, says_so_where_no_entry_can_be_used) {
  expect_fail(with({foreign(3, "RoCE v2")}).ask(kRoceGidOtherNamespace), Severity::Info,
              "No RoCE v2 entry of a routable address is of this one");
}

TEST(RoceGidOtherNamespace, takes_the_types_that_files_tell_where_there_is_no_table) {
  Scene scene;
  scene.port().gids = Absent{Why::NotRecorded, "types without their GIDs"};
  expect_unknown(scene.ask(kRoceGidOtherNamespace), Why::NotRecorded);
  scene.now().log = {
      log_line("gid_refused", "mlx5_0/1", "gid_attrs/types/0: EINVAL", {{"gid_index", "0"}, {"first_v2", "3"}}),
      log_line("gid_refused", "mlx5_9/1", "gid_attrs/types/1: EINVAL", {{"gid_index", "1"}}),
      log_line("gid_refused", "mlx5_0/1", "bad", {{"gid_index", "-7"}})};
  const Judgement said = scene.ask(kRoceGidOtherNamespace);
  expect_fail(said, Severity::Info, "entry 0 is not of this network namespace");
  EXPECT_NE(said.sentence.find("can be read here is 3"), std::string::npos);
  EXPECT_EQ(said.evidence.at(0).source, "sent.log:17");
}

TEST(RoceGidOtherNamespace, is_unknown_where_the_table_is_refused) {
  Scene scene;
  scene.port().gids = denied();
  expect_unknown(scene.ask(kRoceGidOtherNamespace), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
