// SPDX-License-Identifier: Apache-2.0
#include "core/history/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roceready {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

std::size_t index_of(std::int64_t slot, const Tier& tier) {
  return static_cast<std::size_t>(slot % static_cast<std::int64_t>(tier.slots));
}

template <std::size_t T>
std::size_t place_in(std::int64_t slot) {
  constexpr auto kSlots = static_cast<std::int64_t>(kTiers[T].slots);
  return static_cast<std::size_t>(slot % kSlots);
}

// Of numbers that are not negative: the standard library's take a call each.
std::int64_t nearest(double number) {
  return static_cast<std::int64_t>(number + 0.5);
}
std::int64_t rounded_up(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return whole + (static_cast<double>(whole) < number ? 1 : 0);
}

/// The finest tier that still holds everything from `oldest_seconds` ago.
std::size_t tier_for(double oldest_seconds) {
  for (std::size_t t = 0; t < kTiers.size(); ++t) {
    if (oldest_seconds <= static_cast<double>(kTiers[t].seconds) * static_cast<double>(kTiers[t].slots)) return t;
  }
  return kTiers.size() - 1;
}

void add_slot(Columns::Sum& sum, bool& any, float amount, float covered) {
  if (std::isnan(amount)) return;
  any = true;
  sum.amount += static_cast<double>(amount);
  sum.seconds += static_cast<double>(covered);
}

std::uint32_t number_of(const Columns::Signal& signal) {
  return static_cast<std::uint32_t>(signal.first) << 8U | signal.second;
}

}  // namespace

Columns::Rings::Rings() {
  open.fill(kNothing);
  samples.fill(kNothing);
  last_grown.fill(-1);
  last_missing.fill(-1);
}

std::size_t Columns::place_of(Signal signal) const {
  return static_cast<std::size_t>(std::lower_bound(order_.begin(), order_.end(), number_of(signal)) - order_.begin());
}

const Columns::Rings* Columns::rings_of(Signal signal) const {
  if (signal.first >= CounterId::kCount) return nullptr;
  const std::uint32_t wanted = number_of(signal);
  // The lanes of a counter are few and stand together.
  for (std::size_t at = first_[static_cast<std::size_t>(signal.first)]; at < order_.size(); ++at)
    if (order_[at] >= wanted) return order_[at] == wanted ? &rings_[at] : nullptr;
  return nullptr;
}

std::int64_t Columns::nanoseconds_of(double seconds) {
  constexpr double kMost = 1e6;  // of one slot: the sum of all slots fits
  return std::llround(std::clamp(seconds, 0.0, kMost) * 1e9);
}

void Columns::insert(std::size_t place, Signal signal, Rings rings) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  signals_.insert(signals_.begin() + at, signal);
  order_.insert(order_.begin() + at, number_of(signal));
  rings_.insert(rings_.begin() + at, std::move(rings));
  for (std::size_t back = signals_.size(); back-- > 0;)
    first_[static_cast<std::size_t>(signals_[back].first)] = static_cast<std::uint8_t>(back);
}

void Columns::advance(std::int64_t at_seconds) {
  for (std::size_t t = 0; t < kTiers.size(); ++t) {
    const std::int64_t slot = at_seconds / kTiers[t].seconds;
    if (!started_) {
      covered_[t].assign(kTiers[t].slots, 0.0F);
      covered_until_ns_[t].assign(kTiers[t].slots, 0);
      last_slot_[t] = slot;
      continue;
    }
    if (slot <= last_slot_[t]) continue;
    for (Rings& rings : rings_) {
      if (rings.flat()) continue;
      rings.increments[t].set(index_of(last_slot_[t], kTiers[t]), rings.open[t]);
      rings.open[t] = kNothing;
    }
    const std::int64_t first = std::max(last_slot_[t] + 1, slot - static_cast<std::int64_t>(kTiers[t].slots) + 1);
    for (std::int64_t passed = first; passed <= slot; ++passed) {
      const std::size_t at = index_of(passed, kTiers[t]);
      covered_[t][at] = 0.0F;
      covered_until_ns_[t][at] = covered_in_all_ns_;
      for (Rings& rings : rings_)
        if (!rings.flat()) rings.increments[t].set(at, kNothing);
    }
    last_slot_[t] = slot;
  }
  started_ = true;
}

float Columns::amount_in(const Rings& rings, std::size_t tier, std::int64_t slot) const {
  return slot == last_slot_[tier] ? rings.open[tier] : rings.increments[tier].at(index_of(slot, kTiers[tier]));
}

std::vector<float> Columns::amounts_of(const Rings& rings, std::size_t tier) const {
  std::vector<float> out(kTiers[tier].slots, kNothing);
  const std::int64_t kept = last_slot_[tier] - static_cast<std::int64_t>(kTiers[tier].slots) + 1;
  for (std::int64_t slot = std::max<std::int64_t>(0, kept); slot <= last_slot_[tier]; ++slot) {
    const std::size_t at = index_of(slot, kTiers[tier]);
    if (!rings.flat())
      out[at] = amount_in(rings, tier, slot);
    else if (slot >= rings.first_read[tier] && slot <= rings.last_read[tier] && covered_[tier][at] > 0)
      out[at] = 0;
  }
  return out;
}

void Columns::fill(Rings& rings, std::size_t tier, const std::vector<float>& amounts) const {
  const std::size_t newest = index_of(last_slot_[tier], kTiers[tier]);
  Ring ring(amounts.size(), tier == 0 ? Ring::Precision::Whole : Ring::Precision::Coded);
  for (std::size_t at = 0; at < amounts.size(); ++at)
    if (at != newest) ring.set(at, amounts[at]);
  rings.open[tier] = amounts[newest];
  rings.increments[tier] = std::move(ring);
}

void Columns::write_out(Rings& rings) const {
  if (!rings.flat()) return;
  std::array<std::vector<float>, kTiers.size()> amounts;
  for (std::size_t t = 0; t < kTiers.size(); ++t) amounts[t] = amounts_of(rings, t);
  for (std::size_t t = 0; t < kTiers.size(); ++t) fill(rings, t, amounts[t]);
}

void Columns::flatten(Rings& rings) const {
  for (std::size_t t = 0; t < kTiers.size(); ++t) {
    std::int64_t first = -1, last = -1;
    const std::int64_t kept = last_slot_[t] - static_cast<std::int64_t>(kTiers[t].slots) + 1;
    for (std::int64_t slot = std::max<std::int64_t>(0, kept); slot <= last_slot_[t]; ++slot) {
      const std::size_t at = index_of(slot, kTiers[t]);
      const float amount = amount_in(rings, t, slot);
      if (amount > 0 || amount < 0) return;
      const bool known = !std::isnan(amount);
      if (!known && first >= 0 && covered_[t][at] > 0) return;
      if (known && first < 0) first = slot;
      if (known) last = slot;
    }
    if (first < 0) return;
    rings.first_read[t] = first;
    rings.last_read[t] = last;
  }
  for (Ring& ring : rings.increments) ring = {};
  rings.open.fill(kNothing);
}

void Columns::book_growth(Rings& rings, std::int64_t at_seconds, float amount) {
  const bool grew = amount > 0 || amount < 0;
  if (rings.flat() && !grew) {
    for (std::size_t t = 0; t < kTiers.size(); ++t) rings.last_read[t] = at_seconds / kTiers[t].seconds;
    return;
  }
  write_out(rings);
  for (std::size_t t = 0; t < kTiers.size(); ++t) {
    const std::int64_t slot = at_seconds / kTiers[t].seconds;
    float& stored = rings.open[t];
    stored = std::isnan(stored) ? amount : stored + amount;
    if (grew) rings.last_grown[t] = slot;
  }
}

void Columns::book(std::int64_t at_ns, double seconds, const std::vector<Growth>& growth) {
  const std::int64_t at_seconds = at_ns / 1'000'000'000;
  advance(at_seconds);
  covered_in_all_ns_ += nanoseconds_of(seconds);
  for (std::size_t t = 0; t < kTiers.size(); ++t) {
    const std::size_t at = index_of(at_seconds / kTiers[t].seconds, kTiers[t]);
    covered_[t][at] += static_cast<float>(seconds);
    covered_until_ns_[t][at] = covered_in_all_ns_;
  }
  const std::size_t sample = sample_count_ % kSamples;
  sample_seconds_[sample] = static_cast<float>(seconds);
  for (Rings& rings : rings_) rings.samples[sample] = kNothing;
  for (const Growth& one : growth) {
    const std::size_t place = place_of(one.signal);
    if (place == signals_.size() || order_[place] != number_of(one.signal)) {
      if (signals_.size() >= kMaxSignals) continue;
      Rings fresh;
      for (std::size_t t = 0; t < kTiers.size(); ++t) {
        const std::int64_t slot = at_seconds / kTiers[t].seconds;
        fresh.last_missing[t] = slot - 1;
        fresh.first_read[t] = slot;
        fresh.last_read[t] = slot - 1;  // book_growth says when
      }
      insert(place, one.signal, std::move(fresh));
    }
    rings_[place].samples[sample] = static_cast<float>(one.amount);
    book_growth(rings_[place], at_seconds, static_cast<float>(one.amount));
  }
  for (Rings& rings : rings_) {
    if (!std::isnan(rings.samples[sample])) continue;
    write_out(rings);
    for (std::size_t t = 0; t < kTiers.size(); ++t) rings.last_missing[t] = at_seconds / kTiers[t].seconds;
  }
  ++sample_count_;
}

template <std::size_t T>
double Columns::covered_between(std::int64_t oldest, std::int64_t newest) const {
  constexpr auto kSlots = static_cast<std::int64_t>(kTiers[T].slots);
  const std::vector<std::int64_t>& until = covered_until_ns_[T];
  const bool has_one_before = oldest > 0 && oldest > last_slot_[T] - kSlots + 1;
  const std::size_t first = place_in<T>(oldest);
  const std::int64_t before = has_one_before ? until[first == 0 ? until.size() - 1 : first - 1]
                                             : until[first] - nanoseconds_of(static_cast<double>(covered_[T][first]));
  return static_cast<double>(until[place_in<T>(newest)] - before) / 1e9;
}

template <std::size_t T>
std::optional<Columns::Sum> Columns::sum_in(const Rings& rings, std::int64_t now_ns, double seconds, double ago) const {
  constexpr Tier kTier = kTiers[T];
  constexpr auto kSlotSeconds = static_cast<double>(kTier.seconds);
  constexpr auto kSlots = static_cast<std::int64_t>(kTier.slots);
  const std::int64_t newest = now_ns / (1'000'000'000 * kTier.seconds) - nearest(ago / kSlotSeconds);
  const std::int64_t wanted = std::max<std::int64_t>(1, rounded_up(seconds / kSlotSeconds));
  const std::int64_t kept = last_slot_[T] - kSlots + 1;
  const std::int64_t oldest = std::max({newest - wanted + 1, std::int64_t{0}, kept});
  const std::int64_t last = std::min(newest, last_slot_[T]);
  if (oldest > last) return {};
  Sum sum;
  if (rings.last_grown[T] < oldest && rings.last_missing[T] < oldest) {
    sum.seconds = covered_between<T>(oldest, last);
    return sum.seconds > 1e-6 ? std::optional(sum) : std::nullopt;
  }
  if (rings.flat()) {  // it came within the window
    const std::int64_t first = std::max(oldest, rings.first_read[T]);
    if (first > last) return {};
    sum.seconds = covered_between<T>(first, last);
    return sum.seconds > 1e-6 ? std::optional(sum) : std::nullopt;
  }
  // Slots without data are then those in which the owner was not read at all: nothing is covered there.
  const bool never_missing = rings.last_missing[T] < oldest;
  bool any = false;
  const auto add = [&](std::size_t from, std::size_t until) {
    if (never_missing) {
      const Ring::Known known = rings.increments[T].sum(from, until);
      any = any || known.any;
      sum.amount += known.amount;
      return;
    }
    for (std::size_t at = from; at < until; ++at) add_slot(sum, any, rings.increments[T].at(at), covered_[T][at]);
  };
  const std::int64_t closed = std::min(last, last_slot_[T] - 1);
  if (oldest <= closed) {
    const std::size_t first = place_in<T>(oldest), end = place_in<T>(closed) + 1;
    if (first < end) {
      add(first, end);
    } else {
      add(first, kTier.slots);
      add(0, end);
    }
  }
  if (closed < last) add_slot(sum, any, rings.open[T], covered_[T][place_in<T>(last)]);
  if (!any) return {};
  if (never_missing) sum.seconds = covered_between<T>(oldest, last);
  return sum;
}

std::optional<Columns::Sum> Columns::sum_of(const Rings& rings, std::int64_t now_ns, double seconds, double ago) const {
  static_assert(kTiers.size() == 3);
  switch (tier_for(seconds + ago)) {
    case 0:
      return sum_in<0>(rings, now_ns, seconds, ago);
    case 1:
      return sum_in<1>(rings, now_ns, seconds, ago);
    default:
      return sum_in<2>(rings, now_ns, seconds, ago);
  }
}

std::optional<Columns::Sum> Columns::sum(Signal signal, std::int64_t now_ns, double seconds, double ago) const {
  const Rings* const found = rings_of(signal);
  if (found == nullptr || !started_) return {};
  return sum_of(*found, now_ns, seconds, ago);
}

void Columns::sums(Signal signal, std::int64_t now_ns, double seconds, std::span<std::optional<Sum>> out) const {
  const Rings* const found = rings_of(signal);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].reset();
    if (found != nullptr && started_) out[k] = sum_of(*found, now_ns, seconds, seconds * static_cast<double>(k));
  }
}

std::size_t Columns::newest(Signal signal, std::span<Sum> out) const {
  const Rings* const found = rings_of(signal);
  if (found == nullptr) return 0;
  const std::size_t available = std::min({out.size(), kSamples, sample_count_});
  for (std::size_t back = 0; back < available; ++back) {
    const std::size_t sample = (sample_count_ - 1 - back) % kSamples;
    if (std::isnan(found->samples[sample])) return back;
    out[back] = {static_cast<double>(found->samples[sample]), static_cast<double>(sample_seconds_[sample])};
  }
  return available;
}

std::size_t Columns::memory_bytes() const {
  std::size_t bytes = sizeof(*this);
  for (const Rings& rings : rings_)
    for (const Ring& ring : rings.increments) bytes += ring.memory_bytes();
  for (const Tier& tier : kTiers) bytes += tier.slots * (sizeof(float) + sizeof(std::int64_t));
  return bytes + signals_.size() * (sizeof(Rings) + sizeof(Signal) + sizeof(std::uint32_t));
}

}  // namespace roceready
