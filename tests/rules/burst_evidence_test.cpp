// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

BurstFact burst(const char* counter, const char* device = "mlx5_0") {
  BurstFact fact;
  fact.device = device;
  fact.counter = counter;
  fact.steps = 300;
  fact.busy_steps = 4;
  fact.amount = 9000;
  fact.peak = 4000;
  fact.step_seconds = 0.1003;
  fact.seconds = 30;
  return fact;
}

std::vector<EvidenceItem> burst_items(const ReportPtr& report, const char* id) {
  std::vector<EvidenceItem> out;
  for (const Finding& finding : report->findings) {
    if (std::string_view(finding.rule->id) != id) continue;
    std::copy_if(finding.evidence.begin(), finding.evidence.end(), std::back_inserter(out),
                 [](const EvidenceItem& item) { return item.what.find("most in") != std::string::npos; });
  }
  return out;
}

Scene losing() {
  Scene scene;
  scene.every(60, 6, {{Id::PacketSeqErr, 20000}, {Id::RdmaTxPackets, 1e9}});
  return scene;
}

TEST(BurstEvidence, says_how_a_counter_of_the_rule_grew) {
  Scene scene = losing();
  scene.now().bursts = {burst("packet_seq_err"), burst("cnp_sent")};
  const auto items = burst_items(scene.report(), "transport-seq-err");
  ASSERT_EQ(items.size(), 1U) << "cnp_sent is nothing that the rule reads";
  EXPECT_EQ(items[0].what, "packet_seq_err, most in 100 ms (it grew in 4 of 300)");
  EXPECT_EQ(std::get<double>(items[0].value), 4000);
}

TEST(BurstEvidence, is_that_of_the_port_alone) {
  Scene scene = losing();
  scene.now().bursts = {burst("packet_seq_err", "mlx5_7")};
  EXPECT_TRUE(burst_items(scene.report(), "transport-seq-err").empty());
}

TEST(BurstEvidence, is_bounded) {
  Scene scene = losing();
  for (int k = 0; k < 9; ++k) scene.now().bursts.push_back(burst("packet_seq_err"));
  EXPECT_EQ(burst_items(scene.report(), "transport-seq-err").size(), 4U);
}

}  // namespace
}  // namespace roceready::rules_test
