// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene refused(double per_minute) {
  Scene scene;
  scene.shows_rdma(Id::RnrNakReceived).every(60, 6, {{Id::RnrNakReceived, per_minute}});
  return scene;
}

TEST(TransportRnr, warns_from_ten_a_second_on) {
  expect_pass(refused(500).ask(kTransportRnr));
  expect_fail(refused(1200).ask(kTransportRnr), Severity::Warning, "1200 times in the last 60 s");
}

TEST(TransportRnr, takes_a_burst_at_the_start_of_a_job_for_normal) {
  Scene scene;
  scene.shows_rdma(Id::RnrNakReceived).every(60, 5).every(60, 1, {{Id::RnrNakReceived, 5000}});
  expect_fail(scene.ask(kTransportRnr), Severity::Info, "not sustained yet");
}

TEST(TransportRnr, warns_when_a_connection_gave_up_for_this_reason) {
  Scene scene;
  scene.shows_rdma(Id::RnrNakReceived).every(60, 2).after(60, {{Id::RnrRetryExceeded, 1}});
  expect_fail(scene.ask(kTransportRnr), Severity::Warning, "1 connection of RDMA port mlx5_0/1 gave up");
}

TEST(TransportRnr, clears_no_port_of_which_one_counter_is_hidden) {
  for (const Id id : {Id::RnrNakReceived, Id::RnrRetryExceeded}) {
    Scene hidden = refused(0);
    expect_unknown(hidden.hides(id).after(1).ask(kTransportRnr), Why::NotPresent);
    Scene never;
    never.shows_rdma(Id::RnrNakReceived).never_shows({id}).every(60, 6);
    expect_pass(never.ask(kTransportRnr));
  }
}

TEST(TransportRnr, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene never;
  never.never_shows({Id::RnrRetryExceeded}).after(1);
  expect_not_looked_at(never.ask(kTransportRnr), "never_shown");
  Scene hidden;
  hidden.hides(Id::RnrRetryExceeded).after(1);
  expect_unknown(hidden.ask(kTransportRnr), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
