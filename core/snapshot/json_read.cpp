// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/json_read.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace roceready {

using nlohmann::json;

JsonFaults::Step::Step(JsonFaults& faults, std::string_view member) : faults_(faults), length_(faults.path_.size()) {
  if (!faults_.path_.empty()) faults_.path_ += '.';
  faults_.path_ += clean_text(member);
}
JsonFaults::Step::Step(JsonFaults& faults, std::size_t index) : faults_(faults), length_(faults.path_.size()) {
  faults_.path_ += "[" + std::to_string(index) + "]";
}
JsonFaults::Step::~Step() {
  faults_.path_.resize(length_);
}

bool JsonFaults::fail(std::string what) {
  if (!failed_) error_ = Error{ErrorCode::Malformed, std::move(what), path_};
  failed_ = true;
  return false;
}

namespace {

template <class T>
concept Walked = requires(T& value) {
  T::each_field([](const char*, auto&) {}, value);
};

template <class T>
bool read(const json& from, Reading<T>& into, JsonFaults& faults);
template <class T>
bool read(const json& from, std::vector<T>& into, JsonFaults& faults);
template <class T, std::size_t N>
bool read(const json& from, std::array<T, N>& into, JsonFaults& faults);
template <class T>
bool read(const json& from, std::map<std::string, T>& into, JsonFaults& faults);
template <Walked T>
bool read(const json& from, T& into, JsonFaults& faults);
bool read(const json& from, RawCounters& into, JsonFaults& faults);
bool read(const json& from, CounterValue& into, JsonFaults& faults);
bool read(const json& from, UnreadableCounter& into, JsonFaults& faults);
bool read(const json& from, CounterReadings& into, JsonFaults& faults);

bool read(const json& from, std::string& into, JsonFaults& faults) {
  if (!from.is_string()) return faults.fail("must be a string");
  into = clean_text(from.get_ref<const std::string&>());
  return true;
}

bool read(const json& from, bool& into, JsonFaults& faults) {
  if (!from.is_boolean()) return faults.fail("must be true or false");
  into = from.get<bool>();
  return true;
}

bool read(const json& from, double& into, JsonFaults& faults) {
  if (!from.is_number()) return faults.fail("must be a number");
  into = from.get<double>();
  return std::isfinite(into) || faults.fail("must be a finite number");
}

bool read(const json& from, std::uint64_t& into, JsonFaults& faults) {
  if (from.is_number_unsigned()) {
    into = from.get<std::uint64_t>();
    return true;
  }
  const auto parsed = from.is_string() ? parse_u64(from.get_ref<const std::string&>()) : std::nullopt;
  if (!parsed) return faults.fail("must be a whole number, 0 to 2^64-1");
  into = *parsed;
  return true;
}

bool read(const json& from, std::int64_t& into, JsonFaults& faults) {
  if (from.is_number_unsigned() &&
      from.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return faults.fail("is too large");
  }
  if (from.is_number_integer()) {
    into = from.get<std::int64_t>();
    return true;
  }
  const auto parsed = from.is_string() ? parse_i64(from.get_ref<const std::string&>()) : std::nullopt;
  if (!parsed) return faults.fail("must be a whole number");
  into = *parsed;
  return true;
}

/// A whole number up to the largest of the target's type.
template <class T>
bool read_small(const json& from, T& into, JsonFaults& faults) {
  std::uint64_t wide = 0;
  if (!read(from, wide, faults)) return false;
  if (wide > std::numeric_limits<T>::max()) {
    return faults.fail("is above " + std::to_string(std::numeric_limits<T>::max()));
  }
  into = static_cast<T>(wide);
  return true;
}
bool read(const json& from, std::uint32_t& into, JsonFaults& faults) {
  return read_small(from, into, faults);
}
bool read(const json& from, std::uint8_t& into, JsonFaults& faults) {
  return read_small(from, into, faults);
}

bool read(const json& from, FunctionKind& into, JsonFaults& faults) {
  std::string name;
  if (!read(from, name, faults)) return false;
  into = function_kind_from_name(name);
  return name == name_of(into) || faults.fail("unknown kind of function \"" + name + "\"");
}

bool read(const json& from, CounterId& into, JsonFaults& faults) {
  std::string name;
  if (!read(from, name, faults)) return false;
  const auto id = counter_from_name(name);
  if (!id) return faults.fail("unknown counter \"" + name + "\"");
  into = *id;
  return true;
}

bool read(const json& from, Absent& into, JsonFaults& faults) {
  if (!from.is_object()) return faults.fail("must be {\"absent\": …}");
  for (const auto& [key, value] : from.items()) {
    const JsonFaults::Step step(faults, key);
    std::string text;
    if (key != "absent" && key != "detail") return faults.fail("unknown member");
    if (!read(value, text, faults)) return false;
    if (key == "detail") {
      into.detail = text;
    } else {
      into.why = why_from_name(text);
      if (text != name_of(into.why)) return faults.fail("unknown reason \"" + text + "\"");
    }
  }
  return true;
}

template <class T>
bool read(const json& from, Reading<T>& into, JsonFaults& faults) {
  if (from.is_null()) {
    into = Absent{};
    return true;
  }
  if (from.is_object() && from.contains("absent")) {
    Absent absent;
    if (!read(from, absent, faults)) return false;
    into = std::move(absent);
    return true;
  }
  T value{};
  if (!read(from, value, faults)) return false;
  into = std::move(value);
  return true;
}

template <class T>
bool read(const json& from, std::vector<T>& into, JsonFaults& faults) {
  if (!from.is_array()) return faults.fail("must be an array");
  into.clear();
  into.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const JsonFaults::Step step(faults, i);
    T element{};
    if (!read(from[i], element, faults)) return false;
    into.push_back(std::move(element));
  }
  return true;
}

template <class T, std::size_t N>
bool read(const json& from, std::array<T, N>& into, JsonFaults& faults) {
  if (!from.is_array() || from.size() != N) return faults.fail("must be an array of " + std::to_string(N));
  for (std::size_t i = 0; i < N; ++i) {
    const JsonFaults::Step step(faults, i);
    if (!read(from[i], into[i], faults)) return false;
  }
  return true;
}

template <class T>
bool read(const json& from, std::map<std::string, T>& into, JsonFaults& faults) {
  if (!from.is_object()) return faults.fail("must be an object");
  into.clear();
  for (const auto& [key, value] : from.items()) {
    const JsonFaults::Step step(faults, key);
    if (!read(value, into[clean_text(key)], faults)) return false;
  }
  return true;
}

/// Calls `take(key, value)` for each member; false from it means that the member is unknown or wrong.
template <class Take>
bool each_member(const json& from, JsonFaults& faults, Take&& take) {
  if (!from.is_object()) return faults.fail("must be an object");
  for (const auto& [key, value] : from.items()) {
    const JsonFaults::Step step(faults, key);
    if (!take(key, value)) return faults.fail("unknown member");
  }
  return true;
}

bool read(const json& from, RawCounters& into, JsonFaults& faults) {
  std::vector<std::string> names;
  const bool good = each_member(from, faults, [&](const std::string& key, const json& value) {
    if (key == "names") return read(value, names, faults);
    if (key == "values") return read(value, into.values, faults);
    if (key == "read_ns") return read(value, into.read_ns, faults);
    return key == "at_ns" && read(value, into.at_ns, faults);
  });
  if (!good) return false;
  if (names.size() != into.values.size()) return faults.fail("has not as many values as names");
  into.names = std::make_shared<const std::vector<std::string>>(std::move(names));
  return true;
}

bool read(const json& from, CounterValue& into, JsonFaults& faults) {
  const bool good = each_member(from, faults, [&](const std::string& key, const json& value) {
    if (key == "id") return read(value, into.id, faults);
    if (key == "lane") return read(value, into.lane, faults);
    if (key == "raw") return read(value, into.raw, faults);
    if (key == "width") return read(value, into.width, faults);
    if (key == "scale") return read(value, into.scale, faults);
    return key == "source" && read(value, into.source, faults);
  });
  if (!good) return false;
  if (into.id == CounterId::kCount) return faults.fail("has no id");
  return (into.width > 0 && into.width <= 64) || faults.fail("has a width that is not 1 to 64");
}

bool read(const json& from, UnreadableCounter& into, JsonFaults& faults) {
  const bool good = each_member(from, faults, [&](const std::string& key, const json& value) {
    if (key == "id") return read(value, into.id, faults);
    if (key == "lane") return read(value, into.lane, faults);
    return key == "absent" && read(value, into.absent, faults);
  });
  return good && (into.id != CounterId::kCount || faults.fail("has no id"));
}

bool read(const json& from, CounterReadings& into, JsonFaults& faults) {
  const bool good = each_member(from, faults, [&](const std::string& key, const json& value) {
    if (key == "values") return read(value, into.values, faults);
    if (key == "offered") return read(value, into.offered, faults);
    if (key == "driver_known") return read(value, into.driver_known, faults);
    if (key == "at_ns") return read(value, into.at_monotonic_ns, faults);
    if (key == "unreadable") return read(value, into.unreadable, faults);
    return key == "why_absent" && read(value, into.why_absent, faults);
  });
  if (!good) return false;
  const auto place = [](const CounterValue& value) { return std::tuple(value.id, value.lane); };
  std::sort(into.values.begin(), into.values.end(),
            [&](const CounterValue& a, const CounterValue& b) { return place(a) < place(b); });
  std::sort(into.offered.begin(), into.offered.end());
  const auto twice = std::adjacent_find(into.values.begin(), into.values.end(),
                                        [&](const auto& a, const auto& b) { return place(a) == place(b); });
  return twice == into.values.end() || faults.fail(std::string("holds ") + info_of(twice->id).name + " twice");
}

/// Members of a struct by its each_field; a member that no field takes is a fault.
template <class T>
bool read_struct(const json& from, T& into, JsonFaults& faults, std::initializer_list<std::string_view> elsewhere) {
  if (!from.is_object()) return faults.fail("must be an object");
  bool good = true;
  std::vector<std::string_view> known(elsewhere);
  T::each_field(
      [&](const char* name, auto& field) {
        known.emplace_back(name);
        const auto at = from.find(name);
        if (!good || at == from.end()) return;
        const JsonFaults::Step step(faults, std::string_view(name));
        good = read(*at, field, faults);
      },
      into);
  if (!good) return false;
  for (const auto& [key, value] : from.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const JsonFaults::Step step(faults, key);
    const std::string near = nearest_of(key, std::vector<std::string>(known.begin(), known.end()));
    return faults.fail(near.empty() ? "unknown member" : "unknown member, nearest is " + near);
  }
  return true;
}

template <Walked T>
bool read(const json& from, T& into, JsonFaults& faults) {
  return read_struct(from, into, faults, {});
}

}  // namespace

bool read_json(const json& from, std::string& into, JsonFaults& faults) {
  return read(from, into, faults);
}
bool read_json(const json& from, std::int64_t& into, JsonFaults& faults) {
  return read(from, into, faults);
}
bool read_json(const json& from, ProbeFacts& into, JsonFaults& faults) {
  return read(from, into, faults);
}
bool read_json(const json& from, NodeDigest& into, JsonFaults& faults) {
  return read(from, into, faults);
}
bool read_members(const json& from, Snapshot& into, JsonFaults& faults,
                  std::initializer_list<std::string_view> elsewhere) {
  return read_struct(from, into, faults, elsewhere);
}

}  // namespace roceready
