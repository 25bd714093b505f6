// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene scheduled(std::uint32_t algorithm_of_cnp) {
  Scene scene;
  scene.profile().cnp_strict = true;
  scene.eth0().dcb.ets->algorithm[6] = algorithm_of_cnp;
  return scene;
}

TEST(QosCnpNotPrioritised, wants_the_class_strict_where_the_profile_does) {
  expect_pass(scheduled(kAlgorithmStrict).ask(kQosCnpNotPrioritised));
  expect_fail(scheduled(kAlgorithmEts).ask(kQosCnpNotPrioritised), Severity::Warning,
              "queue in class 6, which is not strict.");
  Scene any = scheduled(kAlgorithmEts);
  any.profile().cnp_strict = false;
  expect_pass(any.ask(kQosCnpNotPrioritised));
}

TEST(QosCnpNotPrioritised, fires_when_notifications_travel_with_the_data) {
  Scene scene = scheduled(kAlgorithmStrict);
  scene.eth0().vendor_files["ecn/roce_np/cnp_802p_prio"] = std::string("3");
  expect_fail(scene.ask(kQosCnpNotPrioritised), Severity::Warning, "leave on RoCE's own priority 3");
}

TEST(QosCnpNotPrioritised, says_nothing_of_what_the_firmware_arbitrates) {
  expect_not_applicable(scheduled(kAlgorithmVendor).ask(kQosCnpNotPrioritised));
}

TEST(QosCnpNotPrioritised, does_not_apply_without_a_notification_class) {
  Scene scene;
  scene.profile().cnp_priority.reset();
  expect_not_applicable(scene.ask(kQosCnpNotPrioritised));
}

TEST(QosCnpNotPrioritised, is_unknown_when_refused) {
  Scene scene = scheduled(kAlgorithmEts);
  scene.eth0().dcb.ets = denied();
  expect_unknown(scene.ask(kQosCnpNotPrioritised), Why::Denied);
  Scene hidden = scheduled(kAlgorithmStrict);
  hidden.eth0().vendor_files["ecn"] = denied();
  expect_unknown(hidden.ask(kQosCnpNotPrioritised), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
