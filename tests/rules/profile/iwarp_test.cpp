// SPDX-License-Identifier: Apache-2.0
// iWARP is no RoCE; whether that is a fault depends on who said what.
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene iwarp(const std::string& driver, const std::string& rdma_driver) {
  Scene scene;
  scene.port().protocol = std::string("iw");
  scene.port().driver = rdma_driver;
  scene.eth0().ethtool.driver = DriverInfo{driver, "6.1.0", "4.40", "0000:3b:00.0"};
  return scene;
}

TEST(Iwarp, of_a_nic_that_could_speak_roce_is_a_fault_where_a_design_of_roce_was_named) {
  const ReportPtr report = iwarp("ice", "irdma").profile("intel-e800-lossless").report();
  ASSERT_NE(report->finding("roce-wrong-link-layer@mlx5_0/1"), nullptr) << report->summary;
  EXPECT_EQ(report->finding("roce-wrong-link-layer@mlx5_0/1")->severity, Severity::Critical);
  EXPECT_EQ(report->verdict, Verdict::NotReady);
}

TEST(Iwarp, of_a_port_that_spoke_roce_before_is_a_finding_and_no_new_design) {
  Scene scene = iwarp("ice", "irdma");
  History history(needed_signals());
  history.add(std::make_shared<const Snapshot>(scene.now()));
  JudgeOptions options;
  options.one_shot = false;
  options.kept = KeptProfile{"intel-e800-lossless", 5, 0.7, "PFC was on", {}};
  const ReportPtr report = Engine(options).judge(history);
  ASSERT_NE(report->finding("roce-wrong-link-layer@mlx5_0/1"), nullptr) << report->summary;
  EXPECT_EQ(report->finding("roce-wrong-link-layer@mlx5_0/1")->severity, Severity::Warning) << "it is a guess";
  options.kept = KeptProfile{"nvidia-lossless", 5, 0.7, "", {}};
  EXPECT_EQ(Engine(options).judge(history)->ports.at(0).verdict, Verdict::NotApplicable) << "another vendor's";
}

TEST(Iwarp, is_no_matter_of_roce_without_such_a_name_or_such_a_nic) {
  const Scene quiet[] = {iwarp("ice", "irdma").profile(""),
                         iwarp("ice", "irdma").profile("azure-local"),
                         iwarp("ice", "irdma").profile("lfc-simple"),
                         iwarp("cxgb4", "iw_cxgb4"),
                         iwarp("i40e", "irdma"),
                         iwarp("ice", "irdma").profile("broadcom-lossless")};
  for (const Scene& scene : quiet) {
    const ReportPtr report = scene.report();
    EXPECT_EQ(report->ports.at(0).verdict, Verdict::NotApplicable) << report->summary;
  }
}

}  // namespace
}  // namespace roceready::rules_test
