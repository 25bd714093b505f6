// SPDX-License-Identifier: Apache-2.0
// Each tests/config/bad/NAME.yaml must be refused with exactly the lines of NAME.txt; each good/NAME.yaml must load,
// with the `key = value` lines of NAME.txt among its values.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "config/settings.h"
#include "tests/config/options_for_tests.h"
#include "tests/source_dir.h"

namespace roceready::config {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const char* folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(ROCEREADY_SOURCE_DIR) / "tests/config" / folder))
    if (entry.path().extension() == ".yaml") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> lines_of(fs::path path) {
  std::ifstream in(path.replace_extension(".txt"));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(line);
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

/// Messages about the whole file begin with its path, which differs from machine to machine.
std::string without_folder(std::string message, const fs::path& file) {
  const std::string folder = file.parent_path().string() + "/";
  if (const auto at = message.find(folder); at != std::string::npos) message.erase(at, folder.size());
  return message;
}

TEST(ConfigFiles, every_bad_file_is_refused_with_all_its_problems) {
  const auto files = files_in("bad");
  ASSERT_GE(files.size(), 15U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const LoadOutcome outcome = load(file, options_for_tests());
    EXPECT_FALSE(outcome.loaded.has_value());
    std::vector<std::string> messages;
    for (const Problem& problem : outcome.problems) messages.push_back(without_folder(problem.message, file));
    EXPECT_EQ(joined(messages), joined(lines_of(file)));
  }
}

TEST(ConfigFiles, every_good_file_loads_with_its_values) {
  const auto files = files_in("good");
  ASSERT_GE(files.size(), 5U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const LoadOutcome outcome = load(file, options_for_tests());
    for (const Problem& problem : outcome.problems) ADD_FAILURE() << problem.message;
    if (!outcome.loaded) continue;
    for (const std::string& line : lines_of(file)) {
      const auto equals = line.find(" = ");
      ASSERT_NE(equals, std::string::npos) << line;
      const std::string key = line.substr(0, equals);
      ASSERT_TRUE(outcome.loaded->values.contains(key)) << key;
      EXPECT_EQ(outcome.loaded->values.at(key), line.substr(equals + 3)) << key;
    }
  }
}

TEST(ConfigFiles, the_packaged_example_is_valid_and_binds_every_address) {
  const fs::path example = fs::path(ROCEREADY_SOURCE_DIR) / "config/roceready.yaml";
  const LoadOutcome outcome = load(example, options_for_tests());
  for (const Problem& problem : outcome.problems) ADD_FAILURE() << problem.message;
  ASSERT_TRUE(outcome.loaded.has_value());
  EXPECT_EQ(outcome.loaded->settings.http_listen, "[::]:9885");
  EXPECT_TRUE(outcome.loaded->settings.limits.empty());
}

TEST(ConfigFiles, the_packaged_example_names_every_option_at_its_default) {
  std::ifstream in(fs::path(ROCEREADY_SOURCE_DIR) / "config/roceready.yaml");
  std::string section;
  std::map<std::string, std::string> named;
  for (std::string line; std::getline(in, line);) {
    const auto text = line.find_first_not_of(" #");
    const auto colon = line.find(':', text == std::string::npos ? 0 : text);
    if (text == std::string::npos || colon == std::string::npos) continue;
    const std::string key = line.substr(text, colon - text);
    if (key.find(' ') != std::string::npos) continue;
    if (colon + 1 == line.size())
      section = key;
    else if (line[0] == ' ')
      named[section + "." + key] = line.substr(colon + 2);
    else
      named[key] = line.substr(colon + 2);
  }
  for (const Option& option : program_options({{"nvidia-lossless"}, {}, {}, {}, {}, {}})) {
    ASSERT_TRUE(named.contains(option.key)) << option.key;
    // These three show what to write instead of what holds without them.
    if (option.key == "profile" || option.key == "http.listen" || option.key == "ports.expected") continue;
    EXPECT_EQ(named[option.key], option.default_value.empty() ? "\"\"" : option.default_value) << option.key;
  }
}

}  // namespace
}  // namespace roceready::config
