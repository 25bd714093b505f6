// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PcieWidthDegraded, compares_with_nic_and_slot) {
  struct Case {
    std::uint32_t now, nic, slot;
    bool fails;
    Severity severity;
  };
  for (const Case& c :
       {Case{16, 16, 16, false, {}}, Case{8, 16, 16, true, Severity::Critical},
        Case{12, 16, 16, true, Severity::Warning}, Case{8, 16, 8, false, {}}, Case{8, 8, 16, false, {}}}) {
    Scene scene;
    scene.nic().current_width = c.now;
    scene.nic().max_width = c.nic;
    scene.bridge().max_width = c.slot;
    const Judgement said = scene.ask(kPcieWidthDegraded);
    if (c.fails)
      expect_fail(said, c.severity, std::to_string(c.now) + " of 16 PCIe lanes");
    else
      expect_pass(said);
  }
}

TEST(PcieWidthDegraded, believes_no_end_that_can_do_less_than_the_link_does) {
  Scene nic;
  nic.nic().current_width = 8U;
  nic.nic().max_width = 1U;
  expect_unknown(nic.ask(kPcieWidthDegraded), Why::Malformed);
  Scene slot;
  slot.nic().current_width = 8U;
  slot.nic().max_width = 16U;
  slot.bridge().max_width = 1U;
  expect_unknown(slot.ask(kPcieWidthDegraded), Why::Malformed);
}

TEST(PcieWidthDegraded, is_less_sure_without_the_bridges_word_and_in_a_virtual_machine) {
  Scene scene;
  scene.nic().current_width = 8U;
  EXPECT_DOUBLE_EQ(scene.ask(kPcieWidthDegraded).confidence, 1.0);
  scene.now().host.virtual_machine = true;
  EXPECT_LT(scene.ask(kPcieWidthDegraded).confidence, 0.7);
  Scene other;
  other.nic().current_width = 8U;
  other.nic().parent = "";
  EXPECT_LT(other.ask(kPcieWidthDegraded).confidence, 0.7);
}

TEST(PcieWidthDegraded, is_unknown_when_denied_or_absurd_and_not_applicable_without_pci) {
  Scene scene;
  scene.nic().current_width = denied();
  expect_unknown(scene.ask(kPcieWidthDegraded), Why::Denied);
  scene.nic().current_width = 0U;
  expect_unknown(scene.ask(kPcieWidthDegraded), Why::Malformed);
  Scene software;
  software.eth0().link.parent_device = not_present();
  software.port().pci_address = not_present();
  expect_not_applicable(software.ask(kPcieWidthDegraded));
}

}  // namespace
}  // namespace roceready::rules_test
