// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/counters/counter.h"
#include "core/history/ring.h"

namespace roceready {

/// Resolution of one ring: `slots` slots of `seconds` each.
struct Tier {
  std::int64_t seconds;
  std::size_t slots;
};
inline constexpr std::array<Tier, 3> kTiers{{{1, 600}, {10, 720}, {60, 1440}}};

/// Growth of the chosen counters of one owner, as increments in rings: 16 bits each, and in the finest 32 where it
/// takes them. An increment is booked in the slot in which its sample ended. NaN: nothing is known for that slot.
/// Limits: a sum from the coarser rings is exact where the growth of each slot is whole and at most 2048, else within
/// one part in 2048.
class Columns {
 public:
  using Signal = std::pair<CounterId, std::uint8_t>;
  static constexpr std::size_t kMaxSignals = 192;
  static constexpr std::size_t kSamples = 16;

  struct Growth {
    Signal signal;
    double amount = 0;  ///< base units
  };
  /// Books the growth of one sample that ended at `at_ns` after `seconds`. Signals that are not listed have no data in
  /// it.
  void book(std::int64_t at_ns, double seconds, const std::vector<Growth>& growth);

  struct Sum {
    double amount = 0, seconds = 0;
  };
  /// Sum over the `seconds` that end `ago` seconds before `now_ns`; nothing when no slot has data.
  [[nodiscard]] std::optional<Sum> sum(Signal signal, std::int64_t now_ns, double seconds, double ago) const;
  /// Over successive stretches, newest first: out[k] as sum(…, k * seconds).
  void sums(Signal signal, std::int64_t now_ns, double seconds, std::span<std::optional<Sum>> out) const;
  /// Per sample, newest first; how many there are until the first sample without data.
  [[nodiscard]] std::size_t newest(Signal signal, std::span<Sum> out) const;
  [[nodiscard]] bool knows(Signal signal) const { return rings_of(signal) != nullptr; }
  [[nodiscard]] std::size_t memory_bytes() const;

  void save(ByteWriter& to) const;
  /// False, with `from` failed, where the bytes make no sense. Signals that `wanted` does not name are left out.
  [[nodiscard]] bool load(ByteReader& from, const std::vector<CounterId>& wanted);

 private:
  struct Rings {
    // Empty while the signal is flat: read in each sample since it came, and it never grew. Most counters of faults
    // are, and take no room then.
    std::array<Ring, kTiers.size()> increments;
    std::array<float, kTiers.size()> open;  // of the newest slot, which its ring does not hold yet: it still grows
    std::array<std::int64_t, kTiers.size()> first_read{}, last_read{};  // slots; of a flat signal
    std::array<float, kSamples> samples;                                // by sample number modulo kSamples
    // Newest slot in which it grew, and newest in which the owner was read without it. Most counters of faults stand
    // still: a window behind both needs no walk.
    std::array<std::int64_t, kTiers.size()> last_grown, last_missing;
    Rings();
    [[nodiscard]] bool flat() const { return increments[0].empty(); }
  };
  [[nodiscard]] const Rings* rings_of(Signal signal) const;
  [[nodiscard]] std::optional<Sum> sum_of(const Rings& rings, std::int64_t now_ns, double seconds, double ago) const;
  /// In one tier, as a constant: slots are found by many divisions, and these are fast by constants only.
  template <std::size_t T>
  [[nodiscard]] std::optional<Sum> sum_in(const Rings& rings, std::int64_t now_ns, double seconds, double ago) const;
  /// Where the rings of a signal are, or where they would have to be put.
  [[nodiscard]] std::size_t place_of(Signal signal) const;
  void insert(std::size_t place, Signal signal, Rings rings);
  static constexpr std::uint8_t kNowhere = 0xff;
  static_assert(kMaxSignals <= kNowhere);
  [[nodiscard]] static constexpr std::array<std::uint8_t, kCounterIds> nowhere() {
    std::array<std::uint8_t, kCounterIds> out{};
    out.fill(kNowhere);
    return out;
  }
  void advance(std::int64_t at_seconds);
  /// Whole nanoseconds, at most 1e15: what a damaged file claims does not overflow.
  [[nodiscard]] static std::int64_t nanoseconds_of(double seconds);
  /// What is derived from the rings: sums of what was covered, newest growth.
  void index_anew();
  void book_growth(Rings& rings, std::int64_t at_seconds, float amount);
  /// What a slot within the ring of a signal that is not flat holds.
  [[nodiscard]] float amount_in(const Rings& rings, std::size_t tier, std::int64_t slot) const;
  /// Amounts of a whole ring, by place in it, and back.
  [[nodiscard]] std::vector<float> amounts_of(const Rings& rings, std::size_t tier) const;
  void fill(Rings& rings, std::size_t tier, const std::vector<float>& amounts) const;
  void write_out(Rings& rings) const;
  /// Makes a signal that was loaded flat where it is.
  void flatten(Rings& rings) const;
  /// Seconds observed in the slots from `oldest` to `newest`, both within the ring.
  template <std::size_t T>
  [[nodiscard]] double covered_between(std::int64_t oldest, std::int64_t newest) const;
  // Sorted. Searched in every sum, so the order is kept as numbers too.
  std::vector<Signal> signals_;
  std::vector<std::uint32_t> order_;
  std::vector<Rings> rings_;
  std::array<std::uint8_t, kCounterIds> first_ = nowhere();  // place of the first signal of a counter
  std::array<std::vector<float>, kTiers.size()> covered_;    // seconds observed in each slot, shared by all signals
  // The same, summed up to the end of each slot. Whole nanoseconds: a difference is exact, and limits are compared with
  // it.
  std::array<std::vector<std::int64_t>, kTiers.size()> covered_until_ns_;
  std::int64_t covered_in_all_ns_ = 0;
  std::array<std::int64_t, kTiers.size()> last_slot_{};
  std::array<float, kSamples> sample_seconds_{};
  std::size_t sample_count_ = 0;
  bool started_ = false;
};

}  // namespace roceready
