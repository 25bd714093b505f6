// SPDX-License-Identifier: Apache-2.0
#include "rules/open_choices.h"

#include <algorithm>

#include "rules/profile_changes.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// An engine over one state after the other.
class Judge {
 public:
  explicit Judge(const std::string& profile, const ProfileChanges& changes = {}) : engine_(options(profile, changes)) {}
  ReportPtr operator()(const Scene& scene) {
    History past(needed_signals());
    past.add(std::make_shared<const Snapshot>(Scene(scene).now()));
    return engine_.judge(past);
  }

 private:
  static JudgeOptions options(const std::string& profile, const ProfileChanges& changes) {
    JudgeOptions out;
    out.profile = profile;
    out.profile_changes = changes;
    return out;
  }
  Engine engine_;
};

/// Storage on a tagged VLAN: the NIC goes by the tag.
Scene azure(std::uint32_t pfc) {
  Scene scene;
  scene.eth0().dcb.trust = std::string("pcp");
  scene.eth0().dcb.pfc->enabled = pfc;
  return scene;
}

bool says(const Report& report, const std::string& rule) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& finding) { return finding.rule->id == rule; });
}
std::string seen_of(const Report& report, const std::string& rule) {
  for (const Finding& finding : report.findings)
    if (finding.rule->id == rule) return finding.seen;
  return "";
}

TEST(AzureLocal, takes_priority_3_or_4_as_the_nics_have_it) {
  for (const std::uint32_t pfc : {8U, 16U}) {
    const ReportPtr report = Judge("azure-local")(azure(pfc));
    for (const char* rule : {"pfc-disabled", "pfc-wrong-priority", "pfc-extra-priorities"})
      EXPECT_FALSE(says(*report, rule)) << pfc << ": " << seen_of(*report, rule);
  }
  const ProfileUse use = Judge("azure-local")(azure(16))->profile;
  EXPECT_EQ(use.why, "named by the user, and of what it leaves open these NICs have PFC on priority 4");
  EXPECT_EQ(use.changed,
            (std::vector<ChangedProfileValue>{{"roce_priority", "4", "3"}, {"pfc_priorities", "[4]", "[3]"}}));
}

TEST(AzureLocal, is_no_licence_for_other_priorities_nor_for_both) {
  EXPECT_TRUE(says(*Judge("azure-local")(azure(0)), "pfc-disabled"));
  EXPECT_TRUE(says(*Judge("azure-local")(azure(32)), "pfc-wrong-priority"));
  EXPECT_TRUE(says(*Judge("azure-local")(azure(24)), "pfc-extra-priorities"));
}

TEST(AzureLocal, wants_one_priority_on_all_ports) {
  Scene scene = azure(16);
  Netdev second = scene.eth0();
  second.link.name = "eth1";
  second.dcb.pfc->enabled = 8;
  scene.now().netdevs.push_back(second);
  scene.port().members.push_back("eth1");
  const ReportPtr report = Judge("azure-local")(scene);
  EXPECT_NE(seen_of(*report, "pfc-wrong-priority").find("On eth0 PFC is on for priority 4 but not for priority 3"),
            std::string::npos);
}

TEST(AzureLocal, misses_lost_pfc_where_it_was) {
  Judge judge("azure-local");
  (void)judge(azure(16));
  EXPECT_NE(seen_of(*judge(azure(0)), "pfc-disabled").find("needs it on priority 4"), std::string::npos);
  EXPECT_NE(seen_of(*Judge("azure-local")(azure(0)), "pfc-disabled").find("needs it on priority 3"), std::string::npos);
}

TEST(AzureLocal, leaves_nothing_open_that_the_site_stated) {
  const ProfileChanges four{"", "", {}, {{"roce_priority", "4"}}};
  EXPECT_TRUE(problems_of("azure-local", four).empty());
  EXPECT_EQ(apply(*profile_named("azure-local"), four).profile.pfc_priorities, 16);
  EXPECT_EQ(apply(*profile_named("azure-local"), {"", "", {}, {{"pfc_priorities", "[4]"}}}).profile.roce_priority, 4);
  EXPECT_TRUE(says(*Judge("azure-local", four)(azure(8)), "pfc-wrong-priority"));
  EXPECT_FALSE(problems_of("azure-local", {"", "", {}, {{"roce_priority", "5"}}}).empty());
}

/// An E810 whose out-of-tree driver shows this switch of DCQCN; "": it shows none.
Scene e810(const std::string& dcqcn) {
  Scene scene;
  scene.port().driver = "irdma";
  if (!dcqcn.empty()) scene.port().vendor_files["irdma/roce_dcqcn_enable"] = dcqcn;
  return scene;
}

TEST(IntelE800, without_congestion_control_is_a_design) {
  const ReportPtr report = Judge("intel-e800-lossless")(e810("0"));
  EXPECT_FALSE(says(*report, "ecn-cc-disabled"));
  EXPECT_EQ(report->profile.why, "named by the user, and of what it leaves open these NICs have no congestion control");
  EXPECT_EQ(report->profile.changed,
            (std::vector<ChangedProfileValue>{{"congestion_control", "off", "dcqcn"}, {"ecn", "any", "on"}}));
  EXPECT_TRUE(Judge("intel-e800-lossless")(e810("1"))->profile.changed.empty());
  EXPECT_TRUE(Judge("intel-e800-lossless")(e810(""))->profile.changed.empty());
}

TEST(IntelE800, with_congestion_control_on_one_of_its_ports_misses_it_on_the_other) {
  Scene scene = e810("0");
  RdmaPort second = scene.port();
  second.device = "irdma1";
  second.key = "irdma1/1";
  second.vendor_files["irdma/roce_dcqcn_enable"] = std::string("1");
  scene.now().ports.push_back(second);
  EXPECT_TRUE(says(*Judge("intel-e800-lossless")(scene), "ecn-cc-disabled"));
}

TEST(IntelE800, misses_congestion_control_where_the_site_asked_for_it) {
  EXPECT_TRUE(says(*Judge("intel-e800-lossless", {"", "", {}, {{"congestion_control", "dcqcn"}}})(e810("0")),
                   "ecn-cc-disabled"));
  EXPECT_TRUE(says(*Judge("nvidia-lossless")(e810("0")), "ecn-cc-disabled"));
}

TEST(IntelE800, does_not_change_its_mind_over_one_read_that_failed) {
  Judge judge("intel-e800-lossless");
  (void)judge(e810("0"));
  Scene refused = e810("0");
  refused.port().vendor_files["irdma/roce_dcqcn_enable"] = denied();
  EXPECT_FALSE(judge(refused)->profile.changed.empty());
  EXPECT_TRUE(judge(e810("1"))->profile.changed.empty());
  EXPECT_TRUE(judge(refused)->profile.changed.empty());
}

TEST(WithoutCongestionControl, no_rule_about_marks_and_notifications_applies) {
  Scene scene;
  scene.profile().congestion_control = CongestionControl::Off;
  scene.after(60).after(60);
  for (const Rule* rule : {&kEcnCcDisabled, &kEcnMarkedNoCnp, &kEcnCnpIgnored, &kEcnCnpClass, &kEcnCongested,
                           &kEcnPauseWithoutMarks, &kEcnDcqcnNondefault, &kQosCnpNotPrioritised})
    expect_not_applicable(scene.ask(*rule));
}

}  // namespace
}  // namespace roceready::rules_test
