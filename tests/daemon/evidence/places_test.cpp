// SPDX-License-Identifier: Apache-2.0
// What `record --from-evidence` writes names the files that it was made of when it is replayed.
#include "daemon/evidence/places.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "daemon/evidence/record.h"
#include "daemon/one_shot.h"
#include "daemon/sampling.h"
#include "daemon/source.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

class RecordedEvidence : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "roceready-recorded-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    fs::create_directory(directory_ / "sent");
    std::ofstream(directory_ / "sent/a.txt")
        << "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n"
           "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   0   0   0   0   0   \n";
    std::ofstream(directory_ / "sent/b.txt")
        << "[root@n1 ~]# ethtool -S eth0\nNIC statistics:\n     rx_prio3_pause: 5\n     rx_prio0_pause: 4\n";
    request_.paths = {(directory_ / "sent").string()};
    request_.overrides["profile"] = "nvidia-lossless";
    ASSERT_TRUE(record_evidence(request_, recorded()));
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] fs::path recorded() const { return directory_ / "host"; }
  [[nodiscard]] Result<rules::ReportPtr> replay() const {
    return judge_recorded_host(recorded().string(), std::nullopt, {}, std::nullopt);
  }

  fs::path directory_;
  EvidenceRequest request_;
};

std::vector<std::string> sources_of(const rules::Report& report) {
  std::vector<std::string> out;
  for (const rules::Finding& finding : report.findings)
    for (const rules::EvidenceItem& item : finding.evidence)
      out.push_back(finding.key + " " + item.what + " " + item.source);
  return out;
}

bool holds(const std::vector<std::string>& list, const std::string& what, const std::string& source) {
  for (const std::string& one : list)
    if (one.find(what) != std::string::npos && one.find(source) != std::string::npos) return true;
  return false;
}

TEST_F(RecordedEvidence, names_file_and_line_when_it_is_replayed) {
  const auto judged = judge_evidence(request_);
  ASSERT_TRUE(judged);
  const auto replayed = replay();
  ASSERT_TRUE(replayed) << replayed.error().text();
  const auto sources = sources_of(**replayed);
  EXPECT_EQ(sources, sources_of(*judged->hosts.at(0))) << "as from the files";
  EXPECT_TRUE(holds(sources, "qos-trust-pcp", "a.txt:3 "));
  EXPECT_TRUE(holds(sources, "pfc_rx_pause_frames 3", "b.txt:3 "));
}

TEST_F(RecordedEvidence, names_file_and_line_when_the_daemon_serves_it) {
  const auto served = [&]() -> std::vector<std::string> {
    const auto info = read_host_info(recorded().string());
    auto source =
        info ? recorded_source(recorded().string(), *info, {}) : Result<std::unique_ptr<SampleSource>>(info.error());
    EXPECT_TRUE(source);
    if (!source) return {};
    SamplingPlan plan;
    plan.judge.profile = "nvidia-lossless";
    Board board;
    Sampling sampling(std::move(*source), plan, board);
    EXPECT_TRUE(sampling.tick(0));
    return board.latest() ? sources_of(board.latest()->report()) : std::vector<std::string>();
  };
  EXPECT_TRUE(holds(served(), "qos-trust-pcp", "a.txt:3 "));
  std::ofstream(recorded() / kPlacesFile, std::ios::trunc) << "[]";
  const auto without = served();
  EXPECT_FALSE(without.empty()) << "damaged places cost the places alone";
  EXPECT_FALSE(holds(without, "", "a.txt"));
}

TEST_F(RecordedEvidence, without_its_places_is_judged_all_the_same) {
  fs::remove(recorded() / kPlacesFile);
  const auto replayed = replay();
  ASSERT_TRUE(replayed);
  EXPECT_FALSE((*replayed)->findings.empty());
  EXPECT_FALSE(holds(sources_of(**replayed), "", ".txt:"));
}

TEST_F(RecordedEvidence, with_damaged_places_is_refused_by_their_name) {
  for (const char* damaged : {"", "[]", "{\"a\": 5}", "{\"a\": {\"b\": 5}}", "{\"a\": {\"b\": \"x:1\"}"}) {
    std::ofstream(recorded() / kPlacesFile, std::ios::trunc) << damaged;
    const auto replayed = replay();
    ASSERT_FALSE(replayed) << damaged;
    EXPECT_NE(replayed.error().text().find(kPlacesFile), std::string::npos) << damaged;
  }
}

TEST_F(RecordedEvidence, places_without_a_line_are_none) {
  std::ofstream(recorded() / kPlacesFile, std::ios::trunc)
      << R"({"DCB netlink eth0": {"trust": "a.txt", "pfc": "a.txt:x", "": ":99999999999", "map": "a\u0001.txt:7"}})";
  const auto places = read_places(recorded());
  ASSERT_TRUE(places);
  EXPECT_EQ(places->place_of_name("DCB netlink eth0", "trust"), "");
  EXPECT_EQ(places->place_of_name("DCB netlink eth0", "pfc"), "");
  EXPECT_EQ(places->place_of_name("DCB netlink eth0", "map"), "a\\x01.txt:7");
}

}  // namespace
}  // namespace roceready::daemon
