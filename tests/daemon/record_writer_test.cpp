// SPDX-License-Identifier: Apache-2.0
#include "daemon/record_writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/host/recording.h"

namespace roceready {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class WriteRecording : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "roceready-writer-XXXXXX").native();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
    out = root / "recording";
  }
  void TearDown() override { fs::remove_all(root); }

  fs::path root, out;
};

Answer data(std::string bytes) {
  Answer answer;
  answer.data = std::move(bytes);
  return answer;
}

Recording small() {
  Recording recording;
  recording.info.layout = "raw";
  recording.info.origin = "made up";
  recording.info.redacted = {"mac"};
  recording.samples.resize(2);
  recording.samples[0].clock = {{1, 2}};
  recording.samples[0].answers = {{"sys/class/net/eth0/mtu", data("1500\n")}};
  recording.samples[1].clock = {{3, 4}};
  recording.samples[1].answers = {{"sys/class/net/eth0/mtu", data("1500\n")}};
  return recording;
}

/// Every key of either recording has the same answer in every sample.
void expect_same(const Recording& a, const Recording& b) {
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].clock, b.samples[i].clock);
    for (const Recording* keys : {&a, &b})
      for (const RecordedSample& sample : keys->samples)
        for (const auto& [key, unused] : sample.answers) {
          const Answer *left = a.find(i, key), *right = b.find(i, key);
          ASSERT_EQ(left == nullptr, right == nullptr) << key;
          if (left == nullptr) continue;
          EXPECT_EQ(*left, *right) << key << " in sample " << i;
        }
  }
}

TEST_F(WriteRecording, is_read_back_to_the_same_answers) {
  const Recording recording = small();
  const auto written = write_recording(out, recording);
  ASSERT_TRUE(written) << written.error().text();
  const auto back = read_recording(out);
  ASSERT_TRUE(back) << back.error().text();
  expect_same(recording, *back);
  EXPECT_EQ(back->info.redacted, recording.info.redacted);
  EXPECT_EQ(back->info.origin, "made up");
}

TEST_F(WriteRecording, writes_only_what_changed) {
  ASSERT_TRUE(write_recording(out, small()));
  EXPECT_TRUE(fs::exists(out / "0000/sys/class/net/eth0/mtu"));
  EXPECT_FALSE(fs::exists(out / "0001"));
}

TEST_F(WriteRecording, takes_a_link_below_the_target_of_another) {
  Recording recording = small();
  recording.samples[0].answers["link/sys/a/device"] = data("../b");
  recording.samples[0].answers["link/sys/a/device/driver"] = data("../c");
  recording.samples[0].answers["odd/a"] = data("file");
  recording.samples[0].answers["odd/a/b"] = data("and directory");
  ASSERT_TRUE(write_recording(out, recording));
  const auto back = read_recording(out);
  ASSERT_TRUE(back) << back.error().text();
  expect_same(recording, *back);
}

/// Names as a hostile or unlucky machine might give them, bytes of every kind.
TEST_F(WriteRecording, is_read_back_whatever_the_names_and_bytes_are) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::vector<std::string> components{
      "sys",       "list", "link", "..",   ".",        "",     "a.hex",     ".hex",
      "data.json", "x y",  "%41",  "eth0", "\xff\xfe", "0000", "host.json", std::string(260, 'n'),
      "a",         "b\n"};
  const std::vector<std::string> contents{
      "", "1500\n", "\0\1\2"s, "tab\tbed", "\xff", "cr\r\n", "\xc3\xa4", std::string(5000, 'x'), "\x1b[2J"};
  for (int round = 0; round < 30; ++round) {
    Recording recording;
    recording.info.layout = "raw";
    recording.samples.resize(1 + below(4));
    std::int64_t now = 0;
    for (RecordedSample& sample : recording.samples) {
      sample.clock.push_back({++now, -now});
      for (std::size_t i = below(20); i > 0; --i) {
        std::string key = components[below(components.size())];
        for (std::size_t depth = below(4); depth > 0; --depth) key += "/" + components[below(components.size())];
        Answer answer;
        switch (below(3)) {
          case 0:
            answer.data = contents[below(contents.size())];
            break;
          case 1:
            answer.kind = Answer::Kind::List;
            for (std::size_t n = below(3); n > 0; --n) answer.items.push_back(contents[below(contents.size())]);
            break;
          default:
            answer.kind = Answer::Kind::Refused;
            answer.error = os_error(static_cast<int>(below(200)), contents[below(contents.size())], key);
        }
        sample.answers[key] = answer;
      }
    }
    const fs::path directory = root / std::to_string(round);
    const auto written = write_recording(directory, recording);
    ASSERT_TRUE(written) << written.error().text();
    const auto back = read_recording(directory);
    ASSERT_TRUE(back) << back.error().text();
    expect_same(recording, *back);
  }
}

TEST_F(WriteRecording, does_not_touch_a_directory_that_holds_something) {
  fs::create_directory(out);
  std::ofstream(out / "mine") << "precious";
  const auto written = write_recording(out, small());
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("not empty"), std::string::npos);
  EXPECT_FALSE(fs::exists(out / "host.json"));
  EXPECT_TRUE(fs::exists(out / "mine"));
}

TEST_F(WriteRecording, takes_an_empty_directory_and_no_missing_parent) {
  fs::create_directory(out);
  EXPECT_TRUE(write_recording(out, small()));
  EXPECT_FALSE(write_recording(root / "no/such/parent", small()));
  std::ofstream(root / "file") << "x";
  EXPECT_FALSE(write_recording(root / "file", small()));
}

TEST_F(WriteRecording, leaves_nothing_behind_when_the_disk_is_full) {
  Recording recording = small();
  recording.samples[1].answers["sys/large"] = data(std::string(100'000, 'x'));
  // A limit on file size fails a write as a full disk does, with another errno.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{50'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto written = write_recording(out, recording);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().os_error, EFBIG);
  EXPECT_NE(written.error().where.find("sys/large"), std::string::npos);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(WriteRecording, refuses_what_could_not_be_read_back) {
  Recording no_clock = small();
  no_clock.samples[0].clock.clear();
  EXPECT_FALSE(write_recording(out, no_clock));
  Recording no_sample = small();
  no_sample.samples.clear();
  EXPECT_FALSE(write_recording(out, no_sample));
  Recording other_layout = small();
  other_layout.info.layout = "snapshot";
  EXPECT_FALSE(write_recording(out, other_layout));
  Recording too_long = small();
  too_long.samples[0].answers["sys/x"] = data(std::string(6U * 1024 * 1024, 'x'));
  EXPECT_FALSE(write_recording(out, too_long));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(WriteRecording, sample_by_sample_is_the_same_recording) {
  const Recording recording = small();
  {
    auto writer = RecordWriter::create(out, recording.info);
    ASSERT_TRUE(writer);
    for (const RecordedSample& sample : recording.samples) ASSERT_TRUE(writer->add(sample));
    ASSERT_TRUE(writer->finish());
  }
  const auto back = read_recording(out);
  ASSERT_TRUE(back) << back.error().text();
  expect_same(recording, *back);
}

TEST_F(WriteRecording, vanishes_when_it_is_not_finished) {
  {
    auto writer = RecordWriter::create(out, small().info);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->add(small().samples[0]));
  }
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace
}  // namespace roceready
