// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "daemon/cli/terminal.h"
#include "daemon/state/writer.h"
#include "rules/engine.h"
#include "tests/daemon/state/scratch.h"
#include "tests/source_dir.h"

namespace roceready::daemon::cli {
namespace {

struct Kept : Terminal {
  std::string text, errors;
  void out(std::string_view more) override { text += more; }
  void err(std::string_view more) override { errors += more; }
};

int call(Kept& terminal, const Words& words) {
  return run(words, terminal);
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Commands, without_one_or_with_a_wrong_one_say_what_there_is) {
  Kept terminal;
  EXPECT_EQ(call(terminal, {}), kUsage);
  EXPECT_TRUE(has(terminal.errors, "diagnose"));
  EXPECT_EQ(call(terminal, {"diagnos"}), kUsage);
  EXPECT_TRUE(has(terminal.errors, "did you mean roceready diagnose?"));
  EXPECT_TRUE(terminal.text.empty());
  EXPECT_EQ(call(terminal, {"--help"}), kOk);
  EXPECT_TRUE(has(terminal.text, "usage: roceready COMMAND"));
}

TEST(Commands, that_are_not_there_yet_say_so) {
  for (const Words& words : std::vector<Words>{{"record", "/nowhere/x", "--redact"}}) {
    Kept terminal;
    EXPECT_EQ(call(terminal, words), kUsage) << words.front();
    EXPECT_TRUE(has(terminal.errors, "not in this version")) << terminal.errors;
  }
}

TEST(Probe, names_the_word_that_makes_no_sense) {
  struct Case {
    Words words;
    const char* names;
  };
  for (const Case& one : std::vector<Case>{{{"probe"}, "PEER"},
                                           {{"probe", "a:b:c"}, "\"a:b:c\" is no peer"},
                                           {{"probe", "10.0.0.1:99999"}, "\"10.0.0.1:99999\" is no peer"},
                                           {{"probe", "x", "--kind", "ping"}, "\"ping\" is not ud"},
                                           {{"probe", "x", "--dscp", "64"}, "--dscp"},
                                           {{"probe", "x", "--kind", "rc-send", "--size", "65"}, "--size"},
                                           {{"probe", "x", "--kind", "rc-read", "--mtu-sweep"}, "--mtu-sweep"},
                                           {{"probe", "x", "--port", "mlx5_0/0"}, "--port"},
                                           {{"probe", "x", "--seconds", "2"}, "--seconds"},
                                           {{"probe", "--kind", "bandwidth"}, "PEER"},
                                           {{"probe", "x", "--kind", "loopback"}, "has no PEER"},
                                           {{"probe", "x", "--kind", "bandwidth"}, "--secret-file"},
                                           {{"probe", "x", "--kind", "bandwidth", "--size", "64"}, "--size"},
                                           {{"probe", "x", "--kind", "bandwidth", "--size", "1048577"}, "--size"},
                                           {{"probe", "x", "--kind", "bandwidth", "--seconds", "11"}, "--seconds"},
                                           {{"probe", "x", "--kind", "bandwidth", "--paths", "3"}, "--paths"},
                                           {{"probe", "x", "--kind", "bandwidth", "--count", "3"}, "--count"},
                                           {{"probe", "--kind", "loopback", "--mtu-sweep"}, "--mtu-sweep"},
                                           {{"probe", "--kind", "loopback", "--port", "mlx5_0/0"}, "--port"},
                                           {{"responder", "--listen", "nowhere"}, "--listen"}}) {
    Kept terminal;
    EXPECT_EQ(call(terminal, one.words), kUsage) << one.names;
    EXPECT_TRUE(has(terminal.errors, one.names)) << terminal.errors;
    EXPECT_TRUE(terminal.text.empty());
  }
}

TEST(IncidentsCommand, says_how_many_that_were_kept_make_no_sense) {
  const Scratch dir;
  {
    auto store = Store::open(dir.path, {}, state_time());
    ASSERT_TRUE(store) << store.error().text();
    StoreBatch batch;
    batch.incidents[7] = rules::Incident{};  // without key and id
    ASSERT_TRUE(store->write(batch, state_time()));
  }
  Kept terminal;
  EXPECT_EQ(call(terminal, {"incidents", "--state", dir.path}), kOk) << terminal.errors;
  EXPECT_TRUE(has(terminal.errors, "make no sense and are left out: 1")) << terminal.errors;
}

TEST(PrintConfig, suggests_the_profile_that_a_host_shows_and_says_why_there_is_none) {
  const std::string hosts = std::string(ROCEREADY_SOURCE_DIR) + "/tests/hosts/";
  Kept shown;
  EXPECT_EQ(call(shown, {"print-config", "--suggest", "--host", hosts + "cx7-pair-no-profile"}), kOk) << shown.errors;
  EXPECT_TRUE(has(shown.text, "\nprofile: nvidia-lossless\n")) << shown.text;
  EXPECT_TRUE(has(shown.text, "# As the present state of this host shows it (confidence 0.7): PFC is on for"));
  Kept lost;
  EXPECT_EQ(call(lost, {"print-config", "--suggest", "--host", hosts + "cx7-trust-pcp"}), 1) << lost.text;
  EXPECT_TRUE(has(lost.text, "# No profile can be suggested: PFC is on for")) << lost.text;
  Kept json;
  EXPECT_EQ(call(json, {"print-config", "--suggest", "--format", "json", "--host", hosts + "cx7-pair-no-profile"}),
            kOk);
  EXPECT_TRUE(has(json.text, "\"profile\": \"nvidia-lossless\"")) << json.text;
  Kept alone;
  EXPECT_EQ(call(alone, {"print-config", "--host", hosts}), kUsage);
  EXPECT_TRUE(has(alone.errors, "only together with --suggest"));
}

TEST(Commands, name_the_nearest_option_rule_severity_and_profile) {
  const auto errors_of = [](const Words& words) {
    Kept terminal;
    EXPECT_EQ(call(terminal, words), kUsage) << words.back();
    return terminal.errors;
  };
  EXPECT_TRUE(has(errors_of({"diagnose", "--windw", "2s"}), "--window"));
  EXPECT_TRUE(has(errors_of({"explain", "pfc-disable"}), "did you mean pfc-disabled?"));
  EXPECT_TRUE(has(errors_of({"diagnose", "--min-severity", "critcal"}), "critical"));
  EXPECT_TRUE(has(errors_of({"diagnose", "--format", "jsn"}), "json"));
  EXPECT_TRUE(has(errors_of({"diagnose", "--window", "2 hours"}), "--window"));
  EXPECT_TRUE(has(errors_of({"diagnose", "--profile", "nvidia-losless"}), "nvidia-lossless"));
  EXPECT_TRUE(has(errors_of({"diagnose", "--port", "mlx5_0/x"}), "--port"));
  EXPECT_TRUE(has(errors_of({"explain"}), "RULE"));
}

TEST(Commands, print_rules_as_an_array_with_the_fields_of_the_contract) {
  Kept terminal;
  ASSERT_EQ(call(terminal, {"rules", "--format", "json"}), kOk);
  const auto list = nlohmann::json::parse(terminal.text);
  ASSERT_EQ(list.size(), rules::catalogue().size());
  for (const auto& rule : list)
    for (const char* key : {"id", "title", "family", "severities", "judged", "modes", "status"})
      EXPECT_TRUE(rule.contains(key)) << key;
}

TEST(Diagnose, of_a_directory_that_is_no_recording_is_an_io_error_that_names_it) {
  Kept terminal;
  EXPECT_EQ(call(terminal, {"diagnose", "--host", "/nowhere/at-all"}), kIo);
  EXPECT_TRUE(has(terminal.errors, "/nowhere/at-all"));
  EXPECT_TRUE(terminal.text.empty());
}

TEST(Diagnose, of_a_daemon_that_is_not_there_is_an_io_error) {
  Kept terminal;
  EXPECT_EQ(call(terminal, {"diagnose", "--daemon=http://127.0.0.1:1"}), kIo);
  EXPECT_TRUE(has(terminal.errors, "no answer"));
}

TEST(CheckConfig, tells_all_problems_and_its_exit_code) {
  const auto file = std::filesystem::path(testing::TempDir()) / "roceready_check.yaml";
  std::ofstream(file) << "profil: nvidia-lossless\nsampling:\n  interval: 1 hour\n";
  Kept terminal;
  EXPECT_EQ(call(terminal, {"check-config", file.string()}), kUsage);
  EXPECT_TRUE(has(terminal.text, "profil")) << terminal.text;
  EXPECT_TRUE(has(terminal.text, "sampling.interval")) << terminal.text;
  std::ofstream(file) << "profile: nvidia-lossless\n";
  EXPECT_EQ(call(terminal, {"check-config", file.string()}), kOk);
  std::filesystem::remove(file);
  EXPECT_EQ(call(terminal, {"check-config", file.string()}), kIo);
}

TEST(ExitCode, is_that_of_monitoring_plug_ins) {
  using rules::Verdict;
  EXPECT_EQ(exit_code(Verdict::Ready, false), 0);
  EXPECT_EQ(exit_code(Verdict::Degraded, false), 1);
  EXPECT_EQ(exit_code(Verdict::Degraded, true), 0);
  EXPECT_EQ(exit_code(Verdict::NotReady, true), 2);
  for (const Verdict verdict : {Verdict::Unknown, Verdict::Initializing, Verdict::NotApplicable})
    EXPECT_EQ(exit_code(verdict, true), 3);
  EXPECT_EQ(verdict_named("not_ready"), Verdict::NotReady);
  EXPECT_EQ(verdict_named("wonderful"), Verdict::Unknown);
}

}  // namespace
}  // namespace roceready::daemon::cli
