// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "daemon/state/store.h"

namespace roceready::daemon {

/// Now, by the clocks that date what is kept.
[[nodiscard]] Instant state_time();

/// How keeping fares.
struct KeepingStatus {
  bool writable = false;
  std::string problem;  ///< why not, for a person
  std::uint64_t file_bytes = 0;
  std::uint64_t begun_anew = 0;  ///< times that a damaged file was set aside while running
  bool operator==(const KeepingStatus&) const = default;
};

/// Writes to the store on a thread of its own: a disk may take seconds, a tick may not.
/// Shape: what waits is one batch, in which a newer incident or name replaces the older: it never grows beyond the
///   incidents that are followed. A failure keeps the batch and is tried again a minute later.
/// Threads: its own; put, finish and status from any.
class StateWriter {
 public:
  static constexpr std::size_t kMostWaiting = 4096;  ///< incidents; then the ended with the lowest ids are given up

  StateWriter(std::string directory, StoreLimits limits, std::optional<Store> store, std::string problem);
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  void put(StoreBatch batch);
  /// Writes what waits and ends; false when that takes longer than `most_ms`.
  [[nodiscard]] bool finish(std::int64_t most_ms);
  [[nodiscard]] KeepingStatus status() const;
  /// Waits until nothing waits or the last try failed. For tests.
  void settle();

 private:
  void run();
  void write_once(StoreBatch batch);
  void give_back(StoreBatch batch);

  const std::string directory_;
  const StoreLimits limits_;
  std::optional<Store> store_;  // the thread's alone
  mutable std::mutex mutex_;
  std::condition_variable wake_, idle_;
  StoreBatch waiting_;
  KeepingStatus status_;
  bool stopping_ = false, ended_ = false, busy_ = false, retry_later_ = false;
  bool damage_seen_ = false;  // the write before failed over damage
  std::thread thread_;
};

}  // namespace roceready::daemon
