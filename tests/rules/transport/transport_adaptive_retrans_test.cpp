// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene resending(double per_minute, const std::string& profile) {
  Scene scene;
  scene.profile(profile).shows_rdma(Id::RoceAdpRetransTimeout).shows_rdma(Id::RoceAdpRetrans);
  scene.every(60, 6, {{Id::RoceAdpRetransTimeout, per_minute}, {Id::RoceAdpRetrans, 2 * per_minute}});
  return scene;
}

TEST(TransportAdaptiveRetrans, is_a_warning_in_a_lossless_design_and_info_in_a_lossy_one) {
  expect_pass(resending(30, "nvidia-lossless").ask(kTransportAdaptiveRetrans));
  expect_fail(resending(120, "nvidia-lossless").ask(kTransportAdaptiveRetrans), Severity::Warning,
              "should not lose packets");
  expect_fail(resending(120, "lossy-ecn").ask(kTransportAdaptiveRetrans), Severity::Info, "how it works");
  EXPECT_EQ(resending(120, "lossy-ecn").ask(kTransportAdaptiveRetrans).evidence.size(), 2U);
}

TEST(TransportAdaptiveRetrans, is_info_until_it_is_sustained) {
  Scene scene;
  scene.shows_rdma(Id::RoceAdpRetransTimeout).every(60, 5).every(60, 1, {{Id::RoceAdpRetransTimeout, 600}});
  expect_fail(scene.ask(kTransportAdaptiveRetrans), Severity::Info, "not sustained yet");
}

TEST(TransportAdaptiveRetrans, is_unknown_not_looked_at_or_without_profile) {
  Scene hidden;
  hidden.shows_rdma(Id::RoceAdpRetransTimeout).hides(Id::RoceAdpRetransTimeout).after(1);
  expect_unknown(hidden.ask(kTransportAdaptiveRetrans), Why::NotPresent);
  expect_not_looked_at(Scene().after(1).ask(kTransportAdaptiveRetrans), "never_shown");
  expect_not_looked_at(Scene().profile("").after(1).ask(kTransportAdaptiveRetrans), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test
