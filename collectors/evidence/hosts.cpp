// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/hosts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

using Parts = std::vector<std::string>;

/// Folders of a file.
Parts folders_of(const std::string& file) {
  Parts out;
  for (const std::string_view part : roceready::split(file, '/')) out.emplace_back(part);
  if (!out.empty()) out.pop_back();
  return out;
}

/// Folders of one host's files: of a root file system and of a sosreport.
bool is_within_host(const std::string& folder) {
  for (const char* name : {"proc", "sys", "var", "etc", "run", "boot", "usr", "opt", "root", "home", "dev", "lib",
                           "tmp", "sos_commands", "sos_logs", "sos_reports", "sos_strings"})
    if (folder == name) return true;
  return false;
}

/// The folder that may stand for a host: the first one that files do not have in common; "" for none.
class HostFolders {
 public:
  explicit HostFolders(const std::vector<Section>& sections) {
    bool first = true;
    for (const Section& section : sections) {
      const Parts folders = folders_of(section.file);
      if (std::exchange(first, false)) {
        common_ = folders;
        continue;
      }
      const auto end = std::mismatch(common_.begin(), common_.end(), folders.begin(), folders.end()).first;
      common_.erase(end, common_.end());
    }
    within_ = std::any_of(common_.begin(), common_.end(), is_within_host);
  }
  [[nodiscard]] std::string of(const std::string& file) const {
    const Parts folders = folders_of(file);
    if (within_ || folders.size() <= common_.size() || is_within_host(folders[common_.size()])) return {};
    return folders[common_.size()];
  }

 private:
  Parts common_;
  bool within_ = false;
};

/// Outputs of one command in several folders of which none says when: folders are hosts then.
bool folders_are_hosts(const std::vector<Section>& sections, const HostFolders& folders) {
  std::map<std::pair<const Format*, std::string>, std::set<std::string>> seen;
  for (const Section& section : sections) {
    if (!section.host.empty() || section.moment != 0) continue;
    seen[{section.format, section.about.netdev + "|" + section.about.device}].insert(folders.of(section.file));
  }
  return std::any_of(seen.begin(), seen.end(), [](const auto& entry) { return entry.second.size() > 1; });
}

/// Whether "01" or "A" follows the kind of a host in its name; "hosts" and "cnp" are none.
bool numbers_host(std::string_view kind, std::string_view text) {
  constexpr std::size_t kLongKind = 4;
  if (parse_u64(text)) return true;
  const bool letter = text.size() == 1 && ((text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z'));
  return letter && text != "s" && kind.size() >= kLongKind;
}

/// "gpu01" of "logs/gpu01_eth0.txt", "nodeA": a part of a file's name as hosts are called; "" for none.
std::string host_in_name(const std::string& file) {
  constexpr std::string_view kStems[] = {"node", "host",   "gpu",    "dgx",     "hgx", "srv",  "server",
                                         "cn",   "worker", "master", "compute", "hpc", "rack", "blade"};
  const auto slash = file.rfind('/');
  std::string_view name = std::string_view(file).substr(slash == std::string::npos ? 0 : slash + 1);
  while (!name.empty()) {
    const auto end = std::min(name.find_first_of("_-. "), name.size());
    const std::string_view part = name.substr(0, end);
    for (const std::string_view stem : kStems) {
      if (part.starts_with(stem) && numbers_host(stem, part.substr(stem.size()))) return std::string(part);
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return {};
}

/// The values of an output by what stands in front of them.
std::map<std::string, std::set<std::string>> values_of(const Section& section) {
  std::map<std::string, std::set<std::string>> out;
  for (const Line& line : section.lines) {
    const std::string_view text = trim(line.text);
    if (text.starts_with("requests ") || text.starts_with("indications ")) continue;  // dcb's counters of PFC frames
    auto end = text.rfind(": ");
    if (end == std::string_view::npos) end = text.find_first_of(" \t");
    if (end != std::string_view::npos)
      out[std::string(text.substr(0, end))].insert(std::string(trim(text.substr(end + 1))));
  }
  return out;
}

bool is_of_one_netdev(const Format& format) {
  return std::string_view(format.settles).find("NETDEV") != std::string_view::npos;
}

/// Settings of a port that change by somebody's hand alone: where they differ, host or time do.
bool is_lasting(const Format& format) {
  const std::string_view name = format.name;
  return name == "ethtool" || name == "ethtool -i" || name == "ethtool -g" || name == "mlnx_qos" ||
         name.starts_with("dcb ");
}

std::string without_ending(const std::string& file) {
  const auto dot = file.rfind('.');
  const auto slash = file.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? file : file.substr(0, dot);
}

/// Hosts of loose files that name none and say no time.
class LooseFiles {
 public:
  explicit LooseFiles(std::vector<Section>& sections) : sections_(sections) {}

  void name_hosts(std::map<std::string, std::string>& notes) {
    look();
    if (by_name_) {
      for (Section& section : sections_)
        if (is_loose(section)) section.host = host_in_name(section.file);
      return;
    }
    for (Section& section : sections_) {
      if (!is_loose(section) || !apart_.contains(section.file)) continue;
      section.host = without_ending(section.file);
      notes[section.host] =
          "files tell settings of one port differently and do not say whether they are of two hosts or "
          "of two times: " +
          section.file + " is judged by itself";
    }
  }

 private:
  [[nodiscard]] static bool is_loose(const Section& section) {
    return section.host.empty() && section.moment == 0 && (section.clock.empty() || section.clock == "file");
  }
  void look() {
    std::map<std::tuple<const Format*, std::string, std::string>, std::vector<const Section*>> same;
    for (const Section& section : sections_)
      if (is_loose(section)) same[{section.format, section.about.netdev, section.about.device}].push_back(&section);
    for (const auto& [what, list] : same) {
      constexpr std::size_t kMostCompared = 64;
      if (list.size() < 2 || !is_of_one_netdev(*list[0]->format)) continue;
      for (std::size_t i = 1; i < std::min(list.size(), kMostCompared); ++i)
        for (std::size_t k = 0; k < i; ++k) compare(*list[k], *list[i]);
    }
  }
  void compare(const Section& a, const Section& b) {
    if (a.file == b.file) return;
    const std::string one = host_in_name(a.file), other = host_in_name(b.file);
    const bool differ = !one.empty() && !other.empty() && one != other;
    if (differ) by_name_ = true;
    if (!is_lasting(*a.format) || !contradict(a, b)) return;
    apart_.insert(a.file);
    apart_.insert(b.file);
  }

  std::vector<Section>& sections_;
  std::set<std::string> apart_;
  bool by_name_ = false;
};

}  // namespace

bool contradict(const Section& a, const Section& b) {
  const auto other = values_of(b);
  for (const auto& [key, values] : values_of(a)) {
    const auto at = other.find(key);
    if (at == other.end()) continue;
    const auto& both = at->second;
    if (!std::includes(values.begin(), values.end(), both.begin(), both.end()) &&
        !std::includes(both.begin(), both.end(), values.begin(), values.end()))
      return true;
  }
  return false;
}

std::vector<std::string> contradictions_in(const std::vector<Section>& sections) {
  constexpr std::size_t kMost = 10;
  using Key = std::tuple<const Format*, std::string, std::string, std::string, std::string, std::int64_t, std::string>;
  std::map<Key, const Section*> last;
  std::vector<std::string> out;
  for (const Section& section : sections) {
    if (!is_lasting(*section.format) || section.lines.empty() || out.size() == kMost) continue;
    const Section*& before = last[{section.format, section.file, section.host, section.about.netdev,
                                   section.about.device, section.wall_ns, section.clock}];
    if (before != nullptr && contradict(*before, section))
      out.push_back(place_text(*before, before->lines[0].number) + " and " +
                    place_text(section, section.lines[0].number) + ": two outputs of " + section.format->name +
                    " for " + section.about.netdev +
                    " differ, and no time or name says whether of two times or two hosts: the later one holds");
    before = &section;
  }
  return out;
}

Hosts hosts_of(std::vector<Section> sections, std::size_t most) {
  Hosts out;
  const HostFolders folders(sections);
  const bool by_folder = folders_are_hosts(sections, folders);
  for (Section& section : sections)
    if (section.host.empty() && by_folder) section.host = folders.of(section.file);
  LooseFiles(sections).name_hosts(out.notes);
  std::set<std::string> named;
  for (const Section& section : sections) {
    if (is_pod_or_container(section.host))
      out.notes[section.host] = "netdevs of " + section.host + " are not those of a host: it is judged by itself";
    else if (!section.host.empty())
      named.insert(section.host);
  }
  const std::string fallback = named.size() == 1 ? *named.begin() : "";
  for (Section& section : sections) {
    const std::string host = section.host.empty() ? fallback : section.host;
    if (out.sections.size() < most || out.sections.contains(host))
      out.sections[host].push_back(std::move(section));
    else
      out.left_out.push_back(std::move(section));
  }
  return out;
}

std::vector<Section> take_out_indistinct(std::vector<Section>& sections) {
  using Key = std::tuple<std::string, std::string, const Format*, std::int64_t, std::string>;
  std::map<Key, std::vector<std::size_t>> same;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    if (section.about.nobody() && is_of_one_netdev(*section.format))
      same[{section.file, section.host, section.format, section.wall_ns, section.clock}].push_back(i);
  }
  std::set<std::size_t> taken;
  for (const auto& [key, indexes] : same) {
    if (indexes.size() < 2) continue;
    const auto texts = [&](std::size_t index) {
      std::vector<std::string> out;
      for (const Line& line : sections[index].lines)
        if (!line.text.empty()) out.push_back(line.text);
      return out;
    };
    const bool alike = std::all_of(indexes.begin() + 1, indexes.end(),
                                   [&, first = indexes[0]](std::size_t index) { return texts(index) == texts(first); });
    if (!alike) taken.insert(indexes.begin(), indexes.end());
  }
  std::vector<Section> kept, out;
  for (std::size_t i = 0; i < sections.size(); ++i) (taken.contains(i) ? out : kept).push_back(std::move(sections[i]));
  sections = std::move(kept);
  return out;
}

}  // namespace roceready::evidence
