// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/reading.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/counters/counter.h"
#include "core/counters/delta.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Growth of one counter over a stretch of time, in base units.
struct Increase {
  double amount = 0;
  double seconds = 0;  ///< time in which it was really observed (resets, gaps and refused reads are left out)
  [[nodiscard]] double per_second() const { return seconds > 0 ? amount / seconds : 0; }
};

/// Something that happened to a netdev or a counter set between two snapshots.
struct HistoryEvent {
  enum class Kind { LinkDown, LinkUp, AdminDown, AdminUp, Appeared, Vanished, CountersReset, ConfigChanged };
  Kind kind = Kind::Appeared;
  std::string owner;  ///< netdev name, or "device/port"
  Instant at;
};

/// What is remembered of one owner's counters. Inner.
struct HistoryOwner;

/// The past of a node: the last three snapshots whole, chosen signals as columns.
/// Shape: per signal increments in rings of 600 × 1 s (32 bits each), 720 × 10 s and 1440 × 60 s (16 bits): 7 kB a
/// signal, and nothing to speak of while it never grew. Sums that reach back more than ten minutes: columns.h, Limits.
/// Owners: a member's netdev name, "device/port" for the RDMA side of a port, "pci/0000:3b:00.0" for AER of a function.
/// Threads: none of its own; one caller at a time.
/// Limits: at most 192 signals an owner, 128 owners, 512 events; the oldest owner that vanished makes room.
class History {
 public:
  explicit History(std::vector<CounterId> signals);
  ~History();
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;

  /// Takes the next snapshot. Times must not go backwards (one that does is ignored).
  void add(SnapshotPtr snapshot);

  [[nodiscard]] SnapshotPtr now() const;          ///< newest, null before the first
  [[nodiscard]] SnapshotPtr before() const;       ///< the one before, null before the second
  [[nodiscard]] double observed_seconds() const;  ///< from the first snapshot to the newest
  /// Since an owner is read without having vanished in between; 0 for one that was never seen.
  [[nodiscard]] double observed_seconds(const std::string& owner) const;
  /// Time between the two newest reads of an owner's counters; 0 before the second.
  [[nodiscard]] double read_period_seconds(const std::string& owner) const;

  /// Growth within the `seconds` that end `ago` seconds before the newest snapshot or read, whichever is later. Absent:
  /// the counter was never seen twice in that time (the reason says whether it is missing, refused, or was only reset).
  [[nodiscard]] Reading<Increase> increase(const std::string& owner, CounterId id, std::uint8_t lane, double seconds,
                                           double ago = 0) const;
  /// The same for a caller that asks much about one owner: `find` once, good until the next add(); null for an owner
  /// that was never seen. Nothing where increase() would say why not.
  [[nodiscard]] const HistoryOwner* find(const std::string& owner) const;
  [[nodiscard]] std::optional<Increase> growth(const HistoryOwner& owner, CounterId id, std::uint8_t lane,
                                               double seconds, double ago = 0) const;
  /// Over successive windows, newest first: out[k] as growth(…, k * seconds).
  void growths(const HistoryOwner& owner, CounterId id, std::uint8_t lane, double seconds,
               std::span<std::optional<Increase>> out) const;
  [[nodiscard]] static double read_period_seconds(const HistoryOwner& owner);

  /// Growth per sample, newest first, at most `count` (≤ 600 s back). A sample without data ends the list.
  [[nodiscard]] std::vector<Increase> samples(const std::string& owner, CounterId id, std::uint8_t lane,
                                              std::size_t count) const;
  /// Sum of all growth since the first snapshot plus the first raw value, monotonic over wraps of narrow counters; what
  /// exporters show. Base units. Absent as increase().
  [[nodiscard]] Reading<double> unwrapped(const std::string& owner, const CounterValue& value) const;

  [[nodiscard]] const std::deque<HistoryEvent>& events() const;
  /// Ports that were in scope in an earlier snapshot and are gone, as they were last seen; at most 64. A port that was
  /// renamed (same key) or taken into a bond (same member) is not gone; nothing is gone while ports cannot be listed.
  [[nodiscard]] const std::vector<RdmaPort>& vanished_ports() const;
  /// Forgets ports that nobody is to look at any more, those that vanished included, and the links of theirs alone:
  /// that the next snapshot does not list them says nothing about the machine. What was counted of them ages as of any
  /// owner that is gone.
  void forget_ports(const std::function<bool(const RdmaPort&)>& which);
  [[nodiscard]] std::size_t memory_bytes() const;

  /// All of it but the snapshots, as bytes, for a process that goes on in the same boot.
  [[nodiscard]] std::string save() const;
  /// The way back. Bytes that make no sense in any part are refused as a whole. Signals that are not wanted any more
  /// are left out. Growth over the gap is booked with the next read, as over a slow one.
  [[nodiscard]] static Result<History> load(std::string_view bytes, std::vector<CounterId> signals);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Owner name of the RDMA side of a port: "mlx5_0/1".
[[nodiscard]] std::string owner_of(const RdmaPort& port);
/// Owner name of the AER counters of a PCI function: "pci/0000:3b:00.0".
[[nodiscard]] std::string owner_of(const PciFunction& function);

}  // namespace roceready
