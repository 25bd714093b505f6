// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/prometheus.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "daemon/export/families.h"
#include "daemon/export/port_view.h"
#include "daemon/export/probe_metrics.h"
#include "daemon/version.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

using prometheus::MetricType;
using rules::Report;
using rules::Verdict;

constexpr std::array kVerdicts = {Verdict::NotReady,     Verdict::Unknown, Verdict::Degraded,
                                  Verdict::Initializing, Verdict::Ready,   Verdict::NotApplicable};

void add_single(Families& out, const char* name, const char* help, MetricType type, double value) {
  out.push_back(family(name, help, type));
  add_sample(out.back(), {}, value);
}

void add_node(Families& out, const Report& report) {
  out.push_back(family("roce_build_info", "Version of roceready that serves this.", MetricType::Gauge));
  add_sample(out.back(), {{"version", version()}, {"revision", revision()}, {"compiler", compiler()}}, 1);
  if (report.score)
    add_single(out, "roce_node_score", "Readiness of the node for lossless RDMA, 0 to 100.", MetricType::Gauge,
               *report.score);
  out.push_back(
      family("roce_node_verdict", "1 for the present verdict of the node, 0 for the others.", MetricType::Gauge));
  for (const Verdict verdict : kVerdicts)
    add_sample(out.back(), {{"verdict", name_of(verdict)}}, verdict == report.verdict ? 1 : 0);
  add_single(out, "roce_coverage_ratio", "Share of the applicable rules that could be judged on the node.",
             MetricType::Gauge, report.coverage.ratio);
  add_single(out, "roce_report_timestamp_seconds", "When the sample was taken that everything here rests on.",
             MetricType::Gauge, static_cast<double>(report.at.wall_ns) * 1e-9);
}

void add_ports(Families& out, const std::vector<PortView>& views) {
  auto info = family("roce_port_info", "An RDMA port and what it is; in_scope tells whether it can touch the verdict.",
                     MetricType::Gauge);
  auto score = family("roce_port_score", "Readiness of the port, 0 to 100.", MetricType::Gauge);
  auto verdict =
      family("roce_port_verdict", "1 for the present verdict of the port, 0 for the others.", MetricType::Gauge);
  auto coverage = family("roce_port_coverage_ratio", "Share of the applicable rules that could be judged on the port.",
                         MetricType::Gauge);
  auto speed = family("roce_port_speed_bytes_per_second", "Speed of the link, sum over the members of the port.",
                      MetricType::Gauge);
  for (const PortView& view : views) {
    const rules::PortReport& judged = *view.judged;
    const Labels labels = port_labels(judged.device, judged.port, view.netdev);
    const auto text = [](const Reading<std::string>& reading) {
      return reading ? clean_text(*reading) : std::string();
    };
    add_sample(info,
               with(labels, {{"key", clean_text(judged.key)},
                             {"driver", text(view.driver)},
                             {"firmware", text(view.firmware)},
                             {"pci", view.facts != nullptr ? text(view.facts->pci_address) : ""},
                             {"profile", clean_text(judged.profile)},
                             {"in_scope", judged.in_scope ? "true" : "false"}}),
               1);
    if (!judged.in_scope) continue;
    if (judged.score) add_sample(score, labels, *judged.score);
    for (const Verdict each : kVerdicts)
      add_sample(verdict, with(labels, {{"verdict", name_of(each)}}), each == judged.verdict ? 1 : 0);
    add_sample(coverage, labels, judged.coverage.ratio);
    if (view.speed_bits_per_second) add_sample(speed, labels, static_cast<double>(*view.speed_bits_per_second) / 8);
  }
  for (auto* each : {&info, &score, &verdict, &coverage, &speed}) out.push_back(std::move(*each));
}

std::string netdev_of(const Subject& subject) {
  return subject.member.empty() ? subject.netdev : subject.member;
}

void add_findings(Families& out, const Report& report) {
  out.push_back(family("roce_finding", "1 while a rule finds its fault on this subject.", MetricType::Gauge));
  std::set<Labels> seen;  // findings that differ in peer or path only are one series
  const auto add = [&](const rules::Finding& finding, const char* state) {
    const Subject& subject = finding.subject;
    Labels labels = with(port_labels(subject.device, subject.port, netdev_of(subject)),
                         {{"priority", subject.priority ? std::to_string(*subject.priority) : ""},
                          {"rule", finding.rule->id},
                          {"severity", name_of(finding.severity)},
                          {"state", state}});
    if (seen.insert(labels).second) add_sample(out.back(), std::move(labels), 1);
  };
  for (const rules::Finding& finding : report.findings)
    add(finding, finding.state == rules::FindingState::Active ? "active" : "recovering");
  for (const rules::WaivedFinding& waived : report.waived_findings) add(waived.finding, "waived");
}

/// Whether a gap of this rule covers a member's priority; a gap without priority or member covers all of them.
bool is_gap(const std::vector<rules::Gap>& gaps, std::string_view rule, const PortView& view, const std::string& member,
            std::uint8_t priority) {
  for (const rules::Gap& gap : gaps) {
    const Subject& s = gap.subject;
    if (gap.rule != rule || s.device != view.judged->device || s.port != view.judged->port) continue;
    const std::string netdev = netdev_of(s);
    if ((netdev.empty() || netdev == member || netdev == view.netdev) && (!s.priority || *s.priority == priority))
      return true;
  }
  return false;
}

/// What the rules only mention (info) is no storm; one that the operator accepts for a time lasts all the same.
bool is_storm(const rules::Finding& finding, std::string_view rule, const PortView& view, const std::string& member,
              std::uint8_t priority) {
  const Subject& s = finding.subject;
  if (finding.rule->id != rule || finding.severity == rules::Severity::Info ||
      finding.state != rules::FindingState::Active || s.device != view.judged->device || s.port != view.judged->port)
    return false;
  const std::string netdev = netdev_of(s);
  return (netdev.empty() || netdev == member) && (!s.priority || *s.priority == priority);
}

bool has_storm(const Report& report, std::string_view rule, const PortView& view, const std::string& member,
               std::uint8_t priority) {
  const auto storm = [&](const rules::Finding& each) { return is_storm(each, rule, view, member, priority); };
  return std::any_of(report.findings.begin(), report.findings.end(), storm) ||
         std::any_of(report.waived_findings.begin(), report.waived_findings.end(),
                     [&](const rules::WaivedFinding& each) { return storm(each.finding); });
}

void add_storms(Families& out, const Report& report, const std::vector<PortView>& views) {
  static constexpr std::array<std::pair<const char*, const char*>, 2> kDirections{
      {{"rx", "pfc-storm-rx"}, {"tx", "pfc-storm-tx"}}};
  out.push_back(family(
      "roce_pfc_storm_active",
      "1 while a PFC storm lasts on a priority with PFC, waived or not, 0 where it was looked for and not found; no "
      "sample where it could not be judged.",
      MetricType::Gauge));
  for (const PortView& view : views) {
    if (!view.judged->in_scope) continue;
    const rules::Profile* profile = rules::profile_named(view.judged->profile);
    const bool judged = profile == nullptr || profile->mode != rules::kNotRoce;
    for (const MemberView& member : view.members) {
      if (member.facts == nullptr || !member.facts->dcb.pfc) continue;
      for (const std::uint8_t priority : priorities_of(member.facts->dcb.pfc->enabled))
        for (const auto& [direction, rule] : kDirections) {
          const bool storm = has_storm(report, rule, view, member.name, priority);
          const bool blind = is_gap(report.unknown, rule, view, member.name, priority) ||
                             is_gap(report.not_looked_at, rule, view, member.name, priority) || !judged;
          if (!storm && blind) continue;
          add_sample(out.back(),
                     with(port_labels(view.judged->device, view.judged->port, member.name),
                          {{"priority", std::to_string(priority)}, {"direction", direction}}),
                     storm ? 1 : 0);
        }
    }
  }
}

void add_collectors(Families& out, const Report& report) {
  if (!report.snapshot) return;
  auto duration =
      family("roce_collector_duration_seconds", "Time that a collector took in its last run.", MetricType::Gauge);
  auto success =
      family("roce_collector_success", "1 when a collector brought its slice in its last run.", MetricType::Gauge);
  for (const CollectorRun& run : report.snapshot->collectors) {
    add_sample(duration, {{"collector", clean_text(run.collector)}}, static_cast<double>(run.duration_ns) * 1e-9);
    add_sample(success, {{"collector", clean_text(run.collector)}}, run.success.value_or(false) ? 1 : 0);
  }
  out.push_back(std::move(duration));
  out.push_back(std::move(success));
}

void add_keeping(Families& out, const KeepingFacts& keeping) {
  add_single(out, "roce_state_writable",
             "1 while incidents, settings and history can be written to the state directory, 0 while they cannot.",
             MetricType::Gauge, keeping.writable ? 1 : 0);
  add_single(out, "roce_state_file_bytes", "Size of the state file.", MetricType::Gauge, keeping.file_bytes);
  out.push_back(
      family("roce_incidents_open", "Incidents that last, by the gravest severity that they had.", MetricType::Gauge));
  add_sample(out.back(), {{"severity", "warning"}}, keeping.open_warning);
  add_sample(out.back(), {{"severity", "critical"}}, keeping.open_critical);
  out.push_back(family("roce_incidents_total",
                       "Incidents that began since the daemon started, by the severity that they began with.",
                       MetricType::Counter));
  add_sample(out.back(), {{"severity", "warning"}}, keeping.begun_warning);
  add_sample(out.back(), {{"severity", "critical"}}, keeping.begun_critical);
  add_single(out, "roce_settings_changed_total",
             "Settings of ports that changed, and steps of the wall clock, since the daemon started.",
             MetricType::Counter, keeping.settings_changed);
}

void add_daemon(Families& out, const DaemonFacts& daemon, const ProcessFacts& process) {
  constexpr auto kCounter = MetricType::Counter;
  constexpr auto kGauge = MetricType::Gauge;
  add_single(out, "roce_samples_total", "Samples taken since the daemon started.", kCounter,
             static_cast<double>(daemon.samples));
  add_single(out, "roce_samples_skipped_total", "Samples left out because the one before still ran.", kCounter,
             static_cast<double>(daemon.samples_skipped));
  add_single(out, "roce_bursts_total", "Bursts of fast polling of RDMA counters that trouble began.", kCounter,
             static_cast<double>(daemon.bursts));
  add_single(out, "roce_config_reload_success", "1 when the configuration was good the last time it was read.", kGauge,
             daemon.reload_success ? 1 : 0);
  add_single(out, "roce_config_loaded_timestamp_seconds", "When the configuration in force was read.", kGauge,
             static_cast<double>(daemon.reload_wall_ns) * 1e-9);
  if (daemon.keeping) add_keeping(out, *daemon.keeping);
  if (daemon.probes) add_probe_refusals(out, *daemon.probes);
  add_single(out, "process_cpu_seconds_total", "User and system CPU time of the process.", kCounter,
             process.cpu_seconds);
  add_single(out, "process_resident_memory_bytes", "Resident memory of the process.", kGauge, process.resident_bytes);
  add_single(out, "process_virtual_memory_bytes", "Virtual memory of the process.", kGauge, process.virtual_bytes);
  add_single(out, "process_start_time_seconds", "Start of the process since the epoch.", kGauge,
             process.start_time_seconds);
  add_single(out, "process_open_fds", "Open file descriptors.", kGauge, process.open_fds);
  add_single(out, "process_max_fds", "Most file descriptors that the process may open.", kGauge, process.max_fds);
}

const char* label_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::Priority:
      return "priority";
    case LaneKind::Cos:
      return "cos";
    case LaneKind::TrafficClass:
      return "tc";
    case LaneKind::Lane:
      return "lane";
    case LaneKind::None:
      return nullptr;
  }
  return nullptr;
}

/// The series are sorted by counter: one family after the other.
void add_counters(Families& out, const CounterTable& counters) {
  CounterId last = CounterId::kCount;
  for (const CounterSeries& series : counters.series) {
    const CounterInfo& info = info_of(series.id);
    if (series.id != last) {
      out.push_back(family(info.metric, std::string("Counter of the NIC, canonical signal ") + info.name + ".",
                           info.kind == CounterKind::Counter ? MetricType::Counter : MetricType::Gauge));
      last = series.id;
    }
    const CounterPlace& place = counters.places[series.place];
    Labels labels;
    labels.reserve(4);
    labels.push_back({"device", place.device});
    labels.push_back({"port", place.port});
    labels.push_back({"netdev", place.netdev});
    if (const char* lane = label_of(info.lane_kind)) labels.push_back({lane, std::to_string(series.lane)});
    add_sample(out.back(), std::move(labels), series.value);
  }
}

void add_dropped(Families& out, const CounterTable& counters) {
  out.push_back(family("roce_series_dropped",
                       "Counters of a port that are left out here because a port has at most 300 series; no sample "
                       "where all of them fit.",
                       MetricType::Gauge));
  for (const DroppedSeries& each : counters.dropped)
    add_sample(out.back(), {{"device", each.device}, {"port", each.port}}, static_cast<double>(each.count));
}

}  // namespace

SeriesCount series_beside_counters(const Report& report) {
  Families families;
  const std::vector<PortView> views = port_views(report);
  add_ports(families, views);
  add_findings(families, report);
  add_storms(families, report, views);
  SeriesCount out;
  for (const auto& each : families)
    for (const auto& metric : each.metric) ++out[{metric.label[0].value, metric.label[1].value}];
  return out;
}

std::string metrics_text(const Report& report, const CounterTable& counters, const ProcessFacts& process,
                         const DaemonFacts& daemon, MetricsFormat format) {
  Families families;
  families.reserve(300);
  const std::vector<PortView> views = port_views(report);
  add_node(families, report);
  add_ports(families, views);
  add_findings(families, report);
  add_storms(families, report, views);
  add_counters(families, counters);
  add_dropped(families, counters);
  if (report.snapshot && report.snapshot->probes) add_probes(families, *report.snapshot->probes);
  add_collectors(families, report);
  add_daemon(families, daemon, process);
  return exposition(families, format);
}

}  // namespace roceready::daemon
