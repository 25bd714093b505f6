// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "rules/profile.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(HealthyNode, is_ready_after_a_one_shot_with_nothing_above_info) {
  Scene scene;
  scene.after(1).after(1);
  const ReportPtr report = scene.report();
  EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
  for (const Finding& finding : report->findings)
    EXPECT_EQ(finding.severity, Severity::Info) << finding.key << ": " << finding.seen;
  for (const Gap& gap : report->unknown) ADD_FAILURE() << gap.rule << ": " << gap.detail;
}

TEST(HealthyNode, is_never_ready_without_a_profile) {
  Scene scene;
  EXPECT_NE(scene.profile("").after(1).after(1).report()->verdict, Verdict::Ready);
}

TEST(Profiles, are_named_once_and_differ_in_what_they_demand) {
  const std::vector<std::string> names = profile_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(profile_named("nvidia-lossless")->pfc_priorities, 1U << 3);
  EXPECT_EQ(profile_named("lossy-ecn")->pfc_priorities, 0);
  EXPECT_EQ(profile_named("lossy-ecn")->mode, kLossy);
  EXPECT_EQ(profile_named("nothing"), nullptr);
}

}  // namespace
}  // namespace roceready::rules_test
