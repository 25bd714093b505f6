// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene repeating(double requests, Id id = Id::DuplicateRequest) {
  Scene scene;
  scene.shows_rdma(id).every(60, 6, {{id, requests}, {Id::RdmaRxPackets, 1e9}});
  return scene;
}

TEST(TransportDupRequest, tells_from_one_in_a_million_on) {
  expect_pass(repeating(500).ask(kTransportDupRequest));
  expect_fail(repeating(2000).ask(kTransportDupRequest), Severity::Info, "repeated 2000 requests");
  expect_fail(repeating(1e8).ask(kTransportDupRequest), Severity::Info, "10 %");
}

TEST(TransportDupRequest, counts_events_where_the_driver_counts_those) {
  expect_fail(repeating(2000, Id::DuplicateRequestEvents).ask(kTransportDupRequest), Severity::Info);
}

TEST(TransportDupRequest, says_nothing_with_little_traffic) {
  Scene scene;
  scene.shows_rdma(Id::DuplicateRequest).every(60, 6, {{Id::DuplicateRequest, 50}, {Id::RdmaRxPackets, 1000}});
  expect_not_looked_at(scene.ask(kTransportDupRequest), "longer_window");
}

TEST(TransportDupRequest, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene scene;
  expect_not_looked_at(Scene().after(1).ask(kTransportDupRequest), "never_shown");
  expect_unknown(scene.shows_rdma(Id::DuplicateRequest).hides(Id::DuplicateRequest).after(1).ask(kTransportDupRequest),
                 Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
