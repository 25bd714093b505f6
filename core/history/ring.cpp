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

/// Fits 32 bits for rings of up to 65537 slots.
Ring::Known whole_sum(const std::uint16_t* codes, std::size_t count) {
  std::uint32_t sum = 0, held = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const std::uint32_t known = codes[at] != kNothingCode ? 1 : 0;
    held |= known;
    sum += known * codes[at];
  }
  return {static_cast<double>(sum), held != 0};
}

/// Sum of the slots that hold something, four at a time. Written in GCC's vector types: left alone, the compiler may
/// not reorder sums, and takes one branch a slot.
Ring::Known known_sum(const float* amounts, std::size_t count) {
  using Four = float __attribute__((vector_size(16)));
  using Mask = std::int32_t __attribute__((vector_size(16)));
  using TwoSums = double __attribute__((vector_size(16)));
  TwoSums low{}, high{};
  Mask held{};
  std::size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    Four four;
    std::memcpy(&four, amounts + at, sizeof four);
    const Mask known = four == four;  // NaN is not itself
    held |= known;
    const Four counted = reinterpret_cast<Four>(reinterpret_cast<Mask>(four) & known);
    low += __builtin_convertvector(__builtin_shufflevector(counted, counted, 0, 1), TwoSums);
    high += __builtin_convertvector(__builtin_shufflevector(counted, counted, 2, 3), TwoSums);
  }
  Ring::Known out{(low[0] + low[1]) + (high[0] + high[1]), (held[0] | held[1] | held[2] | held[3]) != 0};
  for (; at < count; ++at) {
    if (std::isnan(amounts[at])) continue;
    out.amount += static_cast<double>(amounts[at]);
    out.any = true;
  }
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
  Known out;
  for (std::size_t slot = from; slot < until; ++slot) {
    const std::uint16_t code = codes_[slot];
    const bool known = code != kNothingCode;
    out.any |= known;
    out.amount += known ? static_cast<double>(amount_of(code)) : 0.0;
  }
  return out;
}

std::size_t Ring::memory_bytes() const {
  return exact_.capacity() * sizeof(float) + codes_.capacity() * sizeof(std::uint16_t);
}

}  // namespace roceready
