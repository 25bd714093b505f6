// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "config/settings.h"
#include "tests/config/options_for_tests.h"

namespace roceready::config {
namespace {

namespace fs = std::filesystem;

/// A file that is gone when the test is.
class TempFile {
 public:
  explicit TempFile(const std::string& text) {
    std::string name = (fs::temp_directory_path() / "roceready-config-XXXXXX").string();
    const int fd = mkstemp(name.data());
    EXPECT_GE(fd, 0);
    close(fd);
    path_ = name;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TempFile() { fs::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

LoadOutcome load_text(const std::string& text, const std::map<std::string, std::string>& overrides = {}) {
  const TempFile file(text);
  return load(file.path(), options_for_tests(), overrides);
}

std::string only_problem(const LoadOutcome& outcome) {
  EXPECT_EQ(outcome.problems.size(), 1U);
  EXPECT_FALSE(outcome.loaded.has_value());
  return outcome.problems.empty() ? "" : outcome.problems.front().message;
}

TEST(Config, runs_without_any_file) {
  const LoadOutcome outcome = load(std::nullopt, options_for_tests());
  ASSERT_TRUE(outcome.loaded.has_value());
  const Settings& s = outcome.loaded->settings;
  EXPECT_EQ(s.profile, "");
  EXPECT_EQ(s.http_listen, "127.0.0.1:9885");
  EXPECT_TRUE(s.ports_expected.empty() && s.ports_include.empty() && s.ports_exclude.empty());
  EXPECT_EQ(s.sampling_interval_ns, 1'000'000'000);
  EXPECT_EQ(s.statistics_share, 0.02);
  EXPECT_EQ(s.initializing_seconds, 300);
  EXPECT_EQ(s.hold_down_seconds, 600);
  EXPECT_EQ(s.rdma_units, (std::vector<std::string>{"slurmd", "kubelet", "containerd"}));
  EXPECT_EQ(s.log_level, "info");
  EXPECT_EQ(s.state_directory, "/var/lib/roceready");
  EXPECT_TRUE(s.limits.empty());
  for (const Option& option : options_for_tests()) EXPECT_EQ(outcome.loaded->origin.at(option.key), "default");
}

TEST(Config, every_option_has_a_place_and_help) {
  std::map<std::string, int> seen;
  for (const Option& option : program_options({{"nvidia-lossless"}, {}, {}, {}, {}, {}})) {
    EXPECT_EQ(++seen[option.key], 1) << option.key;
    EXPECT_FALSE(option.help.empty()) << option.key;
    if (!option.min || !option.max) continue;
    EXPECT_LT(*option.min, *option.max) << option.key;
  }
}

TEST(Config, the_command_line_wins_over_the_file_and_says_so) {
  const TempFile file("profile: lossy-ecn\nports: {exclude: [mlx5_9]}\n");
  const LoadOutcome outcome = load(file.path(), options_for_tests(),
                                   {{"profile", "nvidia-lossless"}, {"ports.expected", "mlx5_0/1, mlx5_1/1"}});
  ASSERT_TRUE(outcome.loaded.has_value());
  EXPECT_EQ(outcome.loaded->settings.profile, "nvidia-lossless");
  EXPECT_EQ(outcome.loaded->settings.ports_expected, (std::vector<std::string>{"mlx5_0/1", "mlx5_1/1"}));
  EXPECT_EQ(outcome.loaded->origin.at("profile"), "command line");
  EXPECT_EQ(outcome.loaded->origin.at("ports.exclude"), file.path().string() + ":2");
}

TEST(Config, a_bad_override_is_refused_like_a_bad_file) {
  EXPECT_EQ(only_problem(load(std::nullopt, options_for_tests(), {{"profile", "nvidia-losless"}})),
            "profile: \"nvidia-losless\" is not one of lossy-ecn, not-roce, nvidia-lossless; did you mean "
            "nvidia-lossless?, on the command line");
  EXPECT_EQ(only_problem(load(std::nullopt, options_for_tests(), {{"sampling.intervall", "1s"}})),
            "sampling.intervall: unknown key, on the command line; did you mean sampling.interval?");
}

TEST(Config, problems_of_file_and_command_line_come_in_one_run) {
  const LoadOutcome outcome = load_text("profle: x\nsampling: {interval: 1 hour}\n", {{"log.level", "loud"}});
  EXPECT_EQ(outcome.problems.size(), 3U);
  EXPECT_FALSE(outcome.loaded.has_value());
}

TEST(Config, limits_of_rules_hold_only_what_the_user_set) {
  const LoadOutcome outcome = load_text("rules.pfc-storm-rx: {storm_share: 0.9}\nrules.link-flap.window: 30m\n");
  ASSERT_TRUE(outcome.loaded.has_value());
  EXPECT_EQ(outcome.loaded->settings.limits,
            (std::map<std::string, double>{{"rules.pfc-storm-rx.storm_share", 0.9}, {"rules.link-flap.window", 1800}}));
}

TEST(Config, a_missing_file_is_a_problem_not_a_default) {
  EXPECT_NE(only_problem(load("/nonexistent/roceready.yaml", options_for_tests())).find("cannot open"),
            std::string::npos);
  EXPECT_NE(only_problem(load("/", options_for_tests())).find("not a regular file"), std::string::npos);
}

TEST(Config, endless_files_are_refused_and_not_read) {
  EXPECT_NE(only_problem(load("/dev/zero", options_for_tests())).find("not a regular file"), std::string::npos);
}

TEST(Config, bytes_that_are_no_text_are_refused_with_their_line) {
  for (const std::string& bytes : {std::string("profile: x\nlog: \xff\xfe\n"), std::string("a: 1\nb\0: 2\n", 12),
                                   std::string("a: 1\nb: \x1b[31m\n"), std::string("a: 1\nb: \xed\xa0\x80\n")}) {
    EXPECT_NE(only_problem(load_text(bytes)).find("is not UTF-8 text: a control character or a stray byte, at line 2"),
              std::string::npos);
  }
  const std::string utf16("\xff\xfep\0r\0", 6);
  EXPECT_NE(only_problem(load_text(utf16)).find("at line 1"), std::string::npos);
}

TEST(Config, a_byte_order_mark_and_windows_line_ends_are_text) {
  const LoadOutcome outcome = load_text("\xef\xbb\xbfprofile: lossy-ecn\r\nlog:\r\n  level: debug\r\n");
  for (const Problem& problem : outcome.problems) ADD_FAILURE() << problem.message;
  ASSERT_TRUE(outcome.loaded.has_value());
  EXPECT_EQ(outcome.loaded->settings.profile, "lossy-ecn");
  EXPECT_EQ(outcome.loaded->settings.log_level, "debug");
}

TEST(Config, an_alias_bomb_stays_small) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name <= 'z'; ++name) {
    const std::string before = "*" + std::string(1, static_cast<char>(name - 1));
    bomb += std::string(1, name) + ": &" + name + " [" + before;
    for (int i = 0; i < 8; ++i) bomb += ", " + before;
    bomb += "]\n";
  }
  bomb += "profile: *z\n";
  const auto begin = std::chrono::steady_clock::now();
  const LoadOutcome outcome = load_text(bomb);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_FALSE(outcome.loaded.has_value());
  EXPECT_EQ(outcome.problems.back().message, "profile: is an alias (*name); write the value itself, at line 27");
}

TEST(Config, hostile_shapes_end_quickly_with_a_problem) {
  std::string keys;
  for (int i = 0; i < 50'000; ++i) keys += "samplink.intervak" + std::to_string(i) + ": 1s\n";
  const std::vector<std::string> shapes = {std::string(100'000, '['),
                                           std::string(100'000, '{'),
                                           std::string(100'000, '-'),
                                           std::string(1'000'000, 'a'),
                                           std::string(500'000, 'a') + ": 1",
                                           "profile: " + std::string(1'000'000, 'x'),
                                           "? " + std::string(50'000, '?'),
                                           std::string(2 << 20, '\n'),
                                           keys,
                                           "profile: \"" + std::string(900'000, '\\') + "\"",
                                           "!!binary x",
                                           "%YAML 9.9\n---\na: b",
                                           "&a [*a]",
                                           "<<: *x",
                                           "\"unfinished",
                                           "a: |\n" + std::string(900'000, ' ')};
  for (const std::string& shape : shapes) {
    SCOPED_TRACE(shape.substr(0, 20));
    const auto begin = std::chrono::steady_clock::now();
    const LoadOutcome outcome = load_text(shape);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_FALSE(outcome.problems.empty());
    EXPECT_FALSE(outcome.loaded.has_value());
    EXPECT_LE(outcome.problems.size(), 101U);
    for (const Problem& problem : outcome.problems) EXPECT_LT(problem.message.size(), 600U);
  }
}

TEST(Config, many_problems_are_counted_behind_the_first_hundred) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += "unknown" + std::to_string(i) + ": 1\n";
  const LoadOutcome outcome = load_text(text);
  ASSERT_EQ(outcome.problems.size(), 101U);
  EXPECT_EQ(outcome.problems.back().message, "… and 50 more problems");
}

TEST(Config, nesting_one_level_too_deep_names_the_line) {
  std::string deep = "profile:\n";
  for (int i = 0; i < 20; ++i) deep += std::string(static_cast<std::size_t>(i) + 1, ' ') + "a:\n";
  EXPECT_NE(only_problem(load_text(deep)).find("is nested deeper than 16 levels, at line"), std::string::npos);
}

TEST(PrintedConfig, reads_back_to_the_same_settings) {
  const std::string text =
      "profile: lossy-ecn\nhttp.listen: \"[::1]:1\"\nports: {expected: [a/1, \"b 'x' \\\"y\\\" \\\\z\"], exclude: "
      "['*_9']}\n"
      "sampling: {interval: 200ms}\nrules: {pfc-storm-rx: {storm_share: 0.5}, link-flap: {window: 2h}}\n";
  const LoadOutcome first = load_text(text);
  for (const Problem& problem : first.problems) ADD_FAILURE() << problem.message;
  ASSERT_TRUE(first.loaded.has_value());
  const std::string printed = print(*first.loaded, options_for_tests());
  const LoadOutcome second = load_text(printed);
  for (const Problem& problem : second.problems) ADD_FAILURE() << problem.message << "\n" << printed;
  ASSERT_TRUE(second.loaded.has_value());
  EXPECT_EQ(second.loaded->values, first.loaded->values);
  EXPECT_EQ(second.loaded->settings.limits, first.loaded->settings.limits);
}

TEST(PrintedConfig, says_where_each_value_came_from) {
  const TempFile file("sampling:\n  interval: 2s\n");
  const LoadOutcome outcome = load(file.path(), options_for_tests(), {{"profile", "lossy-ecn"}});
  ASSERT_TRUE(outcome.loaded.has_value());
  const std::string printed = print(*outcome.loaded, options_for_tests());
  EXPECT_NE(printed.find("\n  interval: 2s  # " + file.path().string() + ":2\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("profile: \"lossy-ecn\"  # command line\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("  listen: \"127.0.0.1:9885\"  # default\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("\n#     storm_share: 0.99  # default\n"), std::string::npos) << printed;
}

}  // namespace
}  // namespace roceready::config
