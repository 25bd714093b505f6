// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/text.h"

#include <gtest/gtest.h>

#include "core/base/text.h"
#include "daemon/export/paint.h"
#include "daemon/export/rule_text.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ReportText, says_verdict_and_score_first) {
  const std::string text = report_text(sample_report());
  EXPECT_TRUE(text.starts_with(
      "NOT READY   score 52.5 of 100   gpu-17   2026-01-31T03:04:05.678Z\nPort mlx5_0/1 is not ready: PFC is off.\n"))
      << text;
}

TEST(ReportText, gives_the_command_to_type_before_the_ports) {
  const std::string text = report_text(sample_report());
  const auto command = text.find("mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0");
  ASSERT_NE(command, std::string::npos) << text;
  EXPECT_LT(command, text.find("PORTS"));
  EXPECT_LT(text.find("PORTS"), text.find("COULD NOT BE JUDGED"));
  EXPECT_TRUE(has(text, "settle with: run as root"));
  EXPECT_TRUE(has(text, "400 Gb/s"));
  EXPECT_TRUE(has(text, "pfc 3"));
}

TEST(ReportText, folds_a_symptom_under_its_cause_once) {
  const std::string text = report_text(sample_report());
  const auto first = text.find("Paused 80 % of the time.");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("Paused 80 % of the time.", first + 1), std::string::npos);
  EXPECT_FALSE(has(text, "\n2."));
}

TEST(ReportText, hides_remarks_and_sources_unless_verbose) {
  const std::string brief = report_text(sample_report());
  EXPECT_TRUE(has(brief, "1 remark of severity info"));
  EXPECT_FALSE(has(brief, "DCB netlink"));
  EXPECT_TRUE(has(brief, "Not looked at: 1 never shown"));
  const std::string verbose = report_text(sample_report(), {true, false});
  EXPECT_TRUE(has(verbose, "DCB netlink eth0"));
  EXPECT_TRUE(has(verbose, "NOT LOOKED AT"));
}

TEST(ReportText, keeps_to_its_width_and_has_no_colour_codes_unless_asked) {
  const std::string text = report_text(sample_report(), {true, false});
  EXPECT_FALSE(has(text, "\x1b"));
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(columns(line), kTextWidth) << line;
  EXPECT_TRUE(has(report_text(sample_report(), {false, true}), "\x1b[1;31mNOT READY"));
}

TEST(ReportText, cannot_be_broken_by_a_hostile_name) {
  const std::string text = report_text(sample_report(kHostile), {true, false});
  EXPECT_FALSE(has(text, "\xff"));
  EXPECT_TRUE(has(text, "\\xff"));
  EXPECT_EQ(clean_text("x\x1b[31m").find('\x1b'), std::string::npos);
}

TEST(ReportText, lists_waivers_attestations_and_changed_limits_and_both_scores) {
  const std::string text = report_text(waived_report());
  EXPECT_TRUE(text.starts_with("NOT READY   score 60 of 100 (52.5 without waivers)")) << text;
  const auto waived = text.find("\nWAIVED\n");
  ASSERT_NE(waived, std::string::npos) << text;
  EXPECT_GT(text.find("Paused 80 % of the time."), waived) << "what is waived is no finding";
  EXPECT_TRUE(has(text, "  pfc-storm-rx (mlx5_0/1 eth0 priority 3)\n"));
  EXPECT_TRUE(has(text, "  link-flap (this node)\n      expired: the waiver expired\n"));
  EXPECT_TRUE(has(text,
                  "ATTESTED, NOT READ\n  qos-trust-pcp (mlx5_0/1 eth0)\n"
                  "      ops@example.org, until 2026-02-01T03:04:05.678Z: set by the firmware profile\n"));
  EXPECT_TRUE(has(text,
                  "LIMITS CHANGED BY THE CONFIGURATION\n"
                  "  rules.pfc-storm-rx.storm_share: 0.5 (default 0.8)\n"));
  rules::Report plain = sample_report();
  plain.limits_changed.clear();
  for (const char* title : {"WAIVED", "ATTESTED", "LIMITS CHANGED", "without waivers"})
    EXPECT_FALSE(has(report_text(plain), title)) << title;
}

TEST(ReportText, says_that_an_expected_port_is_not_there) {
  const std::string text = report_text(vanished_report());
  EXPECT_TRUE(has(text, "  mlx5_0/1       not ready      52.5  not there\n")) << text;
  EXPECT_FALSE(has(text, "link down")) << "nothing is known of its link";
}

TEST(ReportText, puts_a_port_that_went_first) {
  History history(rules::needed_signals());
  const std::string text = report_text(*report_after_mlx5_0_went(history));
  EXPECT_TRUE(text.starts_with("NOT READY")) << text;
  EXPECT_TRUE(has(text, "The port mlx5_0/1 was in use and is gone.")) << text;
}

TEST(ReportText, keeps_chinese_and_spells_control_bytes) {
  const std::string chinese = "\xe7\xbd\x91\xe5\x8d\xa1", bytes = chinese + "\x1b[31m\xc2\x9b\x7f\xe7\xbd";
  const std::string cleaned = chinese + "\\x1b[31m\\xc2\\x9b\\x7f\\xe7\\xbd";
  rules::Report report = waived_report(bytes, bytes);
  report.findings[0].seen = report.unknown[0].detail = "about " + bytes;
  const std::string text = report_text(report, {true, false});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)) << int{c};
  EXPECT_TRUE(has(text, "about " + cleaned)) << text;
  EXPECT_TRUE(has(text, "mlx5_0/1 " + cleaned));
  EXPECT_TRUE(has(text, cleaned + ", until 2026"));
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
}

TEST(ReportText, says_what_to_do_without_a_profile) {
  rules::Report report = sample_report();
  report.profile = {};
  EXPECT_TRUE(has(report_text(report), "--profile NAME"));
}

TEST(Wrapping, counts_code_points_and_keeps_long_words_whole) {
  EXPECT_EQ(columns("\xc3\xa9x"), 2U);
  const std::string text = wrapped("ab ", std::string(60, 'x') + " " + std::string(60, 'y'));
  EXPECT_EQ(text, "ab " + std::string(60, 'x') + "\n   " + std::string(60, 'y') + "\n");
  EXPECT_EQ(wrapped("", ""), "\n");
}

TEST(RuleText, has_every_rule_with_why_and_what_to_do) {
  for (const rules::Rule* rule : rules::catalogue()) {
    const std::string page = rule_markdown(*rule);
    EXPECT_TRUE(page.starts_with("# " + std::string(rule->id))) << rule->id;
    EXPECT_TRUE(has(rule_text(*rule, false), "Why ")) << rule->id;
  }
}

}  // namespace
}  // namespace roceready::daemon
