// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "rules/engine.h"

namespace roceready::rules {
namespace {

std::shared_ptr<Snapshot> node(std::int64_t second) {
  auto out = std::make_shared<Snapshot>();
  out->before = out->after = {second * 1'000'000'000, second * 1'000'000'000};
  out->host.rdma_subsystem = true;
  return out;
}

RdmaPort port() {
  RdmaPort out;
  out.device = "mlx5_0";
  out.key = "0000:3b:00.0/1";
  out.in_scope = true;
  return out;
}

ReportPtr judge(const std::vector<SnapshotPtr>& snapshots, const std::string& profile = "nvidia-lossless") {
  History history(needed_signals());
  JudgeOptions options;
  options.profile = profile;
  Engine engine(options);
  ReportPtr report;
  for (const SnapshotPtr& snapshot : snapshots) {
    history.add(snapshot);
    report = engine.judge(history);
  }
  return report;
}

const Finding* finding(const Report& report) {
  for (const Finding& f : report.findings) {
    if (std::string_view(f.rule->id) == "host-rdma-driver-missing") return &f;
  }
  return nullptr;
}

TEST(RdmaDriverMissing, is_critical_where_a_profile_is_named_and_no_nic_has_rdma) {
  auto now = node(1);
  now->nics_without_rdma.push_back({"0000:3b:00.0", "mlx5_core", "eth0"});
  const ReportPtr report = judge({now});
  ASSERT_NE(finding(*report), nullptr);
  EXPECT_EQ(finding(*report)->severity, Severity::Critical);
  EXPECT_EQ(report->verdict, Verdict::NotReady);
}

TEST(RdmaDriverMissing, is_info_for_a_nic_beside_working_ports_and_for_a_node_without_a_profile) {
  auto beside = node(1);
  beside->ports.push_back(port());
  beside->nics_without_rdma.push_back({"0000:65:00.0", "ice", "eth9"});
  EXPECT_EQ(finding(*judge({beside}))->severity, Severity::Info);
  auto unnamed = node(1);
  unnamed->nics_without_rdma.push_back({"0000:65:00.0", "ice", "eth9"});
  const ReportPtr report = judge({unnamed}, "");
  EXPECT_EQ(finding(*report)->severity, Severity::Info);
  EXPECT_EQ(report->verdict, Verdict::NotApplicable);
}

TEST(RdmaDriverMissing, is_critical_for_a_nic_of_the_model_that_roce_runs_on) {
  auto now = node(1);
  now->ports.push_back(port());
  now->ports[0].pci_address = std::string("0000:3b:00.0");
  for (const char* address : {"0000:3b:00.0", "0000:5e:00.0", "0000:65:00.0"}) {
    PciFunction function;
    function.address = address;
    function.vendor_device = std::string(function.address == "0000:65:00.0" ? "15b3:1015" : "15b3:1021");
    now->pci.push_back(function);
  }
  now->nics_without_rdma.push_back({"0000:65:00.0", "mlx5_core", "eth9"});
  EXPECT_EQ(finding(*judge({now}))->severity, Severity::Info) << "another model";
  now->nics_without_rdma = {{"0000:5e:00.0", "mlx5_core", "eth1"}};
  const ReportPtr report = judge({now});
  EXPECT_EQ(finding(*report)->severity, Severity::Critical);
  EXPECT_NE(finding(*report)->seen.find("other ports of the same model"), std::string::npos);
  EXPECT_EQ(report->verdict, Verdict::NotReady);
  EXPECT_EQ(finding(*judge({now}, ""))->severity, Severity::Info) << "nobody says that RoCE is meant";
}

TEST(RdmaDriverMissing, is_critical_for_an_expected_port_that_is_missing_even_without_a_profile) {
  auto now = node(1);
  now->expected_missing.push_back("mlx5_7");
  const ReportPtr report = judge({now}, "");
  ASSERT_NE(finding(*report), nullptr);
  EXPECT_EQ(finding(*report)->severity, Severity::Critical);
  EXPECT_EQ(report->verdict, Verdict::NotReady);
}

TEST(RdmaDriverMissing, names_a_port_that_was_in_use_and_vanished_and_is_quiet_when_it_is_back) {
  auto first = node(1);
  first->ports.push_back(port());
  const ReportPtr gone = judge({first, node(2)});
  ASSERT_NE(finding(*gone), nullptr);
  EXPECT_EQ(finding(*gone)->key, "host-rdma-driver-missing@mlx5_0/1");
  EXPECT_EQ(gone->verdict, Verdict::NotReady);
  auto back = node(3);
  back->ports.push_back(port());
  EXPECT_EQ(finding(*judge({first, node(2), back})), nullptr);
}

TEST(RdmaDriverMissing, does_not_call_a_node_green_whose_ports_could_not_be_listed) {
  auto now = node(1);
  now->collectors.push_back({"rdma_ports", 0, true, Absent{Why::Denied, "listing RDMA devices: EPERM"}});
  EXPECT_EQ(judge({now})->verdict, Verdict::Unknown);
}

TEST(RdmaDriverMissing, is_critical_when_programs_cannot_reach_the_ports_in_use) {
  auto now = node(1);
  now->ports.push_back(port());
  now->host.user_verbs = false;
  const ReportPtr report = judge({now});
  ASSERT_NE(finding(*report), nullptr);
  EXPECT_EQ(finding(*report)->severity, Severity::Critical);
  EXPECT_NE(finding(*report)->seen.find("ib_uverbs"), std::string::npos);
  now->ports[0].in_scope = false;
  EXPECT_EQ(finding(*judge({now})), nullptr);
}

TEST(RdmaDriverMissing, is_info_without_the_connection_manager) {
  auto now = node(1);
  now->ports.push_back(port());
  now->host.user_verbs = true;
  now->host.modules = std::vector<std::string>{"ib_core", "ib_uverbs", "mlx5_ib"};
  ASSERT_NE(finding(*judge({now})), nullptr);
  EXPECT_EQ(finding(*judge({now}))->severity, Severity::Info);
  now->host.modules->push_back("rdma_cm");
  EXPECT_EQ(finding(*judge({now})), nullptr);
  now->host.modules = std::vector<std::string>{"mlx5_ib"};  // the core is built in, and so may the manager be
  EXPECT_EQ(finding(*judge({now})), nullptr);
}

TEST(RdmaDriverMissing, is_unknown_when_nobody_says_whether_programs_can_reach_the_ports) {
  auto now = node(1);
  now->ports.push_back(port());
  now->host.user_verbs = Absent{Why::Denied, "refused"};
  const ReportPtr report = judge({now});
  EXPECT_EQ(finding(*report), nullptr);
  EXPECT_TRUE(std::any_of(report->unknown.begin(), report->unknown.end(),
                          [](const Gap& gap) { return gap.rule == "host-rdma-driver-missing"; }));
}

}  // namespace
}  // namespace roceready::rules
