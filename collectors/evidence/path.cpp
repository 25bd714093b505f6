// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/path.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/wall_time.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Parts of a name between '_', '-', '.' and blanks.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> out;
  std::string part;
  for (const char c : lower(name)) {
    if (c != '_' && c != '-' && c != '.' && c != ' ') {
      part += c;
    } else if (!part.empty()) {
      out.push_back(std::exchange(part, {}));
    }
  }
  if (!part.empty()) out.push_back(part);
  return out;
}

std::uint32_t moment_of(const std::vector<std::string>& parts) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 10> kNames = {{{"before", 1},
                                                                                  {"after", 2},
                                                                                  {"pre", 1},
                                                                                  {"post", 2},
                                                                                  {"start", 1},
                                                                                  {"end", 2},
                                                                                  {"first", 1},
                                                                                  {"second", 2},
                                                                                  {"begin", 1},
                                                                                  {"finish", 2}}};
  for (const std::string& part : parts) {
    constexpr std::size_t kLongest = 4;
    if (part.size() >= 2 && part.size() <= kLongest && part[0] == 't' && is_digits(std::string_view(part).substr(1)))
      return static_cast<std::uint32_t>(*parse_u64(std::string_view(part).substr(1))) + 1;
    for (const auto& [name, number] : kNames) {
      if (part == name) return number;
    }
  }
  return 0;
}

std::string role_of(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    for (const char* role : {"sender", "receiver", "client", "server", "initiator", "target"}) {
      if (part == role) return role;
    }
  }
  return {};
}

/// A netdev within a name, by the kernel's and systemd's ways of naming.
std::string netdev_in(std::string_view name) {
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("_-. /", begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    for (const std::string_view prefix : {"eth", "ens", "enp", "eno", "enP", "bond", "rdma", "roce"}) {
      if (!part.starts_with(prefix) || part.size() == prefix.size() || !is_netdev_name(part)) continue;
      const char next = part[prefix.size()];
      if (next >= '0' && next <= '9') return std::string(part);
    }
    begin = end + 1;
  }
  return {};
}

/// "ethtool_-S_eth0" as sosreport names what it ran: blanks became '_'. An RDMA device or netdev in it stays whole.
std::vector<std::string> command_in(std::string_view name) {
  for (const std::string_view end : {".txt", ".log", ".out"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  std::vector<std::string> words;
  const std::string device = device_within(name);
  std::string text(name);
  const auto at = device.empty() ? std::string::npos : text.find(device);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = at != std::string::npos && i >= at && i < at + device.size();
    if (text[i] == '_' && !inside) text[i] = ' ';
  }
  for (const std::string_view word : words_of(text)) words.emplace_back(word);
  About about;
  return format_made_by(words, about) != nullptr ? words : std::vector<std::string>{};
}

/// "sosreport-node17-2026-11-30-abcdefg" → "node17"; "" for any other directory.
std::string sosreport_host(std::string_view directory) {
  constexpr std::string_view kPrefix = "sosreport-";
  if (!directory.starts_with(kPrefix)) return {};
  directory.remove_prefix(kPrefix.size());
  for (std::size_t at = directory.find("-20"); at != std::string_view::npos; at = directory.find("-20", at + 1)) {
    if (at > 0 && directory.size() >= at + 5 && is_digits(directory.substr(at + 1, 4)))
      return std::string(directory.substr(0, at));
  }
  return std::string(directory.substr(0, directory.find('.')));
}

/// sosreport's outputs of network namespaces: netdevs there are others than the host's, whatever their names.
bool is_of_namespace(const std::vector<std::string_view>& folders, std::string_view name) {
  return name.starts_with("ip_netns_exec_") || std::find(folders.begin(), folders.end(), "namespaces") != folders.end();
}

}  // namespace

FileFacts facts_of_path(std::string_view path) {
  FileFacts out;
  out.name = clean_text(path);
  std::vector<std::string_view> folders = roceready::split(path, '/');
  const std::string_view name = folders.empty() ? path : folders.back();
  if (!folders.empty()) folders.pop_back();
  for (const std::string_view folder : folders) {
    if (std::string host = sosreport_host(folder); !host.empty()) out.host = host;
  }
  constexpr std::size_t kAny = 1000, kFolder = 2;
  const auto look = [&](std::string_view part, std::size_t most_parts) {
    const auto parts = parts_of(part);
    // "receiver", "t1", "run after": a longer name tells a story, "receiver-without-buffers".
    if (out.moment == 0 && parts.size() <= most_parts) out.moment = moment_of(parts);
    if (out.host.empty() && parts.size() <= most_parts) out.host = role_of(parts);
    if (out.about.device.empty()) out.about.device = device_within(part);
    if (out.about.netdev.empty()) out.about.netdev = netdev_in(part);
    const auto wall = out.wall_ns == 0 ? wall_time_in_name(part) : std::nullopt;
    if (wall) out.wall_ns = wall->ns, out.clock = wall->clock;
  };
  look(name, kAny);
  if (const auto kernel = kernel_path(path); !kernel && !folders.empty()) look(folders.back(), kFolder);
  if (is_of_namespace(folders, name)) out.left_out = "of another network namespace than the host's";
  out.words = command_in(name);
  return out;
}

std::optional<std::string> kernel_path(std::string_view path) {
  std::size_t best = std::string_view::npos;  // the outermost: /proc/sys/kernel is none of /sys/kernel
  for (const std::string_view root :
       {"sys/class/", "sys/bus/", "sys/devices/", "sys/module/", "sys/kernel/", "proc/"}) {
    if (path.starts_with(root)) return "/" + std::string(path);
    best = std::min(best, path.find("/" + std::string(root)));
  }
  if (best == std::string_view::npos) return std::nullopt;
  return std::string(path.substr(best));
}

}  // namespace roceready::evidence
