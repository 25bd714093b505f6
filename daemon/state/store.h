// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "rules/incidents.h"

namespace roceready::daemon {

struct StoreLimits {
  std::uint64_t max_bytes = std::uint64_t{64} << 20U;
  std::int64_t max_age_ns = std::int64_t{90} * 86'400 * 1'000'000'000;
};

/// What is written at once: all of it or nothing.
struct StoreBatch {
  std::map<std::uint64_t, rules::Incident> incidents;  ///< by id; replaces the one of that id
  std::map<std::string, std::string> kept;             ///< name → bytes; replaces
  [[nodiscard]] bool empty() const { return incidents.empty() && kept.empty(); }
};

/// The state directory: one SQLite file, `state.db`, with a rollback journal.
/// Intact after SIGKILL at any instant: SQLite's transactions, synchronous to the disk. The schema moves only forward:
/// a file of a newer version, a damaged or a foreign one is renamed (…-newer-DATE, …-damaged-DATE), never deleted, and
/// an empty one begins.
/// Limits: the file holds at most max_bytes (the journal as much again while it writes); the oldest ended incidents
/// make room, and those older than max_age go: by age_clock.h, so that a step of the wall clock deletes nothing. At
/// most 8 files are set aside; with more, nothing is kept. Threads: one caller at a time.
class Store {
 public:
  static constexpr int kSchema = 1;

  /// Opens or makes the file, alone: a second process is refused. `now` dates what is set aside.
  [[nodiscard]] static Result<Store> open(const std::string& directory, const StoreLimits& limits, const Instant& now);
  /// Opens for reading beside a running daemon, changes nothing. NotFound: nobody has kept anything there.
  [[nodiscard]] static Result<Store> open_for_reading(const std::string& directory);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// What happened at opening, for the log and the report: "the state file was damaged …".
  [[nodiscard]] const std::vector<std::string>& notes() const;
  /// One transaction. When it is full, oldest ended incidents go and it is tried once more.
  [[nodiscard]] Result<void> write(const StoreBatch& batch, const Instant& now);
  /// Bytes kept under a name; nothing when there are none.
  [[nodiscard]] Result<std::optional<std::string>> kept(const std::string& name) const;
  /// Those that last, then the newest others, at most `most` in all, by begin. An incident that makes no sense is left
  /// out; `senseless` takes its id.
  [[nodiscard]] Result<std::vector<rules::Incident>> incidents(std::size_t most, std::int64_t since_wall_ns = 0,
                                                               std::vector<std::int64_t>* senseless = nullptr) const;
  /// Gives incidents that make no sense an end, where they have none that has passed: the limits of size and age reach
  /// what has ended. They stay for whoever wants to look at them.
  [[nodiscard]] Result<void> end(const std::vector<std::int64_t>& ids, std::int64_t wall_ns);
  [[nodiscard]] Result<std::uint64_t> last_id() const;
  [[nodiscard]] std::uint64_t file_bytes() const;
  /// The error says that the file itself is no longer sound; only opening anew helps.
  [[nodiscard]] static bool is_damage(const Error& error);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The file in a state directory.
[[nodiscard]] std::string state_file(const std::string& directory);

}  // namespace roceready::daemon
