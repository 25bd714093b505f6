// SPDX-License-Identifier: Apache-2.0
// From two readings of an owner's counters to what they grew by: resets, wraps, readings torn between two halves.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/history/columns.h"
#include "core/history/history_impl.h"

namespace roceready {
namespace {

constexpr double kSlowRead = 0.2;  // share of the interval (rules.md 7.5)

/// Counters of the line that a NIC clears when its link comes up: their fall says nothing about the driver.
bool falls_with_the_link(CounterId id) {
  switch (id) {
    case CounterId::FecCorrectedBits:
    case CounterId::FecCorrectedBlocks:
    case CounterId::FecUncorrectableBlocks:
    case CounterId::LaneRawErrors:
    case CounterId::SymbolErrorsUncorrected:
      return true;
    default:
      return false;
  }
}

/// Whether a whole set of counters began anew: most of those that stood above 0 fell.
bool began_anew(const std::vector<CounterValue>& before, const std::vector<CounterValue>& now) {
  std::size_t above = 0, reset = 0, fell = 0, i = 0;
  for (const CounterValue& value : now) {
    while (i < before.size() && std::pair(before[i].id, before[i].lane) < std::pair(value.id, value.lane)) ++i;
    if (i >= before.size() || before[i].id != value.id || before[i].lane != value.lane) continue;
    if (before[i].raw == 0 || falls_with_the_link(value.id) || info_of(value.id).kind != CounterKind::Counter) continue;
    ++above;
    const Continuity continuity = delta_of(before[i].raw, value.raw, value.width).continuity;
    reset += continuity == Continuity::Reset ? 1U : 0U;
    fell += continuity != Continuity::Continuous ? 1U : 0U;  // beside a reset, what looks like a wrap is one too
  }
  return reset > 0 && fell * 2 > above;
}

/// Whether a carry between both halves may have fallen between their reads: the high one moved by one, or the low one
/// fell.
bool may_be_torn(std::uint64_t before, const CounterValue& now) {
  if (!now.in_halves) return false;
  constexpr std::uint64_t kHalf = 0xffff;
  const std::uint64_t carried = ((now.raw >> 16) - (before >> 16)) & kHalf;
  return carried == 1 || carried == kHalf || (carried == 0 && now.raw < before);
}

/// Of one that may be torn: the true reading may be one carry less.
std::uint64_t least_growth(std::uint64_t before, const CounterValue& now) {
  constexpr std::uint64_t kCarry = 0x10000;
  return now.raw >= before + kCarry ? now.raw - kCarry - before : 0;
}

}  // namespace

void History::Impl::note_owner(const std::string& name, const CounterReadings& readings, std::int64_t read_ns,
                               const Instant& at) {
  const std::vector<CounterValue>& now = readings.values;
  const std::int64_t to = readings.at_monotonic_ns;
  const auto [found, is_new] = owners.try_emplace(name);
  HistoryOwner& owner = found->second;
  if (is_new || owner.first_seen_ns == 0) owner.first_seen_ns = at.monotonic_ns;
  owner.last_seen_ns = at.monotonic_ns;
  if (to == 0 || to <= owner.last_read_ns) return;  // nothing new was read
  // When in a slow read a counter was taken is not known well enough for a rate: the next read covers its time too.
  if (owner.last_read_ns != 0 &&
      static_cast<double>(read_ns) > kSlowRead * static_cast<double>(to - owner.last_read_ns))
    return;
  const std::vector<CounterValue> before = std::exchange(owner.last, now);
  const std::int64_t from = std::exchange(owner.last_read_ns, to);
  if (from == 0) return;
  owner.last_period_ns = to - from;
  const bool anew = began_anew(before, now);
  if (anew) {
    event(HistoryEvent::Kind::CountersReset, name, at);
    owner.wraps.clear();
    owner.waiting.clear();
  }
  std::vector<Columns::Growth> growth;
  const std::vector<Columns::Signal> waited = std::exchange(owner.waiting, {});
  std::size_t i = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const CounterValue& value = now[k];
    while (i < before.size() && std::pair(before[i].id, before[i].lane) < std::pair(value.id, value.lane)) ++i;
    if (i >= before.size() || before[i].id != value.id || before[i].lane != value.lane) continue;
    if (info_of(value.id).kind != CounterKind::Counter || before[i].source != value.source) continue;
    const Columns::Signal signal{value.id, value.lane};
    // Where the set began anew all counts from 0, or it counts something else now: only what stood at 0 is known to
    // have grown.
    if (anew && before[i].raw != 0) continue;
    if (may_be_torn(before[i].raw, value) && std::find(waited.begin(), waited.end(), signal) == waited.end()) {
      // What it grew by at least is booked; the next read tells the rest.
      const std::uint64_t least = least_growth(before[i].raw, value);
      owner.waiting.push_back(signal);
      owner.last[k].raw = before[i].raw + least;
      if (least > 0 && chosen(value.id)) growth.push_back({signal, static_cast<double>(least) * value.scale});
      continue;
    }
    const Delta delta = delta_of(before[i].raw, value.raw, value.width);
    if (delta.continuity == Continuity::Wrapped) ++owner.wraps[signal];
    if (delta.continuity == Continuity::Reset) {
      owner.wraps.erase(signal);
      continue;
    }
    if (chosen(value.id)) growth.push_back({signal, static_cast<double>(delta.increase) * value.scale});
  }
  owner.columns.book(to, static_cast<double>(to - from) * 1e-9, growth);
}

}  // namespace roceready
