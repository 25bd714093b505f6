// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/lost_newlines.h"

#include <algorithm>
#include <utility>

#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kStatistics = "NIC statistics:";
/// Headings of mlnx_qos: two of them never stand on one line.
constexpr std::string_view kHeadings[] = {"DCBX mode:",         "Priority trust state:",        "dscp2prio mapping:",
                                          "PFC configuration:", "Receive buffer size (bytes):", "Cable len:"};
/// What else begins a line of it; where a digit has to follow, the name ends with a blank.
constexpr std::string_view kBegins[] = {
    "default priority:", "priority:", "prio:", "tc: ", "priority ", "enabled ", "buffer "};

bool begins_here(std::string_view rest, std::string_view name) {
  if (!rest.starts_with(name)) return false;
  if (!name.ends_with(" ")) return true;
  const auto next = rest.find_first_not_of(' ', name.size());
  return next != std::string_view::npos && rest[next] >= '0' && rest[next] <= '9';
}

/// Length of the name that begins a line here; 0: none does.
std::size_t beginning_at(std::string_view rest) {
  for (const std::string_view name : kHeadings)
    if (begins_here(rest, name)) return name.size();
  for (const std::string_view name : kBegins)
    if (begins_here(rest, name)) return name.size();
  return 0;
}

std::vector<std::string> lines_of_qos(std::string_view line) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size();) {
    const bool word = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    const std::size_t length = word ? beginning_at(line.substr(at)) : 0;
    if (length > 0 && at > begin) {
      out.emplace_back(trim(line.substr(begin, at - begin)));
      begin = at;
    }
    at += std::max<std::size_t>(length, 1);
  }
  out.emplace_back(trim(line.substr(begin)));
  return out;
}

std::vector<std::string> lines_of_statistics(std::string_view line, std::size_t heading) {
  std::vector<std::string> out;
  if (heading > 0) out.emplace_back(trim(line.substr(0, heading)));
  out.emplace_back(kStatistics);
  std::string one;
  bool named = false;
  for (const std::string_view word : words_of(line.substr(heading + kStatistics.size()))) {
    one += (one.empty() ? "" : " ") + std::string(word);
    if (named && parse_u64(word)) out.push_back(std::exchange(one, {}));
    named = word.ends_with(":");
  }
  if (!one.empty()) out.push_back(std::move(one));
  return out;
}

}  // namespace

std::vector<std::string> with_newlines(std::string_view line) {
  constexpr std::size_t kShortest = 40;
  if (line.size() < kShortest || line.find(": ") == std::string_view::npos) return {};
  const auto headings = std::count_if(std::begin(kHeadings), std::end(kHeadings),
                                      [&](std::string_view name) { return line.find(name) != std::string_view::npos; });
  if (headings > 1) {
    auto lines = lines_of_qos(line);
    return lines.size() > 1 ? std::move(lines) : std::vector<std::string>();
  }
  const auto at = line.find(kStatistics);
  if (at == std::string_view::npos || trim(line.substr(at + kStatistics.size())).empty()) return {};
  return lines_of_statistics(line, at);
}

}  // namespace roceready::evidence
