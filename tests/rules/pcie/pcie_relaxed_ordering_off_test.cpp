// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene fast_port(bool ordering, const std::string& cpu = "AuthenticAMD") {
  Scene scene;
  scene.nic().relaxed_ordering = ordering;
  scene.now().host.cpu_vendor = cpu;
  scene.eth0().ethtool.link_modes->speed_bits_per_second = 200'000'000'000ULL;
  return scene;
}

TEST(PcieRelaxedOrderingOff, is_info_on_fast_ports_of_amd_hosts) {
  expect_fail(fast_port(false).ask(kPcieRelaxedOrderingOff), Severity::Info, "a port of 200 Gbit/s");
  expect_pass(fast_port(true).ask(kPcieRelaxedOrderingOff));
}

TEST(PcieRelaxedOrderingOff, does_not_apply_elsewhere) {
  expect_not_applicable(fast_port(false, "GenuineIntel").ask(kPcieRelaxedOrderingOff));
  Scene slow = fast_port(false);
  slow.eth0().ethtool.link_modes->speed_bits_per_second = 100'000'000'000ULL;
  expect_not_applicable(slow.ask(kPcieRelaxedOrderingOff));
  slow.eth0().ethtool.link_modes->speed_bits_per_second = not_present();
  expect_not_applicable(slow.ask(kPcieRelaxedOrderingOff));
}

TEST(PcieRelaxedOrderingOff, is_unknown_when_denied) {
  Scene scene = fast_port(false);
  scene.nic().relaxed_ordering = denied();
  expect_unknown(scene.ask(kPcieRelaxedOrderingOff), Why::Denied);
  Scene nameless = fast_port(false);
  nameless.now().host.cpu_vendor = denied();
  expect_unknown(nameless.ask(kPcieRelaxedOrderingOff), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
