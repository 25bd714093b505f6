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
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

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

}  // namespace

std::optional<PrefixedLine> host_prefix(std::string_view line) {
  if (line.starts_with("[")) return fabric_prefix(line);
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || (colon + 1 < line.size() && line[colon + 1] != ' ')) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  if (!may_be_host(name)) return std::nullopt;
  return PrefixedLine{short_host_name(name), line.substr(std::min(colon + 2, line.size()))};
}

bool has_host_prefixes(std::string_view text) {
  constexpr std::size_t kLook = std::size_t{16} << 10, kMostLines = 200, kFirst = 8, kLeast = 4, kLinesOfEach = 3;
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
    const auto found = host_prefix(line);
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
