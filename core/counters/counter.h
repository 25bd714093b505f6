// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/reading.h"

namespace roceready {

enum class CounterKind : std::uint8_t { Counter, Gauge };
/// What the lane of a counter means, and so its label.
enum class LaneKind : std::uint8_t { None, Priority, Cos, TrafficClass, Lane };

/// Canonical signals; one word for all vendors. The list is catalog.def.
enum class CounterId : std::uint16_t {
#define COUNTER(id, name, metric, lane_kind, kind) id,
#include "core/counters/catalog.def"
#undef COUNTER
  kCount
};
inline constexpr std::size_t kCounterIds = static_cast<std::size_t>(CounterId::kCount);

struct CounterInfo {
  CounterId id;
  const char* name;    ///< "pfc_rx_pause_duration"
  const char* metric;  ///< Prometheus name in base units; "-" is not exported
  LaneKind lane_kind;
  CounterKind kind;
};
[[nodiscard]] const CounterInfo& info_of(CounterId id);
[[nodiscard]] std::optional<CounterId> counter_from_name(std::string_view name);

inline constexpr std::uint8_t kNoLane = 255;

/// One reading of a canonical counter. Value in base units (seconds, bytes, packets…) = raw × scale.
struct CounterValue {
  CounterId id = CounterId::kCount;
  std::uint8_t lane = kNoLane;  ///< priority, lane, class; kNoLane where the counter has none
  std::uint8_t width = 64;      ///< bits after which the raw value wraps
  std::uint64_t raw = 0;
  double scale = 1.0;
  std::uint8_t source = 0;  ///< which of the driver's rows it came from; a change is a new baseline
  /// Read as two halves of 16 bits, one after the other: a reading that meets a carry is off by 65536.
  bool in_halves = false;
  [[nodiscard]] double value() const { return static_cast<double>(raw) * scale; }
  bool operator==(const CounterValue&) const = default;
};

/// A counter that was read and says nothing: all ones, a full field.
struct UnreadableCounter {
  CounterId id = CounterId::kCount;
  std::uint8_t lane = kNoLane;
  Absent absent;
  bool operator==(const UnreadableCounter&) const = default;
};

/// Canonical counters of one port or member, sorted by (id, lane), and what this driver could never show.
struct CounterReadings {
  std::vector<CounterValue> values;
  /// Middle of the read on the monotonic clock; 0: nothing was read. Unchanged from one snapshot to the next: the same
  /// reading carried over, so there is no increase to speak of, not an increase of 0.
  std::int64_t at_monotonic_ns = 0;
  /// Counters whose row the driver's table has but which could not be read as a group, with the reason: absent
  /// statistics.
  Absent why_absent;
  /// Counters without a value for a reason of their own, sorted as `values`.
  std::vector<UnreadableCounter> unreadable;
  /// Counters that this driver's table has rows for, sorted. Anything else can never be shown by it.
  std::vector<CounterId> offered;
  /// False: no table knows this driver, so nothing can be said about what it could show.
  bool driver_known = false;
  [[nodiscard]] const CounterValue* find(CounterId id, std::uint8_t lane = kNoLane) const;
  [[nodiscard]] bool can_show(CounterId id) const;
  /// Why a counter that is not among `values` is absent; no detail where nobody said.
  [[nodiscard]] const Absent& why(CounterId id, std::uint8_t lane = kNoLane) const;
};

}  // namespace roceready
