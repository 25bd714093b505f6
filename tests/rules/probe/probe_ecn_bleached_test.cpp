// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(ProbeEcnBleached, is_quiet_where_the_bits_arrive_marked_or_not) {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class = ProbeClass{26, 2, 26, 3, 61, 1000, 0, 0, 700};
  expect_pass(scene.ask(kProbeEcnBleached));
}

TEST(ProbeEcnBleached, fires_where_they_arrive_cleared) {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class = ProbeClass{26, 2, 26, 0, 61, 1000, 0, 1000, 0};
  expect_fail(scene.ask(kProbeEcnBleached), Severity::Warning, "1000 of 1000");
}

TEST(ProbeEcnBleached, does_not_apply_to_probes_that_are_not_ecn_capable) {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class = ProbeClass{26, 0, 26, 0, 61, 1000, 0, 0, 0};
  expect_not_applicable(scene.ask(kProbeEcnBleached));
}

TEST(ProbeEcnBleached, is_unknown_where_no_header_was_believed_and_outside_where_the_peer_never_shows_it) {
  Scene scene;
  add_peer(scene, "node2:9885").traffic_class->seen = 0;
  expect_unknown(scene.ask(kProbeEcnBleached), Why::NotPresent);
  probes(scene).peers[0].traffic_class = Absent{Why::Malformed, "the header's checksum is wrong"};
  expect_unknown(scene.ask(kProbeEcnBleached), Why::Malformed);
  probes(scene).peers[0].traffic_class = not_supported();
  expect_not_looked_at(scene.ask(kProbeEcnBleached), "never_shown");
}

TEST(ProbeEcnBleached, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeEcnBleached);
}

TEST(ProbeEcnBleached, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeEcnBleached);
}

}  // namespace
}  // namespace roceready::rules_test
