// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/json_write.h"

#include <array>
#include <concepts>

#include <nlohmann/json.hpp>

namespace roceready {
namespace {

using nlohmann::json;

template <class T>
concept Walked = requires(const T& value) {
  T::each_field([](const char*, const auto&) {}, value);
};

// Overloads are found by name lookup at the point of definition for standard types: declare all first.
template <class T>
json write(const Reading<T>& reading);
template <class T>
json write(const std::vector<T>& list);
template <class T, std::size_t N>
json write(const std::array<T, N>& list);
template <class T>
json write(const std::map<std::string, T>& map);
template <Walked T>
json write(const T& value);
json write(const RawCounters& counters);
json write(const CounterValue& value);
json write(const UnreadableCounter& counter);
json write(const CounterReadings& readings);

json write(const std::string& text) {
  return text;
}
json write(FunctionKind kind) {
  return name_of(kind);
}
json write(std::uint64_t number) {
  return std::to_string(number);
}
template <class T>
requires std::same_as<T, bool> || std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, double>
        json write(T value) {
  return value;
}

json write(const Absent& absent) {
  json out{{"absent", name_of(absent.why)}};
  if (!absent.detail.empty()) out["detail"] = absent.detail;
  return out;
}

template <class T>
json write(const Reading<T>& reading) {
  return reading ? write(*reading) : write(reading.absent());
}

template <class List>
json write_list(const List& list) {
  json out = json::array();
  for (const auto& element : list) out.push_back(write(element));
  return out;
}
template <class T>
json write(const std::vector<T>& list) {
  return write_list(list);
}
template <class T, std::size_t N>
json write(const std::array<T, N>& list) {
  return write_list(list);
}

template <class T>
json write(const std::map<std::string, T>& map) {
  json out = json::object();
  for (const auto& [key, value] : map) out[key] = write(value);
  return out;
}

template <Walked T>
json write(const T& value) {
  json out = json::object();
  T::each_field([&](const char* name, const auto& field) { out[name] = write(field); }, value);
  return out;
}

json write(const RawCounters& counters) {
  json out{{"names", counters.names ? write(*counters.names) : json::array()}, {"values", write(counters.values)}};
  if (counters.read_ns != 0) out["read_ns"] = counters.read_ns;
  if (counters.at_ns != 0) out["at_ns"] = counters.at_ns;
  return out;
}

json write(const CounterValue& value) {
  json out{{"id", info_of(value.id).name}, {"raw", write(value.raw)}};
  if (value.lane != kNoLane) out["lane"] = value.lane;
  if (value.width != 64) out["width"] = value.width;
  if (value.scale != 1.0) out["scale"] = value.scale;
  if (value.source != 0) out["source"] = value.source;
  return out;
}

json write(const UnreadableCounter& counter) {
  json out{{"id", info_of(counter.id).name}, {"absent", write(counter.absent)}};
  if (counter.lane != kNoLane) out["lane"] = counter.lane;
  return out;
}

json write(const CounterReadings& readings) {
  json out{{"values", write_list(readings.values)}, {"driver_known", readings.driver_known}};
  json& offered = out["offered"] = json::array();
  for (const CounterId id : readings.offered) offered.push_back(info_of(id).name);
  if (readings.at_monotonic_ns != 0) out["at_ns"] = readings.at_monotonic_ns;
  if (readings.why_absent != Absent{}) out["why_absent"] = write(readings.why_absent);
  if (!readings.unreadable.empty()) out["unreadable"] = write_list(readings.unreadable);
  return out;
}

}  // namespace

json write_json(const Snapshot& snapshot) {
  return write(snapshot);
}
json write_json(const ProbeFacts& facts) {
  return write(facts);
}
json write_json(const NodeDigest& digest) {
  return write(digest);
}

}  // namespace roceready
