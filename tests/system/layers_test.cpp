// SPDX-License-Identifier: Apache-2.0
// Who may use whom, read from the includes of the tree (docs/architecture.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/source_dir.h"

namespace {

namespace fs = std::filesystem;

struct Include {
  std::string from;  ///< file, from the root
  std::string to;    ///< as written
  bool quoted = false;
  std::size_t line = 0;
};

const std::set<std::string> kRooms = {"core", "collectors", "probes", "rules", "config", "daemon", "bench", "tests"};

fs::path root() {
  return ROCEREADY_SOURCE_DIR;
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> kinds = {".h", ".cpp", ".c", ".def"};
  return kinds.contains(path.extension().string());
}

/// Source files of all rooms, from the root, sorted.
std::vector<std::string> sources() {
  std::vector<std::string> out;
  for (const std::string& room : kRooms) {
    if (!fs::exists(root() / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root() / room))
      if (entry.is_regular_file() && is_source(entry.path()))
        out.push_back(fs::relative(entry.path(), root()).generic_string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Include> includes_of(const std::string& file) {
  std::ifstream in(root() / file);
  std::vector<Include> out;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("<\"", at);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string::npos) continue;
    out.push_back({file, line.substr(open + 1, close - open - 1), line[open] == '"', number});
  }
  return out;
}

std::string room_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::string at(const Include& include) {
  return include.from + ":" + std::to_string(include.line) + " includes " + include.to;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& p) { return text.starts_with(p); });
}

/// Everything that a room may use besides itself.
const std::map<std::string, std::set<std::string>> kAllowed = {
    {"core", {}},
    {"collectors", {"core"}},
    {"probes", {"core"}},
    {"rules", {"core"}},
    {"config", {"core"}},
    {"daemon", {"core", "collectors", "probes", "rules", "config"}},
    {"bench", {"core", "collectors", "probes", "rules", "config", "daemon", "tests"}},
    {"tests", {"core", "collectors", "probes", "rules", "config", "daemon"}},
};

/// Kernel modules of the test lab: their own world, compiled against kernel headers.
bool is_lab_driver(const std::string& file) {
  return file.starts_with("tests/lab/driver/");
}

TEST(Layers, the_tree_is_found) {
  EXPECT_GT(sources().size(), 20U);
}

TEST(Layers, a_room_uses_only_the_rooms_it_may) {
  for (const std::string& file : sources()) {
    if (is_lab_driver(file)) continue;
    for (const Include& include : includes_of(file)) {
      const std::string from = room_of(file), to = room_of(include.to);
      if (!include.quoted || from == to || !kRooms.contains(to)) continue;
      EXPECT_TRUE(kAllowed.at(from).contains(to)) << at(include);
    }
  }
}

TEST(Layers, only_the_daemon_and_tests_reach_the_live_machine) {
  for (const std::string& file : sources()) {
    const std::string room = room_of(file);
    if (file.starts_with("collectors/live/") || room == "daemon" || room == "tests" || room == "bench") continue;
    for (const Include& include : includes_of(file))
      EXPECT_FALSE(include.to.starts_with("collectors/live/")) << at(include);
  }
}

TEST(Layers, our_headers_are_included_from_the_root) {
  for (const std::string& file : sources()) {
    if (is_lab_driver(file)) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      // The build writes version and the like outside the tree.
      if (include.to.starts_with("generated/") || include.to == "version.h" || include.to == "tests/source_dir.h")
        continue;
      EXPECT_TRUE(fs::exists(root() / include.to)) << at(include);
    }
  }
}

/// A header that calls itself inner may show a library to the sources beside it, and to nobody else.
bool is_inner_header(const std::string& file) {
  std::ifstream in(root() / file);
  for (std::string line; std::getline(in, line) && !line.starts_with("#include");)
    if (line.starts_with("// Inner header of")) return true;
  return false;
}

TEST(Layers, third_party_headers_stay_in_sources) {
  const std::vector<std::string> third = {"netlink/", "httplib", "prometheus/", "yaml-cpp/", "infiniband/", "rdma/",
                                          "openssl/", "zlib.h",  "linux/",      "net/if",    "sqlite3.h"};
  std::set<std::string> inner;
  for (const std::string& file : sources()) {
    if (!file.ends_with(".h") || room_of(file) == "tests") continue;
    for (const Include& include : includes_of(file)) {
      if (include.quoted || !starts_with_any(include.to, third)) continue;
      EXPECT_TRUE(is_inner_header(file)) << at(include);
      inner.insert(file);
    }
  }
  for (const std::string& file : sources()) {
    if (room_of(file) == "tests") continue;
    for (const Include& include : includes_of(file)) {
      if (!inner.contains(include.to)) continue;
      const bool beside = fs::path(file).parent_path() == fs::path(include.to).parent_path();
      EXPECT_TRUE(file.ends_with(".cpp") && beside) << at(include);
    }
  }
}

TEST(Layers, each_library_has_its_room) {
  const std::map<std::string, std::vector<std::string>> homes = {
      {"netlink/", {"collectors/live/"}}, {"infiniband/", {"collectors/live/", "probes/"}},
      {"rdma/", {"probes/cm/"}},          {"yaml-cpp/", {"config/", "probes/"}},
      {"prometheus/", {"daemon/"}},       {"httplib", {"daemon/"}},
      {"sqlite3.h", {"daemon/state/"}},   {"openssl/", {"probes/"}},
  };
  for (const std::string& file : sources()) {
    if (room_of(file) == "tests" || room_of(file) == "bench") continue;
    for (const Include& include : includes_of(file))
      for (const auto& [library, rooms] : homes) {
        const bool uses = !include.quoted && include.to.starts_with(library);
        EXPECT_TRUE(!uses || starts_with_any(file, rooms)) << at(include);
      }
  }
}

TEST(Layers, core_and_rules_have_no_threads_and_no_files_to_write) {
  const std::set<std::string> threads = {"thread", "mutex", "condition_variable", "future", "shared_mutex"};
  for (const std::string& file : sources()) {
    const std::string room = room_of(file);
    if (room != "core" && room != "rules") continue;
    for (const Include& include : includes_of(file))
      EXPECT_FALSE(!include.quoted && threads.contains(include.to)) << at(include);
  }
}

TEST(Layers, a_rule_reads_only_evidence) {
  // rules/<family>/<id>.cpp: no clock, no file, no host, no engine. What else a rule needs belongs into Evidence, so
  // that it leaves a trace in the report.
  const std::set<std::string> world = {"fstream", "filesystem", "chrono",   "iostream",      "cstdio",
                                       "ctime",   "random",     "unistd.h", "rules/engine.h"};
  for (const std::string& file : sources()) {
    if (!file.starts_with("rules/") || std::count(file.begin(), file.end(), '/') < 2) continue;
    for (const Include& include : includes_of(file))
      EXPECT_TRUE(!world.contains(include.to) && !include.to.starts_with("core/host/")) << at(include);
  }
}

TEST(Licences, every_source_names_its_own) {
  for (const std::string& file : sources()) {
    std::ifstream in(root() / file);
    std::string first;
    std::getline(in, first);
    EXPECT_NE(first.find("SPDX-License-Identifier: "), std::string::npos) << file;
    EXPECT_TRUE(is_lab_driver(file) || first.find("Apache-2.0") != std::string::npos) << file;
  }
}

TEST(Licences, gpl_stays_with_the_kernel_module_of_the_lab) {
  // Split, so that this file does not name it.
  const std::string tag = std::string("SPDX-License-Identifier: ") + "GPL";
  const std::string macro = std::string("MODULE_") + "LICENSE";
  for (const std::string& file : sources()) {
    if (is_lab_driver(file)) continue;
    std::ifstream in(root() / file);
    for (std::string line; std::getline(in, line);)
      EXPECT_TRUE(line.find(tag) == std::string::npos && line.find(macro) == std::string::npos) << file;
  }
}

}  // namespace
