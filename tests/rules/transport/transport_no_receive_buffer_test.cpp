// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene dropping(double per_minute, double naks = 0) {
  Scene scene;
  scene.shows_rdma(Id::OutOfBuffer).shows_rdma(Id::RnrNakReceived);
  scene.every(60, 6, {{Id::OutOfBuffer, per_minute}, {Id::RnrNakReceived, naks}});
  return scene;
}

TEST(TransportNoReceiveBuffer, is_info_alone_and_a_warning_together_with_rnr_naks) {
  expect_pass(dropping(500).ask(kTransportNoReceiveBuffer));
  expect_fail(dropping(1200).ask(kTransportNoReceiveBuffer), Severity::Info, "no posted receive buffer");
  expect_fail(dropping(1200, 60).ask(kTransportNoReceiveBuffer), Severity::Info);
  expect_fail(dropping(1200, 1200).ask(kTransportNoReceiveBuffer), Severity::Warning, "at the same time");
}

TEST(TransportNoReceiveBuffer, prefers_the_naks_that_this_port_sends) {
  Scene scene;
  scene.shows_rdma(Id::OutOfBuffer).shows_rdma(Id::RnrNakReceived).shows_rdma(Id::RnrNakSent);
  scene.every(60, 6, {{Id::OutOfBuffer, 1200}, {Id::RnrNakReceived, 1200}});
  expect_fail(scene.ask(kTransportNoReceiveBuffer), Severity::Info);
}

TEST(TransportNoReceiveBuffer, does_not_read_the_rings_of_the_network_stack) {
  Scene scene;
  scene.shows(Id::RxOutOfBufferEth).every(60, 6, {{Id::RxOutOfBufferEth, 1e6}});
  expect_not_looked_at(scene.ask(kTransportNoReceiveBuffer), "never_shown");
}

TEST(TransportNoReceiveBuffer, is_unknown_when_hidden) {
  Scene scene;
  expect_unknown(scene.shows_rdma(Id::OutOfBuffer).hides(Id::OutOfBuffer).after(1).ask(kTransportNoReceiveBuffer),
                 Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
