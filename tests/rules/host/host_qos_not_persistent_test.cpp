// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/kept_past.h"

namespace roceready::rules_test {
namespace {

using List = std::vector<SettingDrift>;

TEST(HostQosNotPersistent, is_a_warning_when_a_reboot_lost_a_setting) {
  expect_fail(ask_with(kHostQosNotPersistent, Scene(), List{drifted("pfc", true), drifted("trust", false)}),
              Severity::Warning,
              "The reboot lost settings, and nothing set them again: pfc of eth0 is none, it was 3.");
}

TEST(HostQosNotPersistent, is_quiet_when_a_setting_changed_while_the_node_ran) {
  expect_pass(ask_with(kHostQosNotPersistent, Scene(), List{drifted("pfc", false)}));
}

TEST(HostQosNotPersistent, is_quiet_at_a_first_boot) {
  expect_pass(ask_with(kHostQosNotPersistent, Scene(), List{}));
}

TEST(HostQosNotPersistent, is_info_when_no_file_sets_it_again) {
  Scene scene;
  scene.now().host.qos_setters = std::vector<std::string>{};
  expect_fail(scene.ask(kHostQosNotPersistent), Severity::Info, "no unit, udev rule or script was found");
  expect_fail(ask_with(kHostQosNotPersistent, scene, List{}), Severity::Info, "PFC is set on eth0");
  expect_fail(ask_with(kHostQosNotPersistent, scene, List{drifted("pfc", true)}), Severity::Warning, "lost settings");
  scene.now().host.qos_setters = std::vector<std::string>{"/etc/systemd/system/roce.service (mlnx_qos)"};
  expect_pass(ask_with(kHostQosNotPersistent, scene, List{}));
}

TEST(HostQosNotPersistent, needs_no_file_where_dcbx_or_nobody_sets_pfc) {
  Scene scene;
  scene.now().host.qos_setters = std::vector<std::string>{};
  scene.netdev("eth0").dcb.dcbx = 2U;
  expect_pass(ask_with(kHostQosNotPersistent, scene, List{}));
  scene.netdev("eth0").dcb.dcbx = 4U;
  scene.netdev("eth0").dcb.pfc->enabled = 0;
  expect_pass(ask_with(kHostQosNotPersistent, scene, List{}));
}

TEST(HostQosNotPersistent, is_not_looked_at_without_a_daemon_that_remembers) {
  expect_not_looked_at(ask_with(kHostQosNotPersistent, Scene(), {}), "longer_window");
}

}  // namespace
}  // namespace roceready::rules_test
