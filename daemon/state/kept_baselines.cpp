// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/kept_baselines.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "probes/exchange.h"
#include "rules/remembered.h"

namespace roceready::daemon {
namespace {

using nlohmann::json;
using probes::BaselineTerms;
using probes::LearnedBaseline;
using probes::LinkBaseline;
using probes::PortTerms;

constexpr int kVersion = 1;
constexpr const char* kLoads[] = {"idle", "busy"};
constexpr std::size_t kMostName = 256;
constexpr std::int64_t kSecond = 1'000'000'000, kDay = 86'400 * kSecond;
constexpr double kMostSeconds = 10;  // more than any timeout of a probe
constexpr std::int64_t kMostPaths = 16, kMostBytes = 65'536, kMostIntervalNs = 86'400 * kSecond;
constexpr std::int64_t kMostSpeed = 100'000'000'000'000, kMostMtu = 65'536, kMostLevel = 15, kMostClass = 255;
constexpr std::int64_t kMostMinutes = std::numeric_limits<std::uint32_t>::max();

json port_json(const PortTerms& port) {
  json out = json::object();
  if (port.speed_bits_per_second) out["speed"] = *port.speed_bits_per_second;
  if (port.active_mtu) out["mtu"] = *port.active_mtu;
  if (port.firmware) out["firmware"] = *port.firmware;
  return out;
}

json baseline_json(const LinkBaseline& baseline, const ProbeTime& now) {
  const BaselineTerms& terms = baseline.terms;
  json out{{"own", baseline.own},
           {"own_address", terms.own_address},
           {"own_port", port_json(terms.own)},
           {"peer", baseline.peer},
           {"peer_name", baseline.peer_port},
           {"peer_address", terms.peer_address},
           {"peer_port", port_json(terms.peer)},
           {"kind", baseline.kind},
           {"paths", terms.paths},
           {"size", terms.size},
           {"interval_ns", terms.interval_ns},
           {"traffic_class", terms.traffic_class},
           {"service_level", terms.service_level},
           {"nic_clock", terms.nic_clock}};
  for (std::size_t load = 0; load < baseline.learned.size(); ++load)
    if (const auto& learned = baseline.learned[load])
      out[kLoads[load]] = {{"p50", learned->values.p50_seconds},
                           {"p99", learned->values.p99_seconds},
                           {"minutes", learned->minutes},
                           {"wall_ns", now.wall_ns - (now.probes_ns - learned->learned_ns)}};
  return out;
}

std::string name_in(rules::Recalled& read, const char* member) {
  std::string out = read.text(member);
  if (out.empty() || out.size() > kMostName) read.fail();
  return out;
}

/// Of a member that need not be there.
bool read_port(rules::Recalled& from, const char* member, PortTerms& into) {
  const json* port = from.member(member);
  if (port == nullptr || !port->is_object()) return false;
  rules::Recalled read(*port);
  if (read.has("speed")) into.speed_bits_per_second = static_cast<std::uint64_t>(read.integer("speed", 0, kMostSpeed));
  if (read.has("mtu")) into.active_mtu = static_cast<std::uint32_t>(read.integer("mtu", 0, kMostMtu));
  if (read.has("firmware")) into.firmware = read.text("firmware");
  return read.good() && (!into.firmware || into.firmware->size() <= kMostName);
}

bool is_sound(const LearnedBaseline& learned) {
  const probes::Baseline& values = learned.values;
  return values.p50_seconds > 0 && values.p50_seconds <= values.p99_seconds && values.p99_seconds < kMostSeconds;
}

/// The values of one load; nothing with `why` empty where they are too old.
std::optional<LearnedBaseline> read_learned(const json& from, const ProbeTime& now, std::string& why) {
  rules::Recalled read(from);
  LearnedBaseline out;
  out.values = {read.number("p50"), read.number("p99")};
  out.minutes = static_cast<std::uint32_t>(read.integer("minutes", 1, kMostMinutes));
  const std::int64_t wall_ns = read.integer("wall_ns", 0, std::numeric_limits<std::int64_t>::max() / 2);
  if (!read.good()) {
    why = "a member is missing, or of another type or range";
    return std::nullopt;
  }
  if (!is_sound(out)) {
    why = "its round trips are not above 0 and below 10 s, the median not above the 99th percentile";
    return std::nullopt;
  }
  const std::int64_t age_ns = now.wall_ns - wall_ns;
  if (age_ns < -kDay) {
    why = "it is from the future";
    return std::nullopt;
  }
  if (age_ns > probes::kBaselineAgeNs) return std::nullopt;
  out.learned_ns = now.probes_ns - std::max<std::int64_t>(age_ns, 0);  // a wall clock may have stepped back a little
  return out;
}

/// Nothing with `why` empty: all of it is too old.
std::optional<LinkBaseline> read_baseline(const json& from, const ProbeTime& now, std::string& why) {
  rules::Recalled read(from);
  LinkBaseline out;
  BaselineTerms& terms = out.terms;
  out.own = name_in(read, "own");
  out.peer = name_in(read, "peer");
  out.peer_port = name_in(read, "peer_name");
  out.kind = name_in(read, "kind");
  terms.own_address = name_in(read, "own_address");
  terms.peer_address = name_in(read, "peer_address");
  terms.paths = static_cast<std::uint32_t>(read.integer("paths", 1, kMostPaths));
  terms.size = static_cast<std::uint32_t>(read.integer("size", 1, kMostBytes));
  terms.interval_ns = read.integer("interval_ns", 1, kMostIntervalNs);
  terms.traffic_class = static_cast<std::uint8_t>(read.integer("traffic_class", 0, kMostClass));
  terms.service_level = static_cast<std::uint8_t>(read.integer("service_level", 0, kMostLevel));
  terms.nic_clock = read.flag("nic_clock");
  if (!read_port(read, "own_port", terms.own) || !read_port(read, "peer_port", terms.peer) || !read.good() ||
      !probes::probe_kind_from_name(out.kind)) {
    why = "a member is missing, or of another type or range";
    return std::nullopt;
  }
  bool any = false;
  for (std::size_t load = 0; load < out.learned.size(); ++load) {
    if (!read.has(kLoads[load])) continue;
    out.learned[load] = read_learned(*read.member(kLoads[load]), now, why);
    if (!why.empty()) return std::nullopt;
    any = any || out.learned[load];
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::string kept_baselines_text(const std::vector<LinkBaseline>& baselines, const ProbeTime& now,
                                std::size_t most_bytes) {
  constexpr std::size_t kFrame = 64;
  std::vector<const LinkBaseline*> newest;
  for (const LinkBaseline& each : baselines)
    if (now.probes_ns - each.learned_ns() <= probes::kBaselineAgeNs) newest.push_back(&each);
  std::ranges::stable_sort(newest, std::ranges::greater{}, [](const LinkBaseline* each) { return each->learned_ns(); });
  if (newest.size() > probes::kMostBaselines) newest.resize(probes::kMostBaselines);
  std::string links;
  for (const LinkBaseline* each : newest) {
    const std::string one = rules::as_text(baseline_json(*each, now));
    if (links.size() + one.size() + kFrame > most_bytes) break;
    links += (links.empty() ? "" : ",\n") + one;
  }
  return "{\"version\":" + std::to_string(kVersion) + ",\"links\":[" + links + "]}";
}

KeptBaselines kept_baselines_from(const std::string& text, const ProbeTime& now) {
  KeptBaselines out;
  const json kept = rules::parsed(text);
  rules::Recalled read(kept);
  const std::int64_t version = read.integer("version", 0, std::numeric_limits<std::int32_t>::max());
  const json* links = read.member("links");
  if (!read.good() || links == nullptr || !links->is_array()) {
    out.why = "they are no list of baselines";
  } else if (version != kVersion) {
    out.why = "they are of version " + std::to_string(version) + " of their form";
  } else {
    for (const json& each : *links) {
      std::string why;
      auto baseline = out.baselines.size() < probes::kMostBaselines
                          ? read_baseline(each, now, why)
                          : (why = "there are too many", std::optional<LinkBaseline>());
      if (baseline) {
        out.baselines.push_back(std::move(*baseline));
      } else if (why.empty()) {
        ++out.old;
      } else {
        if (out.senseless++ == 0) out.why = why;
      }
    }
  }
  return out;
}

}  // namespace roceready::daemon
