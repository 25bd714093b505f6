// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene sent_as(const char* dscp, const char* priority) {
  Scene scene;
  scene.eth0().vendor_files["ecn/roce_np/cnp_dscp"] = std::string(dscp);
  scene.eth0().vendor_files["ecn/roce_np/cnp_802p_prio"] = std::string(priority);
  return scene;
}

TEST(EcnCnpClass, compares_with_the_profile_alone) {
  expect_pass(sent_as("48", "6").ask(kEcnCnpClass));
  expect_fail(sent_as("4", "6").ask(kEcnCnpClass), Severity::Warning, "sent with DSCP 4 instead of 48.");
  expect_fail(sent_as("48", "7").ask(kEcnCnpClass), Severity::Warning, "priority 7 instead of 6.");
  Scene broadcom = sent_as("48", "7");
  broadcom.profile().cnp_priority = 7;
  expect_pass(broadcom.ask(kEcnCnpClass));
}

TEST(EcnCnpClass, says_when_it_is_the_class_of_the_data) {
  expect_fail(sent_as("26", "3").ask(kEcnCnpClass), Severity::Warning,
              "DSCP 26, which is RoCE's own, instead of 48 and priority 3, which is RoCE's own, instead of 6.");
}

TEST(EcnCnpClass, reads_what_linux_own_drivers_show) {
  Scene scene;
  scene.port().vendor_files = {{"cc_params/np_cnp_dscp", std::string("48")},
                               {"cc_params/np_cnp_prio", std::string("5")}};
  expect_fail(scene.ask(kEcnCnpClass), Severity::Warning, "priority 5");
}

TEST(EcnCnpClass, is_unknown_without_root_and_not_looked_at_without_files) {
  Scene scene;
  scene.port().vendor_files["cc_params"] = denied();
  expect_unknown(scene.ask(kEcnCnpClass), Why::Denied);
  scene.port().vendor_files.clear();
  expect_not_looked_at(scene.ask(kEcnCnpClass), "never_shown");
}

TEST(EcnCnpClass, does_not_apply_where_the_profile_says_nothing) {
  Scene scene = sent_as("4", "4");
  scene.profile().cnp_dscp.reset();
  scene.profile().cnp_priority.reset();
  expect_not_applicable(scene.ask(kEcnCnpClass));
}

}  // namespace
}  // namespace roceready::rules_test
