// SPDX-License-Identifier: Apache-2.0
#include "probes/bandwidth.h"

#include <gtest/gtest.h>

#include "tests/probes/asking.h"
#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

using doubles::FakePortSetup;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kTenGigabit = 10'000'000'000;

FakePortSetup port_of(std::uint64_t bits_per_second) {
  FakePortSetup out;
  out.bits_per_second = bits_per_second;
  return out;
}

/// Two nodes with a secret, and a person on "a" who measures for a fifth of a second.
struct Line : Pair {
  BandwidthPlan wanted;
  explicit Line(const FakePortSetup& a = port_of(kTenGigabit), const FakePortSetup& b_port = port_of(kTenGigabit))
      : Pair(a, b_port) {
    plan.secret = wanted.secret = secret_of("one secret of the fabric, long enough");
    wanted.duration_ns = 200 * kMillisecond;
    wanted.labels.node = "a";
    restart_b();
  }
  BandwidthResult to_end(BandwidthMeasurement& measurement) {
    while (measurement.step()) {
      if (between) between();
      if (b) b->step(0);
      advance();
    }
    return measurement.result();
  }
  BandwidthResult measure() {
    BandwidthMeasurement measurement(fabric.node("a"), channel, peer, wanted);
    return to_end(measurement);
  }
  BandwidthResult loop_back() {
    BandwidthMeasurement measurement(fabric.node("a"), wanted);
    return to_end(measurement);
  }
};

void expect_no_measurement(const BandwidthResult& result, const std::string& because) {
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find(because), std::string::npos) << *result.error;
  EXPECT_FALSE(result.run.bits_per_second);
}

TEST(Bandwidth, is_that_of_the_line) {
  Line line;
  const BandwidthResult result = line.measure();
  ASSERT_FALSE(result.error) << *result.error;
  ASSERT_TRUE(result.run.bits_per_second);
  EXPECT_NEAR(*result.run.bits_per_second, 1e10, 1e8);
  EXPECT_EQ(result.sent, result.completed);
  EXPECT_EQ(result.run.bytes, result.completed * 65536);
  EXPECT_NEAR(result.run.seconds, 0.2, 0.01);
  EXPECT_TRUE(result.authenticated);
  EXPECT_EQ(result.run.device, "mlx5_0");
  EXPECT_EQ(result.run.peer, "b:9885");
  EXPECT_EQ(result.run.address, "10.0.0.2");
  EXPECT_EQ(result.run.queue_pairs, 4U);
  EXPECT_EQ(result.run.mtu_bytes, 4096U);
  line.b.reset();
  EXPECT_EQ(line.fabric.open_objects(), 0);
}

TEST(Bandwidth, is_that_of_the_slower_end_whatever_the_size_and_number_of_connections) {
  for (const std::uint32_t size : {kLeastBandwidthBytes, kMostBandwidthBytes})
    for (const std::uint32_t pairs : {4U, 16U}) {
      Line line(port_of(kTenGigabit), port_of(4'000'000'000));
      line.wanted.message_bytes = size;
      line.wanted.queue_pairs = pairs;
      const BandwidthResult result = line.measure();
      ASSERT_TRUE(result.run.bits_per_second) << *result.error;
      EXPECT_NEAR(*result.run.bits_per_second, 4e9, 1e8) << size << " bytes, " << pairs << " connections";
    }
}

TEST(Bandwidth, has_at_most_a_mebibyte_in_flight_on_a_connection) {
  Line line(port_of(0), port_of(0));
  doubles::FabricRule slow;  // only the way there and back takes time: 2 ms
  slow.delay_ns = kMillisecond;
  line.fabric.add_rule(slow);
  const BandwidthResult result = line.measure();
  ASSERT_TRUE(result.run.bits_per_second) << *result.error;
  EXPECT_NEAR(*result.run.bits_per_second * 2e-3, 4.0 * 8 * 1024 * 1024, 1e6);
}

TEST(Bandwidth, of_a_port_to_itself_needs_neither_peer_nor_secret) {
  Line line;
  line.wanted.secret.clear();
  const BandwidthResult result = line.loop_back();
  ASSERT_FALSE(result.error) << *result.error;
  EXPECT_NEAR(*result.run.bits_per_second, 1e10, 1e8);
  EXPECT_TRUE(result.run.loopback);
  EXPECT_TRUE(result.run.peer.empty());
  EXPECT_TRUE(line.channel.asked.empty());
  line.b.reset();
  EXPECT_EQ(line.fabric.open_objects(), 0);
}

TEST(Bandwidth, takes_what_the_peer_tells_of_its_port_and_makes_up_nothing) {
  Line line;
  EXPECT_FALSE(line.measure().run.peer_speed_bits_per_second);
  NodeDigest digest;
  PortDigest port;
  port.device = "mlx5_0";
  port.speed_bits_per_second = kTenGigabit;
  port.rx_line_share = 0.2;
  digest.ports = {port};
  port.device = "mlx5_7";
  port.speed_bits_per_second = std::uint64_t{1};
  digest.ports.push_back(port);
  line.b->set_digest(digest);
  const BandwidthRun run = line.measure().run;
  EXPECT_EQ(run.peer_speed_bits_per_second, kTenGigabit);
  EXPECT_DOUBLE_EQ(*run.peer_busy_share, 0.2);
  EXPECT_FALSE(run.other_bits_per_second);
}

TEST(Bandwidth, counts_the_time_that_this_host_kept_from_it) {
  Line line;
  bool first = true;
  line.between = [&] {
    if (std::exchange(first, false)) line.fabric.waited("a", 30 * kMillisecond);
  };
  EXPECT_NEAR(line.measure().run.waited_seconds, 0.03, 1e-9);
}

TEST(Bandwidth, without_the_secret_is_not_even_asked_for) {
  Line line;
  line.wanted.secret.clear();
  expect_no_measurement(line.measure(), "--secret-file");
  EXPECT_TRUE(line.channel.asked.empty());
}

TEST(Bandwidth, is_refused_to_strangers_in_words) {
  Line line;
  line.plan.secret.clear();
  line.restart_b();
  const BandwidthResult result = line.measure();
  expect_no_measurement(result, "probes.secret_file on both nodes");
  EXPECT_FALSE(result.peer_not_reached);
  Line other;
  other.wanted.secret = secret_of("quite another secret, and as long");
  expect_no_measurement(other.measure(), "signed with another secret");
}

TEST(Bandwidth, of_a_peer_that_does_not_answer_was_not_reached) {
  Line line;
  line.channel.peers.clear();
  const BandwidthResult result = line.measure();
  expect_no_measurement(result, "no answer");
  EXPECT_TRUE(result.peer_not_reached);
}

TEST(Bandwidth, of_a_run_that_breaks_off_is_no_low_bandwidth) {
  Line line;
  std::int64_t begun = line.fabric.now_ns();
  line.between = [&] {
    if (line.fabric.now_ns() - begun > 50 * kMillisecond) line.b.reset();
  };
  const BandwidthResult result = line.measure();
  expect_no_measurement(result, "IBV_WC_RETRY_EXC_ERR");
  EXPECT_GT(result.completed, 0U);
  EXPECT_LT(line.fabric.now_ns() - begun, 1000 * kMillisecond) << "it says so soon";
  EXPECT_EQ(result.run.bits_per_second.absent().why, Why::NotPresent);
  EXPECT_EQ(line.fabric.open_objects(), 0);
}

TEST(Bandwidth, ends_with_the_device_or_the_port) {
  for (const auto kind : {verbs::EventKind::DeviceFatal, verbs::EventKind::PortError}) {
    Line line;
    const std::int64_t begun = line.fabric.now_ns();
    bool dead = false;
    line.between = [&] {
      if (dead || line.fabric.now_ns() - begun < 50 * kMillisecond) return;
      dead = true;
      line.fabric.kill_port("a", "mlx5_0", kind);
    };
    expect_no_measurement(line.measure(), kind == verbs::EventKind::PortError ? "went down" : "device");
    line.b.reset();
    EXPECT_EQ(line.fabric.open_objects(), 0);
  }
}

TEST(Bandwidth, of_a_path_that_stands_still_ends_after_a_second) {
  Line line;
  doubles::FabricRule slow;
  slow.delay_ns = 5'000 * kMillisecond;
  line.fabric.add_rule(slow);
  const std::int64_t begun = line.fabric.now_ns();
  expect_no_measurement(line.measure(), "no write completed within 1000 ms");
  EXPECT_LT(line.fabric.now_ns() - begun, 1'100 * kMillisecond);
}

TEST(Bandwidth, says_at_which_end_memory_cannot_be_locked) {
  FakePortSetup small = port_of(kTenGigabit);
  small.lockable_bytes = 32 * 1024;
  Line here(small);
  expect_no_measurement(here.measure(), "locked memory");
  EXPECT_TRUE(here.channel.asked.empty());
  Line there(port_of(kTenGigabit), small);
  const BandwidthResult result = there.measure();
  expect_no_measurement(result, "locked memory");
  EXPECT_NE(result.error->find("cannot answer"), std::string::npos) << *result.error;
}

TEST(Bandwidth, that_somebody_stops_is_no_measurement) {
  Line line;
  BandwidthMeasurement measurement(line.fabric.node("a"), line.channel, line.peer, line.wanted);
  std::stop_source stop;
  int told = 0;
  const BandwidthResult result = run_to_end(measurement, line.fabric.node("a"), stop.get_token(), [&](double share) {
    EXPECT_LT(share, 1);
    if (++told == 1) stop.request_stop();
    line.advance();
  });
  expect_no_measurement(result, "stopped before its time");
  EXPECT_EQ(told, 1);
}

TEST(Bandwidth, has_a_plan_within_bounds) {
  const auto refuses = [](auto change) {
    Line line;
    change(line.wanted);
    const BandwidthResult result = line.measure();
    EXPECT_TRUE(line.channel.asked.empty());
    return result.error.has_value() && !line.loop_back().run.bits_per_second;
  };
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.message_bytes = 65535; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.message_bytes = (1 << 20) + 1; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.queue_pairs = 3; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.queue_pairs = 17; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.duration_ns = 10'000'000'001; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.duration_ns = 0; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.dscp = 64; }));
  EXPECT_TRUE(refuses([](BandwidthPlan& plan) { plan.may_use = [](const verbs::PortName&) { return false; }; }));
}

/// What a node called `name` asks for, signed.
struct Asking {
  Line line;
  std::variant<SessionReply, SessionRefusal> ask(const std::string& name, std::uint32_t seconds = 3600,
                                                 bool on_demand = true) {
    asked = asked_by("10.0.0.1");
    asked.node = name;
    asked.kind = ProbeKind::Bandwidth;
    asked.on_demand = on_demand;
    asked.seconds = seconds;
    asked.message_bytes = 1 << 17;
    asked.endpoint.queue_pairs = {{0x20, 0}, {0x21, 0}, {0x22, 0}, {0x23, 0}};
    line.fabric.advance(kMillisecond);
    return line.b->answer(encode_request(asked, line.wanted.secret), "");
  }
  std::string refused(const std::string& name, bool on_demand = true) {
    const auto said = ask(name, 3600, on_demand);
    const auto* refusal = std::get_if<SessionRefusal>(&said);
    return refusal == nullptr ? "" : refusal->why;
  }
  SessionAnswer granted(const std::string& name) {
    const auto said = ask(name);
    const auto* reply = std::get_if<SessionReply>(&said);
    if (reply == nullptr) {
      ADD_FAILURE() << std::get<SessionRefusal>(said).why;
      return {};
    }
    EXPECT_TRUE(reply->fills_line);
    return decode_answer(reply->body, line.wanted.secret, asked).value();
  }
  SessionRequest asked;
};

TEST(BandwidthSession, is_for_seconds_and_for_the_buffer_that_was_asked_for) {
  Asking c;
  const SessionAnswer answer = c.granted("c");
  EXPECT_EQ(answer.seconds, 15U);
  ASSERT_EQ(answer.endpoints.size(), 1U);
  ASSERT_TRUE(answer.endpoints[0].scratch);
  EXPECT_EQ(answer.endpoints[0].scratch->bytes, 1U << 17);
  EXPECT_EQ(answer.endpoints[0].queue_pairs.size(), 4U);
}

TEST(BandwidthSession, is_one_at_a_time_until_it_is_over) {
  Asking c;
  (void)c.granted("c");
  EXPECT_NE(c.refused("d").find("one at a time; try again in 15 s"), std::string::npos) << c.refused("d");
  EXPECT_EQ(c.line.b->status().rc_sessions, 1U);
  c.line.fabric.advance(16'000 * kMillisecond);
  c.line.b->step(0);
  (void)c.granted("d");
}

TEST(BandwidthSession, of_the_same_prober_replaces_its_older_one) {
  Asking c;
  (void)c.granted("c");
  (void)c.granted("c");
  EXPECT_EQ(c.line.b->status().rc_sessions, 1U);
}

TEST(BandwidthSession, is_no_matter_of_a_mesh_or_of_an_unsigned_request) {
  Asking c;
  EXPECT_NE(c.refused("c", false).find("on demand alone"), std::string::npos);
  EXPECT_EQ(c.line.b->status().sessions, 0U);
}

TEST(BandwidthSession, names_the_size_of_its_messages_within_bounds) {
  SessionRequest request = asked_by("10.0.0.1");
  request.kind = ProbeKind::Bandwidth;
  for (const std::uint32_t bytes : {kLeastBandwidthBytes, kMostBandwidthBytes}) {
    request.message_bytes = bytes;
    const auto read = decode_request(encode_request(request, {}), {});
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->kind, ProbeKind::Bandwidth);
    EXPECT_EQ(read->message_bytes, bytes);
  }
  for (const std::uint32_t bytes : {0U, kLeastBandwidthBytes - 1, kMostBandwidthBytes + 1}) {
    request.message_bytes = bytes;
    const auto read = decode_request(encode_request(request, {}), {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().where, "message_bytes");
  }
}

TEST(BandwidthSession, is_no_kind_of_single_probes) {
  Pair pair;
  pair.plan.kind = ProbeKind::Bandwidth;
  EXPECT_TRUE(pair.run().error);
  EXPECT_TRUE(pair.channel.asked.empty());
}

}  // namespace
}  // namespace roceready::probes
