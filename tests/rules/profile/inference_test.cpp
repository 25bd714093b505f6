// SPDX-License-Identifier: Apache-2.0
#include "rules/inference.h"

#include <algorithm>
#include <functional>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Inference inferred(const std::function<void(Scene&)>& change) {
  Scene scene;
  change(scene);
  return infer_profile(scene.now());
}

void make_factory_fresh(Scene& scene) {
  scene.eth0().dcb.pfc->enabled = 0;
  scene.eth0().dcb.trust = std::string("pcp");
  scene.eth0().dcb.dscp_to_priority = not_supported();
  scene.eth0().dcb.app = std::vector<AppEntry>{};
  scene.port().cma_default_tos = 0U;
}

TEST(Inference, names_the_design_that_a_whole_state_shows) {
  struct Case {
    const char* what;
    std::function<void(Scene&)> change;
    std::string name;
    double confidence;
    std::map<std::string, std::string> overrides;
  };
  const std::vector<Case> cases = {
      {"as NVIDIA has it", [](Scene&) {}, "nvidia-lossless", 0.7, {}},
      {"on priority 4",
       [](Scene& s) {
         s.eth0().dcb.pfc->enabled = 1U << 4;
         s.port().cma_default_tos = 34U * 4;
       },
       "nvidia-lossless",
       0.7,
       {{"pfc_priorities", "[4]"}, {"roce_dscp", "34"}, {"roce_priority", "4"}}},
      {"another vendor's NIC that shows no trust",
       [](Scene& s) {
         s.port().driver = "bnxt_re";
         s.eth0().dcb.trust = not_supported();
         s.eth0().dcb.dscp_to_priority = not_supported();
       },
       "broadcom-lossless",
       0.7,
       {}},
      {"a NIC that shows no trust, with RoCE's UDP port on one of two priorities",
       [](Scene& s) {
         s.port().driver = "bnxt_re";
         s.eth0().dcb.trust = not_supported();
         s.eth0().dcb.dscp_to_priority = not_supported();
         s.eth0().dcb.pfc->enabled = 1U << 3 | 1U << 5;
         s.eth0().dcb.app = std::vector<AppEntry>{{3, 4791, 5}, {4, 4791, 0}, {1, 0x8906, 7}};
       },
       "broadcom-lossless",
       0.7,
       {{"pfc_priorities", "[3, 5]"}, {"roce_priority", "5"}}},
      {"two lossless priorities as SONiC maps them",
       [](Scene& s) {
         s.eth0().dcb.pfc->enabled = 0x18;
         (*s.eth0().dcb.dscp_to_priority)[3] = 3;
         (*s.eth0().dcb.dscp_to_priority)[4] = 4;
         s.port().cma_default_tos = 3U * 4;
       },
       "sonic-two-class",
       0.7,
       {}},
      {"two lossless priorities, the second one by the NIC's own map",
       [](Scene& s) { s.eth0().dcb.pfc->enabled = 0x18; },
       "sonic-two-class",
       0.7,
       {{"roce_dscp", "26"}, {"second_dscp", "32"}}},
      {"two lossless priorities of which no DSCP leads to the second",
       [](Scene& s) {
         s.eth0().dcb.pfc->enabled = 0x18;
         for (std::size_t dscp = 32; dscp < 40; ++dscp) (*s.eth0().dcb.dscp_to_priority)[dscp] = 0;
       },
       "sonic-two-class",
       0.7,
       {{"roce_dscp", "26"}, {"second_priority", "3"}}},
      {"Intel's NIC with congestion control on, which it may not lose then",
       [](Scene& s) {
         s.port().driver = "irdma";
         s.port().vendor_files["irdma/roce_dcqcn_enable"] = std::string("1");
       },
       "intel-e800-lossless",
       0.7,
       {{"congestion_control", "dcqcn"}}},
      {"congestion control readable and off",
       [](Scene& s) {
         for (const char* half : {"ecn/roce_np/enable/3", "ecn/roce_rp/enable/3"})
           s.eth0().vendor_files[half] = std::string("0");
       },
       "meta-pfc-only",
       0.7,
       {}},
      {"no PFC, the NIC recovers",
       [](Scene& s) {
         s.eth0().dcb.pfc->enabled = 0;
         s.eth0().vendor_files["ecn/roce_np/enable/3"] = std::string("1");
         s.port().counters.values.push_back({CounterId::RoceAdpRetrans, kNoLane, 32, 5, 1.0});
         std::sort(s.port().counters.values.begin(), s.port().counters.values.end(),
                   [](const CounterValue& a, const CounterValue& b) { return a.id < b.id; });
       },
       "lossy-ecn",
       0.7,
       {}},
      {"factory settings", make_factory_fresh, "unconfigured", 0.7, {}},
      {"factory settings with link-level pause",
       [](Scene& s) {
         make_factory_fresh(s);
         s.eth0().ethtool.pause->rx = true;
         s.eth0().ethtool.pause->tx = true;
       },
       "lfc-simple",
       0.4,
       {}},
  };
  for (const Case& c : cases) {
    const Inference got = inferred(c.change);
    ASSERT_TRUE(got.profile.has_value()) << c.what << ": " << got.why_not;
    EXPECT_EQ(got.profile->name, c.name) << c.what;
    EXPECT_DOUBLE_EQ(got.profile->confidence, c.confidence) << c.what;
    EXPECT_EQ(got.profile->overrides, c.overrides) << c.what;
    EXPECT_FALSE(got.profile->why.empty()) << c.what;
  }
}

TEST(Inference, makes_no_expectation_of_a_state_that_contradicts_itself) {
  struct Case {
    std::function<void(Scene&)> change;
    const char* why;
  };
  const std::vector<Case> cases = {
      {[](Scene& s) { s.eth0().dcb.pfc->enabled = 0; }, "or PFC was lost"},
      {[](Scene& s) { s.eth0().dcb.trust = std::string("pcp"); }, "no VLAN of it sends on such a priority"},
      {[](Scene& s) { s.eth0().dcb.pfc->enabled = 1U << 7; }, "no DSCP that RoCE uses leads there"},
      {[](Scene& s) {
         s.eth0().dcb.trust = not_supported();
         s.eth0().dcb.app = std::vector<AppEntry>{{4, 4791, 0}};
       },
       "its APP table puts RoCE (UDP port 4791) on priority 0"},
      {[](Scene& s) { s.eth0().dcb.pfc->enabled = 0xff; }, "no design has so many"},
      {[](Scene& s) { s.eth0().ethtool.pause->rx = true; }, "only one of them can work"},
      {[](Scene& s) { s.eth0().dcb.pfc = denied(); }, "cannot be read"},
      {[](Scene& s) { s.eth0().dcb.trust = denied(); }, "cannot be read"},
      {[](Scene& s) { s.port().in_scope = false; }, "no RoCE port in scope"},
      {[](Scene& s) {
         s.bonded(4, "");
         s.netdev("eth1").dcb.pfc->enabled = 1U << 4;
         s.netdev("eth1").dcb.dscp_to_priority = std::vector<std::uint32_t>(64, 4);
       },
       "the ports differ"},
  };
  for (const Case& c : cases) {
    const Inference got = inferred(c.change);
    EXPECT_FALSE(got.profile.has_value()) << c.why;
    EXPECT_NE(got.why_not.find(c.why), std::string::npos) << got.why_not;
  }
}

/// A daemon that looks at the scene's samples one after the other.
class Watch {
 public:
  explicit Watch(std::optional<KeptProfile> kept = {}) : engine_(options(std::move(kept))) {}
  ReportPtr look(Scene& scene, double seconds, std::size_t times = 1) {
    ReportPtr report;
    for (std::size_t k = 0; k < times; ++k) {
      scene.after(seconds);
      past_.add(std::make_shared<const Snapshot>(scene.now()));
      report = engine_.judge(past_);
    }
    return report;
  }

 private:
  static JudgeOptions options(std::optional<KeptProfile> kept) {
    JudgeOptions out;
    out.one_shot = false;
    out.initializing_seconds = 60;
    out.kept = std::move(kept);
    return out;
  }
  History past_{needed_signals()};
  Engine engine_;
};

std::vector<std::string> grave(const Report& report) {
  std::vector<std::string> out;
  for (const Finding& finding : report.findings)
    if (finding.severity != Severity::Info) out.push_back(finding.key);
  return out;
}

TEST(Inference, takes_a_state_only_once_it_has_stood_and_never_asks_again) {
  Scene scene;
  make_factory_fresh(scene);
  Watch watch;
  ReportPtr report = watch.look(scene, 10, 3);
  EXPECT_EQ(report->profile.origin, ProfileOrigin::None);
  EXPECT_NE(report->profile.why.find("looks like unconfigured"), std::string::npos) << report->profile.why;
  // The boot scripts arrive: the clock starts anew.
  Scene ready;
  ready.now().before = scene.now().before;
  ready.now().after = scene.now().after;
  report = watch.look(ready, 10, 6);
  EXPECT_EQ(report->profile.origin, ProfileOrigin::None);
  report = watch.look(ready, 10, 2);
  EXPECT_EQ(report->profile.origin, ProfileOrigin::Inferred);
  EXPECT_EQ(report->profile.name, "nvidia-lossless");
  const auto since = report->profile.since_wall_ns;
  ready.eth0().dcb.pfc->enabled = 0;
  report = watch.look(ready, 10, 30);
  EXPECT_EQ(report->profile.name, "nvidia-lossless");
  EXPECT_EQ(report->profile.since_wall_ns, since);
}

TEST(Inference, an_unconfigured_node_gets_its_profile_when_it_is_configured) {
  Scene fresh;
  make_factory_fresh(fresh);
  Watch watch;
  ReportPtr report = watch.look(fresh, 10, 10);
  EXPECT_EQ(report->profile.name, "unconfigured");
  EXPECT_EQ(report->verdict, Verdict::Degraded) << report->summary;
  EXPECT_EQ(grave(*report), std::vector<std::string>{"qos-never-configured@mlx5_0/1"});
  Scene set;
  set.now().before = fresh.now().before;
  set.now().after = fresh.now().after;
  report = watch.look(set, 10, 10);
  EXPECT_EQ(report->profile.name, "nvidia-lossless");
  EXPECT_EQ(grave(*report), std::vector<std::string>{}) << report->summary;
}

TEST(Inference, a_weak_guess_makes_no_port_ready) {
  Scene scene;
  make_factory_fresh(scene);
  scene.eth0().ethtool.pause = PauseFacts{true, true, true, 0U, 0U};
  scene.shows(CounterId::GlobalPauseRxFrames).shows(CounterId::GlobalPauseTxFrames);
  Watch watch;
  const ReportPtr report = watch.look(scene, 10, 40);
  EXPECT_EQ(report->profile.name, "lfc-simple");
  EXPECT_DOUBLE_EQ(report->profile.confidence, 0.4);
  EXPECT_EQ(report->verdict, Verdict::Unknown) << report->summary;
  EXPECT_TRUE(std::any_of(report->unknown.begin(), report->unknown.end(), [](const Gap& gap) {
    return gap.why == "no_profile" && gap.detail.find("weak guess") != std::string::npos;
  }));
}

TEST(KeptProfile, a_reboot_that_loses_pfc_is_a_fault_and_no_new_profile) {
  Scene scene;
  make_factory_fresh(scene);
  Watch watch(KeptProfile{"nvidia-lossless", 5, 0.7, "PFC was on", {}});
  const ReportPtr report = watch.look(scene, 10, 20);
  EXPECT_EQ(report->profile.origin, ProfileOrigin::Kept);
  EXPECT_EQ(report->profile.name, "nvidia-lossless");
  EXPECT_EQ(report->profile.since_wall_ns, 5);
  const Finding* lost = report->finding("pfc-disabled@mlx5_0/1");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->severity, Severity::Warning);
  EXPECT_DOUBLE_EQ(lost->confidence, 0.7);
  EXPECT_NE(lost->seen.find("state the profile"), std::string::npos) << lost->seen;
  EXPECT_EQ(report->verdict, Verdict::Degraded);
}

TEST(KeptProfile, takes_nothing_from_a_critical_that_needs_no_profile) {
  Scene scene;
  scene.eth0().link.carrier = false;
  scene.eth0().link.oper_state = std::string("down");
  const ReportPtr report = Watch(KeptProfile{"nvidia-lossless", 5, 0.7, "", {}}).look(scene, 10, 10);
  const Finding* down = report->finding("link-down@mlx5_0/1");
  ASSERT_NE(down, nullptr);
  EXPECT_EQ(down->severity, Severity::Critical);
  EXPECT_DOUBLE_EQ(down->confidence, 1.0);
  EXPECT_EQ(report->verdict, Verdict::NotReady);
}

TEST(KeptProfile, means_nothing_beside_a_stated_one_and_nothing_when_its_name_is_unknown) {
  JudgeOptions options;
  options.kept = KeptProfile{"lossy-ecn", 5, 0.7, "", {}};
  options.profile = "nvidia-lossless";
  Scene scene;
  History past(needed_signals());
  past.add(std::make_shared<const Snapshot>(scene.now()));
  EXPECT_EQ(Engine(options).judge(past)->profile.origin, ProfileOrigin::Named);
  options.profile.clear();
  EXPECT_EQ(Engine(options).judge(past)->profile.name, "lossy-ecn");
  options.kept->name = "of-a-later-version";
  const ReportPtr report = Engine(options).judge(past);
  EXPECT_EQ(report->profile.origin, ProfileOrigin::None);
  EXPECT_EQ(report->verdict, Verdict::Unknown);
}

TEST(KeptProfile, brings_what_was_seen_to_differ) {
  JudgeOptions options;
  options.kept = KeptProfile{"nvidia-lossless", 5, 0.7, "", {{"pfc_priorities", "[4]"}, {"roce_priority", "4"}}};
  Scene scene;
  scene.eth0().dcb.pfc->enabled = 1U << 4;
  History past(needed_signals());
  past.add(std::make_shared<const Snapshot>(scene.now()));
  const ReportPtr report = Engine(options).judge(past);
  EXPECT_EQ(report->finding("pfc-wrong-priority@mlx5_0/1"), nullptr);
  EXPECT_EQ(report->profile.guess_overrides, options.kept->overrides);
}

TEST(OneShot, infers_nothing) {
  Scene scene;
  const ReportPtr report = scene.profile("").report();
  EXPECT_EQ(report->profile.origin, ProfileOrigin::None);
  EXPECT_NE(report->verdict, Verdict::Ready);
}

}  // namespace
}  // namespace roceready::rules_test
