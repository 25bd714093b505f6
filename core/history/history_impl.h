// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inner header of history/: what History is made of.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/history/columns.h"
#include "core/history/history.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

inline constexpr std::size_t kSnapshots = 3;
inline constexpr std::size_t kMaxOwners = 128;
inline constexpr std::size_t kMaxEvents = 512;
inline constexpr std::size_t kMaxVanished = 64;

/// What is remembered of one owner's counters besides the columns.
struct HistoryOwner {
  Columns columns;
  std::map<Columns::Signal, std::uint64_t> wraps;  // completed turns of counters narrower than 64 bits
  std::vector<CounterValue> last;                  // the read before, whichever snapshot that was
  // Counters whose newest reading may be torn: `last` has the least that it can mean until the next read tells.
  std::vector<Columns::Signal> waiting;
  std::int64_t first_seen_ns = 0;
  std::int64_t last_read_ns = 0;
  std::int64_t last_period_ns = 0;
  std::int64_t last_seen_ns = 0;
};

struct History::Impl {
  std::vector<CounterId> signals;
  std::deque<SnapshotPtr> snapshots;  // newest last
  Instant first;
  bool begun = false;  // `first` is set
  std::map<std::string, HistoryOwner> owners;
  std::deque<HistoryEvent> events;
  std::vector<RdmaPort> vanished;
  SnapshotPtr listed;  // the newest snapshot in which ports could be listed

  [[nodiscard]] bool chosen(CounterId id) const { return std::binary_search(signals.begin(), signals.end(), id); }

  /// Where windows of an owner end: the newest snapshot or its newest read, whichever is later.
  [[nodiscard]] std::int64_t end_of(const HistoryOwner& owner) const {
    return std::max(midpoint(*snapshots.back()).monotonic_ns, owner.last_read_ns);
  }

  void event(HistoryEvent::Kind kind, const std::string& owner, const Instant& at) {
    events.push_back({kind, owner, at});
    if (events.size() > kMaxEvents) events.pop_front();
  }

  using Renamed = std::map<std::string, std::string>;  // owner's name before → now
  /// Takes the past of netdevs and ports that were renamed along.
  Renamed follow_renames(const Snapshot& before, const Snapshot& now);
  void note_ports(const Snapshot& before, const Snapshot& now, const Renamed& renamed);
  void note_links(const Snapshot& before, const Snapshot& now, const Renamed& renamed);
  void note_counters(const Snapshot& now);
  /// `read_ns`: time that the read of the counters took.
  void note_owner(const std::string& name, const CounterReadings& readings, std::int64_t read_ns, const Instant& at);
  void forget_oldest_vanished(std::int64_t now_ns);
};

}  // namespace roceready
