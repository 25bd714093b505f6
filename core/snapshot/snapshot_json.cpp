// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_json.h"

#include <algorithm>
#include "core/snapshot/json_patch.h"
#include "core/snapshot/json_read.h"
#include "core/snapshot/json_write.h"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace roceready {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = std::size_t{64} * 1024 * 1024;
constexpr int kMaxDepth = 64;

json instant_json(const Instant& at) {
  return {{"monotonic_ns", std::to_string(at.monotonic_ns)}, {"wall", rfc3339(at.wall_ns)}};
}

bool read_instant(const json& from, Instant& into, JsonFaults& faults) {
  if (!from.is_object()) return faults.fail("must be {\"monotonic_ns\": …, \"wall\": …}");
  for (const auto& [key, value] : from.items()) {
    const JsonFaults::Step step(faults, key);
    if (key == "monotonic_ns") {
      if (!read_json(value, into.monotonic_ns, faults)) return false;
    } else if (key == "wall") {
      std::string text;
      if (!read_json(value, text, faults)) return false;
      const Result<std::int64_t> wall = parse_rfc3339(text);
      if (!wall) return faults.fail(wall.error().what);
      into.wall_ns = *wall;
    } else {
      return faults.fail("unknown member");
    }
  }
  return true;
}

bool read_times(const json& from, Snapshot& into, JsonFaults& faults) {
  if (const auto at = from.find("before"); at != from.end()) {
    const JsonFaults::Step step(faults, "before");
    if (!read_instant(*at, into.before, faults)) return false;
  }
  into.after = into.before;
  if (const auto at = from.find("after"); at != from.end()) {
    const JsonFaults::Step step(faults, "after");
    if (!read_instant(*at, into.after, faults)) return false;
  }
  return true;
}

Result<json> parse_file(const std::filesystem::path& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return os_error(failed.value(), "cannot read", path.string());
  if (size > kMaxFileBytes) return Error{ErrorCode::Malformed, "longer than 64 MiB", path.string()};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::Io, "cannot open", path.string()};
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  bool too_deep = false;
  json parsed = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return depth <= kMaxDepth;
      },
      false);
  if (parsed.is_discarded() || too_deep)
    return Error{ErrorCode::Malformed, "not JSON, or nested too deeply", path.string()};
  return parsed;
}

/// Counters without a time of their own were read when the snapshot was taken; in a patched snapshot all were.
void stamp_counters(Snapshot& snapshot, bool all) {
  const std::int64_t at = std::max<std::int64_t>(midpoint(snapshot).monotonic_ns, 1);
  const auto stamp = [&](CounterReadings& counters) {
    if (all || counters.at_monotonic_ns == 0) counters.at_monotonic_ns = at;
  };
  for (Netdev& netdev : snapshot.netdevs) stamp(netdev.counters);
  for (RdmaPort& port : snapshot.ports) stamp(port.counters);
}

/// The next element of snapshots.json: whole, or a patch over `state`. Leaves the whole JSON in `state`.
Result<Snapshot> next_snapshot(const json& element, json& state, const Snapshot* previous) {
  if (!element.is_object() || !element.contains("patch")) {
    state = element;
    Result<Snapshot> whole = snapshot_from_json(element);
    if (whole) stamp_counters(*whole, false);
    return whole;
  }
  if (previous == nullptr) return Error{ErrorCode::Malformed, "the first snapshot cannot be a patch", "patch"};
  double after_seconds = 0;
  for (const auto& [key, value] : element.items()) {
    if (key == "after_seconds" && value.is_number()) {
      after_seconds = value.get<double>();
    } else if (key != "patch") {
      return Error{ErrorCode::Malformed, "only after_seconds (a number) and patch may stand here", clean_text(key)};
    }
  }
  constexpr double kLongestGapSeconds = 30.0 * 24 * 3600;
  if (!(after_seconds > 0 && after_seconds <= kLongestGapSeconds)) {
    return Error{ErrorCode::Malformed, "must be above 0 and at most 30 days", "after_seconds"};
  }
  if (const Result<void> patched = patch_snapshot(state, element["patch"]); !patched) return patched.error();
  Result<Snapshot> snapshot = snapshot_from_json(state);
  if (!snapshot) return snapshot;
  const auto shift = static_cast<std::int64_t>(after_seconds * 1e9);
  const auto later = [&](const Instant& at) { return Instant{at.monotonic_ns + shift, at.wall_ns + shift}; };
  snapshot->before = later(previous->before);
  snapshot->after = later(previous->after);
  stamp_counters(*snapshot, true);
  return snapshot;
}

}  // namespace

json to_json(const Snapshot& snapshot) {
  json out = write_json(snapshot);
  out["before"] = instant_json(snapshot.before);
  out["after"] = instant_json(snapshot.after);
  return out;
}

Result<Snapshot> snapshot_from_json(const json& from) {
  JsonFaults faults;
  Snapshot out;
  if (!from.is_object()) return Error{ErrorCode::Malformed, "must be an object", "snapshot"};
  if (!read_times(from, out, faults) || !read_members(from, out, faults, {"before", "after"})) return faults.error();
  return out;
}

Result<std::vector<Snapshot>> read_snapshots(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "snapshots.json";
  const Result<json> parsed = parse_file(path);
  if (!parsed) return parsed.error();
  if (!parsed->is_array() || parsed->empty()) {
    return Error{ErrorCode::Malformed, "must be an array with at least one snapshot", path.string()};
  }
  std::vector<Snapshot> out;
  json state;
  for (std::size_t i = 0; i < parsed->size(); ++i) {
    Result<Snapshot> next = next_snapshot((*parsed)[i], state, out.empty() ? nullptr : &out.back());
    if (!next) {
      const Error& error = next.error();
      return Error{error.code, "[" + std::to_string(i) + "]." + error.where + ": " + error.what, path.string()};
    }
    if (!out.empty() && next->before.monotonic_ns <= out.back().before.monotonic_ns)
      return Error{ErrorCode::Malformed,
                   "[" + std::to_string(i) + "].before.monotonic_ns: is not above that of the snapshot before",
                   path.string()};
    out.push_back(std::move(*next));
  }
  return out;
}

}  // namespace roceready
