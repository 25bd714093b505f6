// SPDX-License-Identifier: Apache-2.0
// Evidence of a finding names the line that states its value, not the head of the output or an earlier one.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "daemon/evidence/judge.h"
#include "rules/report.h"
#include "rules/rule.h"

namespace roceready::hosts {
namespace {

namespace fs = std::filesystem;

/// Files that a test writes, below a directory of its own.
class Sent {
 public:
  Sent() {
    std::string name = (fs::temp_directory_path() / "roceready-places-XXXXXX").string();
    root_ = ::mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~Sent() { fs::remove_all(root_); }
  Sent(const Sent&) = delete;
  Sent& operator=(const Sent&) = delete;
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((fs::path(root_) / path).parent_path());
    std::ofstream(fs::path(root_) / path) << text;
  }
  [[nodiscard]] daemon::EvidenceReports judge(const std::string& device = "") const {
    daemon::EvidenceRequest request;
    request.paths = {root_};
    request.device = device;
    request.overrides["profile"] = "nvidia-lossless";
    auto judged = daemon::judge_evidence(request);
    EXPECT_TRUE(judged) << (judged ? "" : judged.error().text());
    return judged ? std::move(*judged) : daemon::EvidenceReports{};
  }

 private:
  std::string root_;
};

/// Source of the first item of a rule's evidence whose words begin so; "" where there is none.
std::string source_of(const daemon::EvidenceReports& reports, const std::string& rule, const std::string& what) {
  for (const rules::ReportPtr& report : reports.hosts) {
    for (const rules::Finding& finding : report->findings) {
      if (finding.rule->id != rule) continue;
      for (const rules::EvidenceItem& item : finding.evidence)
        if (item.what.starts_with(what)) return item.source;
    }
  }
  return {};
}

TEST(Places, of_a_priority_s_counter_is_its_own_line) {
  const Sent sent;
  sent.write("a.txt",
             "[root@n1 ~]# ethtool -S eth0\nNIC statistics:\n     rx_prio0_pause: 5\n     rx_prio3_pause: 100\n"
             "     link_down_events_phy: 2\n");
  const auto reports = sent.judge();
  const std::string three = source_of(reports, "transport-seen-since-boot", "pfc_rx_pause_frames 3");
  EXPECT_NE(three.find("a.txt:4 "), std::string::npos) << three;
  const std::string zero = source_of(reports, "transport-seen-since-boot", "pfc_rx_pause_frames 0");
  EXPECT_NE(zero.find("a.txt:3 "), std::string::npos) << zero;
}

TEST(Places, of_a_setting_is_the_line_that_holds) {
  const Sent sent;
  sent.write("a.txt",
             "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n"
             "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n");
  sent.write("b.txt",
             "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: pcp\nPFC configuration:\n"
             "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   0   0   0   0   0   \n");
  const auto reports = sent.judge();
  const std::string trust = source_of(reports, "qos-trust-pcp", "trust");
  EXPECT_NE(trust.find("b.txt:3 "), std::string::npos) << trust;
  const std::string pfc = source_of(reports, "pfc-disabled", "priorities with PFC");
  EXPECT_NE(pfc.find("b.txt:6 "), std::string::npos) << pfc;
}

TEST(Places, of_the_dcb_tool_s_settings_are_theirs) {
  const Sent sent;
  sent.write("a.txt",
             "[root@n1 ~]# dcb pfc show dev eth0\npfc-cap 8 macsec-bypass off delay 0\n"
             "prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off\n");
  const std::string pfc = source_of(sent.judge(), "pfc-disabled", "priorities with PFC");
  EXPECT_NE(pfc.find("a.txt:3 "), std::string::npos) << pfc;
}

TEST(Places, of_a_kernel_s_file_is_the_file) {
  const Sent sent;
  sent.write("n1/proc/sys/kernel/numa_balancing", "1\n");
  sent.write("n1/link.txt", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n");
  const std::string source = source_of(sent.judge(), "host-numa-balancing-on", "kernel.numa_balancing");
  EXPECT_NE(source.find("numa_balancing:1 "), std::string::npos) << source;
}

TEST(Devices, named_by_the_person_are_ports_of_the_report) {
  const Sent sent;
  sent.write("a.txt", "[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: pcp\n");
  const auto reports = sent.judge("mlx5_3");
  ASSERT_EQ(reports.hosts.size(), 1U);
  const std::string trust = source_of(reports, "qos-trust-pcp", "trust");
  EXPECT_FALSE(trust.empty());
  EXPECT_EQ(reports.hosts[0]->findings.at(0).subject.device, "mlx5_3");
}

}  // namespace
}  // namespace roceready::hosts
