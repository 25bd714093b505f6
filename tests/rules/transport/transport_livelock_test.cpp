// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene moving(double good, double naks) {
  Scene scene;
  scene.shows_rdma(Id::RdmaRxGoodPackets);
  scene.every(
      60, 6,
      {{Id::RdmaRxPackets, 1e7}, {Id::RdmaTxPackets, 1e7}, {Id::RdmaRxGoodPackets, good}, {Id::PacketSeqErr, naks}});
  return scene;
}

TEST(TransportLivelock, needs_both_loss_and_no_progress) {
  expect_pass(moving(1e7, 0).ask(kTransportLivelock));
  expect_pass(moving(1e7, 1e5).ask(kTransportLivelock));
  expect_pass(moving(1e5, 100).ask(kTransportLivelock));
  expect_fail(moving(1e5, 1e5).ask(kTransportLivelock), Severity::Critical, "1 % of the packets received");
}

TEST(TransportLivelock, is_info_until_it_is_sustained) {
  Scene scene = moving(1e7, 0);
  scene.after(60, {{Id::RdmaRxPackets, 1e7}, {Id::RdmaRxGoodPackets, 1e5}, {Id::PacketSeqErr, 1e5}});
  expect_fail(scene.ask(kTransportLivelock), Severity::Info, "not sustained yet");
}

TEST(TransportLivelock, says_nothing_of_nics_that_do_not_show_progress) {
  expect_not_looked_at(Scene().after(1).ask(kTransportLivelock), "never_shown");
}

TEST(TransportLivelock, is_unknown_when_hidden) {
  Scene scene = moving(1e7, 0);
  expect_unknown(scene.hides(Id::RdmaRxGoodPackets).after(1).ask(kTransportLivelock), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
