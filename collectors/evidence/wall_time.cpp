// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/wall_time.h"

#include <array>
#include <string>
#include <vector>

#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr char kUtc[] = "UTC";

struct Calendar {
  std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset_minutes = 0;
  std::int64_t fraction_ns = 0;
  std::string clock = "local";
};

/// Days since 1970-01-01 of the proleptic Gregorian calendar: years begin in March, so that leap days end them.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t shifted = month > 2 ? year : year - 1;
  const std::int64_t month_from_march = (month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719468;
}

std::optional<WallTime> wall_of(const Calendar& when) {
  if (when.year < 2000 || when.year > 2100 || when.month < 1 || when.month > 12 || when.day < 1 || when.day > 31 ||
      when.hour > 23 || when.minute > 59 || when.second > 60)
    return std::nullopt;
  const std::int64_t seconds = days_of(when.year, when.month, when.day) * 86400 + when.hour * 3600 +
                               (when.minute - when.offset_minutes) * 60 + when.second;
  return WallTime{seconds * kSecond + when.fraction_ns, when.clock};
}

/// Takes exactly `digits` digits from the front.
bool take_number(std::string_view& text, std::size_t digits, std::int64_t& into) {
  if (text.size() < digits) return false;
  const auto value = parse_u64(text.substr(0, digits));
  if (!value) return false;
  into = static_cast<std::int64_t>(*value);
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view wanted) {
  if (text.empty() || wanted.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// "hh:mm:ss" with an optional fraction.
bool take_clock(std::string_view& text, Calendar& out) {
  if (!take_number(text, 2, out.hour) || !take(text, ":") || !take_number(text, 2, out.minute) || !take(text, ":") ||
      !take_number(text, 2, out.second))
    return false;
  if (!take(text, ".,")) return true;
  std::int64_t scale = kSecond;
  std::int64_t digit = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && take_number(text, 1, digit)) {
    scale /= 10;
    out.fraction_ns += digit * scale;
  }
  return true;
}

/// "Z", "UTC", "+01:00", "+0100" or nothing.
bool take_zone(std::string_view& text, Calendar& out) {
  if (text.empty()) return true;
  out.clock = kUtc;
  if (text == "Z" || text == "UTC") return text = {}, true;
  const bool behind = text[0] == '-';
  if (!take(text, "+-")) return false;
  std::int64_t hours = 0, minutes = 0;
  if (!take_number(text, 2, hours)) return false;
  static_cast<void>(take(text, ":"));
  if (!text.empty() && !take_number(text, 2, minutes)) return false;
  out.offset_minutes = (behind ? -1 : 1) * (hours * 60 + minutes);
  return text.empty();
}

std::optional<WallTime> iso_time(std::string_view text) {
  Calendar when;
  if (!take_number(text, 4, when.year) || !take(text, "-") || !take_number(text, 2, when.month) || !take(text, "-") ||
      !take_number(text, 2, when.day) || !take(text, "T "))
    return std::nullopt;
  if (!take_clock(text, when)) return std::nullopt;
  text = trim(text);
  if (!take_zone(text, when)) return std::nullopt;
  return wall_of(when);
}

std::optional<std::int64_t> month_number(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (name == kMonths[i]) return static_cast<std::int64_t>(i) + 1;
  }
  return std::nullopt;
}

bool is_weekday(std::string_view word) {
  if (word.ends_with(",")) word.remove_suffix(1);
  for (const std::string_view day : {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}) {
    if (word == day) return true;
  }
  return false;
}

/// "UTC", "CET", "+01", "+0530": the latter where a zone has no name.
void take_zone_name(std::string_view word, Calendar& out) {
  if (word == "GMT" || word == "Z") word = kUtc;
  const std::string name(word);
  if (!take_zone(word, out)) out.clock = name;
}

/// `date` in the C locale and in the two orders that glibc's English locales print.
std::optional<WallTime> date_words(std::string_view line) {
  std::vector<std::string_view> words = words_of(line);
  constexpr std::size_t kFewest = 5, kMost = 7;
  if (words.size() < kFewest || words.size() > kMost || !is_weekday(words[0])) return std::nullopt;
  Calendar when;
  bool month = false, day = false, clock = false, year = false, afternoon = false, twelve = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    const auto number = parse_u64(word);
    if (const auto named = month_number(word))
      when.month = *named, month = true;
    else if (number && *number >= 1 && *number <= 31 && !day)
      when.day = static_cast<std::int64_t>(*number), day = true;
    else if (number && word.size() == 4)
      when.year = static_cast<std::int64_t>(*number), year = true;
    else if (word == "PM" || word == "AM")
      afternoon = word == "PM", twelve = true;
    else if (word.find(':') != std::string_view::npos && take_clock(word, when) && word.empty())
      clock = true;
    else if (word.empty() || word.size() > 5 || (word[0] >= '0' && word[0] <= '9'))
      return std::nullopt;
    else
      take_zone_name(word, when);
  }
  if (!month || !day || !clock || !year) return std::nullopt;
  if (twelve) when.hour = when.hour % 12 + (afternoon ? 12 : 0);
  return wall_of(when);
}

/// Takes the number in front of `unit` and both.
bool take_counted(std::string_view& text, std::string_view unit, std::int64_t& into) {
  const auto at = text.find(unit);
  const auto number = at == std::string_view::npos ? std::nullopt : parse_u64(trim(text.substr(0, at)));
  if (!number || *number > 9999) return false;
  into = static_cast<std::int64_t>(*number);
  text.remove_prefix(at + unit.size());
  return true;
}

/// `date` in glibc's Chinese and Japanese locales: "2026年 11月 30日 星期一 10:00:01 CST", "2026年11月30日 月曜日
/// 10:00:01 JST".
std::optional<WallTime> date_with_units(std::string_view line) {
  Calendar when;
  if (!take_counted(line, "年", when.year) || !take_counted(line, "月", when.month) ||
      !take_counted(line, "日", when.day))
    return std::nullopt;
  bool clock = false, zone = false;
  for (std::string_view word : words_of(line)) {
    const bool ascii = static_cast<unsigned char>(word[0]) < 0x80;
    if (word.find(':') != std::string_view::npos && take_clock(word, when) && word.empty())
      clock = true;
    else if (ascii && clock && !zone && word.size() <= 5)
      take_zone_name(word, when), zone = true;
    else if (ascii)
      return std::nullopt;
  }
  return clock ? wall_of(when) : std::nullopt;
}

std::optional<WallTime> epoch_time(std::string_view text) {
  constexpr std::int64_t kFrom = 946684800, kTo = 4102444800;  // 2000, 2100
  const auto dot = text.find('.');
  if (text.substr(0, dot).size() != 10) return std::nullopt;
  const auto seconds = parse_u64(text.substr(0, dot));
  if (!seconds || static_cast<std::int64_t>(*seconds) < kFrom || static_cast<std::int64_t>(*seconds) > kTo)
    return std::nullopt;
  std::int64_t out = static_cast<std::int64_t>(*seconds) * kSecond, scale = kSecond;
  for (std::string_view rest = dot == std::string_view::npos ? "" : text.substr(dot + 1); !rest.empty();
       rest.remove_prefix(1)) {
    if (rest[0] < '0' || rest[0] > '9') return std::nullopt;
    scale /= 10;
    out += (rest[0] - '0') * scale;
  }
  return WallTime{out, kUtc};
}

}  // namespace

std::optional<WallTime> wall_time_line(std::string_view line) {
  constexpr std::size_t kLongest = 48;
  line = trim(line);
  if (line.size() < 10 || line.size() > kLongest) return std::nullopt;
  if (line[0] >= '0' && line[0] <= '9') {
    if (const auto iso = iso_time(line)) return iso;
    const auto units = date_with_units(line);
    return units ? units : epoch_time(line);
  }
  return date_words(line);
}

std::optional<WallTime> wall_time_in_name(std::string_view name) {
  // "YYYYMMDD" and "hhmmss", each with or without separators, and something or nothing between.
  for (std::size_t at = 0; at + 10 <= name.size(); ++at) {
    if (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') continue;
    std::string_view text = name.substr(at);
    const auto end = text.find_first_not_of("0123456789");
    if (const auto epoch = epoch_time(text.substr(0, end))) return epoch;
    Calendar when;
    if (!take_number(text, 4, when.year)) continue;
    static_cast<void>(take(text, "-_."));
    if (!take_number(text, 2, when.month)) continue;
    static_cast<void>(take(text, "-_."));
    if (!take_number(text, 2, when.day)) continue;
    static_cast<void>(take(text, "-_.T"));
    if (!take_number(text, 2, when.hour)) continue;
    static_cast<void>(take(text, "-_.:"));
    if (!take_number(text, 2, when.minute)) continue;
    static_cast<void>(take(text, "-_.:"));
    if (!text.empty() && text[0] >= '0' && text[0] <= '9' && !take_number(text, 2, when.second)) continue;
    when.clock = text.starts_with("Z") ? kUtc : "name";
    if (const auto wall = wall_of(when)) return wall;
  }
  return std::nullopt;
}

}  // namespace roceready::evidence
