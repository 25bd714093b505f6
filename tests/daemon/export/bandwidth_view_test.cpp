// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/bandwidth_view.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace roceready::daemon {
namespace {

MeasuredBandwidth measured(rules::Outcome outcome) {
  MeasuredBandwidth out;
  BandwidthRun& run = out.result.run;
  run.device = "mlx5_0";
  run.peer = "node17:9885";
  run.peer_device = "mlx5_1";
  run.peer_port = 1;
  run.message_bytes = 65536;
  run.queue_pairs = 4;
  run.seconds = 2;
  run.bytes = 20'000'000'000;
  run.bits_per_second = 8e10;
  out.result.sent = out.result.completed = 305'176;
  out.judged = {"probe-bandwidth-low", outcome, rules::Severity::Warning, 0.6, "It got 80 Gbit/s.", {}};
  return out;
}

TEST(BandwidthExitCode, is_success_only_for_what_was_judged_and_passed) {
  EXPECT_EQ(bandwidth_exit_code({}), 3);
  EXPECT_EQ(bandwidth_exit_code({measured(rules::Outcome::Pass)}), 0);
  EXPECT_EQ(bandwidth_exit_code({measured(rules::Outcome::Pass), measured(rules::Outcome::Fail)}), 1);
  EXPECT_EQ(bandwidth_exit_code({measured(rules::Outcome::Unknown)}), 3);
  EXPECT_EQ(bandwidth_exit_code({measured(rules::Outcome::NotApplicable)}), 3);
  MeasuredBandwidth broken = measured(rules::Outcome::Pass);
  broken.result.error = "the device failed";
  EXPECT_EQ(bandwidth_exit_code({broken}), 3);
  broken.result.peer_not_reached = true;
  EXPECT_EQ(bandwidth_exit_code({broken}), 2);
}

TEST(BandwidthJson, holds_the_measurement_and_what_is_said_of_it) {
  MeasuredBandwidth low = measured(rules::Outcome::Fail);
  low.judged.causes = {"pcie-width-degraded@mlx5_0/1"};
  const auto one = nlohmann::json::parse(bandwidth_json({low})).at("peers").at(0);
  EXPECT_EQ(one.at("peer"), "node17:9885");
  EXPECT_EQ(one.at("kind"), "bandwidth");
  EXPECT_EQ(one.at("sent"), 305'176);
  EXPECT_EQ(one.at("lost"), 0);
  EXPECT_TRUE(one.at("rtt_seconds").is_null());
  EXPECT_EQ(one.at("bandwidth").at("bits_per_second"), 80'000'000'000);
  EXPECT_EQ(one.at("bandwidth").at("bytes"), "20000000000");
  EXPECT_TRUE(one.at("bandwidth").at("other_bits_per_second").is_null());
  EXPECT_EQ(one.at("judgement").at("outcome"), "fail");
  EXPECT_EQ(one.at("judgement").at("severity"), "warning");
  EXPECT_EQ(one.at("judgement").at("symptom_of").at(0), "pcie-width-degraded@mlx5_0/1");
  EXPECT_FALSE(one.contains("error"));
  MeasuredBandwidth loop = measured(rules::Outcome::Unknown);
  loop.result.run.loopback = true;
  loop.result.run.peer = "";
  loop.result.run.bits_per_second = Absent{Why::NotPresent, "gone"};
  loop.result.error = "gone";
  const auto none = nlohmann::json::parse(bandwidth_json({loop})).at("peers").at(0);
  EXPECT_EQ(none.at("kind"), "loopback");
  EXPECT_TRUE(none.at("peer").is_null());
  EXPECT_TRUE(none.at("bandwidth").at("bits_per_second").is_null());
  EXPECT_EQ(none.at("judgement").at("outcome"), "unknown");
  EXPECT_TRUE(none.at("judgement").at("severity").is_null());
  EXPECT_EQ(none.at("error"), "gone");
}

TEST(BandwidthText, says_ok_only_of_what_passed) {
  const auto text_of = [](rules::Outcome outcome) { return bandwidth_text({measured(outcome)}, Paint(false)); };
  EXPECT_NE(text_of(rules::Outcome::Pass).find("80 Gbit/s"), std::string::npos);
  EXPECT_NE(text_of(rules::Outcome::Pass).find(" ok\n"), std::string::npos);
  for (const auto outcome : {rules::Outcome::Fail, rules::Outcome::Unknown, rules::Outcome::NotApplicable}) {
    const std::string text = text_of(outcome);
    EXPECT_EQ(text.find(" ok\n"), std::string::npos) << text;
    EXPECT_NE(text.find("It got 80 Gbit/s."), std::string::npos) << text;
  }
  MeasuredBandwidth hostile = measured(rules::Outcome::Fail);
  hostile.result.run.peer = "x\x1b[2J";
  EXPECT_EQ(bandwidth_text({hostile}, Paint(false)).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace roceready::daemon
