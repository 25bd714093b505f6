// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// Minutes in each of which a function repairs `errors`.
Scene repairing(std::uint64_t of_nic, std::uint64_t of_bridge, int minutes) {
  Scene scene;
  scene.every(60, 6);
  for (int minute = 0; minute < minutes; ++minute) {
    scene.after(60);
    scene.nic().aer->at("correctable") += of_nic;
    scene.bridge().aer->at("correctable") += of_bridge;
  }
  return scene;
}

TEST(PcieAerCorrectable, looks_at_both_ends_of_the_link) {
  expect_pass(repairing(0, 0, 1).ask(kPcieAerCorrectable));
  expect_pass(repairing(9, 9, 1).ask(kPcieAerCorrectable));
  expect_fail(repairing(12, 0, 1).ask(kPcieAerCorrectable), Severity::Warning,
              "PCI function 0000:3b:00.0 of eth0, repaired 12 PCIe errors");
  expect_fail(repairing(0, 15, 1).ask(kPcieAerCorrectable), Severity::Warning,
              "PCI function 0000:3a:00.0, the bridge above eth0, repaired 15 PCIe errors");
  expect_fail(repairing(6000, 0, 3).ask(kPcieAerCorrectable), Severity::Critical, "100 each second at present");
}

TEST(PcieAerCorrectable, is_not_excused_by_a_link_that_goes_and_comes) {
  Scene scene;
  scene.every(60, 6);
  scene.eth0().link.carrier = false;
  scene.nic().aer->at("correctable") += 500;
  scene.after(1);
  scene.eth0().link.carrier = true;
  expect_fail(scene.every(60, 3).ask(kPcieAerCorrectable), Severity::Warning, "repaired 500 PCIe errors");
}

TEST(PcieAerCorrectable, does_not_judge_totals_or_a_burst_at_a_reset) {
  expect_not_looked_at(Scene().after(2).ask(kPcieAerCorrectable), "longer_window");
  Scene scene;
  scene.every(60, 6);
  scene.eth0().link.admin_up = false;
  scene.nic().aer->at("correctable") += 500;
  scene.after(1);
  scene.eth0().link.admin_up = true;
  expect_pass(scene.every(60, 3).ask(kPcieAerCorrectable));
}

TEST(PcieAerCorrectable, clears_no_link_of_which_one_end_is_hidden) {
  Scene bridge, nic, part, none;
  bridge.bridge().aer = denied();
  expect_unknown(bridge.every(60, 6).ask(kPcieAerCorrectable), Why::Denied);
  nic.nic().aer = denied();
  expect_unknown(nic.every(60, 6).ask(kPcieAerCorrectable), Why::Denied);
  part.bridge().aer->erase("correctable");
  expect_unknown(part.every(60, 6).ask(kPcieAerCorrectable), Why::NotPresent);
  none.bridge().aer = Absent{Why::NotPresent, "no AER capability"};
  expect_pass(none.every(60, 6).ask(kPcieAerCorrectable));
}

TEST(PcieAerCorrectable, is_not_looked_at_where_nobody_counts_and_unknown_when_denied) {
  Scene scene;
  for (PciFunction* one : {&scene.nic(), &scene.bridge()}) one->aer = Absent{Why::NotPresent, "AER is the firmware's"};
  expect_not_looked_at(scene.after(1).ask(kPcieAerCorrectable), "never_shown");
  scene.nic().aer = denied();
  expect_unknown(scene.after(1).ask(kPcieAerCorrectable), Why::Denied);
  Scene software;
  software.eth0().link.parent_device = not_present();
  software.port().pci_address = not_present();
  expect_not_applicable(software.ask(kPcieAerCorrectable));
}

}  // namespace
}  // namespace roceready::rules_test
