// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// A NIC with a buffer for each of its hosts.
Scene shared() {
  Scene scene;
  for (std::uint8_t priority = 0; priority < 8; ++priority)
    scene.shows(Id::RxHostBufDiscardsPriority, priority).shows(Id::RxHostCongDiscardsPriority, priority);
  return scene;
}

TEST(DropHostBuffer, warns_of_drops_of_any_priority_when_sustained) {
  Scene scene = shared();
  scene.every(60, 6);
  expect_pass(scene.ask(kDropHostBuffer));
  scene.after(60, {{Id::RxHostCongDiscardsPriority, 50, 3}});
  expect_fail(scene.ask(kDropHostBuffer), Severity::Info, "not sustained yet");
  scene.every(60, 3, {{Id::RxHostCongDiscardsPriority, 50, 3}, {Id::RxHostBufDiscardsPriority, 7, 0}});
  expect_fail(scene.ask(kDropHostBuffer), Severity::Warning, "57 packets");
}

TEST(DropHostBuffer, is_not_applicable_on_a_nic_of_one_host) {
  Scene scene;
  scene.shows(Id::RxHostBufDiscardsPriority, 0).hides(Id::RxHostBufDiscardsPriority).after(1);
  expect_not_applicable(scene.ask(kDropHostBuffer));
}

TEST(DropHostBuffer, is_unknown_when_a_part_is_hidden) {
  Scene scene = shared();
  expect_unknown(scene.hides(Id::RxHostCongDiscardsPriority).every(60, 6).ask(kDropHostBuffer), Why::NotPresent);
}

TEST(DropHostBuffer, is_unknown_when_denied_and_not_looked_at_when_never_shown) {
  expect_not_looked_at(Scene().after(1).ask(kDropHostBuffer), "never_shown");
  Scene scene;
  scene.shows(Id::RxHostBufDiscardsPriority, 0);
  scene.eth0().counters.values.clear();
  scene.eth0().counters.why_absent = denied();
  expect_unknown(scene.after(1).ask(kDropHostBuffer), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
