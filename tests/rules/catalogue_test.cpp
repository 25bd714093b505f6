// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "core/history/columns.h"
#include "rules/engine.h"
#include "tests/source_dir.h"

namespace roceready::rules {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = ROCEREADY_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// Source files of rules by name without ending: those that define one, rather than what several share.
std::map<std::string, fs::path> rule_files() {
  std::map<std::string, fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "rules")) {
    const bool in_family = entry.path().parent_path() != kRoot / "rules";
    if (in_family && entry.path().extension() == ".cpp") out[entry.path().stem().string()] = entry.path();
  }
  return out;
}

std::string file_name(const Rule& rule) {
  std::string name = rule.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Ids of the facts in docs/facts.md: its second-level headings.
std::set<std::string> facts_listed() {
  std::set<std::string> out;
  std::istringstream lines(text_of(kRoot / "docs/facts.md"));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("## ", 0) == 0) out.insert(line.substr(3));
  return out;
}

TEST(Catalogue, has_one_file_and_one_test_a_rule_named_after_its_id) {
  const std::map<std::string, fs::path> files = rule_files();
  EXPECT_EQ(files.size(), catalogue().size());
  for (const Rule* rule : catalogue()) {
    ASSERT_TRUE(files.contains(file_name(*rule))) << rule->id;
    const fs::path file = files.at(file_name(*rule));
    EXPECT_EQ(file.parent_path().filename(), rule->family) << rule->id;
    if (rule->status == Status::Planned) continue;  // nothing to run yet
    const std::string test = file_name(*rule) + "_test.cpp";
    EXPECT_TRUE(fs::exists(kRoot / "tests/rules" / rule->family / test)) << "no " << test;
  }
}

TEST(Catalogue, is_sorted_and_names_no_rule_twice) {
  for (std::size_t k = 1; k < catalogue().size(); ++k)
    EXPECT_LT(std::string(catalogue()[k - 1]->id), catalogue()[k]->id);
}

TEST(Catalogue, has_no_empty_text) {
  for (const Rule* rule : catalogue()) {
    SCOPED_TRACE(rule->id);
    for (const char* text : {rule->title, rule->what, rule->why, rule->next, rule->family, rule->since})
      EXPECT_FALSE(std::string(text).empty());
    EXPECT_TRUE(std::string(rule->what).ends_with(".") && std::string(rule->why).ends_with(".") &&
                std::string(rule->next).ends_with("."));
    EXPECT_FALSE(std::string(rule->title).ends_with(".")) << "a title is no sentence";
    EXPECT_FALSE(rule->severities.empty() || rule->likely_causes.empty() || rule->fix.empty() || rule->traps.empty() ||
                 rule->facts.empty());
    EXPECT_EQ(std::string(rule->id).rfind(rule->family, 0), 0U) << "the family comes first in the id";
    EXPECT_EQ(rule->status == Status::Active, rule->judge != nullptr);
    EXPECT_TRUE((rule->judged & kRate) == 0 || !rule->needs.empty() || rule->status == Status::Planned)
        << "a rate needs a past";
    EXPECT_EQ(rule->mandatory & ~rule->modes, 0) << "mandatory where it does not apply";
  }
}

/// Every rule that rules.md names by probe, LLDP or other nodes stands in the catalogue, planned or not.
TEST(Catalogue, names_the_sources_of_every_planned_rule) {
  std::map<std::string, std::size_t> families;
  for (const Rule* rule : catalogue()) {
    if (rule->status != Status::Planned) continue;
    ++families[rule->family];
    EXPECT_NE(rule->judged & (kProbe | kLldp | kFabric), 0) << rule->id << " could be judged from this node alone";
    EXPECT_EQ(rule->mandatory, 0) << rule->id;
  }
  EXPECT_EQ(families["probe"] + families["fabric"] + families["lldp"] + families["ecn"], 16U);
}

TEST(Catalogue, has_limits_inside_their_ranges_with_help) {
  for (const Rule* rule : catalogue()) {
    std::set<std::string> names;
    for (const Limit& limit : rule->limits) {
      SCOPED_TRACE(std::string(rule->id) + "." + limit.name);
      EXPECT_TRUE(names.insert(limit.name).second);
      EXPECT_LT(limit.min, limit.max);
      EXPECT_LE(limit.min, limit.value);
      EXPECT_LE(limit.value, limit.max);
      EXPECT_FALSE(std::string(limit.help).empty() || std::string(limit.unit).empty());
      EXPECT_NE(std::string("VKPTSD").find(limit.evidence), std::string::npos);
    }
  }
}

TEST(Catalogue, reads_every_limit_it_declares_and_declares_every_limit_it_reads) {
  const std::map<std::string, fs::path> files = rule_files();
  for (const Rule* rule : catalogue()) {
    if (rule->status == Status::Planned) continue;
    const std::string source = text_of(files.at(file_name(*rule)));
    for (const Limit& limit : rule->limits)
      EXPECT_TRUE(std::string(limit.name) == "hold_s" ||  // the engine reads it
                  source.find("limit(\"" + std::string(limit.name)) != std::string::npos ||
                  source.find("limit_or_profile(seen, \"" + std::string(limit.name)) != std::string::npos)
          << rule->id << " never reads " << limit.name;
    const std::regex read(R"re(limit\("([a-z0-9_]+)"\))re");
    for (std::sregex_iterator at(source.begin(), source.end(), read), end; at != end; ++at)
      EXPECT_NE(limit_named(*rule, (*at)[1].str()), nullptr) << rule->id << " reads " << (*at)[1];
  }
}

TEST(Catalogue, cites_facts_that_are_listed) {
  const std::set<std::string> listed = facts_listed();
  for (const Rule* rule : catalogue())
    for (const char* fact : rule->facts) EXPECT_TRUE(listed.contains(fact)) << rule->id << " cites " << fact;
}

TEST(Catalogue, lists_no_fact_that_nobody_cites) {
  std::string sources;
  for (const char* room : {"core", "collectors", "rules", "probes", "daemon"}) {
    if (!fs::exists(kRoot / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / room)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".cpp" || ending == ".h" || ending == ".def") sources += text_of(entry.path());
    }
  }
  for (const std::string& fact : facts_listed()) EXPECT_NE(sources.find(fact), std::string::npos) << fact;
}

}  // namespace
}  // namespace roceready::rules
