// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene failing(double errors, double flushed) {
  Scene scene;
  for (const Id id : {Id::ReqCqeError, Id::ReqCqeFlushError, Id::RespCqeError, Id::RespCqeFlushError})
    scene.shows_rdma(id);
  scene.every(60, 2, {{Id::ReqCqeError, errors}, {Id::ReqCqeFlushError, flushed}});
  return scene;
}

TEST(TransportCqeError, warns_at_ten_that_were_not_flushed) {
  expect_pass(failing(9, 0).ask(kTransportCqeError));
  expect_fail(failing(15, 0).ask(kTransportCqeError), Severity::Warning, "15 work requests");
}

TEST(TransportCqeError, subtracts_what_was_flushed_when_a_job_ended) {
  expect_pass(failing(4000, 3995).ask(kTransportCqeError));
  expect_fail(failing(4000, 3000).ask(kTransportCqeError), Severity::Warning, "1000 work requests");
}

TEST(TransportCqeError, lets_flushes_of_one_side_excuse_nothing_on_the_other) {
  Scene scene = failing(50, 0);
  for (int minute = 0; minute < 2; ++minute) scene.after(60, {{Id::ReqCqeError, 50}, {Id::RespCqeFlushError, 4000}});
  expect_fail(scene.ask(kTransportCqeError), Severity::Warning, "50 work requests");
}

TEST(TransportCqeError, is_not_looked_at_where_flushed_ones_are_not_counted_apart) {
  Scene scene;
  scene.shows_rdma(Id::ReqCqeError).shows_rdma(Id::RespCqeError).every(60, 2, {{Id::ReqCqeError, 500}});
  expect_not_looked_at(scene.ask(kTransportCqeError), "never_shown");
}

TEST(TransportCqeError, is_unknown_when_hidden) {
  Scene scene = failing(0, 0);
  expect_unknown(scene.hides(Id::RespCqeError).after(1).ask(kTransportCqeError), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
