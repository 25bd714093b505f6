// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roceready {

/// Bytes from outside as text that is safe everywhere: valid UTF-8 stays, control characters and every other byte
/// become \xNN. Names of devices, statistics and files pass through here where they are read.
[[nodiscard]] std::string clean_text(std::string_view bytes);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
/// Whole text as unsigned decimal, or nothing (sign, blank, overflow, other characters). Independent of the locale.
[[nodiscard]] std::optional<std::uint64_t> parse_u64(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_i64(std::string_view text);
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
/// Shortest decimal that reads back to the same number; independent of the locale. "NaN", "+Inf", "-Inf" else.
[[nodiscard]] std::string number_text(double value);
/// For a person: at most `digits` significant digits, no exponent between 1e-4 and 1e9.
[[nodiscard]] std::string short_number(double value, int digits = 3);
/// The candidate with the smallest edit distance, whatever the case of the letters; empty when none is near (distance
/// above a third of the length).
[[nodiscard]] std::string nearest_of(std::string_view word, const std::vector<std::string>& candidates);
/// Shell-style pattern with * and ? only.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace roceready
