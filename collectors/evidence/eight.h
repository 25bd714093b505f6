// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/snapshot/dcb.h"

namespace roceready::evidence {

/// A value for each of the eight priorities, classes or buffers.
template <class T>
using Eight = std::array<T, kPriorities>;

/// "0:off 1:off 2:off 3:on …" as texts, each index once; nothing where one of the eight lacks or more is there.
[[nodiscard]] std::optional<Eight<std::string_view>> keyed_eight(std::string_view text);
/// "0,0,0,1,0,0,0,0" or "0   0   0   1   …": exactly eight; a comma at the end is no ninth.
[[nodiscard]] std::optional<Eight<std::string_view>> listed_eight(std::string_view text);
/// All of them numbers not above `most`.
[[nodiscard]] std::optional<Eight<std::uint32_t>> numbers_of(const std::optional<Eight<std::string_view>>& texts,
                                                             std::uint32_t most);
/// Bit n: number n is 1 or on. Nothing where one is neither on nor off.
[[nodiscard]] std::optional<std::uint32_t> mask_of(const std::optional<Eight<std::string_view>>& texts);
/// IEEE 802.1Qaz transmission selection: "strict", "cbs", "ets", "vendor".
[[nodiscard]] std::optional<std::uint32_t> algorithm_of(std::string_view word);

}  // namespace roceready::evidence
