// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene placed(std::uint32_t looked_at, std::uint32_t local) {
  Scene scene;
  scene.now().host.interrupts[0].placement = InterruptPlacement{looked_at, local};
  return scene;
}

Scene with_placement(Reading<InterruptPlacement> placement) {
  Scene scene;
  scene.now().host.interrupts[0].placement = std::move(placement);
  return scene;
}

TEST(HostNumaMisplaced, is_info_when_more_than_half_are_elsewhere) {
  expect_pass(placed(32, 32).ask(kHostNumaMisplaced));
  expect_pass(placed(32, 16).ask(kHostNumaMisplaced));
  expect_fail(placed(32, 15).ask(kHostNumaMisplaced), Severity::Info, "17 of 32 interrupts");
}

TEST(HostNumaMisplaced, is_a_warning_while_the_nic_waits_for_memory) {
  Scene scene = placed(32, 0);
  scene.shows(CounterId::PcieStalledWriteSeconds).every(1, 10);
  expect_fail(scene.ask(kHostNumaMisplaced), Severity::Info);
  scene.every(1, 3, {{CounterId::PcieStalledWriteSeconds, 1}});
  expect_fail(scene.ask(kHostNumaMisplaced), Severity::Warning, "waited for memory in 3 seconds");
  Scene local = placed(32, 32);
  local.shows(CounterId::PcieStalledWriteSeconds).every(1, 10, {{CounterId::PcieStalledWriteSeconds, 1}});
  expect_pass(local.ask(kHostNumaMisplaced));
}

TEST(HostNumaMisplaced, says_nothing_where_the_platform_names_no_node) {
  expect_not_looked_at(with_placement(not_supported()).ask(kHostNumaMisplaced), "never_shown");
}

TEST(HostNumaMisplaced, is_unknown_when_it_cannot_be_read_or_was_not_recorded) {
  expect_unknown(with_placement(denied()).ask(kHostNumaMisplaced), Why::Denied);
  expect_unknown(placed(0, 0).ask(kHostNumaMisplaced), Why::NotPresent);
  Scene old;
  old.now().host.interrupts.clear();
  expect_unknown(old.ask(kHostNumaMisplaced), Why::NotRecorded);
}

TEST(HostNumaMisplaced, does_not_apply_to_software_rdma) {
  Scene scene;
  scene.now().pci.clear();
  scene.port().pci_address = not_present();
  scene.eth0().link.parent_device = not_present();
  expect_not_applicable(scene.ask(kHostNumaMisplaced));
}

}  // namespace
}  // namespace roceready::rules_test
