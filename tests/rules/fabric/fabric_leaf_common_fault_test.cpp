// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/fabric_scene.h"

namespace roceready::rules_test {
namespace {

using Findings = std::map<std::string, std::string>;

/// This node and four peers under leaf-a, four under leaf-b; all of leaf-a but one have `findings`.
Scene with(const Findings& findings) {
  Scene scene;
  calm_fabric(scene, 8);
  label(scene, 4);
  own_digest(scene).findings = findings;
  for (std::size_t k = 0; k < 3; ++k) digest(scene, k).findings = findings;
  return scene;
}

TEST(FabricLeafCommonFault, is_quiet_where_the_leaf_has_no_fault_and_where_this_port_alone_has_one) {
  expect_pass(with({}).ask(kFabricLeafCommonFault));
  Scene alone = with({});
  own_digest(alone).findings = Findings{{"link-flap", "warning"}};
  expect_pass(alone.ask(kFabricLeafCommonFault));
}

TEST(FabricLeafCommonFault, is_as_grave_as_the_fault_that_the_leaf_shares) {
  expect_fail(
      with({{"probe-dscp-rewritten", "critical"}, {"pfc-rx-pause-high", "warning"}}).ask(kFabricLeafCommonFault),
      Severity::Critical, "4 of 5 ports under leaf-a have probe-dscp-rewritten and pfc-rx-pause-high");
  const Judgement said = with({{"link-symbol-crc", "warning"}}).ask(kFabricLeafCommonFault);
  expect_fail(said, Severity::Warning);
  EXPECT_LT(said.confidence, 0.7) << "the switch, not this node";
}

TEST(FabricLeafCommonFault, is_quiet_where_others_have_the_same_and_for_what_lies_inside_hosts) {
  Scene everywhere = with({{"link-symbol-crc", "warning"}});
  digest(everywhere, 6).findings = Findings{{"link-symbol-crc", "warning"}};
  expect_pass(everywhere.ask(kFabricLeafCommonFault));
  expect_pass(with({{"pcie-mrrs-low", "warning"}, {"host-cpu-powersave", "warning"}}).ask(kFabricLeafCommonFault));
}

TEST(FabricLeafCommonFault, compares_nothing_without_labels_or_with_too_few_on_either_side) {
  Scene bare;
  calm_fabric(bare, 8);
  expect_not_looked_at(bare.ask(kFabricLeafCommonFault), "not_configured");
  for (const std::size_t inside : {1UL, 7UL}) {
    Scene scene;
    calm_fabric(scene, 8);
    label(scene, inside);
    expect_not_looked_at(scene.ask(kFabricLeafCommonFault), "not_configured");
  }
}

TEST(FabricLeafCommonFault, knows_nothing_where_its_own_findings_are_not_told) {
  Scene scene = with({});
  own_digest(scene).findings = denied();
  expect_unknown(scene.ask(kFabricLeafCommonFault), Why::Denied);
  own_digest(scene).findings = Absent{Why::NotRecorded, ""};
  expect_not_looked_at(scene.ask(kFabricLeafCommonFault), "longer_window");
}

TEST(FabricLeafCommonFault, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricLeafCommonFault);
  expect_nobody_told_is_unknown_where_blocked(kFabricLeafCommonFault);
}

}  // namespace
}  // namespace roceready::rules_test
