// SPDX-License-Identifier: Apache-2.0
// What may not be called ready, and what may not be called broken.
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(Verdict, of_a_node_is_unknown_while_a_check_of_the_node_that_could_be_critical_is_refused) {
  Scene scene;
  ASSERT_EQ(scene.report()->verdict, Verdict::Ready);
  scene.now().host.user_verbs = Absent{Why::TimedOut, "/sys/class/infiniband_verbs: no answer"};
  const ReportPtr report = scene.report();
  EXPECT_EQ(report->verdict, Verdict::Unknown) << report->summary;
  EXPECT_EQ(report->ports.at(0).verdict, Verdict::Ready) << "the port itself is known";
}

TEST(Verdict, of_a_design_with_link_pause_is_unknown_while_that_cannot_be_read) {
  Scene scene;
  scene.profile("lfc-simple");
  scene.eth0().ethtool.pause->rx = scene.eth0().ethtool.pause->tx = true;
  scene.eth0().dcb.pfc->enabled = 0;
  ASSERT_EQ(scene.report()->ports.at(0).verdict, Verdict::Ready) << scene.report()->summary;
  for (const Absent& why : {denied(), not_present(), not_supported()}) {
    scene.eth0().ethtool.pause = why;
    EXPECT_EQ(scene.report()->ports.at(0).verdict, Verdict::Unknown) << why.detail;
  }
  Scene other;  // where nothing rests on it
  other.eth0().ethtool.pause = denied();
  EXPECT_EQ(other.report()->ports.at(0).verdict, Verdict::Ready);
}

/// A quarter of the time paused, and what that makes on the port.
Scene paused(const std::vector<Growth>& also) {
  std::vector<Growth> growths{{Id::PfcRxPauseDuration, 15, 3}, {Id::TxBytesPriority, 1e9, 3}, {Id::RdmaTxBytes, 1e9}};
  growths.insert(growths.end(), also.begin(), also.end());
  Scene scene;
  scene.shows(Id::TxDiscardsPhy).shows(Id::TxPacketsPhy).every(60, 10, growths);
  return scene;
}

TEST(Verdict, rests_on_no_weak_limit_that_only_its_own_symptom_confirms) {
  const ReportPtr own = paused({{Id::TxDiscardsPhy, 50'000}, {Id::TxPacketsPhy, 1e8}}).report();
  const Finding* pause = own->finding("pfc-rx-pause-high@mlx5_0/1:3");
  ASSERT_NE(pause, nullptr) << own->summary;
  ASSERT_NE(own->finding("drop-tx-discards@mlx5_0/1"), nullptr) << own->summary;
  EXPECT_EQ(pause->severity, Severity::Warning);
  Scene other = paused({});
  other.port().active_mtu = 1024;
  const ReportPtr independent = other.report();
  ASSERT_NE(independent->finding("roce-mtu-low@mlx5_0/1"), nullptr) << independent->summary;
  EXPECT_EQ(independent->finding("pfc-rx-pause-high@mlx5_0/1:3")->severity, Severity::Critical);
}

}  // namespace
}  // namespace roceready::rules_test
