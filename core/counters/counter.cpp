// SPDX-License-Identifier: Apache-2.0
#include "core/counters/counter.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace roceready {
namespace {

constexpr std::array<CounterInfo, kCounterIds> kCatalogue{{
#define COUNTER(id, name, metric, lane_kind, kind) {CounterId::id, name, metric, lane_kind, kind},
#include "core/counters/catalog.def"
#undef COUNTER
}};

constexpr CounterInfo kNone{CounterId::kCount, "", "-", LaneKind::None, CounterKind::Counter};

}  // namespace

const CounterInfo& info_of(CounterId id) {
  const auto index = static_cast<std::size_t>(id);
  return index < kCatalogue.size() ? kCatalogue[index] : kNone;
}

std::optional<CounterId> counter_from_name(std::string_view name) {
  const auto* at =
      std::lower_bound(kCatalogue.begin(), kCatalogue.end(), name,
                       [](const CounterInfo& info, std::string_view wanted) { return info.name < wanted; });
  if (at == kCatalogue.end() || at->name != name) return std::nullopt;
  return at->id;
}

namespace {

/// (id, lane) as one number in the same order: compared at once.
std::uint32_t order_of(CounterId id, std::uint8_t lane) {
  return static_cast<std::uint32_t>(id) << 8U | lane;
}

}  // namespace

const CounterValue* CounterReadings::find(CounterId id, std::uint8_t lane) const {
  const std::uint32_t wanted = order_of(id, lane);
  const auto at = std::lower_bound(
      values.begin(), values.end(), wanted,
      [](const CounterValue& value, std::uint32_t than) { return order_of(value.id, value.lane) < than; });
  return at != values.end() && order_of(at->id, at->lane) == wanted ? &*at : nullptr;
}

const Absent& CounterReadings::why(CounterId id, std::uint8_t lane) const {
  const auto at = std::find_if(unreadable.begin(), unreadable.end(),
                               [&](const UnreadableCounter& one) { return one.id == id && one.lane == lane; });
  return at != unreadable.end() ? at->absent : why_absent;
}

bool CounterReadings::can_show(CounterId id) const {
  return std::binary_search(offered.begin(), offered.end(), id);
}

}  // namespace roceready
