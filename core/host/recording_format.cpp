// SPDX-License-Identifier: Apache-2.0
#include "core/host/recording_format.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace roceready::recording_format {
namespace {

using Json = nlohmann::json;

constexpr char kLowerHex[] = "0123456789abcdef";
constexpr char kUpperHex[] = "0123456789ABCDEF";

constexpr std::size_t kMaxNameBytes = 200;   ///< of one file name; file systems take 255
constexpr std::size_t kMaxPathBytes = 1000;  ///< below a sample; the system takes 4096 in all

constexpr std::int64_t kLongestGapNs = std::int64_t{30} * 24 * 3600 * 1'000'000'000;

Error malformed(std::string what, const std::string& where) {
  return Error{ErrorCode::Malformed, std::move(what), where, 0};
}

constexpr bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-' || c == ':' || c == '@' || c == '+' || c == ',' || c == '=';
}

constexpr int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_component(std::string& out, std::string_view component, bool first) {
  const std::size_t last_dot = component.rfind('.');
  const std::string_view suffix = last_dot == std::string_view::npos ? "" : component.substr(last_dot);
  const bool reserved = suffix == kHexSuffix || (first && suffix == ".json");
  for (std::size_t i = 0; i < component.size(); ++i) {
    const char c = component[i];
    if (is_plain(c) && !(c == '.' && (i == 0 || (reserved && i == last_dot)))) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kUpperHex[byte >> 4U];
    out += kUpperHex[byte & 0xfU];
  }
}

/// The JSON object of a file, its keys still encoded.
Result<Json> parse_object(const std::string& text, const std::string& where) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return malformed("not JSON", where);
  if (!json.is_object()) return malformed("not a JSON object", where);
  return json;
}

/// Bytes of a string or of {"hex": …}.
std::optional<std::string> bytes_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || json.size() != 1) return std::nullopt;
  const auto hex = json.find("hex");
  if (hex == json.end() || !hex->is_string()) return std::nullopt;
  return from_hex(hex->get_ref<const std::string&>());
}

template <class AnswerOf>
Result<void> parse_answers(const std::string& text, const std::string& where, RecordedSample& sample,
                           AnswerOf answer_of) {
  auto json = parse_object(text, where);
  if (!json) return json.error();
  for (const auto& [encoded, value] : json->items()) {
    auto key = decode_key(encoded);
    if (!key) return malformed("not a key: \"" + clean_text(encoded) + "\"", where);
    auto answer = answer_of(*key, value);
    if (!answer) return malformed("\"" + encoded + "\": " + answer.error().what, where);
    if (sample.answers.size() >= kMaxAnswers) return malformed("more than 100000 answers in a sample", where);
    if (!sample.answers.emplace(std::move(*key), std::move(*answer)).second)
      return malformed("\"" + encoded + "\" is answered twice in this sample", where);
  }
  return {};
}

/// An optional member of type string; false where it has another type.
bool read_text(const Json& json, const char* name, std::string& out) {
  const auto member = json.find(name);
  if (member == json.end()) return true;
  if (!member->is_string()) return false;
  out = member->get<std::string>();
  return true;
}

bool read_texts(const Json& json, const char* name, std::vector<std::string>& out) {
  const auto member = json.find(name);
  if (member == json.end()) return true;
  if (!member->is_array()) return false;
  for (const Json& item : *member) {
    if (!item.is_string()) return false;
    out.push_back(item.get<std::string>());
  }
  return true;
}

std::optional<std::int64_t> integer_of(const Json& json, const char* name) {
  const auto member = json.find(name);
  if (member == json.end() || !member->is_number_integer()) return std::nullopt;
  if (member->is_number_unsigned() &&
      member->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return member->get<std::int64_t>();
}

/// errno by name, or by number where it has no name; 0: neither.
int errno_of(const std::string& text) {
  if (const int known = errno_from_name(text); known != 0) return known;
  const auto number = parse_u64(text);
  return number && *number < 100'000 ? static_cast<int>(*number) : 0;
}

Answer refused(Error error) {
  Answer answer;
  answer.kind = Answer::Kind::Refused;
  answer.error = std::move(error);
  return answer;
}

Result<Answer> refusal_of(const std::string& key, const Json& json) {
  if (json.is_string()) {
    const int value = errno_of(json.get_ref<const std::string&>());
    if (value == 0) return malformed("unknown errno " + clean_text(json.get_ref<const std::string&>()), "");
    return refused(os_error(value, "refused", clean_text(key)));
  }
  if (!json.is_object()) return malformed("neither an errno name nor an object", "");
  std::string code, errno_text;
  if (!read_text(json, "code", code) || !read_text(json, "errno", errno_text))
    return malformed("code and errno are strings", "");
  if (code.empty() && errno_text.empty()) return malformed("has neither code nor errno", "");
  Error error;
  if (!errno_text.empty()) {
    const int value = errno_of(errno_text);
    if (value == 0) return malformed("unknown errno " + clean_text(errno_text), "");
    error = os_error(value, "", "");
  }
  if (!code.empty()) {
    error.code = error_code_from_name(code);
    if (name_of(error.code) != code) return malformed("unknown code " + clean_text(code), "");
  }
  const auto what = json.find("what"), object = json.find("where");
  const auto what_bytes = what == json.end() ? std::string("refused") : bytes_of(*what);
  const auto where_bytes = object == json.end() ? clean_text(key) : bytes_of(*object);
  if (!what_bytes || !where_bytes) return malformed("what and where are strings", "");
  error.what = *what_bytes;
  error.where = *where_bytes;
  return refused(std::move(error));
}

/// Rates divide by the time between samples, so it has to be above zero and believable. Within a sample the clock may
/// stand still. "" where it is right.
std::string fault_of_time(const std::vector<Instant>& before, const std::vector<Instant>& readings) {
  for (std::size_t i = 1; i < readings.size(); ++i)
    if (readings[i].monotonic_ns < readings[i - 1].monotonic_ns) return "monotonic_ns goes backwards within the sample";
  if (readings.front().monotonic_ns < 0) return "monotonic_ns is negative";
  if (before.empty()) return "";
  if (readings.front().monotonic_ns <= before.front().monotonic_ns)
    return "monotonic_ns is not above that of the sample before";
  if (readings.front().monotonic_ns - before.front().monotonic_ns > kLongestGapNs)
    return "monotonic_ns is more than 30 days after that of the sample before";
  return "";
}

}  // namespace

std::string encode_key(std::string_view key) {
  std::string out;
  bool first = true;
  for (const std::string_view component : split(key, '/')) {
    if (!first) out += '/';
    append_component(out, component, first);
    first = false;
  }
  return out;
}

std::optional<std::string> decode_key(std::string_view encoded) {
  std::string key;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      key += encoded[i];
      continue;
    }
    if (i + 2 >= encoded.size()) return std::nullopt;
    const int high = digit_of(encoded[i + 1]), low = digit_of(encoded[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    key += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (encode_key(key) != encoded) return std::nullopt;
  return key;
}

bool can_be_path(std::string_view encoded) {
  if (encoded.size() > kMaxPathBytes) return false;
  const auto components = split(encoded, '/');
  return components.size() >= 2 && components.size() <= kMaxDepth &&
         std::all_of(components.begin(), components.end(),
                     [](std::string_view c) { return !c.empty() && c.size() <= kMaxNameBytes; });
}

bool is_text(std::string_view bytes) {
  // Newline and tab are all that a text file adds to what clean_text leaves alone.
  std::string plain(bytes);
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return clean_text(plain) == plain;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::size_t kBytesPerLine = 32;
  std::string out;
  out.reserve(bytes.size() * 2 + bytes.size() / kBytesPerLine + 1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    out += kLowerHex[byte >> 4U];
    out += kLowerHex[byte & 0xfU];
    if ((i + 1) % kBytesPerLine == 0 || i + 1 == bytes.size()) out += '\n';
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
      ++i;
      continue;
    }
    if (i + 1 >= text.size()) return std::nullopt;
    const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string sample_directory(std::size_t index) {
  std::string digits = std::to_string(index);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return digits;
}

Result<RecordedHostInfo> parse_host_info(const std::string& text, const std::string& where) {
  auto json = parse_object(text, where);
  if (!json) return json.error();
  std::string format = kFormat;
  if (!read_text(*json, "format", format)) return malformed("format is not a string", where);
  if (format != kFormat) return malformed("format \"" + clean_text(format) + "\", this build reads " + kFormat, where);
  RecordedHostInfo info;
  const std::pair<const char*, std::string*> texts[] = {{"layout", &info.layout},           {"origin", &info.origin},
                                                        {"description", &info.description}, {"profile", &info.profile},
                                                        {"kernel", &info.kernel},           {"driver", &info.driver},
                                                        {"recorded_by", &info.recorded_by}};
  for (const auto& [name, field] : texts)
    if (!read_text(*json, name, *field)) return malformed(std::string(name) + " is not a string", where);
  const std::pair<const char*, std::vector<std::string>*> lists[] = {{"redacted", &info.redacted},
                                                                     {"include", &info.include},
                                                                     {"exclude", &info.exclude},
                                                                     {"expected", &info.expected}};
  for (const auto& [name, field] : lists)
    if (!read_texts(*json, name, *field)) return malformed(std::string(name) + " is not a list of strings", where);
  if (info.layout != "raw" && info.layout != "snapshot")
    return malformed("layout is \"" + clean_text(info.layout) + "\", must be raw or snapshot", where);
  return info;
}

Result<std::vector<SampleClock>> parse_clock(const std::string& text, const std::string& where) {
  auto json = parse_object(text, where);
  if (!json) return json.error();
  const auto samples = json->find("samples");
  if (samples == json->end() || !samples->is_array()) return malformed("has no list \"samples\"", where);
  if (samples->empty()) return malformed("holds no sample", where);
  if (samples->size() > kMaxSamples) return malformed("more than 100000 samples", where);
  std::vector<SampleClock> out;
  for (const Json& sample : *samples) {
    const std::string number = "sample " + std::to_string(out.size());
    if (!sample.is_object()) return malformed(number + " is not an object", where);
    const auto clock = sample.find("clock"), unchanged = sample.find("unchanged");
    if (clock == sample.end() || !clock->is_array() || clock->empty())
      return malformed(number + " has no list \"clock\" with at least one reading", where);
    if (unchanged != sample.end() && !unchanged->is_boolean())
      return malformed(number + ": unchanged is neither true nor false", where);
    SampleClock& entry = out.emplace_back();
    entry.unchanged = unchanged != sample.end() && unchanged->get<bool>();
    for (const Json& reading : *clock) {
      if (!reading.is_object()) return malformed(number + ": a reading of the clock is not an object", where);
      const auto monotonic = integer_of(reading, "monotonic_ns"), wall = integer_of(reading, "wall_ns");
      if (!monotonic || !wall)
        return malformed(number + ": a reading of the clock lacks the integers monotonic_ns and wall_ns", where);
      entry.readings.push_back({*monotonic, *wall});
    }
    const std::string fault =
        fault_of_time(out.size() > 1 ? out[out.size() - 2].readings : std::vector<Instant>(), entry.readings);
    if (!fault.empty()) return malformed(number + ": " + fault, where);
  }
  return out;
}

Result<void> parse_data(const std::string& text, const std::string& where, RecordedSample& sample) {
  return parse_answers(text, where, sample, [](const std::string&, const Json& value) -> Result<Answer> {
    auto bytes = bytes_of(value);
    if (!bytes) return malformed("neither a string nor {\"hex\": …}", "");
    Answer answer;
    answer.data = std::move(*bytes);
    return answer;
  });
}

Result<void> parse_lists(const std::string& text, const std::string& where, RecordedSample& sample) {
  return parse_answers(text, where, sample, [](const std::string&, const Json& value) -> Result<Answer> {
    if (!value.is_array()) return malformed("not a list", "");
    Answer answer;
    answer.kind = Answer::Kind::List;
    for (const Json& item : value) {
      auto bytes = bytes_of(item);
      if (!bytes) return malformed("an item is neither a string nor {\"hex\": …}", "");
      answer.items.push_back(std::move(*bytes));
    }
    return answer;
  });
}

Result<void> parse_refused(const std::string& text, const std::string& where, RecordedSample& sample) {
  return parse_answers(text, where, sample, refusal_of);
}

}  // namespace roceready::recording_format
