// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roceready {

/// Amounts in the slots of a ring; NaN: nothing is known for a slot. None is negative.
/// Limits: what an Exact or Whole ring gives back is what was set; the latter takes half the room until it meets an
/// amount that is not whole or above 65534. A Coded ring gives back whole amounts up to 2048 as they are and all others
/// within one part in 2048; an amount below 2^-21 or from 2^43 on makes it exact.
class Ring {
 public:
  enum class Precision { Exact, Whole, Coded };
  Ring() = default;  ///< no slots
  /// All slots hold nothing.
  Ring(std::size_t slots, Precision precision);

  [[nodiscard]] bool empty() const { return exact_.empty() && codes_.empty(); }
  void set(std::size_t slot, float amount);
  [[nodiscard]] float at(std::size_t slot) const;
  struct Known {
    double amount = 0;
    bool any = false;  ///< some slot holds something
  };
  /// Over the slots from `from` to before `until`.
  [[nodiscard]] Known sum(std::size_t from, std::size_t until) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  void make_exact();
  [[nodiscard]] float decoded(std::uint16_t code) const;
  // One of them is empty. Codes are the amounts themselves, or 6 bits of exponent and 10 of mantissa.
  std::vector<float> exact_;
  std::vector<std::uint16_t> codes_;
  bool whole_ = false;
};

}  // namespace roceready
