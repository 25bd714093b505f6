// SPDX-License-Identifier: Apache-2.0
#include "core/history/ring.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace roceready {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint16_t kZeroCode = 0, kNothingCode = 0xffff;
// A code is the upper part of a float (8 bits of exponent, 23 of mantissa) from 2^-21 on.
constexpr unsigned kDroppedBits = 13, kKeptMantissa = 10;
constexpr std::uint32_t kFirst = (127U - 21U) << kKeptMantissa;

std::optional<std::uint16_t> code_of(float amount) {
  if (std::isnan(amount)) return kNothingCode;
  if (!(amount > 0)) return kZeroCode;
  const auto bits = std::bit_cast<std::uint32_t>(amount);
  // To the nearest; a carry out of the mantissa is the next exponent.
  const std::uint32_t kept = (bits + (1U << (kDroppedBits - 1))) >> kDroppedBits;
  if (kept <= kFirst || kept - kFirst >= kNothingCode) return std::nullopt;
  return static_cast<std::uint16_t>(kept - kFirst);
}

std::optional<std::uint16_t> whole_code_of(float amount) {
  if (std::isnan(amount)) return kNothingCode;
  if (!(amount >= 0 && amount < static_cast<float>(kNothingCode))) return std::nullopt;
  const auto whole = static_cast<std::uint16_t>(amount);
  return static_cast<float>(whole) < amount ? std::nullopt : std::optional(whole);
}

float amount_of(std::uint16_t code) {
  if (code == kNothingCode) return kNothing;
  if (code == kZeroCode) return 0;
  return std::bit_cast<float>((code + kFirst) << kDroppedBits);
}

// Sums take several slots at a time, in GCC's vector types: left alone, the compiler may not reorder sums of floats,
// and multiplies or branches in each slot.

/// Fits 32 bits for rings of up to 65537 slots.
Ring::Known whole_sum(const std::uint16_t* codes, std::size_t count) {
  using Eight = std::uint16_t __attribute__((vector_size(16)));
  using FourCounts = std::uint32_t __attribute__((vector_size(16)));
  // An even and an odd code share each 32 bits.
  FourCounts even{}, odd{};
  Eight held{};
  std::size_t at = 0;
  for (; at + 8 <= count; at += 8) {
    Eight eight;
    std::memcpy(&eight, codes + at, sizeof eight);
    const auto known = reinterpret_cast<Eight>(eight != kNothingCode);
    held |= known;
    const auto pairs = reinterpret_cast<FourCounts>(eight & known);
    even += pairs & 0xffffU;
    odd += pairs >> 16U;
  }
  const auto any = reinterpret_cast<FourCounts>(held);
  even += odd;
  std::uint32_t sum = even[0] + even[1] + even[2] + even[3];
  bool known = (any[0] | any[1] | any[2] | any[3]) != 0;
  for (; at < count; ++at) {
    if (codes[at] == kNothingCode) continue;
    known = true;
    sum += codes[at];
  }
  return {static_cast<double>(sum), known};
}

using Four = float __attribute__((vector_size(16)));
using Mask = std::int32_t __attribute__((vector_size(16)));
using TwoSums = double __attribute__((vector_size(16)));

class FourSums {
 public:
  void add(Four amounts, Mask known) {
    held_ |= known;
    const Four counted = reinterpret_cast<Four>(reinterpret_cast<Mask>(amounts) & known);
    low_ += __builtin_convertvector(__builtin_shufflevector(counted, counted, 0, 1), TwoSums);
    high_ += __builtin_convertvector(__builtin_shufflevector(counted, counted, 2, 3), TwoSums);
  }
  [[nodiscard]] Ring::Known known() const {
    return {(low_[0] + low_[1]) + (high_[0] + high_[1]), (held_[0] | held_[1] | held_[2] | held_[3]) != 0};
  }

 private:
  TwoSums low_{}, high_{};
  Mask held_{};
};

void add_one(Ring::Known& to, float amount) {
  if (std::isnan(amount)) return;
  to.amount += static_cast<double>(amount);
  to.any = true;
}

Ring::Known known_sum(const float* amounts, std::size_t count) {
  FourSums sums;
  std::size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    Four four;
    std::memcpy(&four, amounts + at, sizeof four);
    sums.add(four, four == four);  // NaN is not itself
  }
  Ring::Known out = sums.known();
  for (; at < count; ++at) add_one(out, amounts[at]);
  return out;
}

Ring::Known coded_sum(const std::uint16_t* codes, std::size_t count) {
  using FourCodes = std::uint16_t __attribute__((vector_size(8)));
  using Words = std::uint32_t __attribute__((vector_size(16)));
  FourSums sums;
  Mask zeros{};  // slots that hold 0 are known, and their code is no part of a float
  std::size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    FourCodes four;
    std::memcpy(&four, codes + at, sizeof four);
    const Words words = __builtin_convertvector(four, Words);
    const Mask zero = words == std::uint32_t{kZeroCode};
    zeros |= zero;
    sums.add(reinterpret_cast<Four>((words + kFirst) << kDroppedBits), (words != std::uint32_t{kNothingCode}) & ~zero);
  }
  Ring::Known out = sums.known();
  out.any = out.any || (zeros[0] | zeros[1] | zeros[2] | zeros[3]) != 0;
  for (; at < count; ++at) add_one(out, amount_of(codes[at]));
  return out;
}

}  // namespace

Ring::Ring(std::size_t slots, Precision precision) : whole_(precision == Precision::Whole) {
  if (precision == Precision::Exact)
    exact_.assign(slots, kNothing);
  else
    codes_.assign(slots, kNothingCode);
}

void Ring::make_exact() {
  exact_.reserve(codes_.size());
  for (const std::uint16_t code : codes_) exact_.push_back(decoded(code));
  codes_ = std::vector<std::uint16_t>();  // gives its room back, as {} would not
}

void Ring::set(std::size_t slot, float amount) {
  if (!codes_.empty()) {
    const auto code = whole_ ? whole_code_of(amount) : code_of(amount);
    if (code) {
      codes_[slot] = *code;
      return;
    }
    make_exact();
  }
  exact_[slot] = amount;
}

float Ring::at(std::size_t slot) const {
  return codes_.empty() ? exact_[slot] : decoded(codes_[slot]);
}

float Ring::decoded(std::uint16_t code) const {
  if (!whole_) return amount_of(code);
  return code == kNothingCode ? kNothing : static_cast<float>(code);
}

Ring::Known Ring::sum(std::size_t from, std::size_t until) const {
  if (codes_.empty()) return known_sum(exact_.data() + from, until - from);
  if (whole_) return whole_sum(codes_.data() + from, until - from);
  return coded_sum(codes_.data() + from, until - from);
}

std::size_t Ring::memory_bytes() const {
  return exact_.capacity() * sizeof(float) + codes_.capacity() * sizeof(std::uint16_t);
}

}  // namespace roceready
