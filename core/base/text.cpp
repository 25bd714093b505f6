// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>
#include <utility>

namespace roceready {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/// Length of the valid UTF-8 sequence at the start of `bytes` (no overlong form, no surrogate, at most U+10FFFF), 0 if
/// there is none.
std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xc0U) == 0x80U; };
  const unsigned first = at(0);
  if (bytes.empty()) return 0;
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return tail(1) ? 2 : 0;
  if (first < 0xf0) {
    if (!tail(1) || !tail(2)) return 0;
    if (first == 0xe0 && at(1) < 0xa0) return 0;
    if (first == 0xed && at(1) > 0x9f) return 0;
    return 3;
  }
  if (first > 0xf4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (first == 0xf0 && at(1) < 0x90) return 0;
  if (first == 0xf4 && at(1) > 0x8f) return 0;
  return 4;
}

/// Control characters: C0, delete, and C1 (U+0080 to U+009F), which terminals obey too.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  return sequence.size() == 2 && first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

/// Insertions, deletions, changes and swaps of neighbours (the commonest slip of a hand) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// ASCII alone, in every locale.
std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string not_finite(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

}  // namespace

std::string clean_text(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length != 0 && !is_control(bytes.substr(0, length))) {
      out += bytes.substr(0, length);
      bytes.remove_prefix(length);
      continue;
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<std::uint64_t> parse_u64(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::optional<std::int64_t> parse_i64(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_double(std::string_view text) {
  const auto value = parse_whole<double>(text);
  if (value && !std::isfinite(*value)) return std::nullopt;  // from_chars takes "inf" and "nan"
  return value;
}

/// 2^53: up to here a double tells whole numbers apart.
constexpr double kWholeNumbers = 9007199254740992.0;

std::string number_text(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  std::array<char, 64> buffer{};  // shortest form of a double needs at most 24, here 7 zeros more
  // Nobody reads 1e+05 at a glance, so the exponent is for what a person would not write out.
  const double magnitude = std::abs(value);
  const bool plain = value == 0 || (magnitude >= 1e-7 && magnitude < kWholeNumbers);
  const auto end = plain ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
                         : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0) return "0";
  digits = std::clamp(digits, 1, 17);
  constexpr double kMostWhole = 1e9;
  if (std::abs(value) < std::min(kMostWhole, std::pow(10, digits)) && std::trunc(value) == value)
    return std::to_string(static_cast<long>(value));
  std::array<char, 64> buffer{};
  char* const limit = buffer.data() + buffer.size();
  // Rounding to the wanted digits first decides the magnitude: 999.9 with three digits is 1000.
  const auto rounded = std::to_chars(buffer.data(), limit, value, std::chars_format::scientific, digits - 1);
  const std::string scientific(buffer.data(), rounded.ptr);
  double number = value;
  std::from_chars(scientific.data(), scientific.data() + scientific.size(), number);
  const double magnitude = std::abs(number);
  if (magnitude < 1e-4 || magnitude >= 1e9) return number_text(number);
  const auto end = std::to_chars(buffer.data(), limit, number, std::chars_format::fixed);
  return std::string(buffer.data(), end.ptr);
}

std::string nearest_of(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::pair<std::size_t, std::size_t> best_distance;  // whatever the case, then as it is written
  for (const std::string& candidate : candidates) {
    const std::size_t longest = std::max(word.size(), candidate.size());
    const std::pair distance{edit_distance(lower_case(word), lower_case(candidate)), edit_distance(word, candidate)};
    if (distance.first * 3 > longest) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, resume = 0;  // last star seen, and where its match would grow
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace roceready
