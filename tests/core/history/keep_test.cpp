// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "core/base/bytes.h"
#include "core/history/history.h"

namespace roceready {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::vector<CounterId> signals() {
  return {CounterId::CnpSent, CounterId::PfcRxPauseDuration};
}

SnapshotPtr at(int second, std::uint64_t cnp) {
  Snapshot out;
  out.before = out.after = {second * kSecond, 1'000'000 * kSecond + second * kSecond};
  RdmaPort port;
  port.device = "mlx5_0";
  port.key = "0000:3b:00.0/1";
  port.in_scope = true;
  port.members = {"eth0"};
  port.counters.at_monotonic_ns = second * kSecond;
  port.counters.values = {{CounterId::CnpSent, kNoLane, 32, cnp, 1.0}};
  out.ports.push_back(port);
  Netdev eth;
  eth.link.name = "eth0";
  eth.link.carrier = true;
  eth.counters.at_monotonic_ns = second * kSecond;
  eth.counters.values = {{CounterId::PfcRxPauseDuration, 3, 64, static_cast<std::uint64_t>(second) * 500'000, 1e-6}};
  out.netdevs.push_back(eth);
  return std::make_shared<const Snapshot>(out);
}

History lived(int seconds) {
  History out(signals());
  for (int s = 1; s <= seconds; ++s) out.add(at(s, static_cast<std::uint64_t>(s) * 7));
  return out;
}

TEST(KeptHistory, goes_on_as_if_nothing_had_been) {
  History one = lived(400);
  auto other = History::load(one.save(), signals());
  ASSERT_TRUE(other) << other.error().text();
  one.add(at(460, 460 * 7));
  other->add(at(460, 460 * 7));
  EXPECT_DOUBLE_EQ(one.observed_seconds(), other->observed_seconds());
  EXPECT_DOUBLE_EQ(one.observed_seconds("mlx5_0/1"), other->observed_seconds("mlx5_0/1"));
  for (const double window : {1.0, 60.0, 300.0, 3600.0}) {
    const auto a = one.increase("mlx5_0/1", CounterId::CnpSent, kNoLane, window);
    const auto b = other->increase("mlx5_0/1", CounterId::CnpSent, kNoLane, window);
    ASSERT_TRUE(a && b) << window;
    EXPECT_DOUBLE_EQ(a->amount, b->amount) << window;
    EXPECT_NEAR(a->seconds, b->seconds, 0.01) << window;
  }
  const auto a = one.samples("eth0", CounterId::PfcRxPauseDuration, 3, 10);
  const auto b = other->samples("eth0", CounterId::PfcRxPauseDuration, 3, 10);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_DOUBLE_EQ(a[i].amount, b[i].amount);
}

TEST(KeptHistory, forgets_a_port_that_was_left_out_meanwhile) {
  auto other = History::load(lived(5).save(), signals());
  ASSERT_TRUE(other);
  other->forget_ports([](const RdmaPort& port) { return port.device == "mlx5_0"; });
  Snapshot empty;
  empty.before = empty.after = {9 * kSecond, 9 * kSecond};
  other->add(std::make_shared<const Snapshot>(empty));
  EXPECT_TRUE(other->vanished_ports().empty());
  EXPECT_TRUE(other->events().empty());
}

TEST(KeptHistory, tells_a_port_that_vanished_meanwhile) {
  auto other = History::load(lived(5).save(), signals());
  ASSERT_TRUE(other);
  Snapshot empty;
  empty.before = empty.after = {9 * kSecond, 9 * kSecond};
  other->add(std::make_shared<const Snapshot>(empty));
  ASSERT_EQ(other->vanished_ports().size(), 1U);
  EXPECT_EQ(other->vanished_ports()[0].device, "mlx5_0");
}

TEST(KeptHistory, leaves_out_signals_that_nobody_wants_any_more) {
  auto other = History::load(lived(100).save(), {CounterId::CnpSent});
  ASSERT_TRUE(other);
  other->add(at(101, 101 * 7));
  EXPECT_TRUE(other->increase("mlx5_0/1", CounterId::CnpSent, kNoLane, 60));
  EXPECT_TRUE(other->samples("eth0", CounterId::PfcRxPauseDuration, 3, 5).empty());
}

TEST(KeptHistory, costs_little_where_nothing_grows) {
  History still(signals());
  for (int s = 1; s <= 600; ++s) still.add(at(s, 7));
  EXPECT_LT(still.save().size(), 40'000U);
}

TEST(KeptHistory, refuses_every_truncation) {
  const std::string whole = lived(30).save();
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_FALSE(History::load(std::string_view(whole).substr(0, size), signals())) << size;
  EXPECT_FALSE(History::load(whole + "x", signals()));
}

TEST(KeptHistory, survives_any_damage) {
  const std::string whole = lived(30).save();
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string bad = whole;
    for (int i = 0; i < 1 + round % 4; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    auto loaded = History::load(bad, signals());
    if (!loaded) continue;
    loaded->add(at(31, 217));
    loaded->add(at(4000, 300));
    static_cast<void>(loaded->increase("mlx5_0/1", CounterId::CnpSent, kNoLane, 300));
    static_cast<void>(loaded->samples("eth0", CounterId::PfcRxPauseDuration, 3, 16));
  }
}

TEST(Bytes, read_nothing_past_the_end) {
  ByteWriter to;
  to.u8(1);
  to.text("ab");
  const std::string bytes = to.take();
  ByteReader good(bytes);
  EXPECT_EQ(good.u8(), 1);
  EXPECT_EQ(good.text(10), "ab");
  EXPECT_TRUE(good.at_end());
  ByteReader bad(bytes);
  EXPECT_EQ(bad.u8(), 1);
  EXPECT_EQ(bad.text(1), "");
  EXPECT_FALSE(bad.good());
  EXPECT_EQ(bad.u64(), 0U);
}

}  // namespace
}  // namespace roceready
