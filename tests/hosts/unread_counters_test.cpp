// SPDX-License-Identifier: Apache-2.0
// A recorded host whose counters were taken out: no data is never healthy.
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/hosts/pipeline.h"
#include "tests/source_dir.h"

namespace roceready::hosts {
namespace {

bool holds_counters(const std::string& key) {
  for (const char* part :
       {"ethtool/statistics_", "netlink/rdma/statistics/", "/hw_counters", "/counters", "/statistics/"})
    if (key.find(part) != std::string::npos) return true;
  return false;
}

/// The healthy pair as somebody recorded it who left the counters out (or whose kernel refused them).
Recording without_counters(bool refused) {
  auto out = read_recording(std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/hosts/cx7-pair-healthy");
  EXPECT_TRUE(out);
  if (!out) return {};
  for (RecordedSample& sample : out->samples) {
    for (auto& [key, answer] : sample.answers)
      if (refused && holds_counters(key))
        answer = {Answer::Kind::Refused, {}, {}, Error{ErrorCode::NotSupported, "refused", "", 95}};
    if (!refused) std::erase_if(sample.answers, [](const auto& one) { return holds_counters(one.first); });
  }
  return std::move(*out);
}

TEST(HostWithoutCounters, is_unknown_and_says_so_first) {
  for (const bool refused : {false, true}) {
    const rules::ReportPtr report = judge(without_counters(refused)).report;
    EXPECT_EQ(report->verdict, rules::Verdict::Unknown) << report->summary;
    EXPECT_EQ(report->summary.find("Not judged: no counter of loss or transport of mlx5_0/1 was read ("), 0U)
        << report->summary;
    EXPECT_NE(report->summary.find("what settles it: rdma statistic show link mlx5_0/1 and ethtool -S enp59s0np0"),
              std::string::npos)
        << report->summary;
    for (const rules::PortReport& port : report->ports) EXPECT_FALSE(port.score.has_value()) << port.key;
  }
}

TEST(HostWithoutCounters, of_one_sample_is_no_such_host) {
  auto once = read_recording(std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/hosts/cx7-pair-healthy");
  ASSERT_TRUE(once);
  once->samples.resize(1);
  EXPECT_EQ(judge(*once).report->verdict, rules::Verdict::Ready) << "the window was short, the counters are there";
}

}  // namespace
}  // namespace roceready::hosts
