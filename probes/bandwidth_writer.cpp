// SPDX-License-Identifier: Apache-2.0
#include "probes/bandwidth_writer.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "probes/verbs/status.h"

namespace roceready::probes {
namespace {

constexpr std::size_t kBatch = 32;

}  // namespace

BandwidthWriter::BandwidthWriter(verbs::Rc& rc, const verbs::Verbs& clock, const Options& options)
    : rc_(rc), clock_(clock), options_(options), connections_(rc.queue_pairs()) {}

Result<bool> BandwidthWriter::step() {
  if (posted_ == 0) {
    waited_before_ns_ = clock_.waited_ns();
    begun_ns_ = last_completion_ns_ = clock_.now_ns();
  }
  const auto polled = take(clock_.now_ns());
  if (!polled) return polled.error();
  const std::int64_t now_ns = clock_.now_ns();
  if (now_ns - begun_ns_ < options_.duration_ns) {
    if (const auto posted = post_more(); !posted) return posted.error();
  }
  if (posted_ == completed_) return false;
  if (now_ns - last_completion_ns_ >= kStallNs)
    return Error{ErrorCode::TimedOut,
                 "no write completed within " + std::to_string(kStallNs / 1'000'000) +
                     " ms: the port is paused, or the path is dead and the NIC retries for longer than this",
                 "", 0};
  return true;
}

Result<void> BandwidthWriter::take(std::int64_t now_ns) {
  std::array<verbs::Completion, kBatch> batch;
  const auto count = rc_.poll(batch);
  if (!count) return count.error();
  for (const verbs::Completion& completion : std::span(batch).first(*count)) {
    if (completion.operation == verbs::Operation::Receive && completion.status == verbs::Status::Success) continue;
    if (completion.status != verbs::Status::Success)
      return Error{ErrorCode::Io, verbs::name_of(completion.status) + ": " + verbs::explain(completion.status), "", 0};
    if (completion.id >= connections_.size() || connections_[completion.id].posted_ns.empty()) continue;
    settle(connections_[completion.id], now_ns);
    ++completed_;
    last_completion_ns_ = now_ns;
  }
  return {};
}

void BandwidthWriter::settle(Connection& connection, std::int64_t now_ns) {
  const std::int64_t took_ns = now_ns - connection.posted_ns.front();
  connection.posted_ns.pop_front();
  if (took_ns <= kSwiftNs)
    ++connection.room;
  else if (took_ns >= kSlowNs)
    connection.room = std::max(connection.room / 2, 1U);
}

Result<void> BandwidthWriter::post_more() {
  for (std::size_t pair = 0; pair < connections_.size(); ++pair) {
    Connection& connection = connections_[pair];
    connection.room = std::min(connection.room, options_.requests);
    while (connection.posted_ns.size() < connection.room) {
      if (auto posted = rc_.post(pair, verbs::Operation::RcWrite, options_.message_bytes, pair); !posted) return posted;
      connection.posted_ns.push_back(clock_.now_ns());
      ++posted_;
    }
  }
  return {};
}

}  // namespace roceready::probes
