// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene dropping(std::uint32_t mtu, double rdma, Id id = Id::RxOversizePhy) {
  Scene scene;
  scene.eth0().link.mtu = mtu;
  scene.shows(id).every(60, 2).after(60, {{id, 5}}).every(60, 2, {{Id::RdmaRxPackets, rdma}}).after(60, {{id, 5}});
  return scene;
}

TEST(DropOversize, is_critical_where_roce_packets_can_be_among_them) {
  expect_fail(dropping(1500, 1000).ask(kDropOversize), Severity::Critical, "do not fit its MTU of 1500");
  expect_fail(dropping(1500, 0).ask(kDropOversize), Severity::Warning, "10 frames longer than its MTU of 1500");
}

TEST(DropOversize, knows_that_roce_packets_always_fit_a_jumbo_mtu) {
  expect_fail(dropping(9000, 1000).ask(kDropOversize), Severity::Warning);
}

TEST(DropOversize, believes_a_nic_that_calls_them_rdma) {
  expect_fail(dropping(9000, 1000, Id::RxMtuDiscards).ask(kDropOversize), Severity::Critical,
              "They were RoCE packets.");
}

TEST(DropOversize, is_info_for_a_single_occasion) {
  Scene scene;
  scene.shows(Id::RxMtuErrors).every(60, 4).after(60, {{Id::RxMtuErrors, 500}});
  expect_fail(scene.ask(kDropOversize), Severity::Info, "That happened once.");
  expect_pass(scene.every(60, 6).ask(kDropOversize));
}

TEST(DropOversize, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene scene;
  expect_not_looked_at(Scene().after(1).ask(kDropOversize), "never_shown");
  expect_unknown(scene.shows(Id::RxOversizePhy).hides(Id::RxOversizePhy).after(1).ask(kDropOversize), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
