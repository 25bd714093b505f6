// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/history/history.h"
#include "daemon/state/incident_list.h"
#include "daemon/state/writer.h"
#include "rules/engine.h"
#include "rules/incidents.h"
#include "rules/settings.h"

namespace roceready::daemon {

struct KeeperOptions {
  std::string directory;  ///< "": nothing is kept on the disk
  StoreLimits limits;
  /// A process that begins within this time after another ended, in the same boot, goes on with its history and what
  /// was said. A killed one left no word of its end: its last saving, and save_seconds more, stand for it.
  double resume_seconds = 300;
  double save_seconds = 60;  ///< between two savings of the history
};

/// What outlives the process: incidents, accepted settings, the kept profile, what was said, the history.
/// Shape: asked by the sampling thread before the first and after each judgement; hands batches to the writer.
/// Threads: one caller; the writer has its own.
/// Cost: a tick compares settings and findings; once a minute the history is encoded (about 3 ms with 8 ports).
/// Limits: the newest 512 ended incidents in memory; a history that takes more than an eighth of the state file's size
/// is not kept, and the report says so.
class Keeper {
 public:
  static constexpr std::size_t kMostInMemory = 512;

  explicit Keeper(KeeperOptions options);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Before the first judgement, with the first snapshot: goes on where an earlier process ended, as far as that holds.
  void resume(const Snapshot& first, History& history, rules::Engine& engine);
  /// What the next judgement should know.
  [[nodiscard]] rules::Past past() const;
  /// After a judgement. `accept_seconds`: how long a changed setting has to stand to be accepted.
  void took(const rules::Report& report, const History& history, const rules::Engine& engine, double accept_seconds);
  /// Writes what waits, with the newest history; false when that takes longer than `most_ms`.
  [[nodiscard]] bool finish(const History& history, const rules::Engine& engine, std::int64_t most_ms);

  [[nodiscard]] std::shared_ptr<const IncidentList> list() const { return list_; }
  [[nodiscard]] KeepingStatus status() const;
  [[nodiscard]] std::size_t open_incidents(rules::Severity severity) const;
  [[nodiscard]] std::uint64_t begun(rules::Severity severity) const {  ///< since start
    return begun_[static_cast<std::size_t>(severity)];
  }
  /// Whether this process goes on with the history of an earlier one.
  [[nodiscard]] bool resumed() const { return resumed_; }
  /// For tests: until nothing waits to be written.
  void settle();
  /// Bytes under a name, for facts that others keep ("profile", "ports", "baselines").
  [[nodiscard]] std::optional<std::string> kept(const std::string& name) const;
  void keep(const std::string& name, std::string bytes);

 private:
  std::vector<std::int64_t> load(const Store& store);
  void say(std::string note);
  void note(const rules::IncidentChange& change);
  void publish();
  void save_memory(const History& history, const rules::Engine& engine, bool whole);
  void keep_history(std::string bytes);
  [[nodiscard]] std::size_t most_history() const;
  [[nodiscard]] std::string too_large(std::size_t bytes) const;

  KeeperOptions options_;
  std::unique_ptr<StateWriter> writer_;       // null: nothing is kept on the disk
  std::map<std::string, std::string> found_;  // what the store held
  std::vector<rules::Incident> found_incidents_;
  std::vector<std::string> notes_;
  rules::Incidents incidents_;
  rules::Settings settings_;
  std::deque<IncidentPtr> ended_;
  std::shared_ptr<const IncidentList> list_ = std::make_shared<const IncidentList>();
  StoreBatch batch_;
  Instant now_;
  std::int64_t save_due_ns_ = 0;
  std::string boot_;
  std::array<std::uint64_t, 3> begun_{};
  std::uint64_t begun_anew_ = 0, found_last_id_ = 0;
  std::size_t history_bytes_ = 0;  // of one that is too large to be kept, else 0
  bool resumed_ = false, complete_ = true;
};

}  // namespace roceready::daemon
