// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/bandwidth_judging.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "rules/rates.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

/// Of both directions; absent when one of them is.
Reading<double> busier_direction(const std::map<std::string, Reading<double>>& rates) {
  double out = 0;
  for (const char* name : {"rx_bits_per_second", "tx_bits_per_second"}) {
    const auto rate = rates.find(name);
    if (rate == rates.end()) return Absent{Why::NotPresent, "its bytes are not counted"};
    if (!rate->second) return rate->second.absent();
    out = std::max(out, *rate->second);
  }
  return out;
}

std::string name_of_port(const std::string& device, std::uint32_t port) {
  return device + "/" + std::to_string(port);
}

/// Of a finding about that measurement.
bool is_about(const rules::Finding& finding, const std::string& rule, const BandwidthRun& run) {
  if (finding.rule == nullptr || rule != finding.rule->id) return false;
  if (finding.subject.device != run.device || finding.subject.port != run.port) return false;
  return finding.subject.peer.value_or("").empty() || finding.subject.peer == run.peer;
}

}  // namespace

BandwidthJudging::BandwidthJudging(SampleSource& source, rules::JudgeOptions options, std::function<void()> wait)
    : source_(source), options_(std::move(options)), wait_(std::move(wait)), history_(rules::needed_signals()) {}

SnapshotPtr BandwidthJudging::sample() {
  SnapshotPtr out = source_.next();
  return out != nullptr ? out : std::make_shared<const Snapshot>();
}

void BandwidthJudging::look() {
  History recent(rules::needed_signals());
  recent.add(sample());
  wait_();
  const SnapshotPtr now = sample();
  recent.add(now);
  history_.add(now);
  carried_.clear();
  for (const RdmaPort& port : now->ports)
    carried_[name_of_port(port.device, port.port)] = busier_direction(rules::rates_of(recent, *now, port, nullptr));
}

void BandwidthJudging::add_traffic(BandwidthRun& run) const {
  const auto carried = carried_.find(name_of_port(run.device, run.port));
  run.other_bits_per_second =
      carried != carried_.end() ? carried->second : Absent{Why::NotPresent, "its counters were not read"};
}

JudgedBandwidth BandwidthJudging::judge_alone(const BandwidthRun& run, const Snapshot& now) const {
  JudgedBandwidth out;
  out.rule = run.loopback ? "probe-loopback-low" : "probe-bandwidth-low";
  const auto port = std::ranges::find_if(
      now.ports, [&](const RdmaPort& each) { return each.device == run.device && each.port == run.port; });
  const rules::Rule* const rule = rules::rule_named(out.rule);
  if (run.device.empty() || rule == nullptr || rule->judge == nullptr) {
    out.sentence = "nothing was measured";
    return out;
  }
  if (port == now.ports.end() || !port->in_scope) {
    out.sentence = name_of_port(run.device, run.port) + " is not judged: " +
                   (port == now.ports.end() ? std::string("its facts could not be read") : port->why_not);
    return out;
  }
  Snapshot alone = now;
  alone.probes->bandwidth = {run};
  const rules::Evidence seen(
      {.history = &history_,
       .now = &alone,
       .port = &*std::ranges::find_if(alone.ports, [&](const RdmaPort& each) { return each.key == port->key; }),
       .rule = rule,
       .limits = &options_.limits,
       .rdma_units = &options_.rdma_units,
       .demands = &options_.demands});
  rules::Outcomes said{Subject{}};
  rule->judge(seen, said);
  if (said.entries().empty()) return out;
  const rules::Judgement& judgement = said.entries().front();
  out.outcome = judgement.outcome;
  out.severity = judgement.severity;
  out.confidence = judgement.confidence;
  out.sentence = judgement.sentence;
  return out;
}

void BandwidthJudging::judge(std::vector<MeasuredBandwidth>& measured) {
  auto now = std::make_shared<Snapshot>(*sample());
  ProbeFacts facts;
  for (const MeasuredBandwidth& each : measured)
    if (!each.result.run.device.empty()) facts.bandwidth.push_back(each.result.run);
  now->probes = std::move(facts);
  history_.add(now);
  const rules::ReportPtr report = rules::Engine(options_).judge(history_);
  for (MeasuredBandwidth& each : measured) {
    each.judged = judge_alone(each.result.run, *now);
    if (each.judged.outcome != rules::Outcome::Fail) continue;
    for (const rules::Finding& finding : report->findings) {
      if (!is_about(finding, each.judged.rule, each.result.run)) continue;
      // The other peers that were measured tell which end is slow.
      each.judged.severity = finding.severity;
      each.judged.confidence = finding.confidence;
      each.judged.causes = finding.symptom_of;
    }
  }
}

}  // namespace roceready::daemon
