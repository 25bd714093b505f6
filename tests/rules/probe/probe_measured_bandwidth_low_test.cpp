// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

LogFact measured(const char* bits_per_second, const char* bytes = "65536") {
  return log_line("measured_bandwidth", "mlx5_0", "65536 5000 13.40 13.23",
                  {{"bits_per_second", bits_per_second}, {"message_bytes", bytes}});
}

TEST(ProbeMeasuredBandwidthLow, does_not_apply_without_logs_or_measurements) {
  Scene scene;
  expect_not_applicable(scene.ask(kProbeMeasuredBandwidthLow));
  scene.now().log = {log_line("environment", "", "NCCL_IB_TC=106")};
  expect_not_applicable(scene.ask(kProbeMeasuredBandwidthLow));
}

TEST(ProbeMeasuredBandwidthLow, compares_the_best_measurement_with_the_link) {
  Scene scene;
  scene.now().log = {measured("13230000000"), measured("9000000000")};
  expect_fail(scene.ask(kProbeMeasuredBandwidthLow), Severity::Warning, "13.2");
  scene.now().log.push_back(measured("97000000000"));
  expect_pass(scene.ask(kProbeMeasuredBandwidthLow));
}

TEST(ProbeMeasuredBandwidthLow, leaves_runs_at_a_limit_of_their_own_be) {
  Scene scene;
  scene.now().log = {measured("9990000000")};
  scene.now().log[0].says["rate_limit"] = "10";
  expect_not_applicable(scene.ask(kProbeMeasuredBandwidthLow));
  scene.now().log.push_back(measured("13230000000"));
  expect_fail(scene.ask(kProbeMeasuredBandwidthLow), Severity::Warning, "13.2");
}

TEST(ProbeMeasuredBandwidthLow, leaves_small_messages_and_slow_slots_to_others) {
  Scene scene;
  scene.now().log = {measured("13230000000", "64")};
  expect_not_applicable(scene.ask(kProbeMeasuredBandwidthLow));
  scene.now().log = {measured("13230000000")};
  scene.nic().current_width = 1U;  // 16 Gbit/s: the slot's own matter
  expect_pass(scene.ask(kProbeMeasuredBandwidthLow));
}

TEST(ProbeMeasuredBandwidthLow, wants_no_more_of_a_bond_than_one_of_its_ports_carries) {
  Scene scene;
  scene.bonded(4, "");
  Netdev& bond = scene.netdev("bond0");
  bond.ethtool.link_modes = scene.eth0().ethtool.link_modes;
  bond.ethtool.link_modes->speed_bits_per_second = 200'000'000'000ULL;
  scene.now().log = {measured("40000000000")};
  expect_pass(scene.ask(kProbeMeasuredBandwidthLow));
  bond.link.bond->mode = 1;  // active-backup: the speed is that of one port
  expect_fail(scene.ask(kProbeMeasuredBandwidthLow), Severity::Warning, "40 Gbit/s");
}

TEST(ProbeMeasuredBandwidthLow, is_unknown_without_the_speed_of_the_link) {
  Scene scene;
  scene.now().log = {measured("13230000000")};
  scene.eth0().ethtool.link_modes = denied();
  expect_unknown(scene.ask(kProbeMeasuredBandwidthLow), Why::Denied);
}

TEST(ProbeMeasuredBandwidthLow, hides_no_slow_device_behind_a_good_one) {
  const auto measured_on = [](const char* device, const char* bits_per_second) {
    LogFact fact = measured(bits_per_second);
    fact.subject = device;
    return fact;
  };
  Scene scene;
  RdmaPort second = scene.port();
  second.device = "mlx5_1";
  scene.now().ports.push_back(second);
  scene.now().log = {measured_on("mlx5_0", "11600000000"), measured_on("mlx5_1", "97040000000")};
  const Judgement low = scene.ask(kProbeMeasuredBandwidthLow);
  expect_fail(low, Severity::Warning, "11.6 Gbit/s were measured on mlx5_0");
  EXPECT_EQ(low.sentence.find("mlx5_1"), std::string::npos);
  ASSERT_EQ(low.evidence.size(), 1U);
  EXPECT_EQ(low.evidence[0].what, "measured bandwidth of mlx5_0");
  scene.now().log.push_back(measured_on("mlx5_0", "96000000000"));
  expect_pass(scene.ask(kProbeMeasuredBandwidthLow));
  scene.now().log = {measured_on("mlx5_0", "11600000000"), measured_on("mlx5_1", "9000000000")};
  const Judgement both = scene.ask(kProbeMeasuredBandwidthLow);
  expect_fail(both, Severity::Warning, "11.6 Gbit/s were measured on mlx5_0");
  expect_fail(both, Severity::Warning, "9 Gbit/s were measured on mlx5_1");
}

TEST(ProbeMeasuredBandwidthLow, passes_only_where_every_device_was_compared) {
  Scene scene;
  RdmaPort second = scene.port();
  second.device = "mlx5_1";
  second.netdev = std::string("eth9");  // of which no speed is told
  scene.now().ports.push_back(second);
  LogFact other = measured("97000000000");
  other.subject = "mlx5_1";
  scene.now().log = {measured("97000000000"), other};
  expect_unknown(scene.ask(kProbeMeasuredBandwidthLow), Why::NotRecorded);
  other.subject.clear();  // of one of two ports
  scene.now().log = {measured("97000000000"), other};
  expect_unknown(scene.ask(kProbeMeasuredBandwidthLow), Why::NotRecorded);
}

}  // namespace
}  // namespace roceready::rules_test
