// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportCounterUnreliable, finds_more_losses_than_packets) {
  Scene scene;
  scene.every(60, 6, {{Id::PacketSeqErr, 100}, {Id::RdmaTxPackets, 1e6}});
  expect_pass(scene.ask(kTransportCounterUnreliable));
  scene.every(60, 6, {{Id::PacketSeqErr, 2e6}, {Id::RdmaTxPackets, 1e6}});
  expect_fail(scene.ask(kTransportCounterUnreliable), Severity::Info, "more sequence NAKs than packets sent");
}

TEST(TransportCounterUnreliable, finds_marks_without_a_single_notification_ever) {
  Scene scene;
  scene.shows_rdma(Id::EcnMarkedRx).shows_rdma(Id::CnpSent).every(60, 6, {{Id::EcnMarkedRx, 5000}});
  expect_pass(scene.ask(kTransportCounterUnreliable));
  for (CounterValue& value : scene.port().counters.values)
    if (value.id == Id::CnpSent) value.raw = 0;
  scene.every(60, 6, {{Id::EcnMarkedRx, 5000}});
  expect_fail(scene.ask(kTransportCounterUnreliable), Severity::Info, "not one notification");
}

TEST(TransportCounterUnreliable, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene hidden;
  expect_unknown(hidden.shows_rdma(Id::OutOfSequence)
                     .hides(Id::OutOfSequence)
                     .hides(Id::PacketSeqErr)
                     .after(1)
                     .ask(kTransportCounterUnreliable),
                 Why::NotPresent);
  Scene never;
  never.never_shows({Id::PacketSeqErr}).after(1);
  expect_not_looked_at(never.ask(kTransportCounterUnreliable), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
