// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportSeenSinceBoot, tells_what_one_reading_holds_as_info) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence);
  for (CounterValue& value : scene.port().counters.values) {
    if (value.id == Id::OutOfSequence) value.raw = 6140236;
  }
  expect_fail(scene.ask(kTransportSeenSinceBoot), Severity::Info, "out_of_sequence 6140236");
}

TEST(TransportSeenSinceBoot, leaves_counters_that_were_read_twice_to_the_rules_on_growth) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence).every(60, 2, {{Id::OutOfSequence, 5}});
  expect_not_applicable(scene.ask(kTransportSeenSinceBoot));
}

TEST(TransportSeenSinceBoot, says_nothing_in_a_daemon) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence);
  expect_not_applicable(scene.daemon().ask(kTransportSeenSinceBoot));
}

}  // namespace
}  // namespace roceready::rules_test
