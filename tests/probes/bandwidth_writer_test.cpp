// SPDX-License-Identifier: Apache-2.0
#include "probes/bandwidth_writer.h"

#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

#include "tests/doubles/fake_fabric.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;

/// Connections whose writes share one line: each takes `write_ns` of it.
class OneLine : public verbs::Rc {
 public:
  OneLine(const verbs::Verbs& clock, std::int64_t write_ns) : clock_(clock), write_ns_(write_ns) {}
  Result<std::size_t> poll(std::span<verbs::Completion> into) override {
    std::size_t count = 0;
    for (; count < into.size() && !waiting_.empty() && waiting_.front().at_ns <= clock_.now_ns(); ++count) {
      into[count] = verbs::Completion{};
      into[count].operation = verbs::Operation::RcWrite;
      into[count].status = verbs::Status::Success;
      into[count].id = waiting_.front().id;
      waiting_.pop_front();
    }
    return count;
  }
  Result<void> wake_on_completion() override { return {}; }
  [[nodiscard]] int fd() const override { return -1; }
  [[nodiscard]] std::size_t queue_pairs() const override { return 4; }
  [[nodiscard]] std::uint32_t number(std::size_t) const override { return 0; }
  [[nodiscard]] std::uint32_t first_packet(std::size_t) const override { return 0; }
  [[nodiscard]] std::uint64_t buffer() const override { return 0; }
  [[nodiscard]] std::uint32_t buffer_key() const override { return 0; }
  Result<void> connect(std::size_t, const verbs::RcPeer&) override { return {}; }
  Result<void> post(std::size_t, verbs::Operation, std::uint32_t, std::uint64_t id) override {
    free_ns_ = std::max(free_ns_, clock_.now_ns()) + write_ns_;
    waiting_.push_back({free_ns_, id});
    return {};
  }

 private:
  struct Write {
    std::int64_t at_ns = 0;
    std::uint64_t id = 0;
  };
  const verbs::Verbs& clock_;
  std::int64_t write_ns_, free_ns_ = 0;
  std::deque<Write> waiting_;
};

/// Writes in flight at the end of a second.
std::uint64_t in_flight_at_last(std::int64_t write_ns) {
  doubles::FakeFabric fabric;
  fabric.add_port("a", {});
  const verbs::Verbs& clock = fabric.node("a");
  OneLine line(clock, write_ns);
  BandwidthWriter writer(line, clock, {.message_bytes = 65536, .requests = 16, .duration_ns = 1000 * kMillisecond});
  std::uint64_t out = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const auto more = writer.step();
    if (!more || !*more) break;
    out = writer.elapsed_ns() < 900 * kMillisecond ? writer.posted() - writer.completed() : out;
    fabric.advance(std::min<std::int64_t>(write_ns, kMillisecond));
  }
  return out;
}

TEST(BandwidthWriter, fills_a_fast_line) {
  EXPECT_EQ(in_flight_at_last(50 * kMicrosecond), 64U);  // sixteen on each of four connections
}

// Writes of 20 ms each, sixteen on each of four connections, would wait for more than a second.
TEST(BandwidthWriter, does_not_queue_on_a_slow_line_for_longer_than_acknowledgements_are_waited_for) {
  EXPECT_EQ(in_flight_at_last(20 * kMillisecond), 4U);
}

}  // namespace
}  // namespace roceready::probes
