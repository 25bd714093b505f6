// SPDX-License-Identifier: Apache-2.0
#include "config/value.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/base/time.h"

namespace roceready::config {
namespace {

Error refused(std::string why) {
  return Error{ErrorCode::Usage, std::move(why), "", 0};
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::vector<std::string> field_names(const Option& option) {
  std::vector<std::string> out;
  for (const Option& field : option.fields) out.push_back(field.key + (field.optional ? "?" : ""));
  return out;
}

/// A limit as the user would write it: seconds of a duration become "200ms", "60s", "24h".
std::string bound_text(const Option& option, double bound) {
  if (option.type != OptionType::Duration) return number_text(bound);
  if (bound > 0 && bound < 1) return number_text(bound * 1000) + "ms";
  if (bound >= 3600 && std::fmod(bound, 3600) == 0) return number_text(bound / 3600) + "h";
  return number_text(bound) + "s";
}

double lowest(const Option& option, double otherwise) {
  return option.min.value_or(otherwise);
}

/// Behind a refused bound: what the number is, "(share of time)".
std::string unit_note(const Option& option) {
  if (option.type == OptionType::Duration || option.unit.empty()) return "";
  return " (" + option.unit + ")";
}

Result<Value> in_range(const Option& option, Value value) {
  std::optional<double> min = option.min, max = option.max;
  if (option.type == OptionType::Share) {
    min = std::max(lowest(option, 0), 0.0);
    max = std::min(option.max.value_or(1), 1.0);
  }
  const std::string text = shown(value.text);
  if (min && value.number < *min) return refused(text + " is below " + bound_text(option, *min) + unit_note(option));
  if (max && value.number > *max) return refused(text + " is above " + bound_text(option, *max) + unit_note(option));
  return value;
}

Result<Value> parse_words(const Option& option, const std::string& text) {
  if (text.size() > kLongestText) return refused("is longer than " + std::to_string(kLongestText) + " bytes");
  if (clean_text(text) != text) return refused("\"" + shown(text) + "\" has characters that cannot be shown");
  // A finding is named by its key, which begins with its rule.
  const bool finding = option.unit == "finding";
  const std::string word = finding ? text.substr(0, text.find('@')) : text;
  if (!option.choices.empty() && !(text.empty() && option.default_value.empty()) &&
      std::find(option.choices.begin(), option.choices.end(), word) == option.choices.end()) {
    const std::string near = word.size() > 100 ? "" : nearest_of(word, option.choices);
    if (finding)
      return refused("\"" + shown(text) + "\" begins with no rule" +
                     (near.empty() ? "; `roceready rules` lists them" : "; did you mean " + near + "?"));
    return refused("\"" + shown(text) + "\" is not one of " + joined(option.choices) +
                   (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  // A pattern would make "must be there" true for any port, or for none.
  if (option.unit == "port" && text.find_first_of("*?") != std::string::npos)
    return refused("\"" + shown(text) + "\" is a pattern; name the port (mlx5_0/1)");
  if (option.unit == "path" && !text.empty() && !text.starts_with('/'))
    return refused("\"" + shown(text) + "\" is not an absolute path");
  return Value{text, {}, 0, 0};
}

Result<Value> parse_number(const Option& option, const std::string& text) {
  if (text.ends_with('%')) {
    if (const auto percent = parse_double(text.substr(0, text.size() - 1)))
      return refused(shown(text) + " is not a number; write " + number_text(*percent / 100));
  }
  if (option.type == OptionType::Integer) {
    const auto whole = parse_i64(text);
    // Beyond 2^53 a double no longer tells neighbours apart.
    if (!whole || *whole > (std::int64_t{1} << 53) || *whole < -(std::int64_t{1} << 53))
      return refused("\"" + shown(text) + "\" is not a whole number");
    return in_range(option, Value{text, {}, static_cast<double>(*whole), 0});
  }
  const auto number = parse_double(text);
  if (!number) return refused("\"" + shown(text) + "\" is not a number" + unit_note(option));
  return in_range(option, Value{text, {}, *number, 0});
}

Result<Value> parse_endpoint(const std::string& text) {
  const std::string form = " is not an address and port (127.0.0.1:9885, \"[::]:9885\")";
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return refused("\"" + shown(text) + "\"" + form);
  std::string host = text.substr(0, colon);
  const auto port = parse_u64(std::string_view(text).substr(colon + 1));
  if (host.empty()) return refused("\"" + shown(text) + "\" names no address; \"[::]" + shown(text) + "\" is all");
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  std::array<unsigned char, sizeof(in6_addr)> address{};
  // c_str() ends at a NUL: an address with one inside would be believed up to there.
  if (host.find('\0') != std::string::npos ||
      inet_pton(bracketed ? AF_INET6 : AF_INET, host.c_str(), address.data()) != 1)
    return refused("\"" + shown(text) + "\"" + form);
  if (!port) return refused("\"" + shown(text) + "\"" + form);
  if (*port < 1 || *port > 65535) return refused("port " + std::to_string(*port) + " is not within 1 to 65535");
  return Value{text, {}, 0, 0};
}

/// "mlx5_core 22.39.1002": two words, the second one numbers parted by dots.
bool names_firmware(const std::string& text) {
  const auto blank = text.find(' ');
  if (blank == std::string::npos) return false;
  const std::vector<std::string_view> numbers = split(std::string_view(text).substr(blank + 1), '.');
  return std::all_of(numbers.begin(), numbers.end(), [](std::string_view part) { return parse_u64(part).has_value(); });
}

Result<Value> parse_time(const std::string& text) {
  constexpr std::size_t kDay = 10;  // 2026-12-31
  constexpr std::int64_t kDayNs = 86400LL * 1'000'000'000;
  const bool day = text.size() == kDay;
  const auto at = parse_rfc3339(day ? text + "T00:00:00Z" : text);
  if (!at) return refused("\"" + shown(text) + "\" is not a day or a time (2026-12-31, 2026-12-31T12:00:00Z)");
  return Value{text, {}, 0, *at + (day ? kDayNs : 0)};
}

Result<Value> parse_boolean(const std::string& text) {
  if (text == "true" || text == "false") return Value{text, {}, text == "true" ? 1.0 : 0.0, 0};
  return refused("\"" + shown(text) + "\" is not true or false");
}

}  // namespace

Value field_of(const Record& record, const std::string& name) {
  for (const auto& [key, value] : record)
    if (key == name) return value;
  return {};
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string records_text(const std::vector<Record>& records) {
  std::string out;
  for (const Record& record : records) {
    out += out.empty() ? "{" : ", {";
    for (std::size_t i = 0; i < record.size(); ++i)
      out += (i == 0 ? "" : ", ") + record[i].key + ": " + in_quotes(record[i].value.text);
    out += "}";
  }
  return "[" + out + "]";
}

std::string shown(const std::string& text) {
  constexpr std::size_t kMost = 60;
  const std::string clean = clean_text(std::string_view(text).substr(0, kMost + 1));
  if (text.size() <= kMost) return clean;
  std::size_t cut = std::min(kMost, clean.size());
  while (cut > 0 && (static_cast<unsigned char>(clean[cut]) & 0xc0U) == 0x80U) --cut;  // not inside a character
  return clean.substr(0, cut) + "…";
}

Result<Value> parse_value(const Option& option, const std::string& text) {
  switch (option.type) {
    case OptionType::Text:
      return parse_words(option, text);
    case OptionType::TextList:
      return refused("\"" + shown(text) + "\" is not a list; write [" + shown(text) + "]");
    case OptionType::Duration: {
      const auto duration = parse_duration(text);
      if (!duration) return refused(shown(text) + " is not a duration (200ms, 2s, 5m, 24h)");
      return in_range(option, Value{text, {}, static_cast<double>(*duration) / 1e9, *duration});
    }
    case OptionType::Number:
    case OptionType::Share:
    case OptionType::Integer:
      return parse_number(option, text);
    case OptionType::Boolean:
      return parse_boolean(text);
    case OptionType::Endpoint:
      return parse_endpoint(text);
    case OptionType::Time:
      return parse_time(text);
    case OptionType::Records:
      return refused("\"" + shown(text) + "\" is not a list of entries; write [{" + joined(field_names(option)) + "}]");
  }
  return refused("has a type that this program does not know");
}

Result<Value> parse_list(const Option& option, const std::vector<std::string>& items) {
  constexpr std::size_t kMostItems = 1024;
  if (items.size() > kMostItems) return refused("has more than " + std::to_string(kMostItems) + " entries");
  Value value;
  for (const std::string& item : items) {
    if (trim(item).empty()) return refused("has an empty entry");
    // Entries are parted by commas and blanks wherever a list is written as one text.
    if (item.find(',') != std::string::npos || trim(item) != item)
      return refused("\"" + shown(item) + "\" is not one entry; no commas and no blanks around it");
    const auto word = parse_words(option, item);
    if (!word) return word.error();
    if (option.min && option.max) {
      const auto number = parse_u64(item);
      if (!number || static_cast<double>(*number) < *option.min || static_cast<double>(*number) > *option.max)
        return refused("\"" + shown(item) + "\" is not a " + option.unit + " (" + range_text(option) + ")");
    }
    if (option.unit == "firmware version" && !names_firmware(item))
      return refused("\"" + shown(item) + "\" is not a NIC and its firmware; write mlx5_core 22.39.1002");
    value.list.push_back(item);
  }
  value.text = "[" + joined(items) + "]";
  return value;
}

std::vector<std::string> list_items(const std::string& text) {
  std::string_view rest = trim(text);
  if (rest.starts_with('[') && rest.ends_with(']')) rest = trim(rest.substr(1, rest.size() - 2));
  std::vector<std::string> items;
  if (!rest.empty())
    for (const std::string_view item : split(rest, ',')) items.emplace_back(trim(item));
  return items;
}

Result<Value> parse_text(const Option& option, const std::string& text) {
  if (option.type == OptionType::Records) {
    if (trim(text) == "[]") return Value{"[]", {}, 0, 0};
    return refused("can be written in a file only");
  }
  if (option.type != OptionType::TextList) return parse_value(option, text);
  return parse_list(option, list_items(text));
}

std::string plural(const std::string& word) {
  return word.ends_with('y') ? word.substr(0, word.size() - 1) + "ies" : word + "s";
}

std::string type_text(const Option& option) {
  switch (option.type) {
    case OptionType::Text:
      return option.unit == "path" ? "absolute path" : "text";
    case OptionType::TextList:
      return option.unit.empty() ? "list" : "list of " + plural(option.unit);
    case OptionType::Duration:
      return "duration";
    case OptionType::Number:
      return option.unit.empty() ? "number" : "number, " + option.unit;
    case OptionType::Share:
      return option.unit.empty() || option.unit == "share" ? "share" : "share, " + option.unit;
    case OptionType::Integer:
      return option.unit.empty() ? "whole number" : "whole number, " + option.unit;
    case OptionType::Boolean:
      return "true or false";
    case OptionType::Endpoint:
      return "address:port";
    case OptionType::Time:
      return "day or time";
    case OptionType::Records:
      return "list of entries {" + joined(field_names(option)) + "}";
  }
  return "";
}

std::string range_text(const Option& option) {
  if (!option.choices.empty()) return "one of " + joined(option.choices);
  if (option.min && option.max) return bound_text(option, *option.min) + " to " + bound_text(option, *option.max);
  if (option.min) return "at least " + bound_text(option, *option.min);
  if (option.max) return "at most " + bound_text(option, *option.max);
  return option.type == OptionType::Share ? "0 to 1" : "";
}

}  // namespace roceready::config
