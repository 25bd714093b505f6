// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

Scene remarked() {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class = ProbeClass{26, 2, 0, 2, 61, 998, 998, 0, 0};
  return scene;
}

TEST(ProbeDscpRewritten, is_quiet_where_packets_arrive_as_they_were_sent) {
  Scene scene;
  add_peers(scene, 2);
  expect_pass(scene.ask(kProbeDscpRewritten));
}

TEST(ProbeDscpRewritten, names_the_value_sent_and_the_value_received) {
  Scene scene = remarked();
  expect_fail(scene.ask(kProbeDscpRewritten), Severity::Critical, "with DSCP 26 and arrive at");
  expect_fail(scene.ask(kProbeDscpRewritten), Severity::Critical, "with DSCP 0: 998 of 998");
}

TEST(ProbeDscpRewritten, is_a_warning_in_a_lossy_design_and_without_a_profile) {
  Scene lossy = remarked(), without = remarked();
  expect_fail(lossy.profile("lossy-ecn").ask(kProbeDscpRewritten), Severity::Warning);
  expect_fail(without.profile("").ask(kProbeDscpRewritten), Severity::Warning);
}

TEST(ProbeDscpRewritten, tells_of_one_bad_path_whose_newest_packet_was_right) {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class = ProbeClass{26, 2, 26, 2, 61, 1000, 250, 0, 0};
  expect_fail(scene.ask(kProbeDscpRewritten), Severity::Critical, "with another DSCP: 250 of 1000");
}

TEST(ProbeDscpRewritten, is_unknown_where_no_header_was_believed_and_outside_where_the_peer_never_shows_it) {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class->seen = 0;
  expect_unknown(scene.ask(kProbeDscpRewritten), Why::NotPresent);
  probes(scene).peers[0].traffic_class = Absent{Why::Malformed, "the header's checksum is wrong"};
  expect_unknown(scene.ask(kProbeDscpRewritten), Why::Malformed);
  probes(scene).peers[0].traffic_class = not_supported();
  expect_not_looked_at(scene.ask(kProbeDscpRewritten), "never_shown");
}

TEST(ProbeDscpRewritten, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeDscpRewritten);
}

TEST(ProbeDscpRewritten, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeDscpRewritten);
}

}  // namespace
}  // namespace roceready::rules_test
