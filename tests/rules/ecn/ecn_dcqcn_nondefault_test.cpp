// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene tuned(const char* file, const char* value) {
  Scene scene;
  scene.port().vendor_files = {{"cc_params/rp_gd", std::string("11")}, {"cc_params/rp_time_reset", std::string("300")}};
  scene.port().vendor_files[file] = std::string(value);
  return scene;
}

TEST(EcnDcqcnNondefault, is_quiet_with_the_usual_values) {
  expect_pass(tuned("cc_params/rp_gd", "11").ask(kEcnDcqcnNondefault));
}

TEST(EcnDcqcnNondefault, is_info_with_what_is_tuned) {
  expect_fail(tuned("cc_params/rp_time_reset", "2000").ask(kEcnDcqcnNondefault), Severity::Info,
              "rpg_time_reset is 2000 (usual: 300).");
  Scene vendor_driver;
  vendor_driver.eth0().vendor_files["ecn/roce_rp/rpg_gd"] = std::string("7");
  expect_fail(vendor_driver.ask(kEcnDcqcnNondefault), Severity::Info, "rpg_gd is 7");
}

TEST(EcnDcqcnNondefault, is_unknown_without_root_and_not_looked_at_without_files) {
  Scene scene;
  scene.port().vendor_files["cc_params"] = denied();
  expect_unknown(scene.ask(kEcnDcqcnNondefault), Why::Denied);
  expect_unknown(tuned("cc_params/rp_gd", "eleven").ask(kEcnDcqcnNondefault), Why::Malformed);
  expect_not_looked_at(Scene().ask(kEcnDcqcnNondefault), "never_shown");
}

TEST(EcnDcqcnNondefault, does_not_apply_without_dcqcn) {
  Scene scene = tuned("cc_params/rp_gd", "7");
  scene.profile().congestion_control = CongestionControl::Other;
  expect_not_applicable(scene.ask(kEcnDcqcnNondefault));
}

}  // namespace
}  // namespace roceready::rules_test
