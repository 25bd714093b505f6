// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

/// `packets` probes of peers arrived with DSCP 26 in 20 s; each priority counts so many times 116 bytes in every 10 s.
Scene with(std::uint64_t packets, const std::map<std::uint8_t, double>& counted) {
  Scene scene;
  ProbeArrivals arrived;
  arrived.device = "mlx5_0";
  arrived.seconds = 20;
  arrived.packets["26"] = packets;
  probes(scene).arrivals.push_back(arrived);
  std::vector<Growth> growths;
  for (const auto& [priority, amount] : counted) {
    scene.shows(CounterId::RxBytesPriority, priority);
    growths.push_back({CounterId::RxBytesPriority, amount * 116, priority});
  }
  scene.every(10, 7, growths);
  return scene;
}

TEST(ProbeWrongPrio, is_quiet_where_the_roce_priority_counts_the_probes) {
  expect_pass(with(400, {{0, 0}, {3, 200}}).ask(kProbeWrongPrio));
  expect_pass(with(400, {{0, 90000}, {3, 200}}).ask(kProbeWrongPrio));
}

TEST(ProbeWrongPrio, is_critical_where_another_priority_counts_them) {
  expect_fail(with(400, {{0, 200}, {3, 0}}).ask(kProbeWrongPrio), Severity::Critical, "put into priority 0");
  expect_fail(with(400, {{0, 10}, {3, 2}, {5, 250}}).ask(kProbeWrongPrio), Severity::Critical, "put into priority 5");
}

TEST(ProbeWrongPrio, is_unknown_where_no_priority_counts_them_or_the_counters_cannot_be_read) {
  expect_unknown(with(400, {{0, 1}, {3, 0}}).ask(kProbeWrongPrio), Why::NotPresent);
  Scene hidden = with(400, {{0, 1}, {3, 0}});
  hidden.hides(CounterId::RxBytesPriority).every(10, 8);
  const Judgement said = hidden.ask(kProbeWrongPrio);
  EXPECT_EQ(said.outcome, Outcome::Unknown) << words_of(said);
}

TEST(ProbeWrongPrio, says_nothing_of_few_probes_other_classes_or_unshown_headers) {
  expect_not_looked_at(with(5, {{0, 0}, {3, 0}}).ask(kProbeWrongPrio), "longer_window");
  Scene other = with(0, {{0, 200}, {3, 0}});
  probes(other).arrivals.front().packets = {{"0", 400}};
  expect_not_looked_at(other.ask(kProbeWrongPrio), "longer_window");
  Scene blind = with(0, {{0, 200}, {3, 0}});
  probes(blind).arrivals.front().packets.clear();
  probes(blind).arrivals.front().unseen = 400;
  expect_not_looked_at(blind.ask(kProbeWrongPrio), "never_shown");
  Scene nobody = with(400, {{3, 200}});
  probes(nobody).arrivals.clear();
  expect_not_looked_at(nobody.ask(kProbeWrongPrio), "not_configured");
}

TEST(ProbeWrongPrio, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeWrongPrio);
  Scene blocked = with(400, {{3, 200}});
  probes(blocked).blocked["mlx5_0/1"] = "no RoCE v2 GID";
  expect_unknown(blocked.ask(kProbeWrongPrio), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
