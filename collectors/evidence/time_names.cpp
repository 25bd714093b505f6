// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/time_names.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kTimes[] = {"before",  "after",   "pre",   "post",     "start",    "end",  "first",
                                       "second",  "third",   "last",  "begin",    "finish",   "old",  "new",
                                       "older",   "newer",   "prev",  "earlier",  "later",    "next", "now",
                                       "current", "initial", "final", "previous", "baseline", "idle", "load",
                                       "mon",     "tue",     "wed",   "thu",      "fri",      "sat",  "sun"};
/// Words behind which a number counts readings.
constexpr std::string_view kReadings[] = {
    "t",   "time", "run",   "sample",    "snap",    "snapshot",   "iter",     "round",  "step",
    "try", "day",  "pass",  "take",      "read",    "reading",    "dump",     "out",    "output",
    "log", "stat", "stats", "iteration", "counter", "statistics", "counters", "ethtool"};
/// Words behind which a number names a host, a port or a part of them.
constexpr std::string_view kOwners[] = {
    "node", "host",   "gpu",    "dgx",   "hgx",    "srv",  "server", "cn",   "worker", "nic",   "compute",
    "hpc",  "rack",   "port",   "blade", "rail",   "card", "hca",    "pf",   "vf",     "dev",   "eth",
    "leaf", "device", "switch", "spine", "tor",    "pod",  "sw",     "vm",   "slot",   "link",  "lane",
    "mlx",  "re",     "rxe",    "roce",  "master", "bond", "net",    "numa", "cpu",    "socket"};

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

struct Part {
  std::string text;
  char behind = 0;  ///< the character behind it
};

std::vector<Part> parts_of(std::string_view path) {
  std::vector<Part> out;
  std::string text;
  for (const char c : lower(path) + "/") {
    if (std::string_view("/_-. ():+").find(c) == std::string_view::npos) {
      text += c;
      continue;
    }
    if (!text.empty()) out.push_back({text, c});
    text.clear();
  }
  return out;
}

/// Without the digits at its end.
std::string_view stem_of(std::string_view text) {
  return text.substr(0, text.find_last_not_of("0123456789") + 1);
}

/// "60s", "10m", "11am", "10h00": a number with the letters of a time behind it.
bool is_time(std::string_view text) {
  constexpr std::string_view kUnits[] = {"s", "sec", "m", "min", "h", "am", "pm"};
  const auto digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && holds(kUnits, stem_of(text.substr(digits)));
}

/// Numbers with dots between, from this part on: four are an address.
std::size_t dotted_numbers(const std::vector<Part>& parts, std::size_t at) {
  std::size_t count = 0;
  for (std::size_t i = at; i < parts.size() && stem_of(parts[i].text).empty(); ++i) {
    ++count;
    if (parts[i].behind != '.') break;
  }
  return count;
}

/// What is left of a path without its times.
std::vector<std::string> without_times(std::string_view path) {
  constexpr std::size_t kAddress = 4;
  const std::vector<Part> parts = parts_of(path);
  std::vector<std::string> out;
  std::string_view word;  // the part in front
  std::size_t address = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view text = parts[i].text, stem = stem_of(text);
    if (stem.empty() && address == 0 && dotted_numbers(parts, i) >= kAddress) address = kAddress;
    const bool numbers_owner = holds(kOwners, word) || word == "mlx5" || word == "mlx4";
    word = text;
    if (holds(kTimes, text) || is_time(text)) continue;
    if (stem.empty() && address == 0 && !numbers_owner) continue;
    if (address > 0) --address;
    out.emplace_back(stem.size() < text.size() && holds(kReadings, stem) ? stem : text);
  }
  return out;
}

}  // namespace

bool differ_by_time(std::string_view a, std::string_view b) {
  return a != b && without_times(a) == without_times(b);
}

}  // namespace roceready::evidence
