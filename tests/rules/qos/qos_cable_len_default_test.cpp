// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// The driver's default of 7 m, and this medium plugged in.
Scene plugged(const char* medium) {
  Scene scene;
  scene.eth0().ethtool.medium = std::string(medium);
  scene.eth0().ethtool.module = denied();
  return scene;
}

TEST(QosCableLenDefault, is_quiet_on_short_copper_and_where_the_length_was_set) {
  expect_pass(plugged("DirectAttach").ask(kQosCableLenDefault));
  Scene told = plugged("Fibre");
  told.eth0().dcb.pfc->delay = 30;
  expect_pass(told.ask(kQosCableLenDefault));
}

TEST(QosCableLenDefault, is_info_on_fibre_and_on_long_copper) {
  expect_fail(plugged("Fibre").ask(kQosCableLenDefault), Severity::Info,
              "is for a cable of 7 m, as the driver comes, but it is fibre or an active optical cable.");
  Scene copper = plugged("DirectAttach");
  ModuleFacts module;
  module.copper_length_metres = 15.0;
  copper.eth0().ethtool.module = module;
  expect_fail(copper.ask(kQosCableLenDefault), Severity::Info, "the module says 15 m");
  copper.eth0().ethtool.module->copper_length_metres = 3.0;
  expect_pass(copper.ask(kQosCableLenDefault));
}

TEST(QosCableLenDefault, is_a_warning_while_a_lossless_buffer_drops) {
  Scene scene = plugged("Fibre");
  expect_fail(scene.after(1, {{Id::RxDiscardsPriority, 9, 1}}).ask(kQosCableLenDefault), Severity::Warning,
              "dropped 9 packets");
}

TEST(QosCableLenDefault, is_unknown_when_the_medium_is_and_not_looked_at_on_other_drivers) {
  Scene scene = plugged("Fibre");
  scene.eth0().ethtool.medium = denied();
  expect_unknown(scene.ask(kQosCableLenDefault), Why::Denied);
  scene.eth0().ethtool.driver->driver = "bnxt_en";
  expect_not_looked_at(scene.ask(kQosCableLenDefault), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
