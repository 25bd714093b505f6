// SPDX-License-Identifier: Apache-2.0
#include "rules/profile_changes.h"

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Profile changed(const std::string& name, const ProfileChanges& changes) {
  return apply(*profile_named(name), changes).profile;
}

std::string first_problem(const std::string& name, const ProfileChanges& changes) {
  const auto all = problems_of(name, changes);
  return all.empty() ? "" : all.front().first + ": " + all.front().second;
}

TEST(Profiles, are_those_of_the_document) {
  EXPECT_EQ(profile_names(),
            (std::vector<std::string>{"amd-pollara", "azure-local", "azure-local-switchless", "broadcom-lossless",
                                      "intel-e800-lossless", "lfc-simple", "lossy-ecn", "meta-pfc-only", "not-roce",
                                      "nvidia-lossless", "semi-lossless", "sonic-two-class", "spray-ar", "ztr-rtt"}));
}

TEST(Profiles, put_roce_on_a_lossless_priority_wherever_there_is_one) {
  for (const Profile& profile : profiles()) {
    if (profile.pfc_priorities != 0) {
      EXPECT_TRUE(profile.is_lossless(profile.roce_priority)) << profile.name;
    }
    EXPECT_LE(profile.loss_warn, profile.loss_crit) << profile.name;
    EXPECT_TRUE(problems_of(profile.name, {}).empty()) << profile.name;
  }
}

TEST(Profiles, differ_where_the_vendors_do) {
  struct Case {
    const char* name;
    std::uint8_t dscp, pfc;
    std::optional<std::uint8_t> cnp_dscp, cnp_priority;
  };
  for (const Case& c : {Case{"nvidia-lossless", 26, 8, 48, 6}, Case{"broadcom-lossless", 26, 8, 48, 7},
                        Case{"amd-pollara", 24, 8, 46, 6}, Case{"sonic-two-class", 3, 24, 48, 6},
                        Case{"intel-e800-lossless", 26, 8, {}, {}}, Case{"lossy-ecn", 26, 0, 48, 6}}) {
    const Profile& p = *profile_named(c.name);
    EXPECT_EQ(p.roce_dscp, c.dscp) << c.name;
    EXPECT_EQ(p.pfc_priorities, c.pfc) << c.name;
    EXPECT_EQ(p.cnp_dscp, c.cnp_dscp) << c.name;
    EXPECT_EQ(p.cnp_priority, c.cnp_priority) << c.name;
  }
}

TEST(ProfileChanges, every_override_changes_its_cell_and_is_listed) {
  for (const ProfileKey& key : profile_keys()) {
    std::string text = key.type == ProfileKeyType::Boolean      ? "true"
                       : key.type == ProfileKeyType::Priorities ? "[5]"
                       : key.type == ProfileKeyType::Words      ? key.choices.back()
                                                                : "1";
    if (key.get(*profile_named("nvidia-lossless")) == text)
      text = key.type == ProfileKeyType::Boolean ? "false" : "any";
    const EffectiveProfile out = apply(*profile_named("nvidia-lossless"), {"", "", {}, {{key.name, text}}});
    ASSERT_EQ(out.changed.size(), 1U) << key.name;
    EXPECT_EQ(out.changed[0], (ChangedProfileValue{key.name, text, key.get(*profile_named("nvidia-lossless"))}));
  }
}

TEST(ProfileChanges, modifiers_and_role_do_what_they_say) {
  EXPECT_DOUBLE_EQ(changed("nvidia-lossless", {"", "storage-target", {}, {}}).pause_warn, 0.03);
  EXPECT_DOUBLE_EQ(changed("meta-pfc-only", {"", "storage-target", {}, {}}).pause_warn, 0.15);
  EXPECT_EQ(changed("nvidia-lossless", {"", "", {"overlay"}, {}}).host_mtu, 8950U);
  EXPECT_EQ(changed("nvidia-lossless", {"", "", {"overlay", "overlay"}, {}}).host_mtu, 8950U);
  // What a site writes down holds as written.
  EXPECT_EQ(changed("nvidia-lossless", {"", "", {"overlay"}, {{"host_mtu", "4200"}}}).host_mtu, 4200U);
  const Profile all =
      changed("nvidia-lossless", {"", "gpu", {"dedicated-nic", "lag", "long-haul", "macsec", "benchmark-window"}, {}});
  EXPECT_TRUE(all.dedicated_nic && all.lag && all.long_haul && all.macsec && all.benchmark_window);
  EXPECT_EQ(all.role, Role::Gpu);
}

TEST(ProfileChanges, a_base_gives_its_classes_to_a_design_without_pfc) {
  const Profile lossy = changed("lossy-ecn", {"amd-pollara", "", {}, {}});
  EXPECT_EQ(lossy.roce_dscp, 24);
  EXPECT_EQ(lossy.mode, kLossy);
  EXPECT_EQ(lossy.pfc_priorities, 0);
  const Profile spray = changed("spray-ar", {"lossy-ecn", "", {}, {}});
  EXPECT_EQ(spray.name, "spray-ar");
  EXPECT_EQ(spray.mode, kLossy);
  EXPECT_TRUE(spray.adaptive_routing);
}

TEST(ProfileChanges, refuses_what_cannot_go_together) {
  EXPECT_EQ(first_problem("nvidia-lossless", {"", "", {"dedicated-nic", "converged"}, {}}),
            "profile_modifiers: dedicated-nic and converged exclude each other; keep one");
  EXPECT_NE(first_problem("lossy-ecn", {"", "", {}, {{"pfc_priorities", "[3]"}}}).find("a design without"),
            std::string::npos);
  EXPECT_NE(first_problem("nvidia-lossless", {"", "", {}, {{"pfc_priorities", "[]"}}}).find("name profile lossy-ecn"),
            std::string::npos);
  EXPECT_NE(first_problem("nvidia-lossless", {"", "", {}, {{"roce_priority", "4"}}}).find("would not be lossless"),
            std::string::npos);
  EXPECT_NE(first_problem("nvidia-lossless", {"amd-pollara", "", {}, {}}).find("brings its own classes"),
            std::string::npos);
  EXPECT_EQ(first_problem("azure-local", {"", "", {}, {{"roce_priority", "4"}, {"pfc_priorities", "[4]"}}}), "");
}

Report judged(Scene scene, const std::string& profile, const ProfileChanges& changes = {}) {
  JudgeOptions options;
  options.profile = profile;
  options.profile_changes = changes;
  History past(needed_signals());
  past.add(std::make_shared<const Snapshot>(scene.now()));
  return *Engine(options).judge(past);
}

TEST(ProfileChanges, are_listed_in_the_report) {
  const ProfileUse use = judged(Scene(), "nvidia-lossless", {"", "gpu", {"lag"}, {{"cnp_dscp", "4"}}}).profile;
  EXPECT_EQ(use.changed, (std::vector<ChangedProfileValue>{{"cnp_dscp", "4", "48"}}));
  EXPECT_EQ(use.modifiers, std::vector<std::string>{"lag"});
  EXPECT_EQ(use.role, "gpu");
  EXPECT_EQ(use.why, "named by the user");
}

TEST(ProfileChanges, a_profile_of_another_vendor_is_said_to_be_one) {
  const std::string why = judged(Scene(), "broadcom-lossless").profile.why;
  EXPECT_NE(why.find("although mlx5_0 is a NIC of profile nvidia-lossless"), std::string::npos) << why;
  Scene small;
  small.eth0().dcb.pfc->capability = 1;
  const std::string too_few = judged(small, "sonic-two-class").profile.why;
  EXPECT_NE(too_few.find("eth0 can have PFC on 1 of the 2 priorities"), std::string::npos) << too_few;
}

TEST(BenchmarkWindow, makes_pause_and_backpressure_info_and_nothing_else) {
  Scene scene;
  Profile& profile = scene.profile();
  profile.benchmark_window = true;
  EXPECT_TRUE(why_info_only(kPfcRxPauseHigh, profile).has_value());
  EXPECT_TRUE(why_info_only(kPfcTxPauseHigh, profile).has_value());
  EXPECT_TRUE(why_info_only(kPcieBackpressure, profile).has_value());
  for (const Rule* rule :
       {&kPfcStormRx, &kPfcStormTx, &kPcieSpeedDegraded, &kPcieAerUncorrectable, &kPcieAerCorrectable,
        &kPcieSignalIntegrity, &kTransportRetryExceeded, &kDropRxLosslessPrio, &kPfcDisabled})
    EXPECT_FALSE(why_info_only(*rule, profile).has_value()) << rule->id;
}

TEST(LinkLevelPause, is_what_lfc_simple_lives_by) {
  Scene scene;
  scene.profile("lfc-simple");
  scene.eth0().dcb.pfc->enabled = 0;
  expect_fail(scene.ask(kPfcGlobalPause), Severity::Critical, "relies on it");
  scene.eth0().ethtool.pause->rx = true;
  scene.eth0().ethtool.pause->tx = true;
  expect_fail(scene.ask(kPfcGlobalPause), Severity::Info, "not RoCE alone");
  expect_not_applicable(scene.ask(kPfcDisabled));
}

}  // namespace
}  // namespace roceready::rules_test
