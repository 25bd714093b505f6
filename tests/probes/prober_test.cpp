// SPDX-License-Identifier: Apache-2.0
#include "probes/prober.h"

#include <gtest/gtest.h>

#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

using doubles::FabricRule;
using doubles::FakePortSetup;

TEST(Probe, of_a_clean_path_loses_nothing_and_measures_the_network_alone) {
  Pair pair;
  const ProbeResult result = pair.run();
  EXPECT_FALSE(result.error) << *result.error;
  EXPECT_EQ(result.sent, 40U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.discarded, 0U);
  EXPECT_TRUE(result.reachable);
  EXPECT_EQ(result.device, "mlx5_0");
  EXPECT_EQ(result.peer_address, "10.0.0.2");
  ASSERT_TRUE(result.rtt);
  EXPECT_EQ(result.rtt->count, 40U);
  EXPECT_NEAR(result.rtt->p50_seconds, 4e-6, 1e-6);
  EXPECT_EQ(result.clock, ProbeClock::Software);
  EXPECT_FALSE(result.prober_delay);
  EXPECT_EQ(*result.dscp_received, 26U);
  EXPECT_EQ(*result.ecn_received, 2U);
  EXPECT_EQ(*result.ttl, 61U);
  EXPECT_EQ(result.rewritten + result.bleached + result.marked, 0U);
}

TEST(Probe, by_the_nics_clocks_leaves_both_hosts_out_of_the_round_trip) {
  FakePortSetup nic;
  nic.nic_clock = true;
  Pair pair(nic, nic);
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.clock, ProbeClock::Nic);
  ASSERT_TRUE(result.rtt);
  // 2 µs each way from post to arrival, 0.3 µs of each before the packet leaves the NIC.
  EXPECT_NEAR(result.rtt->p50_seconds, 3.4e-6, 1e-9);
  ASSERT_TRUE(result.prober_delay);
  EXPECT_EQ(result.discarded, 0U);
}

TEST(Probe, without_a_secret_has_one_reply_and_times_by_the_hosts_clock) {
  FakePortSetup nic;
  nic.nic_clock = true;
  Pair pair(nic, nic);
  const ProbeResult result = pair.run();
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.clock, ProbeClock::Software);
  EXPECT_EQ(result.discarded, 0U);
  ASSERT_TRUE(result.rtt);
  EXPECT_NEAR(result.rtt->p50_seconds, 4e-6, 1e-6);
  EXPECT_TRUE(result.responder_delay);
  EXPECT_FALSE(result.prober_delay);
}

TEST(Probe, works_over_IPv6) {
  FakePortSetup a, b;
  a.addresses = {"fd00::1"};
  b.addresses = {"fd00::2"};
  Pair pair(a, b);
  const ProbeResult result = pair.run();
  EXPECT_FALSE(result.error) << *result.error;
  EXPECT_EQ(result.peer_address, "fd00::2");
  EXPECT_EQ(*result.dscp_received, 26U);
  EXPECT_EQ(*result.ttl, 61U);
}

TEST(Probe, counts_what_the_fabric_loses) {
  Pair pair;
  pair.plan.count = 2000;
  FabricRule rule;
  rule.from = "10.0.0.1";
  rule.loss = 0.01;
  pair.fabric.add_rule(rule);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 2000U);
  EXPECT_GT(result.lost, 5U);
  EXPECT_LT(result.lost, 40U);
  EXPECT_FALSE(result.error);
}

TEST(Probe, waits_for_an_answer_as_long_as_it_is_told) {
  FabricRule slow;
  slow.delay_ns = 700'000'000;
  for (const auto kind : {ProbeKind::Ud, ProbeKind::RcWrite}) {
    Pair pair;
    pair.fabric.add_rule(slow);
    pair.plan.kind = kind;
    pair.plan.count = 3;
    EXPECT_GT(pair.run().lost, 0U) << "by default half a second";
    pair.plan.timeout_ns = 3'000'000'000;
    const ProbeResult patient = pair.run();
    EXPECT_EQ(patient.sent, 3U);
    EXPECT_EQ(patient.lost, 0U) << name_of(kind);
    EXPECT_GT(patient.rtt->p50_seconds, 1.3);
  }
}

TEST(Probe, gives_up_as_early_as_it_is_told) {
  Pair pair;
  pair.responder_runs = false;
  pair.plan.timeout_ns = 20'000'000;
  const std::int64_t began = pair.fabric.now_ns();
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 5U);
  EXPECT_LT(pair.fabric.now_ns() - began, 150'000'000);
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{9'999'999}, std::int64_t{10'000'000'001}}) {
    pair.plan.timeout_ns = bad;
    EXPECT_TRUE(pair.run().error);
  }
}

TEST(Probe, takes_reordered_and_doubled_replies_once) {
  Pair pair;
  pair.plan.count = 200;
  FabricRule rule;
  rule.jitter_ns = 50'000;
  rule.duplicates = 0.5;
  pair.fabric.add_rule(rule);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 200U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.discarded, 0U);
  EXPECT_EQ(result.rtt->count, 200U);
  EXPECT_GT(pair.b->status().messages.refused[static_cast<std::size_t>(Refusal::Replayed)], 50U);
  EXPECT_EQ(pair.b->status().messages.answered, 200U);
}

TEST(Probe, sees_that_the_DSCP_was_rewritten_on_the_way) {
  Pair pair;
  FabricRule rule;
  rule.from = "10.0.0.1";
  rule.dscp = 0;
  pair.fabric.add_rule(rule);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.dscp_sent, 26U);
  EXPECT_EQ(*result.dscp_received, 0U);
  EXPECT_EQ(result.rewritten, 40U);
  EXPECT_EQ(result.bleached, 0U);
}

TEST(Probe, sees_congestion_marks_and_bleaching) {
  for (const bool bleach : {false, true}) {
    Pair pair;
    FabricRule rule;
    rule.from = "10.0.0.1";
    rule.mark_ce = !bleach;
    rule.bleach = bleach;
    pair.fabric.add_rule(rule);
    const ProbeResult result = pair.run();
    EXPECT_EQ(*result.ecn_received, bleach ? 0U : 3U);
    EXPECT_EQ(result.marked, bleach ? 0U : 40U);
    EXPECT_EQ(result.bleached, bleach ? 40U : 0U);
    EXPECT_EQ(result.rewritten, 0U);
  }
}

TEST(Probe, says_nothing_of_the_class_when_the_NIC_leaves_the_header_empty) {
  FakePortSetup b;
  b.addresses = {"10.0.0.2"};
  b.zeroed_grh = true;
  Pair pair({}, b);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 0U);
  EXPECT_FALSE(result.dscp_received);
  EXPECT_FALSE(result.ttl);
  EXPECT_EQ(result.seen, 0U);
}

TEST(Probe, finds_an_MTU_black_hole) {
  Pair pair;
  pair.plan.mtu_sweep = true;
  FabricRule rule;
  rule.longer_than = 1500;
  rule.loss = 1;
  pair.fabric.add_rule(rule);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 0U);
  ASSERT_TRUE(result.mtu);
  EXPECT_EQ(result.mtu->steps.size(), 5U);
  EXPECT_EQ(*result.mtu->passes(), 1024U);
  EXPECT_TRUE(result.mtu->black_hole());
}

TEST(Probe, finds_no_black_hole_where_the_largest_packet_passes) {
  FakePortSetup b;
  b.addresses = {"10.0.0.2"};
  b.mtu_bytes = 2048;
  Pair pair({}, b);
  pair.plan.mtu_sweep = true;
  const ProbeResult result = pair.run();
  EXPECT_EQ(*result.mtu->passes(), 2048U);
  EXPECT_FALSE(result.mtu->black_hole());
}

TEST(Probe, tells_one_bad_path_of_four) {
  Pair pair;
  pair.plan.paths = 4;
  pair.plan.count = 100;
  bool ruled = false;
  pair.fabric.tap = nullptr;
  pair.between = [&] {
    if (ruled) return;
    ruled = true;
    FabricRule rule;
    rule.from = "10.0.0.1";
    rule.source_qp = 0x11 + 2;  // the first queue pairs of the fabric are the prober's
    rule.loss = 1;
    pair.fabric.add_rule(rule);
  };
  const ProbeResult result = pair.run();
  ASSERT_EQ(result.paths.size(), 4U);
  for (const ProbePath& path : result.paths) {
    EXPECT_EQ(path.lost, path.path == 2 ? path.sent : 0U) << path.path;
    EXPECT_TRUE(path.udp_source_port);
  }
  EXPECT_EQ(result.paths[2].source_qp, 0x13U);
  EXPECT_LE(result.paths[2].sent, 6U) << "a dead path is given up";
  EXPECT_EQ(result.sent, 100U) << "the others go on";
  EXPECT_TRUE(result.reachable);
}

TEST(Probe, ends_soon_when_the_peer_is_silent) {
  Pair pair;
  pair.responder_runs = false;
  pair.plan.count = 1000;
  const std::int64_t began = pair.fabric.now_ns();
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, result.sent);
  EXPECT_EQ(result.sent, 5U);
  EXPECT_FALSE(result.reachable);
  ASSERT_TRUE(result.error);
  EXPECT_LT(pair.fabric.now_ns() - began, 3'000'000'000);
}

TEST(Probe, of_a_port_that_dies_ends_with_its_event) {
  for (const auto kind : {verbs::EventKind::PortError, verbs::EventKind::DeviceFatal}) {
    Pair pair;
    int rounds = 0;
    pair.between = [&] {
      if (++rounds == 20) pair.fabric.kill_port("a", "mlx5_0", kind);
    };
    const ProbeResult result = pair.run();
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->find("while probing"), std::string::npos) << *result.error;
    EXPECT_LT(result.sent, 40U);
    EXPECT_EQ(result.lost, 0U) << "a port that died is no loss";
    pair.b.reset();
    EXPECT_EQ(pair.fabric.open_objects(), 0);
  }
}

TEST(Probe, from_one_port_of_a_device_is_not_ended_by_what_happens_to_the_other) {
  Pair pair;
  FakePortSetup second;
  second.port = 2;
  second.addresses = {"10.0.0.7"};
  pair.fabric.add_port("a", second);
  int rounds = 0;
  pair.between = [&] {
    if (++rounds == 20) pair.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError, 2);
  };
  const ProbeResult result = pair.run();
  EXPECT_FALSE(result.error) << *result.error;
  EXPECT_EQ(result.sent, 40U);
}

TEST(Probe, that_the_NIC_never_sends_is_no_loss_and_the_reason_is_told) {
  Pair pair;
  pair.plan.count = 4;
  pair.fabric.hold_sends("a", "mlx5_0", true);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.not_sent, 4U);
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find("the NIC has not sent it"), std::string::npos) << *result.error;
}

TEST(Probe, of_a_device_that_is_removed_ends_at_once_although_everything_still_works) {
  for (const auto kind : {ProbeKind::Ud, ProbeKind::RcWrite}) {
    Pair pair;
    pair.plan.kind = kind;
    pair.plan.count = 100'000;
    int rounds = 0;
    std::int64_t removed_ns = 0;
    pair.between = [&] {
      if (++rounds != 20) return;
      pair.fabric.remove_device("a", "mlx5_0");
      removed_ns = pair.fabric.now_ns();
    };
    const ProbeResult result = pair.run();
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->find("removed while probing"), std::string::npos) << *result.error;
    EXPECT_LT(pair.fabric.now_ns() - removed_ns, 5'000'000);
    EXPECT_EQ(result.lost, 0U);
    pair.b.reset();
    EXPECT_EQ(pair.fabric.open_objects(), 0) << "the removal waits for this";
  }
}

TEST(Probe, whose_reply_lay_unread_on_a_late_host_says_nothing_of_the_network) {
  Pair pair;
  pair.prober_late_ns = 30'000'000;
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 40U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.late, 40U);
  EXPECT_FALSE(result.rtt);
  EXPECT_TRUE(result.total);
}

TEST(Probe, whose_host_lost_the_CPU_within_a_poll_says_nothing_of_the_network) {
  Pair pair;
  pair.between = [&] {
    pair.fabric.advance(3'000'000);
    pair.fabric.waited("a", 2'900'000);
  };
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.late, 40U);
  EXPECT_FALSE(result.rtt);
  EXPECT_EQ(result.rtt.absent().detail, "this host read every answer late");
}

/// The responder comes 3 ms after each probe of a pair, or of every `one_of`-th, and waited for a CPU most of that
/// time.
void starve_responder(Pair& pair, std::int64_t waited_ns, int one_of = 1) {
  pair.responder_runs = false;
  pair.between = [&pair, waited_ns, one_of, number = 0, sent = std::uint64_t{0}, came_ns = std::int64_t{0}]() mutable {
    if (number == 0) pair.b->step(0);  // finds nothing yet, and knows from now on for how long it waited
    if (came_ns == 0 && pair.fabric.datagrams() > sent) {
      sent = pair.fabric.datagrams();
      came_ns = pair.fabric.now_ns();
      ++number;
    }
    const bool starved = number % one_of == 0;
    if (starved && came_ns != 0 && pair.fabric.now_ns() - came_ns < 3'000'000) return;
    if (starved && came_ns != 0) pair.fabric.waited("b", waited_ns);
    pair.b->step(0);
    if (pair.fabric.datagrams() > sent) sent = pair.fabric.datagrams(), came_ns = 0;
  };
}

TEST(Probe, puts_the_delay_of_a_starved_responder_on_the_host_not_on_the_network) {
  for (const bool authenticated : {false, true}) {
    Pair pair;
    if (authenticated) pair.plan.secret = secret_of("one secret of the fabric, long enough");
    pair.restart_b();
    starve_responder(pair, 2'990'000, 4);
    const ProbeResult result = pair.run();
    EXPECT_EQ(result.lost, 0U);
    EXPECT_EQ(result.discarded, 0U);
    EXPECT_EQ(result.late, 0U) << "that is the other host";
    EXPECT_EQ(result.responder_late, 10U);
    ASSERT_TRUE(result.responder_delay);
    EXPECT_GT(result.responder_delay->p99_seconds, 2.9e-3);
    ASSERT_TRUE(result.rtt);
    EXPECT_EQ(result.rtt->count, 30U);
    EXPECT_LT(result.rtt->max_seconds, 1.1e-3) << "no more than the tests' own rounds of 1 ms";
  }
}

TEST(Probe, of_a_responder_that_is_always_starved_has_no_round_trip_and_says_why) {
  Pair pair;
  starve_responder(pair, 900'000'000);  // more than can be true of this probe
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 40U);
  EXPECT_EQ(result.lost + result.discarded, 0U);
  EXPECT_FALSE(result.rtt);
  EXPECT_EQ(result.rtt.absent().detail, "the peer's host came late to every probe");
  ASSERT_TRUE(result.responder_delay);
  EXPECT_LE(result.responder_delay->max_seconds, result.total->max_seconds);
}

TEST(Probe, takes_a_slow_network_for_a_slow_network_where_the_responder_only_slept) {
  Pair pair;
  starve_responder(pair, 0);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.responder_late, 0U);
  ASSERT_TRUE(result.rtt);
  EXPECT_GT(result.rtt->p50_seconds, 2.9e-3);
}

TEST(Probe, without_an_answering_control_channel_says_so_and_opens_no_more) {
  Pair pair;
  pair.channel.peers.clear();
  const ProbeResult result = pair.run();
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find("b:9885"), std::string::npos);
  EXPECT_EQ(result.sent, 0U);
  EXPECT_FALSE(result.reachable);
}

TEST(Probe, refuses_a_plan_that_cannot_be) {
  Pair pair;
  pair.plan.size = 10;
  EXPECT_TRUE(pair.run().error);
  pair.plan.size = 64;
  pair.plan.paths = 17;
  EXPECT_TRUE(pair.run().error);
  pair.plan.paths = 1;
  pair.plan.device = "mlx5_9";
  const ProbeResult result = pair.run();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(pair.fabric.datagrams(), 0U);
}

TEST(Probe, says_which_port_has_no_usable_GID) {
  FakePortSetup a;
  a.addresses = {"fe80::1"};
  Pair pair(a);
  const ProbeResult result = pair.run();
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find("RoCE v2 GID"), std::string::npos) << *result.error;
}

TEST(Probe, that_cannot_reach_the_neighbour_is_not_a_loss) {
  Pair pair;
  pair.fabric.refuse_addresses("a", "the neighbour does not answer ARP");
  const ProbeResult result = pair.run();
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find("ARP"), std::string::npos);
  EXPECT_EQ(result.sent, 0U);
}

TEST(Probe, with_a_secret_needs_the_same_on_both_ends) {
  Pair pair;
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  const ProbeResult good = pair.run();
  EXPECT_FALSE(good.error);
  EXPECT_TRUE(good.authenticated);
  pair.plan.secret = secret_of("another secret of the fabric, long enough");
  const ProbeResult bad = pair.run();
  ASSERT_TRUE(bad.error);
  EXPECT_EQ(bad.sent, 0U);
}

TEST(Probe, leaves_nothing_open) {
  Pair pair;
  (void)pair.run();
  pair.b.reset();
  EXPECT_EQ(pair.fabric.open_objects(), 0);
}

TEST(ProbeTimesOf, are_observed_values_by_nearest_rank) {
  const auto times = times_of({5, 1, 4, 2, 3, 6, 7, 8, 10, 9});
  EXPECT_DOUBLE_EQ(times->min_seconds, 1e-9);
  EXPECT_DOUBLE_EQ(times->p50_seconds, 5e-9);
  EXPECT_DOUBLE_EQ(times->p90_seconds, 9e-9);
  EXPECT_DOUBLE_EQ(times->p99_seconds, 10e-9);
  EXPECT_DOUBLE_EQ(times->max_seconds, 10e-9);
  EXPECT_FALSE(times_of({}));
}

}  // namespace
}  // namespace roceready::probes
