// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "daemon/export/rule_text.h"
#include "daemon/setup.h"
#include "rules/engine.h"
#include "tests/source_dir.h"

namespace roceready::daemon {
namespace {

const std::filesystem::path kPages = std::filesystem::path(ROCEREADY_SOURCE_DIR) / "docs/rules";

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// After a change of a rule's text: build/dev/roceready explain RULE --markdown > docs/rules/RULE.md
TEST(RulePages, say_what_the_rules_say) {
  std::set<std::string> wanted = {"README.md"};
  for (const rules::Rule* rule : rules::catalogue()) {
    wanted.insert(std::string(rule->id) + ".md");
    EXPECT_EQ(content(kPages / (std::string(rule->id) + ".md")), rule_markdown(*rule)) << rule->id;
  }
  EXPECT_EQ(content(kPages / "README.md"), rules_index_markdown(rules::catalogue()));
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kPages)) found.insert(entry.path().filename().string());
  EXPECT_EQ(found, wanted);
}

// After a change of the option table: ROCEREADY_WRITE_DOCS=docs/config.md and run this test.
TEST(ConfigPage, says_what_the_option_table_says) {
  std::vector<config::Option> options = all_options();
  std::erase_if(options, [](const config::Option& option) { return option.key.starts_with("rules."); });
  const std::string expected = config::document(options);
  if (const char* out = std::getenv("ROCEREADY_WRITE_DOCS")) std::ofstream(out) << expected;
  EXPECT_EQ(content(kPages.parent_path() / "config.md"), expected);
}

}  // namespace
}  // namespace roceready::daemon
