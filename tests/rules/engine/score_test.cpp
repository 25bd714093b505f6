// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>

#include "rules/engine.h"

namespace roceready::rules {
namespace {

const Rule& rule_of(const char* family) {
  static const Rule link{.id = "link-x", .family = "link"};
  static const Rule pfc{.id = "pfc-x", .family = "pfc"};
  static const Rule qos{.id = "qos-x", .family = "qos"};
  static const Rule transport{.id = "transport-x", .family = "transport"};
  const std::string_view name = family;
  return name == "link" ? link : name == "pfc" ? pfc : name == "qos" ? qos : transport;
}

Finding finding(const char* family, Severity severity, double confidence = 1, int number = 0) {
  Finding out;
  out.rule = &rule_of(family);
  out.key = std::string(family) + std::to_string(number);
  out.severity = severity;
  out.confidence = confidence;
  return out;
}

double score(const std::vector<Finding>& findings) {
  std::vector<const Finding*> pointers;
  for (const Finding& f : findings) pointers.push_back(&f);
  const Score result = score_of(pointers);
  const double lost = std::accumulate(result.penalties.begin(), result.penalties.end(), 0.0,
                                      [](double sum, const Penalty& p) { return sum + p.points; });
  EXPECT_NEAR(100 - lost, result.value, 1e-9) << "the printed penalties must add up";
  EXPECT_GE(result.value, 0);
  return result.value;
}

TEST(Score, follows_the_worked_examples) {
  EXPECT_DOUBLE_EQ(score({}), 100);
  EXPECT_DOUBLE_EQ(score({finding("qos", Severity::Critical), finding("pfc", Severity::Critical)}), 20);
  EXPECT_DOUBLE_EQ(score({finding("qos", Severity::Critical), finding("pfc", Severity::Critical),
                          finding("transport", Severity::Warning), finding("link", Severity::Warning)}),
                   0);
  EXPECT_DOUBLE_EQ(score({finding("pfc", Severity::Warning)}), 88);
  EXPECT_DOUBLE_EQ(score({finding("link", Severity::Critical), finding("transport", Severity::Warning, 1, 1),
                          finding("transport", Severity::Warning, 1, 2)}),
                   45);
  EXPECT_DOUBLE_EQ(score({finding("pfc", Severity::Info)}), 100);
  EXPECT_DOUBLE_EQ(score({finding("pfc", Severity::Warning, 0.7)}), 89);
}

TEST(Score, never_says_more_than_49_beside_a_sure_critical) {
  EXPECT_DOUBLE_EQ(score({finding("pfc", Severity::Critical)}), 49);
  EXPECT_DOUBLE_EQ(score({finding("pfc", Severity::Critical, 0.4)}), 69);
}

TEST(Score, takes_half_for_a_recovering_finding) {
  Finding recovering = finding("pfc", Severity::Critical);
  recovering.state = FindingState::Recovering;
  EXPECT_DOUBLE_EQ(score({recovering}), 80);
}

TEST(Score, never_rises_when_a_finding_is_added_or_made_worse) {
  std::mt19937 random(20260131);  // fixed: a failure can be repeated
  const std::array<const char*, 4> families{"link", "pfc", "qos", "transport"};
  const auto any = [&](int number) {
    return finding(families[random() % 4], static_cast<Severity>(random() % 3), random() % 2 == 0 ? 1.0 : 0.4, number);
  };
  for (int round = 0; round < 5000; ++round) {
    std::vector<Finding> findings;
    const auto count = static_cast<int>(random() % 6);
    for (int i = 0; i < count; ++i) findings.push_back(any(i));
    const double before = score(findings);
    std::vector<Finding> more = findings;
    more.push_back(any(99));
    ASSERT_LE(score(more), before + 1e-9);
    if (!findings.empty()) {
      std::vector<Finding> worse = findings;
      Finding& one = worse[random() % worse.size()];
      one.severity = Severity::Critical;
      one.confidence = 1.0;
      ASSERT_LE(score(worse), before + 1e-9);
    }
    std::vector<Finding> shuffled = findings;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    ASSERT_NEAR(score(shuffled), before, 1e-9);
  }
}

/// A rule of each family that scores.
const std::vector<Rule>& families() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> out;
    for (const char* family :
         {"link", "pcie", "host", "roce", "qos", "pfc", "ecn", "transport", "drop", "probe", "lldp", "fabric"})
      out.push_back(Rule{.id = family, .family = family});
    return out;
  }();
  return all;
}

Finding any_finding(std::mt19937& random, std::size_t number) {
  static constexpr std::array<double, 4> kConfidences{0.4, 0.69, 0.7, 1.0};
  Finding out;
  out.rule = &families()[random() % families().size()];
  out.key = out.rule->id + std::to_string(number);
  out.severity = static_cast<Severity>(random() % 3);
  out.confidence = kConfidences[random() % kConfidences.size()];
  if (random() % 4 == 0) out.state = FindingState::Recovering;
  return out;
}

TEST(Score, never_falls_when_a_finding_is_removed_or_eased_and_is_always_the_same) {
  std::mt19937 random(20261130);  // fixed: a failure can be repeated
  for (int round = 0; round < 20000; ++round) {
    std::vector<Finding> findings;
    const std::size_t count = 1 + random() % 10;
    for (std::size_t k = 0; k < count; ++k) findings.push_back(any_finding(random, k));
    const double before = score(findings);
    ASSERT_DOUBLE_EQ(score(findings), before);
    const auto at = static_cast<std::ptrdiff_t>(random() % count);
    std::vector<Finding> fewer = findings;
    fewer.erase(fewer.begin() + at);
    ASSERT_GE(score(fewer), before - 1e-9) << "removed " << findings[static_cast<std::size_t>(at)].key;

    std::vector<Finding> eased = findings;
    Finding& one = eased[static_cast<std::size_t>(at)];
    if (random() % 3 == 0) one.state = FindingState::Recovering;
    if (random() % 3 == 0) one.confidence *= 0.5;
    if (random() % 3 == 0 && one.severity != Severity::Info)
      one.severity = one.severity == Severity::Critical ? Severity::Warning : Severity::Info;
    ASSERT_GE(score(eased), before - 1e-9) << "eased " << one.key;
  }
}

TEST(Score, loses_no_point_without_naming_a_finding_and_none_to_info) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Finding> findings;
    const std::size_t count = random() % 8;
    for (std::size_t k = 0; k < count; ++k) findings.push_back(any_finding(random, k));
    std::vector<const Finding*> pointers;
    for (const Finding& f : findings) pointers.push_back(&f);
    for (const Penalty& penalty : score_of(pointers).penalties) {
      ASSERT_GT(penalty.points, 0);
      ASSERT_FALSE(penalty.finding.empty());
      for (const Finding& f : findings) ASSERT_FALSE(f.severity == Severity::Info && penalty.finding == f.key);
    }
  }
}

}  // namespace
}  // namespace roceready::rules
