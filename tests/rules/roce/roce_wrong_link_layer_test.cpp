// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene with(Reading<std::string> protocol, Reading<std::string> layer, const std::string& driver = "irdma") {
  Scene scene;
  scene.port().protocol = std::move(protocol);
  scene.port().link_layer = std::move(layer);
  scene.port().driver = driver;
  return scene;
}
const Reading<std::string> kEthernet = std::string("Ethernet"), kInfiniBand = std::string("InfiniBand");
const Reading<std::string> kRoce = std::string("roce"), kIwarp = std::string("iw"), kIb = std::string("ib");

TEST(RoceWrongLinkLayer, is_quiet_on_a_roce_port) {
  expect_pass(Scene().ask(kRoceWrongLinkLayer));
  expect_pass(with(kRoce, kEthernet).ask(kRoceWrongLinkLayer));
}

TEST(RoceWrongLinkLayer, is_critical_where_the_profile_expects_roce) {
  expect_fail(with(kIwarp, kEthernet).ask(kRoceWrongLinkLayer), Severity::Critical, "is an iWARP device");
  expect_fail(with(kIb, kInfiniBand, "mlx5_ib").ask(kRoceWrongLinkLayer), Severity::Critical,
              "of link layer InfiniBand");
}

TEST(RoceWrongLinkLayer, is_info_with_profile_not_roce) {
  expect_fail(with(kIwarp, kEthernet, "siw").profile("not-roce").ask(kRoceWrongLinkLayer), Severity::Info, "iWARP");
}

TEST(RoceWrongLinkLayer, needs_the_profile_to_say_what_is_expected) {
  expect_not_looked_at(with(kIwarp, kEthernet).profile("").ask(kRoceWrongLinkLayer), "no_profile");
}

TEST(RoceWrongLinkLayer, takes_a_kernel_that_names_no_protocol_at_its_word_only_for_drivers_without_iwarp) {
  expect_unknown(with(not_present(), kEthernet).ask(kRoceWrongLinkLayer), Why::NotPresent);
  for (const char* driver : {"mlx5_ib", "bnxt_re", "ionic_rdma"})
    expect_pass(with(not_present(), kEthernet, driver).ask(kRoceWrongLinkLayer));
}

TEST(RoceWrongLinkLayer, is_unknown_when_the_link_layer_cannot_be_read) {
  expect_unknown(with(kRoce, denied()).ask(kRoceWrongLinkLayer), Why::Denied);
  expect_fail(with(kIwarp, denied()).ask(kRoceWrongLinkLayer), Severity::Critical);
}

}  // namespace
}  // namespace roceready::rules_test
