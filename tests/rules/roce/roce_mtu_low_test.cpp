// SPDX-License-Identifier: Apache-2.0
#include "rules/roce/roce_mtu.h"

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(RoceMtu, leaves_room_for_the_headers) {
  struct Case {
    std::uint32_t netdev, rdma;
  };
  for (const Case& c :
       {Case{9000, 4096}, Case{4200, 4096}, Case{4192, 4096}, Case{4191, 2048}, Case{1500, 1024}, Case{100, 0}})
    EXPECT_EQ(rdma_mtu_of(c.netdev), c.rdma) << c.netdev;
}

TEST(RoceMtuLow, compares_with_the_profile_or_4096) {
  Scene scene;
  expect_pass(scene.ask(kRoceMtuLow));
  scene.port().active_mtu = 1024U;
  scene.eth0().link.mtu = 1500U;
  expect_fail(scene.ask(kRoceMtuLow), Severity::Warning,
              "RDMA MTU of 1024 bytes; 4096 are expected. The MTU of eth0 is 1500");
  EXPECT_EQ(scene.fix().at(0).command, "ip link set dev eth0 mtu 9000");
  expect_fail(scene.profile("").ask(kRoceMtuLow), Severity::Warning);
}

TEST(RoceMtuLow, allows_a_fabric_with_small_packets_by_design) {
  Scene scene;
  scene.port().active_mtu = 2048U;
  scene.profile().roce_mtu = 2048;
  expect_pass(scene.ask(kRoceMtuLow));
  Scene strict = scene;
  expect_fail(strict.limit("roce-mtu-low.roce_mtu", 4096).ask(kRoceMtuLow), Severity::Warning);
  scene.profile().roce_mtu = 4096;
  expect_fail(scene.ask(kRoceMtuLow), Severity::Warning);
  expect_pass(scene.limit("roce-mtu-low.roce_mtu", 1024).ask(kRoceMtuLow));
}

TEST(RoceMtuLow, looks_at_the_vlan_where_only_it_has_a_routable_address) {
  Scene scene;
  Netdev vlan;
  vlan.link.name = "eth0.100";
  vlan.link.kind = "vlan";
  vlan.link.lower = "eth0";
  vlan.link.mtu = 1500U;
  vlan.link.addresses = {scene.eth0().link.addresses[0]};
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.100"};
  expect_pass(scene.ask(kRoceMtuLow));
  scene.eth0().link.addresses.erase(scene.eth0().link.addresses.begin());
  const Judgement said = scene.ask(kRoceMtuLow);
  expect_fail(said, Severity::Warning, "1024 bytes at most");
  EXPECT_NE(said.sentence.find("the MTU of eth0.100 is 1500"), std::string::npos) << said.sentence;
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
  scene.netdev("eth0.100").link.mtu = not_present();
  expect_pass(scene.ask(kRoceMtuLow));
  scene.netdev("eth0.100").link.mtu = 9000U;
  expect_pass(scene.ask(kRoceMtuLow));
}

TEST(RoceMtuLow, is_never_cleared_by_the_netdev_but_can_be_convicted_by_it) {
  Scene scene;
  scene.port().active_mtu = not_supported();
  expect_unknown(scene.ask(kRoceMtuLow), Why::NotSupported);
  scene.eth0().link.mtu = 1500U;
  const Judgement said = scene.ask(kRoceMtuLow);
  expect_fail(said, Severity::Warning, "1024 bytes at most");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
}

}  // namespace
}  // namespace roceready::rules_test
