// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/json.h"

#include <gtest/gtest.h>

#include <clocale>
#include <nlohmann/json.hpp>

#include "daemon/export/filter.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon {
namespace {

using nlohmann::json;

TEST(ReportJson, has_the_keys_of_the_contract_in_their_order) {
  const auto out = nlohmann::ordered_json::parse(report_json(sample_report()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : out.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema",   "version",       "generated_at",
                                            "source",   "node",          "profile",
                                            "verdict",  "score",         "score_without_waivers",
                                            "coverage", "summary",       "causes",
                                            "findings", "ports",         "penalties",
                                            "unknown",  "not_looked_at", "waived",
                                            "attested", "limits_changed"}));
  EXPECT_EQ(out["schema"], "roceready.report/1");
  EXPECT_EQ(out["generated_at"], "2026-01-31T03:04:05.678Z");
}

TEST(ReportJson, lets_the_reader_compute_the_score_by_hand) {
  const auto out = json::parse(report_json(sample_report()));
  double points = 0;
  for (const auto& penalty : out["ports"][0]["penalties"]) points += penalty["points"].get<double>();
  EXPECT_DOUBLE_EQ(100 - points, out["ports"][0]["score"].get<double>());
}

TEST(ReportJson, shows_absent_facts_as_null) {
  const auto out = json::parse(report_json(sample_report()));
  const auto& port = out["ports"][0];
  EXPECT_TRUE(port["firmware"].is_null());
  EXPECT_TRUE(port["rates"]["tx_bits_per_second"].is_null());
  EXPECT_EQ(port["rates"]["rx_bits_per_second"], 1'500'000'000);
  EXPECT_TRUE(port["qos"]["ets"].is_null());
  EXPECT_TRUE(out["ports"][1]["score"].is_null());
  EXPECT_TRUE(out["node"]["uptime_seconds"].is_null());
}

TEST(ReportJson, folds_symptoms_by_key_and_repeats_the_roots) {
  const auto out = json::parse(report_json(sample_report()));
  ASSERT_EQ(out["causes"].size(), 1U);
  EXPECT_EQ(out["causes"][0], out["findings"][0]);
  EXPECT_EQ(out["findings"][1]["symptom_of"], out["findings"][0]["key"]);
  EXPECT_EQ(out["findings"][0]["cause_of"][0], out["findings"][1]["key"]);
  EXPECT_TRUE(out["findings"][0]["symptom_of"].is_null());
}

TEST(ReportJson, picks_the_routable_v2_gid_and_the_pfc_priorities) {
  const auto out = json::parse(report_json(sample_report()));
  EXPECT_EQ(out["ports"][0]["roce"]["gid_index"], 3);
  EXPECT_EQ(out["ports"][0]["roce"]["versions"], (json{"v1", "v2"}));
  EXPECT_EQ(out["ports"][0]["qos"]["pfc_priorities"], (json{3}));
  EXPECT_EQ(out["ports"][0]["speed_bits_per_second"], 400'000'000'000);
  EXPECT_EQ(out["ports"][0]["mtu"], 9000);
}

TEST(ReportJson, survives_hostile_names) {
  const auto out = json::parse(report_json(sample_report(kHostile)));
  EXPECT_EQ(out["ports"][0]["members"][0]["netdev"], "e\"\\\\x0a\\xff<b>\xc3\xa9");
}

TEST(ReportJson, does_not_depend_on_the_locale) {
  const std::string before = report_json(sample_report());
  const std::string old = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, locale);
  EXPECT_EQ(report_json(sample_report()), before);
  std::setlocale(LC_ALL, old.c_str());
}

TEST(ReportJson, gives_a_gate_the_verdict_and_refuses_other_texts) {
  EXPECT_EQ(verdict_in_report_json(report_json(sample_report())), "not_ready");
  EXPECT_EQ(verdict_in_report_json("{}"), "");
  EXPECT_EQ(verdict_in_report_json("<html>"), "");
  EXPECT_EQ(problem_detail_in(R"({"detail": "no such port"})"), "no such port");
}

TEST(ReportFilterOf, one_port_takes_its_verdict_and_findings) {
  auto filter = parse_port_filter("mlx5_2/1");
  ASSERT_TRUE(filter);
  const auto part = filtered(sample_report(), *filter);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->verdict, rules::Verdict::NotApplicable);
  EXPECT_FALSE(part->score);
  EXPECT_TRUE(part->findings.empty());
  EXPECT_TRUE(part->causes.empty());
}

TEST(ReportFilterOf, severity_never_changes_the_verdict) {
  ReportFilter filter;
  filter.min_severity = rules::Severity::Critical;
  const auto part = filtered(sample_report(), filter);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->findings.size(), 2U);
  EXPECT_EQ(part->verdict, rules::Verdict::NotReady);
}

TEST(ReportFilterOf, an_unknown_port_is_refused_with_those_that_exist) {
  const auto part = filtered(sample_report(), *parse_port_filter("mlx5_1/1"));
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().what.find("mlx5_0/1"), std::string::npos);
  EXPECT_FALSE(parse_port_filter("mlx5_0/0"));
  EXPECT_FALSE(parse_port_filter("/1"));
  EXPECT_NE(parse_severity("critcal").error().what.find("did you mean critical"), std::string::npos);
}

}  // namespace
}  // namespace roceready::daemon
