// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PcieAerUncorrectable, is_critical_at_the_first_one_that_was_seen_to_happen) {
  for (const char* kind : {"fatal", "nonfatal"}) {
    Scene of_nic, of_bridge;
    of_nic.every(60, 3);
    of_nic.nic().aer->at(kind) += 1;
    expect_fail(of_nic.after(60).ask(kPcieAerUncorrectable), Severity::Critical,
                std::string("of eth0, reported 1 ") + kind + " PCIe error");
    of_bridge.every(60, 3);
    of_bridge.bridge().aer->at(kind) += 2;
    expect_fail(of_bridge.every(60, 60).ask(kPcieAerUncorrectable), Severity::Critical,
                std::string("the bridge above eth0, reported 2 ") + kind + " PCIe errors");
  }
}

/// A minute in which the NIC reports one error; `beside` is what else happens then.
template <class Beside>
Scene failing(const char* kind, Beside&& beside) {
  Scene scene;
  scene.every(60, 4).after(1);
  scene.nic().aer->at(kind) += 1;
  beside(scene);
  return scene;
}

TEST(PcieAerUncorrectable, takes_the_loss_of_the_link_and_the_reset_beside_it_for_its_effects) {
  const auto loses_link = [](Scene& scene) { scene.eth0().link.carrier = false; };
  const auto is_reset = [](Scene& scene) {
    for (CounterValue& value : scene.eth0().counters.values) value.raw = 0;
  };
  for (const char* kind : {"fatal", "nonfatal"}) {
    expect_fail(failing(kind, loses_link).ask(kPcieAerUncorrectable), Severity::Critical, kind);
    expect_fail(failing(kind, loses_link).every(10, 6).ask(kPcieAerUncorrectable), Severity::Critical, kind);
    expect_fail(failing(kind, is_reset).every(10, 6).ask(kPcieAerUncorrectable), Severity::Critical, kind);
  }
  // Errors are read every half minute: the loss is seen before the error is.
  Scene late;
  late.every(10, 30);
  late.eth0().link.carrier = false;
  late.every(10, 3);
  late.nic().aer->at("fatal") += 1;
  expect_fail(late.every(10, 6).ask(kPcieAerUncorrectable), Severity::Critical, "1 fatal PCIe error");
}

TEST(PcieAerUncorrectable, counts_fatal_ones_even_while_the_driver_sets_the_device_up) {
  Scene scene;
  scene.every(60, 4);
  scene.eth0().link.admin_up = false;
  scene.after(1);
  scene.eth0().link.admin_up = true;
  scene.nic().aer->at("fatal") += 1;
  expect_fail(scene.every(1, 3).ask(kPcieAerUncorrectable), Severity::Critical, "1 fatal PCIe error");
}

TEST(PcieAerUncorrectable, does_not_judge_totals_or_what_an_enumeration_causes) {
  Scene scene;
  expect_not_looked_at(scene.after(2).ask(kPcieAerUncorrectable), "longer_window");
  expect_pass(scene.every(60, 3).ask(kPcieAerUncorrectable));
  scene.eth0().link.admin_up = false;
  scene.after(1);
  scene.eth0().link.admin_up = true;
  scene.after(1);
  scene.nic().aer->at("nonfatal") += 4;
  expect_pass(scene.every(60, 5).ask(kPcieAerUncorrectable));
}

TEST(PcieAerUncorrectable, clears_no_link_of_which_one_end_is_hidden) {
  Scene bridge, nic, part, none;
  bridge.bridge().aer = denied();
  expect_unknown(bridge.every(60, 6).ask(kPcieAerUncorrectable), Why::Denied);
  nic.nic().aer = denied();
  expect_unknown(nic.every(60, 6).ask(kPcieAerUncorrectable), Why::Denied);
  part.bridge().aer->erase("fatal");
  expect_unknown(part.every(60, 6).ask(kPcieAerUncorrectable), Why::NotPresent);
  none.bridge().aer = Absent{Why::NotPresent, "no AER capability"};
  expect_pass(none.every(60, 6).ask(kPcieAerUncorrectable));
}

TEST(PcieAerUncorrectable, is_not_looked_at_where_nobody_counts_and_unknown_when_denied) {
  Scene scene;
  for (PciFunction* one : {&scene.nic(), &scene.bridge()}) one->aer = Absent{Why::NotPresent, "AER is the firmware's"};
  expect_not_looked_at(scene.after(1).ask(kPcieAerUncorrectable), "never_shown");
  scene.nic().aer = denied();
  expect_unknown(scene.after(1).ask(kPcieAerUncorrectable), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
