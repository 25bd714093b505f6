// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/host_prefix.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
#include "collectors/evidence/line.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/split.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kLook = std::size_t{16} << 10;

/// "eth0", "enp59s0np0", "bond0.100": a kind of netdev and its number.
bool is_usual_netdev_name(std::string_view name) {
  constexpr std::string_view kStems[] = {"eth", "eno",  "ens",  "enp",  "enP", "ib",  "bond",
                                         "br",  "team", "vlan", "veth", "hsn", "lan", "Ethernet"};
  return std::any_of(std::begin(kStems), std::end(kStems), [&](std::string_view stem) {
    return name.starts_with(stem) && name.size() > stem.size() && name[stem.size()] >= '0' && name[stem.size()] <= '9';
  });
}

/// grep puts names of files in front.
bool is_file_name(std::string_view name) {
  constexpr std::string_view kEnds[] = {".txt", ".log", ".out", ".err", ".conf", ".json", ".md"};
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return name.ends_with(end); });
}

bool is_known(std::string_view line) {
  const auto& all = formats();
  return std::any_of(all.begin(), all.end(), [&](const Format* format) {
    About about;
    const Fit fit = format->fit(line, about);
    return fit == Fit::Certain || fit == Fit::Begins;
  });
}

bool may_be_host(std::string_view name) {
  return is_host_name(name) && !is_file_name(name) && !is_usual_netdev_name(name) && !is_usual_device_name(name);
}

/// "[root@node7:22] out: TEXT" of fabric (version 1), "run:" and "sudo:" before a command.
std::optional<PrefixedLine> fabric_prefix(std::string_view line) {
  const auto end = line.find("] ");
  if (!line.starts_with("[") || end == std::string_view::npos) return std::nullopt;
  std::string_view name = line.substr(1, end - 1), rest = line.substr(end + 2);
  name.remove_prefix(name.find('@') == std::string_view::npos ? 0 : name.find('@') + 1);
  name = name.substr(0, name.find(':'));
  if (!may_be_host(name)) return std::nullopt;
  for (const std::string_view mark : {"out:", "run:", "sudo:"}) {
    if (!rest.starts_with(mark)) continue;
    rest.remove_prefix(mark.size());
    if (!rest.empty() && rest[0] != ' ') return std::nullopt;
    return PrefixedLine{short_host_name(name), rest.substr(std::min<std::size_t>(1, rest.size())), mark != "out:"};
  }
  return std::nullopt;
}

/// "[pod/rdma-a/main] TEXT" of `kubectl logs --prefix`.
std::optional<PrefixedLine> pod_prefix(std::string_view line) {
  constexpr std::size_t kBegin = 5;
  const auto end = line.find(']'), slash = line.find('/', kBegin);
  if (end == std::string_view::npos || slash == std::string_view::npos || slash > end) return std::nullopt;
  if (end + 1 < line.size() && line[end + 1] != ' ') return std::nullopt;
  return PrefixedLine{"pod " + std::string(line.substr(kBegin, slash - kBegin)),
                      line.substr(std::min(end + 2, line.size()))};
}

}  // namespace

std::string host_above(std::string_view line) {
  if (line.size() < 2 || !line.ends_with(":")) return {};
  line.remove_suffix(1);
  return may_be_host(line) && is_called_like_a_host(line) ? short_host_name(line) : std::string();
}

bool is_indented_below_hosts(std::string_view text) {
  constexpr std::size_t kMostLines = 200;
  const bool cut_off = text.size() > kLook;
  text = text.substr(0, kLook);
  const Dress dress = dress_of(text);
  std::size_t hosts = 0, known = 0, lines = 0;
  while (!text.empty() && lines < kMostLines) {
    const Cut cut = cut_line(text);
    const std::string line = clean_line(text.substr(0, cut.length), dress);
    text.remove_prefix(cut.next);
    if (line.empty() || (cut_off && text.empty())) continue;  // the last one may be half a line
    ++lines;
    if (!host_above(line).empty()) {
      ++hosts;
      continue;
    }
    if (hosts == 0 || line.find_first_not_of(' ') < kIndentBelowHost) return false;
    known += is_known(std::string_view(line).substr(kIndentBelowHost)) ? 1 : 0;
  }
  return known > 0;
}

bool has_labelled_tasks(std::string_view text) {
  text = text.substr(0, kLook);
  const Dress dress = dress_of(text);
  while (!text.empty()) {
    const Cut cut = cut_line(text);
    const std::string line = clean_line(text.substr(0, cut.length), dress);
    text.remove_prefix(cut.next);
    CommandLine found;
    if (line.find("srun") == std::string::npos || !read_command_line(line, found)) continue;
    if (std::any_of(found.commands.begin(), found.commands.end(), [](const Command& one) { return one.labelled; }))
      return true;
  }
  return false;
}

std::optional<PrefixedLine> host_prefix(std::string_view line, bool tasks) {
  if (line.starts_with("[pod/")) return pod_prefix(line);
  if (line.starts_with("[")) return fabric_prefix(line);
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  const bool blank = colon + 1 == line.size() || line[colon + 1] == ' ';
  // "gpu01:/home" is a path and "gpu01:4242:" a process.
  const bool close =
      !blank && is_called_like_a_host(name) && line.find_first_of("/0123456789:", colon + 1) != colon + 1;
  if (close)
    return may_be_host(name) ? std::optional(PrefixedLine{short_host_name(name), line.substr(colon + 1)})
                             : std::nullopt;
  if (!blank) return std::nullopt;
  constexpr std::size_t kMostDigits = 5;
  if (tasks && name.size() <= kMostDigits && parse_u64(name))
    return PrefixedLine{"task " + std::string(name), line.substr(std::min(colon + 2, line.size()))};
  if (!may_be_host(name)) return std::nullopt;
  return PrefixedLine{short_host_name(name), line.substr(std::min(colon + 2, line.size()))};
}

bool has_host_prefixes(std::string_view text, bool tasks) {
  constexpr std::size_t kMostLines = 200, kFirst = 8, kLeast = 4, kLinesOfEach = 3;
  text = text.substr(0, kLook);
  const Dress dress = dress_of(text);
  std::set<std::string> hosts;
  std::size_t lines = 0, prefixed = 0, known = 0, known_as_they_stand = 0;
  while (!text.empty() && lines < kMostLines) {
    const Cut cut = cut_line(text);
    const std::string line = clean_line(text.substr(0, cut.length), dress);
    text.remove_prefix(cut.next);
    if (line.empty()) continue;
    ++lines;
    const auto found = host_prefix(line, tasks);
    if (!found) {
      if (lines <= kFirst && lines - prefixed > 2) return false;
      continue;
    }
    ++prefixed;
    hosts.insert(found->host);
    known += found->command || is_known(found->rest) ? 1 : 0;
    known_as_they_stand += is_known(line) ? 1 : 0;
  }
  // Of a short output, as of two ports a host, each line has to be one that stands so in no output.
  const bool all_known = known == prefixed && known_as_they_stand == 0 && hosts.size() > 1;
  return (prefixed >= kLeast || all_known) && lines - prefixed <= 1 + lines / 10 &&
         (prefixed >= hosts.size() * kLinesOfEach || all_known) && known > known_as_they_stand;
}

}  // namespace roceready::evidence
