// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportIcrc, warns_at_the_first_of_an_hour_and_is_critical_at_ten_a_minute) {
  Scene scene;
  scene.shows_rdma(Id::RxIcrcErrors).every(60, 10);
  expect_pass(scene.ask(kTransportIcrc));
  scene.after(60, {{Id::RxIcrcErrors, 1}}).every(60, 30);
  expect_fail(scene.ask(kTransportIcrc), Severity::Warning, "1 packet with a wrong ICRC");
  scene.after(60, {{Id::RxIcrcErrors, 10}});
  expect_fail(scene.ask(kTransportIcrc), Severity::Critical, "10 packets with a wrong ICRC");
  expect_pass(scene.every(60, 65).ask(kTransportIcrc));
}

TEST(TransportIcrc, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene scene;
  expect_not_looked_at(Scene().after(1).ask(kTransportIcrc), "never_shown");
  expect_unknown(scene.shows_rdma(Id::RxIcrcErrors).hides(Id::RxIcrcErrors).after(1).ask(kTransportIcrc),
                 Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
