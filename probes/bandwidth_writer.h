// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/result.h"
#include "probes/verbs/verbs.h"

namespace roceready::probes {

/// Keeps writes in flight on all connections until a time is over, sees them through, and counts what completed.
/// Threads: one.
class BandwidthWriter {
 public:
  struct Options {
    std::uint32_t message_bytes = 0;
    std::uint32_t requests = 1;  ///< most in flight at a time on each connection
    std::int64_t duration_ns = 0;
  };
  /// Without a completion for so long the run is over: a path that is paused, or dead in a way that the NIC does not
  /// tell.
  static constexpr std::int64_t kStallNs = 1'000'000'000;
  /// A connection begins with two writes in flight and takes one more with each that completed within kSwiftNs. One
  /// that took kSlowNs halves them: the line is full, and what waits behind it for longer than the acknowledgement
  /// timeout is sent again for nothing.
  static constexpr std::int64_t kSwiftNs = 5'000'000, kSlowNs = 20'000'000;

  /// All outlive the writer.
  BandwidthWriter(verbs::Rc& rc, const verbs::Verbs& clock, const Options& options);

  /// Takes what has completed and posts what there is room for; never waits. False: the time is over and all is
  /// complete. An error ends the run; it says which status, and why.
  Result<bool> step();

  [[nodiscard]] std::uint64_t posted() const { return posted_; }
  [[nodiscard]] std::uint64_t completed() const { return completed_; }
  /// From the first post to the last completion.
  [[nodiscard]] std::int64_t elapsed_ns() const { return completed_ == 0 ? 0 : last_completion_ns_ - begun_ns_; }
  /// Of the time since the first post, for which this thread was ready to run and did not.
  [[nodiscard]] std::int64_t waited_ns() const { return posted_ == 0 ? 0 : clock_.waited_ns() - waited_before_ns_; }

 private:
  struct Connection {
    std::uint32_t room = 2;                // writes at a time
    std::deque<std::int64_t> posted_ns{};  // of those in flight, which complete in this order
  };
  Result<void> take(std::int64_t now_ns);
  static void settle(Connection& connection, std::int64_t now_ns);
  Result<void> post_more();

  verbs::Rc& rc_;
  const verbs::Verbs& clock_;
  Options options_;
  std::vector<Connection> connections_;
  std::uint64_t posted_ = 0, completed_ = 0;
  std::int64_t begun_ns_ = 0, last_completion_ns_ = 0, waited_before_ns_ = 0;
};

}  // namespace roceready::probes
