// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/source_dir.h"

/// What tests/collectors/vendors/names holds: names that drivers print, and the facts of counters.csv.
namespace roceready::reference {

inline std::filesystem::path directory() {
  return std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/collectors/vendors/names";
}

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// Names in the driver's order: one file a driver, source and version.
struct NameList {
  std::string file, driver, source;  ///< "bnxt_re.hw_counters.pre-v6.18.p5.txt", "bnxt_re", "hw_counters"
  std::vector<std::string> names;
};
inline std::vector<NameList> name_lists() {
  std::vector<NameList> out;
  for (const auto& entry : std::filesystem::directory_iterator(directory())) {
    const std::string file = entry.path().filename();
    if (file == "ignored.txt" || entry.path().extension() != ".txt") continue;
    const auto parts = split(file, '.');
    out.push_back({file, std::string(parts.at(0)), std::string(parts.at(1)), lines_of(entry.path())});
  }
  return out;
}

/// A name that no row maps, on purpose.
struct Ignored {
  std::string driver, pattern, reason;
};
inline std::vector<Ignored> ignored() {
  std::vector<Ignored> out;
  for (const std::string& line : lines_of(directory() / "ignored.txt")) {
    if (line.starts_with("#")) continue;
    const auto parts = split(line, '|');
    out.push_back({std::string(parts.at(0)), std::string(parts.at(1)), std::string(parts.at(2))});
  }
  return out;
}

/// Rows of counters.csv by column.
inline std::vector<std::map<std::string, std::string>> counters() {
  std::vector<std::map<std::string, std::string>> out;
  std::vector<std::string> columns;
  for (const std::string& line : lines_of(directory() / "counters.csv")) {
    const auto cells = split(line, ',');
    if (columns.empty()) {
      columns.assign(cells.begin(), cells.end());
      continue;
    }
    auto& row = out.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells.at(i);
  }
  return out;
}

}  // namespace roceready::reference
