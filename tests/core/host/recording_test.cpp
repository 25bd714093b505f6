// SPDX-License-Identifier: Apache-2.0
#include "core/host/recording.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace roceready {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

/// A directory of its own for each test, with a recording of one sample in it.
class ReadRecording : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "roceready-recording-XXXXXX").native();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
    put("host.json", R"({"layout":"raw","origin":"made up"})");
    put("clock.json", R"({"samples":[{"clock":[{"monotonic_ns":1,"wall_ns":2}]}]})");
    put("0000/sys/class/net/eth0/mtu", "1500\n");
  }
  void TearDown() override { fs::remove_all(root); }

  void put(const std::string& name, const std::string& content) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << content;
  }

  /// The recording must be refused with an error that names `file`.
  void expect_damaged(const std::string& file, const std::string& says) const {
    const auto recording = read_recording(root);
    ASSERT_FALSE(recording) << file;
    EXPECT_NE(recording.error().where.find(file), std::string::npos) << recording.error().text();
    EXPECT_NE(recording.error().what.find(says), std::string::npos) << recording.error().text();
  }

  fs::path root;
};

TEST_F(ReadRecording, reads_files_hexadecimal_lists_and_refusals) {
  put("0000/ethtool/statistics_values/eth0.hex", "0100000000000000\n02000000 00000000");
  put("0000/data.json", R"({"link/sys/class/net/eth0/device":"../../../0000:3b:00.0"})");
  put("0000/lists.json", R"({"list/sys/class/net":["eth0","lo"]})");
  put("0000/refused.json", R"({"sys/class/net/eth0/speed":"EINVAL"})");
  const auto recording = read_recording(root);
  ASSERT_TRUE(recording) << recording.error().text();
  ASSERT_EQ(recording->samples.size(), 1U);
  const auto& answers = recording->samples[0].answers;
  EXPECT_EQ(recording->samples[0].clock, (std::vector<Instant>{{1, 2}}));
  EXPECT_EQ(answers.at("sys/class/net/eth0/mtu").data, "1500\n");
  EXPECT_EQ(answers.at("ethtool/statistics_values/eth0").data, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"s);
  EXPECT_EQ(answers.at("link/sys/class/net/eth0/device").data, "../../../0000:3b:00.0");
  EXPECT_EQ(answers.at("list/sys/class/net").items, (std::vector<std::string>{"eth0", "lo"}));
  EXPECT_EQ(answers.at("sys/class/net/eth0/speed").error.os_error, EINVAL);
  EXPECT_EQ(answers.size(), 5U);
}

TEST_F(ReadRecording, decodes_strange_names) {
  put("0000/ethtool/driver_info/a%2Ehex.hex", "00");
  put("0000/ethtool/driver_info/%2E.", "x");
  const auto recording = read_recording(root);
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_TRUE(recording->samples[0].answers.contains("ethtool/driver_info/a.hex"));
  EXPECT_TRUE(recording->samples[0].answers.contains("ethtool/driver_info/.."));
}

TEST_F(ReadRecording, ignores_what_else_lies_beside_the_samples) {
  put("report.json", "{}");
  put("README", "story");
  put("more/things", "x");
  EXPECT_TRUE(read_recording(root));
}

TEST_F(ReadRecording, needs_no_directory_for_a_sample_in_which_nothing_changed) {
  put("clock.json", R"({"samples":[{"clock":[{"monotonic_ns":1,"wall_ns":2}]},
                                    {"clock":[{"monotonic_ns":3,"wall_ns":4}],"unchanged":true}]})");
  const auto recording = read_recording(root);
  ASSERT_TRUE(recording) << recording.error().text();
  ASSERT_EQ(recording->samples.size(), 2U);
  ASSERT_NE(recording->find(1, "sys/class/net/eth0/mtu"), nullptr);
  EXPECT_EQ(recording->find(1, "sys/class/net/eth0/mtu")->data, "1500\n");
}

TEST_F(ReadRecording, names_the_file_that_is_missing) {
  fs::remove(root / "clock.json");
  expect_damaged("clock.json", "cannot open");
  fs::remove(root / "host.json");
  expect_damaged("host.json", "cannot open");
  EXPECT_EQ(read_recording(root).error().os_error, ENOENT);
}

TEST_F(ReadRecording, refuses_a_directory_without_samples) {
  fs::remove_all(root / "0000");
  expect_damaged("0000", "missing");
  put("clock.json", R"({"samples":[]})");
  expect_damaged("clock.json", "no sample");
}

TEST_F(ReadRecording, refuses_a_sample_that_the_clock_does_not_know) {
  put("0001/sys/x", "1");
  expect_damaged("0001", "clock.json does not have");
  fs::remove_all(root / "0001");
  put("00000/sys/x", "1");
  expect_damaged("00000", "clock.json does not have");
}

TEST_F(ReadRecording, refuses_the_other_layout) {
  put("host.json", R"({"layout":"snapshot"})");
  expect_damaged("host.json", "only raw");
  EXPECT_TRUE(read_host_info(root));
}

TEST_F(ReadRecording, refuses_wrong_hexadecimal) {
  put("0000/ethtool/driver_info/eth0.hex", "0g");
  expect_damaged("driver_info/eth0.hex", "not hexadecimal");
}

TEST_F(ReadRecording, refuses_a_question_with_two_answers) {
  put("0000/sys/class/net/eth0/mtu.hex", "31");
  expect_damaged("mtu.hex", "another file");
  fs::remove(root / "0000/sys/class/net/eth0/mtu.hex");
  put("0000/refused.json", R"({"sys/class/net/eth0/mtu":"EIO"})");
  expect_damaged("0000", "");
}

TEST_F(ReadRecording, refuses_paths_that_climb) {
  put("0000/refused.json", R"({"sys/../etc/passwd":"EIO"})");
  expect_damaged("refused.json", "not a key");
}

TEST_F(ReadRecording, refuses_names_that_it_would_not_write) {
  put("0000/sys/.hidden", "x");
  expect_damaged(".hidden", "no recording gives");
  fs::remove(root / "0000/sys/.hidden");
  put("0000/stray", "x");
  expect_damaged("stray", "no recording gives");
}

TEST_F(ReadRecording, does_not_follow_symbolic_links) {
  put("outside", "secret");
  fs::create_symlink(root / "outside", root / "0000/sys/link");
  expect_damaged("sys/link", "symbolic link");
  fs::remove(root / "0000/sys/link");
  fs::create_directory_symlink(root, root / "0000/sys/loop");
  expect_damaged("sys/loop", "symbolic link");
  fs::remove(root / "0000/sys/loop");
  fs::rename(root / "0000", root / "moved");
  fs::create_directory_symlink(root / "moved", root / "0000");
  expect_damaged("0000", "not a directory");
  fs::remove(root / "host.json");
  fs::create_symlink(root / "outside", root / "host.json");
  expect_damaged("host.json", "symbolic link");
}

TEST_F(ReadRecording, does_not_wait_for_a_pipe) {
  ASSERT_EQ(::system(("mkfifo " + (root / "0000/sys/pipe").native()).c_str()), 0);
  expect_damaged("sys/pipe", "not a regular file");
}

TEST_F(ReadRecording, refuses_a_file_that_is_too_long) {
  std::ofstream(root / "0000/sys/long").close();
  fs::resize_file(root / "0000/sys/long", 17U * 1024 * 1024);  // sparse
  expect_damaged("sys/long", "16 MiB");
}

TEST_F(ReadRecording, refuses_a_directory_that_is_too_deep) {
  std::string path = "0000";
  for (int i = 0; i < 80; ++i) path += "/d";
  put(path + "/x", "1");
  expect_damaged("0000/d", "too deep");
}

TEST(ReadRecordingOfNothing, says_which_directory) {
  const auto recording = read_recording("/nonexistent/recording");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::NotFound);
  EXPECT_NE(recording.error().where.find("/nonexistent/recording"), std::string::npos);
}

}  // namespace
}  // namespace roceready
