// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene trusting(Reading<std::string> trust) {
  Scene scene;
  scene.eth0().dcb.trust = std::move(trust);
  return scene;
}

TEST(QosTrustPcp, is_quiet_with_trust_in_dscp) {
  expect_pass(Scene().ask(kQosTrustPcp));
}

TEST(QosTrustPcp, is_critical_for_untagged_and_a_warning_for_tagged_traffic) {
  Scene scene = trusting(std::string("pcp"));
  expect_fail(scene.ask(kQosTrustPcp), Severity::Critical, "Untagged RoCE");
  Netdev vlan = scene.eth0();
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  scene.eth0().link.addresses.clear();
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  expect_fail(scene.ask(kQosTrustPcp), Severity::Warning, "is tagged");
}

TEST(QosTrustPcp, is_a_warning_in_a_lossy_design) {
  expect_fail(trusting(std::string("pcp")).profile("lossy-ecn").ask(kQosTrustPcp), Severity::Warning);
}

TEST(QosTrustPcp, does_not_apply_where_the_tag_is_meant) {
  Scene scene = trusting(std::string("pcp"));
  scene.profile().trust = "pcp";
  expect_not_applicable(scene.ask(kQosTrustPcp));
}

TEST(QosTrustPcp, separates_what_a_driver_never_shows_from_what_was_refused) {
  expect_not_looked_at(trusting(not_supported()).ask(kQosTrustPcp), "never_shown");
  expect_unknown(trusting(denied()).ask(kQosTrustPcp), Why::Denied);
  expect_not_looked_at(trusting(std::string("pcp")).profile("").ask(kQosTrustPcp), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test
