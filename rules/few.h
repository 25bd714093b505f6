// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>

namespace roceready::rules {

/// At most N of something, in place: constants hold them, and rules make a great many in every sample.
template <class T, std::size_t N>
class Few {
 public:
  constexpr Few() = default;
  template <class... U>
  requires(sizeof...(U) > 0 && sizeof...(U) <= N && (std::constructible_from<T, U> && ...)) constexpr Few(U... values)
      : items_{T(values)...}, count_(sizeof...(U)) {}

  constexpr void push_back(const T& value) {
    assert(count_ < N);
    items_[count_++] = value;
  }
  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
  [[nodiscard]] constexpr T* begin() { return items_.data(); }
  [[nodiscard]] constexpr T* end() { return items_.data() + count_; }
  [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
  [[nodiscard]] constexpr const T* end() const { return items_.data() + count_; }
  [[nodiscard]] constexpr T& operator[](std::size_t at) { return items_[at]; }
  [[nodiscard]] constexpr const T& operator[](std::size_t at) const { return items_[at]; }

 private:
  std::array<T, N> items_{};
  std::size_t count_ = 0;
};

}  // namespace roceready::rules
