// SPDX-License-Identifier: Apache-2.0
#include "rules/incidents.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "rules/engine.h"

namespace roceready::rules {
namespace {

using Kind = IncidentChange::Kind;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWall = 1'700'000'000 * kSecond;

/// Reports of a node with two ports, second by second.
struct Node {
  double second = 1000;
  std::int64_t wall_shift_ns = 0;
  std::string boot = "b00t";
  std::vector<std::string> devices = {"mlx5_0", "mlx5_1"};
  std::vector<Finding> findings{};
  std::vector<Gap> unknown{}, not_looked_at{};

  Finding& find(const char* rule, const std::string& device, Severity severity, double value = 0.5) {
    Finding one;
    one.rule = rule_named(rule);
    one.subject.device = device;
    one.subject.port = 1;
    one.key = std::string(rule) + "@" + one.subject.key();
    one.severity = severity;
    one.seen = "seen";
    one.evidence.push_back({"share", value, "share", ">=", 0.3, "test", 0});
    findings.push_back(one);
    return findings.back();
  }
  Report report(double step = 1) {
    second += step;
    Report out;
    const auto ns = static_cast<std::int64_t>(second * 1e9);
    out.at = {ns, kWall + ns + wall_shift_ns};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->node.boot_id_hash = boot;
    for (const std::string& device : devices) {
      RdmaPort port;
      port.device = device;
      port.in_scope = true;
      snapshot->ports.push_back(port);
    }
    out.snapshot = snapshot;
    out.findings = findings;
    out.unknown = unknown;
    out.not_looked_at = not_looked_at;
    out.window_seconds = 5000;
    return out;
  }
};

TEST(IncidentsOf, a_condition_from_begin_to_end) {
  Node node;
  Incidents tracker;
  node.find("pfc-storm-rx", "mlx5_0", Severity::Critical, 0.5).age_seconds = 20;
  auto changes = tracker.take(node.report());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, Kind::Begins);
  EXPECT_EQ(changes[0].incident.begin.monotonic_ns, 981 * kSecond) << "when the condition began, not when it counted";
  node.findings[0].evidence[0].value = 0.9;
  changes = tracker.take(node.report());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, Kind::Changes);
  node.findings[0].state = FindingState::Recovering;
  node.findings[0].evidence[0].value = 0.99;
  changes = tracker.take(node.report());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].incident.state, IncidentState::Recovering);
  node.findings.clear();
  changes = tracker.take(node.report(600));
  ASSERT_EQ(changes.size(), 1U);
  const Incident& over = changes[0].incident;
  EXPECT_EQ(changes[0].kind, Kind::Ends);
  EXPECT_EQ(over.end->monotonic_ns, 1003 * kSecond) << "when the condition had gone, not when its hold-down ran out";
  EXPECT_EQ(over.ended_by, "cleared");
  EXPECT_EQ(std::get<double>(over.first.evidence[0].value), 0.5);
  EXPECT_EQ(std::get<double>(over.peak.evidence[0].value), 0.9) << "numbers of the recovery are no peak";
  EXPECT_TRUE(tracker.open().empty());
}

TEST(IncidentsOf, a_storm_that_comes_and_goes_is_one) {
  Node node;
  Incidents tracker;
  node.find("pfc-storm-rx", "mlx5_0", Severity::Critical);
  std::size_t begun = 0;
  for (int i = 0; i < 170; ++i) {
    node.findings[0].state = i % 2 == 0 ? FindingState::Active : FindingState::Recovering;
    for (const auto& change : tracker.take(node.report())) begun += change.kind == Kind::Begins ? 1U : 0U;
  }
  EXPECT_EQ(begun, 1U);
  EXPECT_EQ(tracker.open().begin()->second.relapses, 84U);
}

TEST(IncidentsOf, one_device_are_not_ended_by_the_recovery_of_another) {
  Node node;
  Incidents tracker;
  node.find("link-down", "mlx5_0", Severity::Critical);
  node.find("link-down", "mlx5_1", Severity::Critical);
  ASSERT_EQ(tracker.take(node.report()).size(), 2U);
  node.findings.erase(node.findings.begin());
  const auto changes = tracker.take(node.report());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].incident.subject.device, "mlx5_0");
  EXPECT_TRUE(tracker.open().contains("link-down@mlx5_1/1"));
}

TEST(IncidentsOf, what_cannot_be_judged_go_on) {
  Node node;
  Incidents tracker;
  const std::string key = node.find("pfc-disabled", "mlx5_0", Severity::Critical).key;
  ASSERT_EQ(tracker.take(node.report()).size(), 1U);
  Gap gap;
  gap.rule = "pfc-disabled";
  gap.subject = node.findings[0].subject;
  node.findings.clear();
  node.unknown = {gap};
  EXPECT_TRUE(tracker.take(node.report()).empty());
  node.unknown.clear();
  gap.why = "longer_window";
  node.not_looked_at = {gap};
  EXPECT_TRUE(tracker.take(node.report()).empty());
  EXPECT_TRUE(tracker.open().contains(key));
  node.not_looked_at[0].why = "no_profile";
  ASSERT_EQ(tracker.take(node.report()).size(), 1U);
}

TEST(IncidentsOf, a_device_that_vanished_end_as_that) {
  Node node;
  Incidents tracker;
  node.find("link-down", "mlx5_0", Severity::Critical);
  ASSERT_EQ(tracker.take(node.report()).size(), 1U);
  node.findings.clear();
  node.devices = {"mlx5_1"};
  const auto changes = tracker.take(node.report());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].incident.ended_by, "device_gone");
}

TEST(IncidentsOf, info_and_of_a_recovery_whose_begin_nobody_saw_are_none) {
  Node node;
  Incidents tracker;
  node.find("link-flap", "mlx5_0", Severity::Info);
  node.find("link-down", "mlx5_0", Severity::Critical).state = FindingState::Recovering;
  EXPECT_TRUE(tracker.take(node.report()).empty());
}

TEST(IncidentsOf, a_stepping_clock_is_one_and_moves_those_that_last) {
  Node node;
  Incidents tracker;
  node.find("link-down", "mlx5_0", Severity::Critical);
  const auto begun = tracker.take(node.report());
  node.wall_shift_ns = 3600 * kSecond;
  const auto changes = tracker.take(node.report());
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].incident.kind, IncidentKind::Clock);
  EXPECT_NE(changes[0].incident.first.seen.find("forward by 60 min"), std::string::npos)
      << changes[0].incident.first.seen;
  EXPECT_EQ(changes[1].incident.begin.wall_ns, begun[0].incident.begin.wall_ns + 3600 * kSecond);
  EXPECT_TRUE(tracker.take(node.report()).empty());
}

TEST(IncidentsOf, an_earlier_process_go_on_with_their_id) {
  Node node;
  Incidents before;
  node.find("pfc-storm-rx", "mlx5_0", Severity::Critical);
  const auto begun = before.take(node.report());
  Incidents after;
  after.resume({begun[0].incident}, begun[0].incident.id, {}, node.boot);
  node.findings[0].severity = Severity::Info;
  Report young = node.report(100);
  young.window_seconds = 30;
  EXPECT_TRUE(after.take(young).empty()) << "seen, and not yet sustained: no all-clear";
  node.findings[0].severity = Severity::Critical;
  EXPECT_TRUE(after.take(node.report()).empty());
  node.findings.clear();
  const auto changes = after.take(node.report());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].incident.id, begun[0].incident.id);
}

TEST(IncidentsOf, any_sequence_are_well_formed) {
  std::mt19937 random(11);
  for (int run = 0; run < 6; ++run) {
    Node node;
    Incidents tracker;
    std::map<std::string, std::int64_t> ends;
    std::map<std::uint64_t, Incident> last;
    for (int i = 0; i < 100; ++i) {
      node.findings.clear();
      node.unknown.clear();
      for (const char* rule : {"link-down", "pfc-storm-rx", "pfc-disabled"})
        for (const char* device : {"mlx5_0", "mlx5_1"}) {
          const auto dice = random() % 6;
          if (dice >= 4) continue;
          Finding& one =
              node.find(rule, device, static_cast<Severity>(random() % 3), static_cast<double>(random() % 9));
          one.state = dice == 3 ? FindingState::Recovering : FindingState::Active;
          one.age_seconds = static_cast<double>(random() % 50);
          if (random() % 5 == 0) {
            Gap gap;
            gap.rule = rule;
            gap.subject = one.subject;
            node.unknown.push_back(gap);
            node.findings.pop_back();
          }
        }
      node.devices =
          random() % 10 == 0 ? std::vector<std::string>{"mlx5_1"} : std::vector<std::string>{"mlx5_0", "mlx5_1"};
      if (random() % 20 == 0) node.wall_shift_ns += (static_cast<std::int64_t>(random() % 100) - 50) * kSecond;
      std::set<std::string> keys;
      for (const auto& change : tracker.take(node.report())) {
        const Incident& one = change.incident;
        EXPECT_EQ(change.kind == Kind::Begins, !last.contains(one.id));
        if (change.kind == Kind::Begins && one.kind == IncidentKind::Finding) {
          EXPECT_GE(one.begin.monotonic_ns, ends[one.key]) << "two of one key overlap";
        }
        if (one.end) {
          EXPECT_LE(one.begin.monotonic_ns, one.end->monotonic_ns);
        }
        if (one.state == IncidentState::Ended) {
          EXPECT_TRUE(one.kind != IncidentKind::Finding || !one.ended_by.empty());
          ends[one.key] = one.end->monotonic_ns;
        }
        const auto copy = incident_from(incident_text(one));
        ASSERT_TRUE(copy);
        EXPECT_EQ(incident_text(*copy), incident_text(one));
        last.insert_or_assign(one.id, one);
      }
    }
  }
}

TEST(KeptIncident, is_refused_when_a_member_is_missing_or_wrong) {
  Node node;
  Incidents tracker;
  node.find("link-down", "mlx5_0", Severity::Critical);
  const std::string text = incident_text(tracker.take(node.report())[0].incident);
  ASSERT_TRUE(incident_from(text));
  for (const char* bad : {"", "[]", "{}", "nonsense"}) EXPECT_FALSE(incident_from(bad)) << bad;
  for (const char* member : {"\"id\"", "\"begin\"", "\"kind\"", "\"peak\"", "\"subject\"", "\"relapses\""}) {
    std::string without = text;
    without.replace(without.find(member), 3, "\"x_");
    EXPECT_FALSE(incident_from(without)) << member;
  }
}

}  // namespace
}  // namespace roceready::rules
