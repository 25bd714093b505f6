// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace roceready::probes {

/// The words of a reason as one: "polled_before_posted".
template <class Reason>
[[nodiscard]] std::string reason_label(Reason reason) {
  std::string out = name_of(reason);
  std::ranges::replace(out, ' ', '_');
  return out;
}

/// Counts by reason as facts and metrics have them: all reasons, met or not.
template <class Reason>
[[nodiscard]] std::map<std::string, std::uint64_t> by_reason(
    const std::array<std::uint64_t, static_cast<std::size_t>(Reason::kCount)>& counts) {
  std::map<std::string, std::uint64_t> out;
  for (std::size_t i = 0; i < counts.size(); ++i) out[reason_label(static_cast<Reason>(i))] = counts[i];
  return out;
}

}  // namespace roceready::probes
