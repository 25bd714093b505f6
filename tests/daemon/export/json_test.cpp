// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/json.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
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

TEST(ReportJson, lists_what_is_waived_apart_from_the_findings_with_reason_and_expiry) {
  const auto out = json::parse(report_json(waived_report()));
  for (const auto& finding : out["findings"]) EXPECT_NE(finding["id"], "pfc-storm-rx");
  ASSERT_EQ(out["waived"].size(), 2U);
  const json wanted = json::parse(R"({
    "rule": "pfc-storm-rx",
    "subject": {"device": "mlx5_0", "port": 1, "netdev": "eth0", "priority": 3},
    "why": "waived", "detail": "critical: Paused 80 % of the time.", "settle_with": null,
    "finding": "pfc-storm-rx@mlx5_0/1:3", "severity": "critical",
    "reason": "switch is being replaced, says ops@example.org", "expires": "2026-02-01T03:04:05.678Z"})");
  EXPECT_EQ(out["waived"][0], wanted) << out["waived"][0].dump(1);
  EXPECT_EQ(out["score"], 60);
  EXPECT_EQ(out["score_without_waivers"], 52.5);
  EXPECT_EQ(out["ports"][0]["score_without_waivers"], 52.5);
}

TEST(ReportJson, shows_an_expired_waiver_as_one_that_waives_nothing) {
  const auto expired = json::parse(report_json(waived_report()))["waived"][1];
  EXPECT_EQ(expired["rule"], "link-flap");
  EXPECT_EQ(expired["why"], "expired");
  EXPECT_EQ(expired["settle_with"], "remove it, or give it a new date");
  for (const char* key : {"finding", "severity", "reason", "expires"}) EXPECT_TRUE(expired[key].is_null()) << key;
}

TEST(ReportJson, says_who_vouches_for_what_until_when) {
  const auto out = json::parse(report_json(waived_report()));
  const json wanted = json::parse(R"([{
    "rule": "qos-trust-pcp", "subject": {"device": "mlx5_0", "port": 1, "netdev": "eth0"},
    "detail": "this driver does not show its trust", "by": "ops@example.org",
    "reason": "set by the firmware profile", "expires": "2026-02-01T03:04:05.678Z", "confidence": 0.7}])");
  EXPECT_EQ(out["attested"], wanted) << out["attested"].dump(1);
  EXPECT_EQ(json::parse(report_json(sample_report()))["attested"], json::array());
}

TEST(ReportJson, lists_changed_limits_with_their_defaults) {
  const auto out = json::parse(report_json(sample_report()));
  EXPECT_EQ(out["limits_changed"],
            json::parse(R"([{"option": "rules.pfc-storm-rx.storm_share", "value": 0.5, "default": 0.8}])"));
}

TEST(ReportJson, keeps_a_port_that_vanished_and_makes_up_nothing_about_it) {
  const auto out = json::parse(report_json(vanished_report()));
  const auto& port = out["ports"][0];
  EXPECT_EQ(port["device"], "mlx5_0");
  EXPECT_EQ(port["verdict"], "not_ready");
  EXPECT_EQ(port["members"], json::array());
  EXPECT_EQ(port["rates"], json::object());
  for (const char* key : {"netdev", "driver", "firmware", "pci", "numa", "speed_bits_per_second", "mtu"})
    EXPECT_TRUE(port[key].is_null()) << key;
  for (const char* group : {"link", "roce", "qos"})
    for (const auto& [key, value] : port[group].items()) EXPECT_TRUE(value.is_null()) << group << "." << key;
}

TEST(ReportJson, says_that_a_port_went_and_lists_it_no_more) {
  History history(rules::needed_signals());
  const auto out = json::parse(report_json(*report_after_mlx5_0_went(history)));
  EXPECT_EQ(out["verdict"], "not_ready");
  ASSERT_FALSE(out["causes"].empty());
  EXPECT_EQ(out["causes"][0]["key"], "host-rdma-driver-missing@mlx5_0/1");
  EXPECT_EQ(out["causes"][0]["seen"], "The port mlx5_0/1 was in use and is gone.");
  for (const auto& port : out["ports"]) EXPECT_NE(port["device"], "mlx5_0");
}

/// Names in Chinese, with control bytes (escape, C1, delete, newline), and with half a character at the end.
const std::string kChinese = "\xe7\xbd\x91\xe5\x8d\xa1";  // 网卡
const std::string kBytes = kChinese + "\x1b[31m\xc2\x9b\x7f\n\xe7\xbd";
const std::string kCleaned = kChinese + "\\x1b[31m\\xc2\\x9b\\x7f\\x0a\\xe7\\xbd";

TEST(ReportJson, keeps_chinese_and_spells_control_bytes_everywhere) {
  rules::Report report = waived_report(kBytes, kBytes);
  Snapshot snapshot = sample_snapshot(kBytes);
  snapshot.node.hostname = kBytes;
  snapshot.ports[0].firmware = kBytes;
  report.snapshot = std::make_shared<const Snapshot>(snapshot);
  report.summary = report.findings[0].seen = report.unknown[0].detail = kBytes;
  const std::string text = report_json(report);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)) << int{c};
  const auto out = json::parse(text);  // throws on bytes that are not UTF-8
  EXPECT_EQ(out["node"]["hostname"], kCleaned);
  EXPECT_EQ(out["summary"], kCleaned);
  EXPECT_EQ(out["ports"][0]["members"][0]["netdev"], kCleaned);
  EXPECT_EQ(out["ports"][0]["firmware"], kCleaned);
  EXPECT_EQ(out["findings"][0]["seen"], kCleaned);
  EXPECT_EQ(out["unknown"][0]["detail"], kCleaned);
  EXPECT_EQ(out["attested"][0]["by"], kCleaned);
  EXPECT_EQ(out["waived"][0]["reason"], "switch is being replaced, says " + kCleaned);
}

TEST(ReportJson, shows_what_is_no_number_as_null) {
  for (const double no_number : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    rules::Report report = sample_report();
    report.score = report.coverage.ratio = report.window_seconds = no_number;
    report.findings[0].confidence = no_number;
    report.findings[0].evidence[0].value = report.findings[0].evidence[0].limit.emplace(no_number);
    report.ports[0].rates["rx_bits_per_second"] = no_number;
    report.penalties[0].points = report.limits_changed[0].value = no_number;
    const auto out = json::parse(report_json(report));
    EXPECT_TRUE(out["score"].is_null());
    EXPECT_TRUE(out["coverage"]["ratio"].is_null());
    EXPECT_TRUE(out["source"]["window_seconds"].is_null());
    EXPECT_TRUE(out["findings"][0]["confidence"].is_null());
    EXPECT_TRUE(out["findings"][0]["evidence"][0]["value"].is_null());
    EXPECT_TRUE(out["findings"][0]["evidence"][0]["limit"].is_null());
    EXPECT_TRUE(out["ports"][0]["rates"]["rx_bits_per_second"].is_null());
    EXPECT_TRUE(out["penalties"][0]["points"].is_null());
    EXPECT_TRUE(out["limits_changed"][0]["value"].is_null());
  }
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
