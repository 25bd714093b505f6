// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/prometheus.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>
#include <zlib.h>

#include <cmath>
#include <map>
#include <set>

#include "core/base/text.h"
#include "daemon/export/families.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon {
namespace {

std::string metrics_of(const rules::Report& report, MetricsFormat format = MetricsFormat::Text) {
  const History history = history_of(report);
  return metrics_text(report, counter_table(report, history), {}, {}, format);
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, show_one_verdict_and_the_score) {
  const std::string text = metrics_of(sample_report());
  EXPECT_TRUE(has_line(text, "roce_node_score 52.5"));
  EXPECT_TRUE(has_line(text, "roce_node_verdict{verdict=\"not_ready\"} 1"));
  EXPECT_TRUE(has_line(text, "roce_node_verdict{verdict=\"ready\"} 0"));
  EXPECT_TRUE(
      has_line(text, "roce_port_verdict{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",verdict=\"not_ready\"} 1"));
  EXPECT_TRUE(has_line(text,
                       "roce_finding{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\",rule=\"pfc-disabled\","
                       "severity=\"critical\",state=\"active\"} 1"));
}

TEST(Metrics, show_counters_in_base_units_with_the_labels_of_their_class) {
  const std::string text = metrics_of(sample_report());
  EXPECT_TRUE(has_line(
      text, "roce_pfc_rx_pause_seconds_total{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\"} 2.5"));
  EXPECT_TRUE(has_line(text, "roce_cnp_sent_packets_total{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\"} 7"));
}

/// A bond of two members, each with every counter that there is, on all priorities; PFC on two of them.
rules::Report crowded_report() {
  rules::Report out = sample_report();
  Snapshot snapshot = sample_snapshot();
  snapshot.ports[0].netdev = std::string("bond0");
  snapshot.ports[0].members = {"eth0", "eth1"};
  Netdev& eth0 = snapshot.netdevs[0];
  eth0.dcb.pfc->enabled = 0x18;
  eth0.counters.values.clear();
  for (std::uint16_t id = 0; id < static_cast<std::uint16_t>(CounterId::kCount); ++id) {
    const CounterInfo& info = info_of(static_cast<CounterId>(id));
    if (info.lane_kind == LaneKind::None)
      eth0.counters.values.push_back({static_cast<CounterId>(id), kNoLane, 64, 1, 1.0});
    else if (info.lane_kind == LaneKind::Priority)
      for (std::uint8_t lane = 0; lane < 8; ++lane)
        eth0.counters.values.push_back({static_cast<CounterId>(id), lane, 64, 1, 1.0});
  }
  Netdev eth1 = eth0;
  eth1.link.name = "eth1";
  snapshot.netdevs.push_back(eth1);
  out.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
  return out;
}

TEST(Metrics, have_at_most_300_series_a_port_and_say_how_many_are_missing) {
  const rules::Report report = crowded_report();
  const CounterTable counters = counter_table(report, history_of(report));
  ASSERT_EQ(counters.dropped.size(), 1U);
  EXPECT_EQ(counters.dropped[0].device, "mlx5_0");
  const std::string text = metrics_text(report, counters, {}, {}, MetricsFormat::Text);
  std::size_t series = 0;
  for (const std::string_view line : split(text, '\n'))
    if (!line.starts_with('#') && line.find("device=\"mlx5_0\"") != std::string_view::npos) ++series;
  EXPECT_LE(series, 300U);
  EXPECT_GE(series, 250U);
  EXPECT_TRUE(
      has_line(text, "roce_series_dropped{device=\"mlx5_0\",port=\"1\"} " + std::to_string(counters.dropped[0].count)));
  const std::string traffic = "roce_rx_priority_bytes_total{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=";
  EXPECT_EQ(text.find(traffic + "\"0\""), std::string::npos) << "neither lossless nor PFC";
  EXPECT_EQ(metrics_of(sample_report()).find("roce_series_dropped"), std::string::npos);
}

TEST(Metrics, count_what_probing_did_not_take_where_this_process_probes) {
  const rules::Report report = sample_report();
  const CounterTable counters = counter_table(report, history_of(report));
  DaemonFacts daemon;
  EXPECT_EQ(metrics_text(report, counters, {}, daemon, MetricsFormat::Text).find("roce_probe_refused"),
            std::string::npos);
  daemon.probes =
      ProbeRefusals{.replies = {}, .answers = {}, .probes = ProbeRefusals::Counts{{"forged", 4}}, .connections = {}};
  EXPECT_TRUE(has_line(metrics_text(report, counters, {}, daemon, MetricsFormat::Text),
                       R"(roce_probe_refused_packets_total{side="responder",reason="forged"} 4)"));
}

TEST(Metrics, show_no_counters_of_ports_out_of_scope_and_none_without_a_name) {
  rules::Report report = sample_report();
  report.ports[0].in_scope = false;
  const std::string text = metrics_of(report);
  EXPECT_EQ(text.find("roce_cnp_sent"), std::string::npos);
  EXPECT_EQ(metrics_of(sample_report()).find(" 5\n"), std::string::npos)
      << "cc_current_rate has no unit and is not exported";
}

TEST(Metrics, show_a_storm_with_its_direction_and_nothing_where_it_cannot_be_judged) {
  const std::string text = metrics_of(sample_report());
  EXPECT_TRUE(has_line(
      text, "roce_pfc_storm_active{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\",direction=\"rx\"} 1"));
  EXPECT_EQ(text.find("direction=\"tx\""), std::string::npos);
  rules::Report calm = sample_report();
  calm.findings.clear();
  calm.not_looked_at.clear();
  EXPECT_TRUE(has_line(
      metrics_of(calm),
      "roce_pfc_storm_active{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\",direction=\"tx\"} 0"));
}

constexpr const char* kStormRx =
    "roce_pfc_storm_active{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\",direction=\"rx\"}";
constexpr const char* kStormTx =
    "roce_pfc_storm_active{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\",direction=\"tx\"}";

/// One storm finding and nothing that could not be judged.
rules::Report storm_report(const char* rule, rules::Severity severity, bool of_a_priority = true) {
  rules::Report out = sample_report();
  out.unknown.clear();
  out.not_looked_at.clear();
  out.findings = {sample_finding(rule, severity)};
  if (!of_a_priority) out.findings[0].subject.priority.reset();
  return out;
}

TEST(Metrics, call_no_storm_what_the_rules_only_mention) {
  struct Case {
    const char* name;
    const char* rule;
    rules::Severity severity;
    bool of_a_priority;
    const char* series;
    int value;
  };
  const Case cases[] = {
      {"a second of pause, too short for a storm", "pfc-storm-rx", rules::Severity::Info, true, kStormRx, 0},
      {"the same, sent", "pfc-storm-tx", rules::Severity::Info, true, kStormTx, 0},
      {"long pauses that Broadcom's NIC counted", "pfc-storm-tx", rules::Severity::Info, false, kStormTx, 0},
      {"one warning mark of an mlx5 NIC", "pfc-storm-tx", rules::Severity::Warning, false, kStormTx, 1},
      {"pause without end and no sign of demand", "pfc-storm-rx", rules::Severity::Warning, true, kStormRx, 1},
      {"a stall past the limit", "pfc-storm-tx", rules::Severity::Critical, false, kStormTx, 1},
      {"pause without end", "pfc-storm-rx", rules::Severity::Critical, true, kStormRx, 1},
  };
  for (const Case& c : cases) {
    const std::string text = metrics_of(storm_report(c.rule, c.severity, c.of_a_priority));
    EXPECT_TRUE(has_line(text, std::string(c.series) + (c.value == 1 ? " 1" : " 0"))) << c.name << "\n" << text;
  }
  rules::Report blind = storm_report("pfc-storm-tx", rules::Severity::Info, false);
  rules::Gap gap;
  gap.rule = "pfc-storm-tx";
  gap.subject = blind.findings[0].subject;
  blind.unknown = {gap};
  EXPECT_EQ(metrics_of(blind).find(kStormTx), std::string::npos) << "a mention settles nothing that was not judged";
}

TEST(Metrics, show_a_waived_storm_that_lasts_as_one) {
  rules::Report report = waived_report();
  EXPECT_TRUE(has_line(metrics_of(report), std::string(kStormRx) + " 1"));
  report.waived_findings[0].finding.severity = rules::Severity::Info;
  EXPECT_TRUE(has_line(metrics_of(report), std::string(kStormRx) + " 0"));
  report.waived_findings[0].finding.severity = rules::Severity::Critical;
  report.waived_findings[0].finding.state = rules::FindingState::Recovering;
  EXPECT_TRUE(has_line(metrics_of(report), std::string(kStormRx) + " 0"));
}

TEST(Metrics, show_no_storm_of_a_port_that_is_not_judged_as_roce) {
  rules::Report report = sample_report();
  report.findings.clear();
  report.not_looked_at.clear();
  report.ports[0].profile = "not-roce";
  EXPECT_EQ(metrics_of(report).find("roce_pfc_storm_active{"), std::string::npos);
  report.ports[0].profile = "lossy-ecn";
  EXPECT_NE(metrics_of(report).find("roce_pfc_storm_active{"), std::string::npos);
}

TEST(Metrics, unwrap_narrow_counters) {
  rules::Report report = sample_report();
  History history(rules::needed_signals());
  Snapshot first = *report.snapshot;
  first.ports[0].counters.values[0].raw = 4'294'967'290U;
  first.ports[0].counters.at_monotonic_ns = 1;
  history.add(std::make_shared<const Snapshot>(first));
  Snapshot second = *report.snapshot;
  second.before.monotonic_ns = second.after.monotonic_ns += 1'000'000'000;
  second.ports[0].counters.values[0].raw = 4;
  second.ports[0].counters.at_monotonic_ns = 1'000'000'001;
  report.snapshot = std::make_shared<const Snapshot>(second);
  history.add(report.snapshot);
  const std::string text = metrics_text(report, counter_table(report, history), {}, {}, MetricsFormat::Text);
  EXPECT_TRUE(has_line(text, "roce_cnp_sent_packets_total{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\"} 4294967300"))
      << text;
}

TEST(Metrics, show_a_device_level_counter_of_a_two_port_device_once) {
  rules::Report report = sample_report();
  Snapshot snapshot = *report.snapshot;
  snapshot.ports[0].counters.values = {{CounterId::CqOverflow, kNoLane, 64, 2, 1.0}};
  snapshot.ports[1] = snapshot.ports[0];
  snapshot.ports[1].port = 2;
  report.snapshot = std::make_shared<const Snapshot>(snapshot);
  report.ports[1] = report.ports[0];
  report.ports[1].port = 2;
  const std::string text = metrics_of(report);
  EXPECT_TRUE(has_line(text, "roce_cq_overflow_events_total{device=\"mlx5_0\",port=\"\",netdev=\"\"} 2"));
  EXPECT_EQ(text.find("roce_cq_overflow_events_total{device=\"mlx5_0\",port=\"1\""), std::string::npos);
}

TEST(Metrics, have_no_series_twice_and_one_help_and_type_a_family) {
  const std::string text = metrics_of(sample_report());
  std::set<std::string> seen;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const std::string key(line.starts_with('#') ? line : line.substr(0, line.rfind(' ')));
    EXPECT_TRUE(seen.insert(key).second) << line;
  }
}

TEST(Metrics, escape_hostile_names) {
  const std::string text = metrics_of(sample_report(kHostile));
  EXPECT_NE(text.find("netdev=\"e\\\"\\\\\\\\x0a\\\\xff<b>\xc3\xa9\""), std::string::npos) << text;
}

TEST(Metrics, show_a_waived_finding_in_a_state_of_its_own) {
  const std::string text = metrics_of(waived_report());
  const std::string storm =
      "roce_finding{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"3\",rule=\"pfc-storm-rx\","
      "severity=\"critical\",state=\"";
  EXPECT_TRUE(has_line(text, storm + "waived\"} 1")) << text;
  EXPECT_EQ(text.find(storm + "active"), std::string::npos);
  EXPECT_EQ(text.find("rule=\"link-flap\""), std::string::npos) << "an expired waiver is no finding";
  EXPECT_TRUE(has_line(text, "roce_node_score 60"));
}

TEST(Metrics, show_an_attested_check_as_no_finding) {
  EXPECT_EQ(metrics_of(waived_report()).find("qos-trust-pcp"), std::string::npos);
}

TEST(Metrics, have_only_the_verdict_of_a_port_that_vanished_and_no_series_when_it_is_not_expected) {
  rules::Report report = vanished_report();
  const std::string missed = metrics_of(report);
  EXPECT_TRUE(has_line(missed, "roce_port_verdict{device=\"mlx5_0\",port=\"1\",netdev=\"\",verdict=\"not_ready\"} 1"));
  for (const char* gone : {"roce_cnp_sent", "roce_pfc_rx_pause", "roce_port_speed", "roce_pfc_storm_active{"})
    EXPECT_EQ(missed.find(gone), std::string::npos) << gone;
  report.ports.erase(report.ports.begin());
  report.findings.clear();
  EXPECT_EQ(metrics_of(report).find("mlx5_0\""), std::string::npos);
}

TEST(Metrics, have_nothing_of_a_port_that_went_but_the_finding_that_says_so) {
  History history(rules::needed_signals());
  const rules::ReportPtr report = report_after_mlx5_0_went(history);
  const std::string text = metrics_text(*report, counter_table(*report, history), {}, {}, MetricsFormat::Text);
  EXPECT_TRUE(has_line(text,
                       "roce_finding{device=\"mlx5_0\",port=\"1\",netdev=\"eth0\",priority=\"\","
                       "rule=\"host-rdma-driver-missing\",severity=\"critical\",state=\"active\"} 1"))
      << text;
  for (const std::string_view line : split(text, '\n'))
    EXPECT_TRUE(line.find("device=\"mlx5_0\"") == std::string_view::npos || line.starts_with("roce_finding{")) << line;
}

TEST(Metrics, keep_chinese_and_spell_control_bytes) {
  const std::string name = "\xe7\xbd\x91\xe5\x8d\xa1\x1b[31m\xc2\x9b\n\xe7\xbd";
  const std::string text = metrics_of(sample_report(name));
  EXPECT_NE(text.find("netdev=\"\xe7\xbd\x91\xe5\x8d\xa1\\\\x1b[31m\\\\xc2\\\\x9b\\\\x0a\\\\xe7\\\\xbd\""),
            std::string::npos)
      << text;
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int{c};
}

TEST(Metrics, have_no_sample_for_what_is_no_number) {
  for (const double no_number : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    rules::Report report = sample_report();
    report.score = report.coverage.ratio = report.ports[0].coverage.ratio = no_number;
    report.ports[0].score = no_number;
    Snapshot snapshot = sample_snapshot();
    snapshot.netdevs[0].counters.values[0].scale = no_number;
    ProbeFacts probes;
    probes.packets_per_second = no_number;
    probes.peers.resize(1);
    probes.peers[0].rtt = ProbeTimes{1, 0, no_number, 0, no_number, 0};
    ProbeHistogram histogram;
    histogram.counts.assign(kProbeBounds.size() + 1, 1);
    histogram.sum_seconds = no_number;
    probes.histograms = {histogram};
    snapshot.probes = probes;
    report.snapshot = std::make_shared<const Snapshot>(snapshot);
    for (const MetricsFormat format : {MetricsFormat::Text, MetricsFormat::OpenMetrics}) {
      const std::string text = metrics_of(report, format);
      for (const std::string_view line : split(text, '\n'))
        for (const char* end : {" NaN", " nan", " +Inf", " -Inf", " inf", " -inf"})
          EXPECT_FALSE(line.ends_with(end)) << line;
      EXPECT_EQ(text.find("roce_node_score"), std::string::npos);
      EXPECT_EQ(text.find("roce_coverage_ratio"), std::string::npos);
      EXPECT_EQ(text.find("roce_pfc_rx_pause_seconds"), std::string::npos);
      EXPECT_EQ(text.find("roce_probe_rtt"), std::string::npos);
      EXPECT_NE(text.find("roce_node_verdict"), std::string::npos);
    }
  }
}

TEST(OpenMetrics, names_families_without_total_and_ends_with_eof) {
  const std::string text = metrics_of(sample_report(), MetricsFormat::OpenMetrics);
  EXPECT_TRUE(has_line(text, "# TYPE roce_cnp_sent_packets counter"));
  EXPECT_NE(text.find("\nroce_cnp_sent_packets_total{"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(Exposition, is_what_prometheus_cpp_writes) {
  Families families;
  families.push_back(family("a_total", "Help.", prometheus::MetricType::Counter));
  add_sample(families.back(), {{"x", "q\"\\\n"}, {"y", ""}}, 3);
  families.push_back(family("b", "Help.", prometheus::MetricType::Gauge));
  add_sample(families.back(), {}, 0.5);
  EXPECT_EQ(exposition(families, MetricsFormat::Text), prometheus::TextSerializer().Serialize(families));
}

TEST(Exposition, gzip_reads_back) {
  const std::string text(100'000, 'x');
  const std::string packed = gzipped(text);
  ASSERT_LT(packed.size(), 2000U);
  std::string out(text.size(), '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  EXPECT_EQ(out, text);
}

}  // namespace
}  // namespace roceready::daemon
