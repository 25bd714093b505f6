// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Minutes in which a million RDMA packets arrived every ten seconds, `marked` of them with a mark, at 100 Gbit/s ×
/// `busy`.
Scene marked(double marked, double busy = 0.3) {
  Scene scene;
  scene.every(10, 31, {{Id::RdmaRxPackets, 1e6}, {Id::EcnMarkedRx, marked}, {Id::RxBytesPhy, 125e9 * busy}});
  return scene;
}

TEST(EcnCongested, takes_a_share_and_never_a_number) {
  expect_pass(marked(500).ask(kEcnCongested));
  expect_fail(marked(10'000).ask(kEcnCongested), Severity::Info, "1 % of the RDMA packets that RDMA port mlx5_0/1");
  const Judgement said = marked(100'000).ask(kEcnCongested);
  expect_fail(said, Severity::Warning, "10 % of the RDMA packets");
  EXPECT_TRUE(said.derived_threshold);
}

TEST(EcnCongested, does_not_warn_of_a_port_that_is_used) {
  expect_fail(marked(100'000, 0.9).ask(kEcnCongested), Severity::Info, "while it received 90 % of the line rate");
}

TEST(EcnCongested, is_info_where_many_senders_are_meant_to_meet) {
  Scene scene = marked(100'000);
  scene.profile().role = Role::StorageTarget;
  expect_fail(scene.ask(kEcnCongested), Severity::Info, "On a storage target that is normal.");
}

TEST(EcnCongested, says_nothing_of_few_packets) {
  expect_pass(Scene().every(10, 31, {{Id::RdmaRxPackets, 1000}, {Id::EcnMarkedRx, 500}}).ask(kEcnCongested));
}

TEST(EcnCongested, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::EcnMarkedRx).after(1).ask(kEcnCongested), Why::NotPresent);
  expect_unknown(Scene().hides(Id::RdmaRxPackets).every(10, 31).ask(kEcnCongested), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::EcnMarkedRx}).after(1).ask(kEcnCongested), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
