// SPDX-License-Identifier: Apache-2.0
// Every host under tests/hosts through the whole pipeline, against its expect.json; and the made-up ones against what
// makes them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "core/snapshot/snapshot_json.h"
#include "daemon/export/json.h"
#include "tests/hosts/expectation.h"
#include "tests/hosts/pipeline.h"
#include "tests/hosts/stories.h"
#include "tests/source_dir.h"

namespace roceready::hosts {
namespace {

namespace fs = std::filesystem;

class EachHost : public testing::TestWithParam<fs::path> {};

std::string name_of_host(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

TEST_P(EachHost, is_judged_as_expected) {
  const auto expect = read_expectation(GetParam());
  ASSERT_TRUE(expect) << expect.error().text();
  const auto judged = judge(GetParam());
  ASSERT_TRUE(judged) << judged.error().text();
  for (const std::string& wrong : disagreements(*expect, *judged)) ADD_FAILURE() << wrong;
}

TEST_P(EachHost, gives_the_same_report_twice) {
  const auto first = judge(GetParam()), second = judge(GetParam());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(daemon::report_json(*first->report), daemon::report_json(*second->report));
}

TEST_P(EachHost, has_scores_that_the_penalties_explain) {
  const auto judged = judge(GetParam());
  ASSERT_TRUE(judged);
  for (const rules::PortReport& port : judged->report->ports) {
    if (!port.score) continue;
    double left = 100;
    for (const rules::Penalty& penalty : port.penalties) left -= penalty.points;
    EXPECT_NEAR(left, *port.score, 1e-9) << port.key;
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, EachHost, testing::ValuesIn(host_directories()), name_of_host);

std::map<std::string, std::string> files_below(const fs::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    out[fs::relative(entry.path(), directory).string()] = text.str();
  }
  return out;
}

/// A directory of its own, gone with the object.
struct TemporaryDirectory {
  fs::path path;
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "roceready-hosts-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
};

TEST(MadeUpHosts, are_on_disk_what_the_generator_makes) {
  const TemporaryDirectory made;
  for (const Story& story : stories()) {
    const auto written = write_story(made.path, story);
    ASSERT_TRUE(written) << written.error().text();
    const fs::path committed = fs::path(ROCEREADY_SOURCE_DIR) / "tests/hosts" / story.name;
    ASSERT_TRUE(fs::exists(committed)) << story.name << ": run make_hosts";
    const auto wanted = files_below(made.path / story.name), found = files_below(committed);
    for (const auto& [file, text] : wanted) {
      const auto at = found.find(file);
      if (at == found.end())
        ADD_FAILURE() << story.name << "/" << file << " is missing: run make_hosts";
      else
        EXPECT_TRUE(at->second == text) << story.name << "/" << file << " differs: run make_hosts";
    }
    for (const auto& [file, text] : found)
      EXPECT_TRUE(wanted.contains(file)) << story.name << "/" << file << " is not made any more: run make_hosts";
  }
}

TEST(MadeUpHosts, read_back_as_they_were_written) {
  for (const Story& story : stories()) {
    const auto back = read_recording(fs::path(ROCEREADY_SOURCE_DIR) / "tests/hosts" / story.name);
    ASSERT_TRUE(back) << back.error().text();
    ASSERT_EQ(back->samples.size(), story.recording.samples.size());
    for (std::size_t i = 0; i < back->samples.size(); ++i)
      EXPECT_TRUE(back->samples[i].answers == story.recording.samples[i].answers);
  }
}

TEST(MadeUpHosts, answer_all_that_is_asked_of_the_healthy_pair) {
  for (const Story& story : stories()) {
    if (story.name != "cx7-pair-healthy") continue;
    for (const Snapshot& snapshot : sample_all(story.recording))
      EXPECT_EQ(to_json(snapshot).dump().find("not_recorded"), std::string::npos);
  }
}

/// Lists reversed: the kernel promises no order.
Recording reversed(Recording recording) {
  for (RecordedSample& sample : recording.samples)
    for (auto& [key, answer] : sample.answers)
      if (key.starts_with("netlink/")) std::reverse(answer.items.begin(), answer.items.end());
  return recording;
}

TEST(MadeUpHosts, are_judged_alike_in_any_order_of_devices) {
  for (const Story& story : stories())
    EXPECT_EQ(daemon::report_json(*judge(story.recording).report),
              daemon::report_json(*judge(reversed(story.recording)).report))
        << story.name;
}

}  // namespace
}  // namespace roceready::hosts
