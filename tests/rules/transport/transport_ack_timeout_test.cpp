// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene timing_out(double each_minute, double packets = 0, const std::string& profile = "nvidia-lossless") {
  Scene scene;
  scene.profile(profile).every(60, 6, {{Id::LocalAckTimeout, each_minute}, {Id::RdmaTxPackets, packets}});
  return scene;
}

TEST(TransportAckTimeout, is_quiet_without_timeouts) {
  expect_pass(timing_out(0).ask(kTransportAckTimeout));
  Scene scene;
  expect_not_looked_at(scene.every(1, 2).ask(kTransportAckTimeout), "longer_window");
}

TEST(TransportAckTimeout, grows_with_the_rate_and_the_share) {
  expect_fail(timing_out(1).ask(kTransportAckTimeout), Severity::Warning, "1 ACK timeout on RDMA port mlx5_0/1");
  expect_fail(timing_out(60).ask(kTransportAckTimeout), Severity::Critical, "60 ACK timeouts");
  expect_fail(timing_out(5, 200'000).ask(kTransportAckTimeout), Severity::Critical, "1 in 40000 of the packets sent");
  expect_fail(timing_out(5, 50'000).ask(kTransportAckTimeout), Severity::Warning);
}

TEST(TransportAckTimeout, allows_a_lossy_design_ten_times_as_much) {
  expect_pass(timing_out(5, 0, "lossy-ecn").ask(kTransportAckTimeout));
  expect_fail(timing_out(10, 0, "lossy-ecn").ask(kTransportAckTimeout), Severity::Warning);
}

TEST(TransportAckTimeout, is_info_in_a_one_shot) {
  Scene scene;
  scene.every(1, 2, {{Id::LocalAckTimeout, 1}});
  expect_fail(scene.ask(kTransportAckTimeout), Severity::Info, "2 ACK timeouts on RDMA port mlx5_0/1 in the last 2 s");
}

TEST(TransportAckTimeout, is_unknown_not_looked_at_or_without_profile) {
  Scene hidden;
  expect_unknown(hidden.hides(Id::LocalAckTimeout).after(1).ask(kTransportAckTimeout), Why::NotPresent);
  Scene never;
  expect_not_looked_at(never.never_shows({Id::LocalAckTimeout}).after(1).ask(kTransportAckTimeout), "never_shown");
  Scene none;
  expect_not_looked_at(none.profile("").after(1).ask(kTransportAckTimeout), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test
