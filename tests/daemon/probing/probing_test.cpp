// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/probing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>

#include "core/snapshot/probe_json.h"
#include "daemon/setup.h"
#include "daemon/state/kept_baselines.h"
#include "daemon/state/writer.h"
#include "probes/exchange.h"
#include "rules/profile.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

/// Runs on machines with and without RDMA: no peer is ever reached, and no device named here exists.
class ProbingTest : public testing::Test {
 protected:
  ProbingTest() {
    std::string pattern = (fs::temp_directory_path() / "roceready-probing-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    secret_ = directory_ / "secret";
  }
  ~ProbingTest() override { fs::remove_all(directory_); }

  void write_secret(const std::string& text) const { std::ofstream(secret_) << text; }
  [[nodiscard]] config::Settings settings(bool peers) const {
    config::Settings out = load_options(std::nullopt, {}).loaded->settings;
    out.probes.secret_file = secret_.string();
    if (peers) out.probes.peers = {"192.0.2.1:9"};
    return out;
  }
  [[nodiscard]] static rules::Report report() {
    Snapshot out;
    RdmaPort port;
    port.device = "no_such_device0";
    port.in_scope = true;
    out.ports = {port};
    rules::Report report;
    report.snapshot = std::make_shared<const Snapshot>(std::move(out));
    return report;
  }
  /// HTTP status of a request signed with `secret`.
  [[nodiscard]] int status_with(const std::string& secret) {
    probes::SessionRequest request;
    request.nonce[0] = static_cast<std::byte>(++nonces_);
    request.node = "peer";
    request.seconds = 60;
    request.endpoint.device = "mlx5_0";
    request.endpoint.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    request.endpoint.mtu = 1024;
    request.endpoint.queue_pairs = {{17, 0}};
    return probing_
        .session(probes::encode_request(request, std::as_bytes(std::span(secret.data(), secret.size()))), "10.0.0.1")
        .status;
  }

  fs::path directory_, secret_;
  int nonces_ = 0;
  PublishedProbes published_;
  Probing probing_{published_};
};

constexpr char kOld[] = "0123456789abcdef", kNew[] = "fedcba9876543210";
constexpr int kForbidden = 403;

TEST_F(ProbingTest, says_nothing_without_peers) {
  write_secret(kOld);
  probing_.apply(settings(false));
  probing_.learn(report());
  EXPECT_FALSE(published_.results());
  EXPECT_TRUE(probing_.stop(20'000));
}

TEST_F(ProbingTest, says_for_every_port_why_no_peer_is_probed) {
  probing_.apply(settings(true));  // there is no such file
  probing_.learn(report());
  const auto published = published_.results();
  ASSERT_TRUE(published);
  const auto facts = probe_facts_from_json(*published);
  ASSERT_TRUE(facts) << facts.error().text();
  ASSERT_TRUE(facts->blocked.contains("no_such_device0/1"));
  EXPECT_NE(facts->blocked.at("no_such_device0/1").find("secret"), std::string::npos);
}

TEST_F(ProbingTest, publishes_what_is_wrong_with_the_sources_of_peers_beside_those_that_are_known) {
  write_secret(kOld);
  config::Settings wanted = settings(true);
  wanted.probes.peers_file = (directory_ / "missing.json").string();
  probing_.apply(wanted);
  std::vector<std::string> problems;
  for (int tries = 0; tries < 400 && problems.empty(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto published = published_.results();
    if (!published) continue;
    const auto facts = probe_facts_from_json(*published);
    ASSERT_TRUE(facts) << facts.error().text();
    EXPECT_FALSE(facts->blocked.contains("peers")) << "one is known";
    problems = facts->problems;
  }
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("missing.json: cannot be read"), std::string::npos) << problems[0];
  EXPECT_TRUE(probing_.stop(20'000));
}

TEST_F(ProbingTest, takes_a_new_secret_from_the_same_file) {
  write_secret(kOld);
  probing_.apply(settings(false));
  probing_.learn(report());
  EXPECT_NE(status_with(kOld), kForbidden);
  EXPECT_EQ(status_with(kNew), kForbidden);
  write_secret(kNew);
  probing_.apply(settings(false));
  EXPECT_EQ(status_with(kOld), kForbidden);
  EXPECT_NE(status_with(kNew), kForbidden);
}

TEST_F(ProbingTest, answers_nobody_when_it_shall_not_or_has_ended) {
  write_secret(kOld);
  config::Settings quiet = settings(false);
  quiet.probes.answer = false;
  probing_.apply(quiet);
  EXPECT_EQ(status_with(kOld), 404);
  probing_.apply(settings(false));
  EXPECT_NE(status_with(kOld), 404);
  EXPECT_TRUE(probing_.stop(20'000));
  EXPECT_EQ(status_with(kOld), 404);
}

TEST_F(ProbingTest, asks_peers_to_come_again_until_the_first_sample_tells_which_ports_may_answer) {
  write_secret(kOld);
  probing_.apply(settings(false));
  const http::SessionAnswer early = probing_.session("{}", "10.0.0.1");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.retry_after_seconds, 1);
  EXPECT_NE(early.text.find("first sample"), std::string::npos) << early.text;
  probing_.learn(report());
  const http::SessionAnswer later = probing_.session("{}", "10.0.0.1");
  EXPECT_EQ(later.status, 403) << later.text;
  EXPECT_EQ(later.retry_after_seconds, 0);
}

TEST_F(ProbingTest, hands_the_baselines_of_an_earlier_process_on_from_mesh_to_mesh_and_to_the_next) {
  probes::LinkBaseline known;
  known.own = known.peer_port = "no_such_device0/1";
  known.peer = "192.0.2.1:9";
  known.kind = "ud";
  known.terms.own_address = "10.0.0.1";
  known.terms.peer_address = "10.0.0.2";
  known.terms.size = 64;
  known.terms.interval_ns = 500'000'000;
  known.learned[0] = probes::LearnedBaseline{{5e-6, 9e-6}, 12, 0};
  write_secret(kOld);
  probing_.recall_baselines("{ no JSON");
  probing_.recall_baselines(kept_baselines_text({known}, {0, state_time().wall_ns}, 10'000));
  EXPECT_FALSE(probing_.baselines()) << "nothing new to be kept yet";
  config::Settings wanted = settings(true);
  for (const int paths : {2, 3}) {  // another mesh each time
    wanted.probes.paths = static_cast<std::uint32_t>(paths);
    probing_.apply(wanted);
  }
  probing_.apply(settings(false));
  const auto text = probing_.last_baselines();
  ASSERT_TRUE(text);
  const KeptBaselines kept = kept_baselines_from(*text, {0, state_time().wall_ns});
  ASSERT_EQ(kept.baselines.size(), 1U) << *text;
  EXPECT_EQ(kept.baselines[0].name(), known.name());
  EXPECT_EQ(kept.baselines[0].learned[0]->values, known.learned[0]->values);
  EXPECT_TRUE(probing_.stop(20'000));
}

TEST_F(ProbingTest, wants_nothing_kept_where_nothing_was_learned) {
  probing_.apply(settings(false));
  EXPECT_FALSE(probing_.last_baselines());
}

TEST_F(ProbingTest, counts_by_reason_what_it_does_not_take_as_long_as_it_answers) {
  write_secret(kOld);
  EXPECT_FALSE(probing_.refusals().probes);
  probing_.apply(settings(false));
  const ProbeRefusals refused = probing_.refusals();
  ASSERT_TRUE(refused.probes);
  EXPECT_EQ(refused.probes->at("forged"), 0U);
  EXPECT_FALSE(refused.replies) << "nothing is probed";
  EXPECT_TRUE(probing_.stop(20'000));
  EXPECT_FALSE(probing_.refusals().probes);
}

TEST(ClassOfProbes, is_that_of_the_profile_that_holds_be_it_named_or_not) {
  config::Settings settings = load_options(std::nullopt, {}).loaded->settings;
  rules::ProfileUse use;
  EXPECT_FALSE(class_in(use, settings)) << "no profile is known";
  const auto differs = [](const rules::Profile& each) { return each.roce_dscp != 26; };
  const auto other = std::ranges::find_if(rules::profiles(), differs);
  ASSERT_NE(other, rules::profiles().end());
  use.name = other->name;
  use.origin = rules::ProfileOrigin::Inferred;
  const auto inferred = class_in(use, settings);
  ASSERT_TRUE(inferred);
  EXPECT_EQ(inferred->dscp, other->roce_dscp);
  EXPECT_EQ(inferred->service_level, other->roce_priority);
  use.guess_overrides = {{"roce_dscp", "40"}};
  EXPECT_EQ(class_in(use, settings)->dscp, 40);
  settings.profile_overrides = {{"roce_dscp", "41"}};
  EXPECT_EQ(class_in(use, settings)->dscp, 41) << "what the site says holds over what was seen";
  settings.probes.dscp = 7;
  EXPECT_EQ(class_in(use, settings)->dscp, 7);
  settings.profile = "another than in the report";
  EXPECT_FALSE(class_in(use, settings)) << "the report is of the configuration before";
}

TEST(PortsInScope, are_those_of_the_newest_sample_that_the_newest_configuration_does_not_exclude) {
  const auto port = [](const char* device, bool in_scope) {
    RdmaPort out;
    out.device = device;
    out.port = 1;
    out.in_scope = in_scope;
    return out;
  };
  PortsInScope scope;
  EXPECT_FALSE(scope.contains({"mlx5_0", 1})) << "before the first sample";
  Snapshot sample;
  sample.ports = {port("mlx5_0", true), port("mlx5_1", true), port("mlx5_2", false)};
  scope.see(sample);
  EXPECT_TRUE(scope.contains({"mlx5_0", 1}));
  EXPECT_TRUE(scope.contains({"mlx5_1", 1}));
  EXPECT_FALSE(scope.contains({"mlx5_2", 1}));
  scope.select([](const probes::verbs::PortName& name) { return name.device != "mlx5_1"; });
  EXPECT_TRUE(scope.contains({"mlx5_0", 1}));
  EXPECT_FALSE(scope.contains({"mlx5_1", 1})) << "at once";
  Snapshot failed;
  failed.collectors = {{"rdma_ports", 0, true, Absent{Why::Denied, "no netlink"}}};
  scope.see(failed);
  EXPECT_TRUE(scope.contains({"mlx5_0", 1})) << "a sample that failed takes no port away";
  scope.see(Snapshot());
  EXPECT_FALSE(scope.contains({"mlx5_0", 1}));
}

TEST(ProbeProblems, are_peers_without_a_secret_and_rails_of_another_form) {
  config::Settings settings = load_options(std::nullopt, {}).loaded->settings;
  EXPECT_TRUE(probe_problems(settings).empty());
  settings.probes.peers_dns = "nodes.example";
  settings.probes.rails = {"mlx5_0=left", "mlx5_1"};
  const auto problems = probe_problems(settings);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].first, "probes.secret_file");
  EXPECT_EQ(problems[1].first, "probes.rails");
}

TEST(ProbeProblems, are_limits_that_could_never_serve_the_peers) {
  config::Settings settings = load_options(std::nullopt, {}).loaded->settings;
  settings.probes.secret_file = "/etc/roceready/secret";
  settings.probes.packets_per_second = 10;
  settings.probes.bytes_per_second = 1000;
  EXPECT_TRUE(probe_problems(settings).empty()) << "nobody is probed";
  settings.probes.peers = {"one", "two", "three"};
  settings.probes.packets_per_second = 18;  // 3 peers, twice a second: a probe and two replies each
  settings.probes.bytes_per_second = 18 * 64;
  EXPECT_TRUE(probe_problems(settings).empty());
  settings.probes.packets_per_second = 17;
  auto problems = probe_problems(settings);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].first, "probes.packets_per_second");
  EXPECT_NE(problems[0].second.find("less than the 18 that 3 peers take"), std::string::npos) << problems[0].second;
  settings.probes.answer = false;
  EXPECT_TRUE(probe_problems(settings).empty()) << "no replies are sent";
  settings.probes.peers_file = "/etc/roceready/peers.json";
  settings.probes.max_peers = 64;
  problems = probe_problems(settings);
  ASSERT_EQ(problems.size(), 2U) << "as many as the file may hold";
  EXPECT_NE(problems[0].second.find("128 that 64 peers (probes.max_peers)"), std::string::npos) << problems[0].second;
  EXPECT_EQ(problems[1].first, "probes.bytes_per_second");
  settings.probes.interval_ns = 60'000'000'000;
  EXPECT_TRUE(probe_problems(settings).empty());
}

}  // namespace
}  // namespace roceready::daemon
