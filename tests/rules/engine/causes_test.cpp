// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "rules/causes_graph.h"
#include "rules/engine.h"
#include "tests/rules/scene.h"

namespace roceready::rules {
namespace {

/// The rule of this id, or a stand-in: an edge is tested whether or not both of its ends are judged by this build.
const Rule* rule_of(const std::string& id) {
  static std::map<std::string, std::unique_ptr<Rule>> stand_ins;
  if (const Rule* rule = rule_named(id)) return rule;
  auto& made = stand_ins[id];
  if (!made) {
    made = std::make_unique<Rule>();
    made->id = stand_ins.find(id)->first.c_str();
    made->judged = kRate;
  }
  return made.get();
}

Finding finding(const std::string& id, Severity severity, double age_seconds = 0, const char* device = "mlx5_0") {
  Finding out;
  out.rule = rule_of(id);
  out.severity = severity;
  out.age_seconds = age_seconds;
  out.subject.device = device;
  out.subject.port = 1;
  out.key = id + "@" + out.subject.key();
  return out;
}

using Keys = std::vector<std::string>;
using All = std::vector<Finding>;

bool folds(All all, std::string_view symptom) {
  const Keys roots = fold_causes(all, true);
  return std::find(roots.begin(), roots.end(), std::string(symptom) + "@mlx5_0/1") == roots.end();
}
Finding warning(std::string_view id, double age_seconds = 0, const char* device = "mlx5_0") {
  return finding(std::string(id), Severity::Warning, age_seconds, device);
}

TEST(Causes, fold_loss_under_the_missing_pfc_of_the_same_port) {
  All all{warning("transport-seq-err"), finding("pfc-disabled", Severity::Critical),
          warning("transport-seq-err", 0, "mlx5_1")};
  EXPECT_EQ(fold_causes(all, true), (Keys{"pfc-disabled@mlx5_0/1", "transport-seq-err@mlx5_1/1"}));
  EXPECT_EQ(all[0].cause_of, (Keys{"transport-seq-err@mlx5_0/1"}));
}

/// One row a condition: the cause, the symptom, what makes the edge hold ("" for nothing) and what breaks it.
TEST(Causes, hold_under_their_conditions_only) {
  struct Case {
    const char *cause, *symptom, *needs, *breaks;
  };
  for (const Case& c : {Case{"pfc-disabled", "transport-seq-err", "", "link-flap"},
                        Case{"pfc-wrong-priority", "transport-ack-timeout", "", "link-symbol-crc"},
                        Case{"qos-trust-pcp", "pfc-on-unused-priority", "qos-rdma-on-wrong-prio", ""},
                        Case{"qos-dscp-map", "transport-oos", "qos-rdma-on-wrong-prio", ""},
                        Case{"pfc-one-sided", "drop-rx-lossless-prio", "", "pfc-disabled"},
                        Case{"qos-headroom-small", "drop-rx-lossless-prio", "pfc-tx-pause-high", ""},
                        Case{"link-symbol-crc", "transport-seq-err", "", "drop-rx-no-pfc"},
                        Case{"host-iommu-translating", "pfc-tx-pause-high", "", "pcie-width-degraded"},
                        Case{"host-loopback-rdma", "pfc-tx-pause-high", "", "pfc-storm-tx"},
                        Case{"pcie-width-degraded", "drop-rx-no-pfc", "", "pfc-disabled"},
                        Case{"pcie-backpressure", "drop-rx-no-pfc", "", "pfc-disabled"},
                        Case{"qos-headroom-small", "pfc-tx-pause-high", "drop-rx-lossless-prio", ""},
                        Case{"ecn-cc-disabled", "pfc-rx-pause-high", "ecn-marked-no-cnp", ""},
                        Case{"qos-cnp-not-prioritised", "pfc-rx-pause-high", "ecn-cnp-lost", ""}}) {
    SCOPED_TRACE(std::string(c.cause) + " → " + c.symptom);
    const auto explained = [&](const std::string& also) {
      All all{warning(c.symptom), warning(c.cause)};
      if (!also.empty()) all.push_back(finding(also, Severity::Info));
      if (also == c.breaks && !also.empty()) all.back().severity = Severity::Warning;
      (void)fold_causes(all, true);
      const std::string cause = std::string(c.cause) + "@mlx5_0/1";
      const auto symptom =
          std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.rule->id == std::string(c.symptom); });
      return std::find(symptom->symptom_of.begin(), symptom->symptom_of.end(), cause) != symptom->symptom_of.end();
    };
    EXPECT_TRUE(explained(c.needs));
    EXPECT_FALSE(explained(*c.needs != '\0' ? "" : c.breaks));
  }
}

TEST(Causes, blame_a_dscp_map_only_where_it_misplaces_data) {
  Finding map = finding("qos-dscp-map", Severity::Critical), chain = finding("qos-chain-broken", Severity::Critical);
  map.evidence = {{"priority of DSCP 48", 7.0, "", "!=", 6.0, "", 0}};
  EXPECT_FALSE(folds({map, chain}, "qos-chain-broken"));
  map.evidence.push_back({"priority of RoCE's DSCP 26", 0.0, "", "!=", 3.0, "", 0});
  EXPECT_TRUE(folds({map, chain}, "qos-chain-broken"));
}

TEST(Causes, still_blame_pfc_beside_a_bad_link_once_the_class_was_seen_to_drop) {
  EXPECT_FALSE(
      folds({warning("transport-seq-err"), warning("pfc-disabled"), warning("link-drop-long")}, "transport-seq-err"));
  EXPECT_TRUE(folds({warning("transport-seq-err"), warning("pfc-disabled"), warning("link-drop-long"),
                     finding("drop-rx-no-pfc", Severity::Info)},
                    "transport-seq-err"));
}

TEST(Causes, respect_time) {
  EXPECT_FALSE(folds({warning("pfc-storm-rx", 5), warning("transport-ack-timeout", 600)}, "transport-ack-timeout"));
  EXPECT_TRUE(folds({warning("pfc-storm-rx", 5), warning("transport-ack-timeout", 60)}, "transport-ack-timeout"));
  EXPECT_TRUE(folds({warning("pfc-disabled", 5), warning("transport-ack-timeout", 600)}, "transport-ack-timeout"))
      << "a setting counts as always earlier";
  EXPECT_TRUE(folds({warning("link-flap", 200), warning("transport-ack-timeout", 100)}, "transport-ack-timeout"));
  EXPECT_FALSE(folds({warning("link-flap", 300), warning("transport-ack-timeout", 100)}, "transport-ack-timeout"));
  EXPECT_FALSE(folds({warning("pcie-backpressure", 300), warning("pfc-tx-pause-high", 100)}, "pfc-tx-pause-high"));
}

/// That grew from `began` to `ended` seconds ago, newest first.
Finding grown(Finding finding, std::initializer_list<std::pair<double, double>> stretches) {
  for (const auto& [began, ended] : stretches)
    finding.grew.push_back(
        {static_cast<std::int64_t>((1e5 - began) * 1e9), static_cast<std::int64_t>((1e5 - ended) * 1e9)});
  return finding;
}

TEST(Causes, take_the_second_of_two_flaps_for_the_timeouts_that_follow_it) {
  const Finding flap = grown(warning("link-flap", 1500), {{30, 20}});
  const Finding after = grown(warning("transport-ack-timeout", 15), {{20, 5}});
  EXPECT_TRUE(folds({flap, after}, "transport-ack-timeout"));
  const Finding much_later = grown(warning("link-flap", 1500), {{400, 390}});
  EXPECT_FALSE(folds({much_later, after}, "transport-ack-timeout"));
}

TEST(Causes, of_the_second_flap_in_a_daemon_and_of_one_in_a_one_shot_come_from_the_counters) {
  using rules_test::Growth;
  const std::vector<Growth> busy{{CounterId::RdmaTxPackets, 1e6}}, down{{CounterId::CarrierDownEvents, 1}},
      waiting{{CounterId::RdmaTxPackets, 1e5}, {CounterId::LocalAckTimeout, 5}};
  const auto explained = [](const rules_test::Scene& scene) {
    const ReportPtr report = scene.report();
    const auto timeouts = std::find_if(report->findings.begin(), report->findings.end(), [](const Finding& finding) {
      return std::string_view(finding.rule->id) == "transport-ack-timeout";
    });
    EXPECT_NE(timeouts, report->findings.end());
    return timeouts != report->findings.end() && timeouts->symptom_of == Keys{"link-flap@mlx5_0/1"};
  };
  rules_test::Scene twice;
  twice.daemon().every(10, 30, busy).after(1, down).every(10, 120, busy).after(1, down).every(1, 30, waiting);
  EXPECT_TRUE(explained(twice));
  rules_test::Scene once;
  once.every(10, 30, busy).after(1, down).every(1, 30, waiting);
  EXPECT_TRUE(explained(once));
  rules_test::Scene long_ago;
  long_ago.every(10, 30, busy).after(1, down).every(10, 30, busy).every(1, 30, waiting);
  EXPECT_FALSE(explained(long_ago));
}

TEST(Causes, hold_while_the_link_is_down_however_long_and_not_before) {
  EXPECT_TRUE(folds({warning("link-down", 3000), warning("transport-ack-timeout", 100)}, "transport-ack-timeout"));
  EXPECT_FALSE(folds({warning("link-down", 100), warning("transport-ack-timeout", 3000)}, "transport-ack-timeout"));
}

TEST(Causes, take_no_background_for_the_symptom_and_no_flap_of_long_ago_for_the_cause) {
  using rules_test::Growth;
  const auto cause_of = [](const rules_test::Scene& scene, std::string_view symptom) {
    const ReportPtr report = scene.report();
    for (const Finding& finding : report->findings)
      if (finding.rule->id == symptom) return finding.symptom_of;
    ADD_FAILURE() << "no finding of " << symptom;
    return Keys{};
  };
  const std::vector<Growth> busy{{CounterId::RdmaTxPackets, 1e6}};
  rules_test::Scene fec;
  for (int k = 0; k < 10; ++k)
    fec.every(1, 29, busy).after(1, {{CounterId::RdmaTxPackets, 1e6}, {CounterId::PacketSeqErr, 1}});
  fec.every(1, 200,
            {{CounterId::RdmaTxPackets, 1e6}, {CounterId::PacketSeqErr, 300}, {CounterId::FecUncorrectableBlocks, 5}});
  EXPECT_EQ(cause_of(fec, "transport-seq-err"), Keys{"link-fec-uncorrectable@mlx5_0/1"});
  rules_test::Scene old;
  old.every(10, 3, busy).after(1, {{CounterId::CarrierDownEvents, 1}}).every(10, 270, busy);
  old.after(1, {{CounterId::TransportRetryExceeded, 4}});
  EXPECT_EQ(cause_of(old, "transport-retry-exceeded"), Keys{});
}

TEST(Causes, of_a_one_shot_are_told_by_when_counters_grew) {
  const auto explained = [](const Finding& cause, const Finding& symptom) {
    All all{cause, symptom};
    const Keys roots = fold_causes(all, false);
    return std::find(roots.begin(), roots.end(), symptom.key) == roots.end();
  };
  const Finding timeouts = warning("transport-ack-timeout"), flap = warning("link-flap");
  EXPECT_TRUE(explained(grown(flap, {{300, 290}}), grown(timeouts, {{290, 200}})));
  EXPECT_FALSE(explained(grown(flap, {{500, 490}}), grown(timeouts, {{290, 200}}))) << "more than 120 s later";
  EXPECT_FALSE(explained(grown(flap, {{100, 90}}), grown(timeouts, {{590, 0}}))) << "there before it";
  EXPECT_TRUE(explained(grown(flap, {{100, 90}, {560, 550}}), grown(timeouts, {{20, 0}, {540, 500}})))
      << "one of each belong together";
  EXPECT_TRUE(explained(flap, grown(timeouts, {{20, 0}}))) << "when it flapped is not known";
  const Finding bus = warning("pcie-backpressure"), pause = warning("pfc-tx-pause-high");
  EXPECT_TRUE(explained(grown(bus, {{300, 0}}), grown(pause, {{250, 100}})));
  EXPECT_FALSE(explained(grown(bus, {{500, 400}}), grown(pause, {{250, 100}})));
  const Finding crc = warning("link-symbol-crc"), loss = warning("transport-seq-err");
  EXPECT_FALSE(explained(grown(crc, {{100, 0}}), grown(loss, {{600, 0}})));
  EXPECT_TRUE(explained(grown(crc, {{600, 0}}), grown(loss, {{100, 0}})));
  Finding storm = grown(warning("pfc-storm-tx"), {{100, 0}}), other = warning("pfc-storm-rx", 0, "mlx5_1");
  EXPECT_TRUE(explained(storm, grown(other, {{95, 0}})));
  EXPECT_FALSE(explained(storm, grown(other, {{70, 0}})));
}

TEST(Causes, blame_link_pause_for_missing_pfc_only_where_pause_frames_were_seen) {
  All quiet{warning("pfc-global-pause"), finding("pfc-disabled", Severity::Critical)};
  EXPECT_EQ(fold_causes(quiet, true).front(), "pfc-disabled@mlx5_0/1");
  All seen{warning("pfc-global-pause"), finding("pfc-disabled", Severity::Critical)};
  seen[0].evidence.push_back({"link-level pause frames", 12.0, "frames", {}, {}, "", 0});
  EXPECT_EQ(fold_causes(seen, true), (Keys{"pfc-global-pause@mlx5_0/1"}));
}

TEST(Causes, fold_all_that_a_bad_module_does_under_it) {
  All all{warning("transport-seq-err"), warning("link-flap"), finding("link-symbol-crc", Severity::Critical),
          warning("link-module-fault")};
  EXPECT_EQ(fold_causes(all, true), (Keys{"link-module-fault@mlx5_0/1"}));
}

TEST(Causes, blame_translation_for_stalls_only_while_the_pcie_link_is_sound) {
  All sound{warning("pcie-backpressure"), warning("host-iommu-translating"), warning("pfc-tx-pause-high")};
  EXPECT_EQ(fold_causes(sound, true), (Keys{"host-iommu-translating@mlx5_0/1"}));
  All narrow{warning("pcie-backpressure"), warning("host-iommu-translating"),
             finding("pcie-width-degraded", Severity::Critical)};
  const Keys roots = fold_causes(narrow, true);
  EXPECT_EQ(roots.front(), "pcie-width-degraded@mlx5_0/1");
  EXPECT_EQ(roots.size(), 2U) << "the IOMMU stands for itself";
}

TEST(Causes, leave_connections_that_broke_for_want_of_a_receiver_to_the_application) {
  const auto broken = [](const char* counter) {
    Finding out = warning("transport-retry-exceeded");
    out.evidence.push_back({counter, 3.0, "events", {}, {}, "", 0});
    return out;
  };
  EXPECT_FALSE(folds({broken("rnr_retry_exceeded"), warning("link-flap")}, "transport-retry-exceeded"));
  EXPECT_TRUE(folds({broken("rnr_retry_exceeded"), warning("transport-rnr")}, "transport-retry-exceeded"));
  EXPECT_TRUE(folds({broken("transport_retry_exceeded"), warning("link-flap")}, "transport-retry-exceeded"));
  EXPECT_FALSE(folds({broken("transport_retry_exceeded"), warning("transport-rnr")}, "transport-retry-exceeded"));
}

TEST(Causes, reach_other_ports_of_the_node_with_a_storm_alone) {
  All storm{warning("pfc-storm-rx", 0, "mlx5_1"), warning("pfc-storm-tx")};
  EXPECT_EQ(fold_causes(storm, true), (Keys{"pfc-storm-tx@mlx5_0/1"}));
  All later{warning("pfc-storm-rx", 0, "mlx5_1"), warning("pfc-storm-tx", 30)};
  EXPECT_EQ(fold_causes(later, true).size(), 2U);
  All others{warning("transport-ack-timeout", 0, "mlx5_1"), warning("link-flap")};
  EXPECT_EQ(fold_causes(others, true).size(), 2U);
}

TEST(Causes, of_the_node_reach_each_of_its_ports) {
  Finding of_node = warning("host-qos-not-persistent");
  of_node.subject = {};
  of_node.key = "host-qos-not-persistent@node";
  All all{warning("pfc-disabled"), warning("qos-trust-pcp", 0, "mlx5_1"), of_node};
  EXPECT_EQ(fold_causes(all, true), (Keys{"host-qos-not-persistent@node"}));
}

TEST(Causes, of_some_ports_told_of_the_node_reach_those_that_they_name) {
  Finding rails = warning("host-arp-flux");
  rails.subject = {};
  rails.key = "host-arp-flux@node";
  rails.seen = "eth0 (10.0.0.1) and eth10 (10.0.0.2) share the subnet 10.0.0.0/24.";
  Finding named = warning("transport-retry-exceeded"), other = warning("transport-retry-exceeded", 0, "mlx5_1");
  named.subject.netdev = "eth0";
  other.subject.netdev = "eth1";
  named.key = "transport-retry-exceeded@" + named.subject.key();
  other.key = "transport-retry-exceeded@" + other.subject.key();
  All all{named, other, rails};
  const Keys roots = fold_causes(all, true);
  EXPECT_EQ(roots.size(), 2U);
  EXPECT_EQ(std::count(roots.begin(), roots.end(), other.key), 1);
  EXPECT_EQ(std::count(roots.begin(), roots.end(), "host-arp-flux@node"), 1);
}

TEST(Causes, never_take_tempting_but_wrong_edges) {
  for (const WrongEdge& wrong : wrong_edges()) {
    SCOPED_TRACE(std::string(wrong.not_cause) + " → " + wrong.symptom);
    EXPECT_FALSE(std::string(wrong.why).empty());
    for (const CauseEdge& edge : cause_graph())
      EXPECT_FALSE(edge.cause == wrong.not_cause && edge.symptom == wrong.symptom);
    EXPECT_FALSE(folds({warning(wrong.symptom), warning(wrong.not_cause)}, wrong.symptom));
  }
}

TEST(Causes, never_make_a_root_of_a_mere_info) {
  All all{finding("roce-tos-default-zero", Severity::Info)};
  EXPECT_TRUE(fold_causes(all, true).empty());
}

TEST(Causes, name_what_explains_a_critical_before_an_unrelated_warning) {
  All all{warning("link-speed-low"), finding("pfc-disabled", Severity::Critical)};
  EXPECT_EQ(fold_causes(all, true).front(), "pfc-disabled@mlx5_0/1");
  All chain{warning("link-speed-low"), warning("pcie-signal-integrity"), warning("pcie-width-degraded"),
            finding("pfc-tx-pause-high", Severity::Critical)};
  EXPECT_EQ(fold_causes(chain, true), (Keys{"pcie-signal-integrity@mlx5_0/1", "link-speed-low@mlx5_0/1"}));
}

TEST(CauseGraph, has_each_edge_once_with_a_weight_and_without_circles) {
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, std::set<std::string>> below;
  for (const CauseEdge& edge : cause_graph()) {
    EXPECT_TRUE(edge.weight > 0 && edge.weight <= 1) << edge.cause;
    const bool first = seen.insert({std::string(edge.cause) + (edge.reach == Reach::SamePort ? "" : " elsewhere"),
                                    std::string(edge.symptom)})
                           .second;
    EXPECT_TRUE(first) << edge.cause << " → " << edge.symptom;
    below[std::string(edge.cause)].emplace(edge.symptom);
  }
  // Leaves fall off until nothing is left, unless there is a circle. folding follows at most eight steps.
  int rounds = 0;
  for (bool fell = true; fell && !below.empty(); ++rounds) {
    fell = false;
    for (auto one = below.begin(); one != below.end();) {
      const bool leaf =
          std::none_of(one->second.begin(), one->second.end(), [&](const std::string& s) { return below.contains(s); });
      fell = fell || leaf;
      one = leaf ? below.erase(one) : std::next(one);
    }
  }
  EXPECT_TRUE(below.empty()) << below.begin()->first << " explains itself";
  EXPECT_LE(rounds, 8);
}

TEST(CauseGraph, names_rules_that_exist) {
  // Not in the catalogue: what compares settings with those that were accepted.
  const std::set<std::string_view> not_there{"host-qos-not-persistent", "qos-config-drift"};
  for (const CauseEdge& edge : cause_graph())
    for (const std::string_view id : {edge.cause, edge.symptom})
      EXPECT_TRUE(rule_named(id) != nullptr || not_there.contains(id)) << id;
}

TEST(CauseGraph, folds_each_edge_of_one_port_when_nothing_else_is_wrong) {
  for (const CauseEdge& edge : cause_graph()) {
    if (edge.reach != Reach::SamePort || edge.when != When::Always) continue;
    EXPECT_TRUE(folds({warning(edge.symptom), warning(edge.cause)}, edge.symptom))
        << edge.cause << " → " << edge.symptom;
  }
}

/// Findings of four ports, drawn from both ends of all edges.
All any_findings(std::mt19937& random) {
  All out;
  std::set<std::string> keys;
  const auto edges = cause_graph();
  const std::size_t count = 1 + random() % 12;
  for (std::size_t k = 0; k < count; ++k) {
    const CauseEdge& edge = edges[random() % edges.size()];
    static constexpr std::array<const char*, 4> kDevices{"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"};
    Finding one =
        finding(std::string(random() % 2 == 0 ? edge.cause : edge.symptom), static_cast<Severity>(random() % 3),
                static_cast<double>(random() % 300), kDevices[random() % 4]);
    if (random() % 8 == 0) one.state = FindingState::Recovering;
    if (keys.insert(one.key).second) out.push_back(std::move(one));
  }
  return out;
}

TEST(Causes, are_the_same_in_whatever_order_findings_come_and_only_present) {
  std::mt19937 random(20261130);  // fixed: a failure can be repeated
  for (int round = 0; round < 2000; ++round) {
    const All drawn = any_findings(random);
    All first = drawn, second = drawn;
    std::shuffle(second.begin(), second.end(), random);
    ASSERT_EQ(fold_causes(first, true), fold_causes(second, true));
    std::vector<const Finding*> before, after;
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      ASSERT_EQ(first[k].key, second[k].key);
      ASSERT_EQ(first[k].cause_of, second[k].cause_of);
      ASSERT_EQ(first[k].symptom_of, second[k].symptom_of);
      const auto same =
          std::find_if(drawn.begin(), drawn.end(), [&](const Finding& f) { return f.key == first[k].key; });
      ASSERT_NE(same, drawn.end());
      ASSERT_EQ(same->severity, first[k].severity);
      ASSERT_EQ(same->confidence, first[k].confidence);
      before.push_back(&*same);
      after.push_back(&first[k]);
    }
    ASSERT_NEAR(score_of(before).value, score_of(after).value, 1e-9) << "folding never changes the score";
  }
}

}  // namespace
}  // namespace roceready::rules
