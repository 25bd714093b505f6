// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLongestDuration = std::int64_t{10} * 366 * 24 * 3600 * kSecond;

struct Unit {
  std::string_view suffix;
  std::int64_t nanoseconds;
};
/// Longer suffixes that end alike come first ("ms" before "s").
constexpr std::array<Unit, 7> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"ms", 1'000'000},
                                      {"s", kSecond},
                                      {"m", 60 * kSecond},
                                      {"h", 3600 * kSecond},
                                      {"d", 24 * 3600 * kSecond}}};

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// Exactly `text` as digits, or nothing.
std::optional<unsigned> digits_of(std::string_view text) {
  for (const char c : text)
    if (c < '0' || c > '9') return std::nullopt;
  const auto value = parse_u64(text);
  if (!value) return std::nullopt;
  return static_cast<unsigned>(*value);
}

Error not_a_time(const std::string& text) {
  return Error{ErrorCode::Usage, "not a time in UTC like 2026-01-31T03:04:05Z", "\"" + clean_text(text) + "\"", 0};
}

Error not_a_duration(const std::string& text, const std::string& why) {
  return Error{ErrorCode::Usage, why, "\"" + clean_text(text) + "\"", 0};
}

}  // namespace

std::string rfc3339(std::int64_t wall_ns) {
  using namespace std::chrono;
  // Towards the past, so that the text never lies after the moment.
  const auto moment = floor<milliseconds>(sys_time<nanoseconds>(nanoseconds(wall_ns)));
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss<milliseconds> clock(moment - day);
  std::string out;
  append_padded(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, clock.hours().count(), 2);
  out += ':';
  append_padded(out, clock.minutes().count(), 2);
  out += ':';
  append_padded(out, clock.seconds().count(), 2);
  out += '.';
  append_padded(out, clock.subseconds().count(), 3);
  out += 'Z';
  return out;
}

Result<std::int64_t> parse_rfc3339(const std::string& text) {
  using namespace std::chrono;
  const std::string_view s = text;
  if (s.size() < 20 || s.size() > 30 || s[4] != '-' || s[7] != '-' || (s[10] != 'T' && s[10] != 't') || s[13] != ':' ||
      s[16] != ':' || (s.back() != 'Z' && s.back() != 'z'))
    return not_a_time(text);
  const auto y = digits_of(s.substr(0, 4)), mo = digits_of(s.substr(5, 2)), d = digits_of(s.substr(8, 2)),
             h = digits_of(s.substr(11, 2)), mi = digits_of(s.substr(14, 2)), sec = digits_of(s.substr(17, 2));
  if (!y || !mo || !d || !h || !mi || !sec || *h > 23 || *mi > 59 || *sec > 59) return not_a_time(text);
  std::int64_t fraction = 0;
  if (s.size() > 20) {
    const std::string_view digits = s.substr(20, s.size() - 21);
    const auto value = digits_of(digits);
    if (s[19] != '.' || digits.empty() || digits.size() > 9 || !value) return not_a_time(text);
    fraction = *value;
    for (std::size_t i = digits.size(); i < 9; ++i) fraction *= 10;
  }
  const year_month_day date(year(static_cast<int>(*y)), month(*mo), day(*d));
  // int64 nanoseconds reach from 1677 to 2262.
  if (!date.ok() || *y < 1678 || *y > 2261) return not_a_time(text);
  const auto whole = sys_days(date).time_since_epoch() + hours(*h) + minutes(*mi) + seconds(*sec);
  return duration_cast<nanoseconds>(whole).count() + fraction;
}

Result<std::int64_t> parse_duration(const std::string& text) {
  for (const Unit& unit : kUnits) {
    if (!std::string_view(text).ends_with(unit.suffix)) continue;
    const std::string_view number = std::string_view(text).substr(0, text.size() - unit.suffix.size());
    const auto value = parse_double(number);
    if (!value || number.front() < '0' || number.front() > '9') break;
    const double nanoseconds = *value * static_cast<double>(unit.nanoseconds);
    if (nanoseconds > static_cast<double>(kLongestDuration)) return not_a_duration(text, "longer than 10 years");
    if (const auto whole = parse_u64(number))  // no rounding where none is needed
      return static_cast<std::int64_t>(*whole) * unit.nanoseconds;
    return static_cast<std::int64_t>(std::llround(nanoseconds));
  }
  return not_a_duration(text, "not a duration like 200ms, 2s, 5m, 24h");
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return short_number(seconds) + " s";
  static constexpr std::array<std::pair<double, const char*>, 6> kSteps{
      {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};
  const double length = std::abs(seconds);
  if (length == 0) return "0 s";
  for (const auto& [size, name] : kSteps) {
    // From two units on: 90 s reads better than 1.5 min.
    const double from = size > 1 ? size * 2 : size;
    // Not quite reaching a unit but rounding up to it: 0.9999 s is "1 s".
    if (length * 1.0005 >= from) return short_number(seconds / size) + " " + name;
  }
  return short_number(seconds * 1e9) + " ns";
}

}  // namespace roceready
