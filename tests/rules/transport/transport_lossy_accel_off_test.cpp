// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportLossyAccelOff, fires_where_the_nic_shows_its_other_counters_and_not_these) {
  Scene scene;
  scene.profile("lossy-ecn").shows_rdma(Id::RoceAdpRetrans).hides(Id::RoceAdpRetrans).after(1);
  const Judgement said = scene.ask(kTransportLossyAccelOff);
  expect_fail(said, Severity::Warning, "does not have it");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
}

TEST(TransportLossyAccelOff, passes_once_it_was_used) {
  expect_pass(Scene().profile("lossy-ecn").shows_rdma(Id::RoceAdpRetrans).after(1).ask(kTransportLossyAccelOff));
}

TEST(TransportLossyAccelOff, says_nothing_of_a_counter_that_is_still_0) {
  Scene scene;
  scene.profile("lossy-ecn").shows_rdma(Id::RoceAdpRetrans);
  for (CounterValue& value : scene.port().counters.values)
    if (value.id == Id::RoceAdpRetrans) value.raw = 0;
  expect_not_looked_at(scene.after(1).ask(kTransportLossyAccelOff), "never_shown");
}

TEST(TransportLossyAccelOff, is_unknown_when_no_counter_of_the_port_can_be_read) {
  Scene scene;
  scene.profile("lossy-ecn").shows_rdma(Id::RoceAdpRetrans);
  scene.port().counters.values.clear();
  scene.port().counters.why_absent = denied();
  expect_unknown(scene.after(1).ask(kTransportLossyAccelOff), Why::Denied);
}

TEST(TransportLossyAccelOff, leaves_other_vendors_alone) {
  Scene scene;
  scene.profile("lossy-ecn");
  scene.port().driver = "bnxt_re";
  expect_not_applicable(scene.after(1).ask(kTransportLossyAccelOff));
}

}  // namespace
}  // namespace roceready::rules_test
