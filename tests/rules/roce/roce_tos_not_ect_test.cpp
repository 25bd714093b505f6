// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene with_tos(Reading<std::uint32_t> tos, const std::string& driver = "bnxt_en") {
  Scene scene;
  scene.profile().ecn = Ecn::On;
  scene.eth0().ethtool.driver->driver = driver;
  scene.port().driver = driver == "bnxt_en" ? "bnxt_re" : "mlx5_ib";
  scene.port().cma_default_tos = std::move(tos);
  return scene;
}

TEST(RoceTosNotEct, is_info_where_the_ecn_bits_are_0) {
  expect_fail(with_tos(104U).ask(kRoceTosNotEct), Severity::Info, "ToS 104, whose ECN bits are 00");
  for (const std::uint32_t tos : {105U, 106U}) expect_pass(with_tos(tos).ask(kRoceTosNotEct));
}

TEST(RoceTosNotEct, looks_at_the_forced_class_first) {
  Scene scene = with_tos(104U);
  scene.port().forced_traffic_class = 106U;
  expect_pass(scene.ask(kRoceTosNotEct));
}

TEST(RoceTosNotEct, does_not_alarm_where_mlx5_sets_the_bits_itself) {
  Scene scene = with_tos(104U, "mlx5_core");
  expect_not_looked_at(scene.ask(kRoceTosNotEct), "never_shown");
  scene.eth0().vendor_files["ecn/roce_rp/enable/3"] = std::string("1");
  expect_pass(scene.ask(kRoceTosNotEct));
  scene.eth0().vendor_files["ecn/roce_rp/enable/3"] = std::string("0");
  expect_fail(scene.ask(kRoceTosNotEct), Severity::Info, "106 is expected");
  scene.eth0().vendor_files["ecn/roce_rp/enable/3"] = denied();
  expect_unknown(scene.ask(kRoceTosNotEct), Why::Denied);
}

TEST(RoceTosNotEct, does_not_apply_where_the_profile_uses_no_ecn) {
  Scene scene = with_tos(104U);
  scene.profile().ecn = Ecn::Off;
  expect_not_applicable(scene.ask(kRoceTosNotEct));
}

TEST(RoceTosNotEct, is_unknown_while_nobody_made_the_view) {
  expect_unknown(with_tos(not_present()).ask(kRoceTosNotEct), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
