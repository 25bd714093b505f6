// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/own_digest.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/snapshot/digest.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

constexpr std::int64_t kAnewNs = 30'000'000'000;
constexpr std::size_t kMostFindings = 16;
constexpr std::array kSteps{0.95, 0.8, 0.5, 0.2, 0.05, 0.01, 0.001};

/// Of the rates whose name begins so, the largest; the last reason where none has a value.
Reading<double> largest(const rules::PortReport& port, std::string_view prefix) {
  Reading<double> out = Absent{Why::NotRecorded, ""};
  for (const auto& [name, rate] : port.rates)
    if (name.starts_with(prefix) && (!out || (rate && *rate > *out))) out = rate;
  return out;
}

Reading<double> line_share(const Snapshot& snapshot, const RdmaPort& port, const rules::PortReport& judged) {
  const Reading<double> rate = largest(judged, "rx_bits_per_second");
  if (!rate) return rate;
  double line = 0;
  for (const std::string& name : port.members) {
    const Netdev* member = snapshot.netdev(name);
    if (member == nullptr) return Absent{Why::NotPresent, ""};
    const auto speed = field(member->ethtool.link_modes, &LinkModes::speed_bits_per_second);
    if (!speed) return speed.absent();
    line += static_cast<double>(*speed);
  }
  if (line <= 0) return Absent{Why::NotPresent, ""};
  return std::min(*rate / line, 1.0);
}

/// Of one port, the gravest first where there are too many.
std::map<std::string, std::string> findings_of(const rules::Report& report, const RdmaPort& port) {
  std::map<std::string, std::string> out;
  for (const rules::Severity severity : {rules::Severity::Critical, rules::Severity::Warning})
    for (const rules::Finding& finding : report.findings) {
      if (finding.severity != severity || finding.state != rules::FindingState::Active || out.size() >= kMostFindings)
        continue;
      if (finding.subject.device != port.device || finding.subject.port != port.port) continue;
      if (finding.rule == nullptr || std::string_view(finding.rule->family) == "fabric") continue;
      out.try_emplace(finding.rule->id, rules::name_of(severity));
    }
  return out;
}

}  // namespace

double step_below(double share) {
  for (const double step : kSteps)
    if (share >= step) return step;
  return 0;
}

void OwnDigest::Mean::add(const Reading<double>& value) {
  if (!value) {
    why = value.absent();
    return;
  }
  sum += *value;
  ++count;
}

Reading<double> OwnDigest::Mean::in_steps() const {
  if (count == 0) return why;
  return step_below(sum / count);
}

NodeDigest OwnDigest::take(const rules::Report& report, std::int64_t now_ns) {
  const Snapshot& snapshot = *report.snapshot;
  NodeDigest out = digest_of(snapshot, report.profile.name, report.profile.role);
  for (const rules::PortReport& judged : report.ports)
    for (const RdmaPort& port : snapshot.ports) {
      if (port.device != judged.device || port.port != judged.port || !port.in_scope) continue;
      Means& means = means_[port.device + "/" + std::to_string(port.port)];
      means.rx_pause.add(largest(judged, "rx_pause_share"));
      means.tx_pause.add(largest(judged, "tx_pause_share"));
      means.rx_line.add(line_share(snapshot, port, judged));
    }
  if (now_ns >= due_ns_) {
    due_ns_ = now_ns + kAnewNs;
    told_.clear();
    for (const RdmaPort& port : snapshot.ports) {
      const auto means = means_.find(port.device + "/" + std::to_string(port.port));
      if (means == means_.end()) continue;
      told_[means->first] = {findings_of(report, port), means->second.rx_pause.in_steps(),
                             means->second.tx_pause.in_steps(), means->second.rx_line.in_steps()};
    }
    means_.clear();
  }
  for (PortDigest& port : out.ports) {
    const auto told = told_.find(port.device + "/" + std::to_string(port.port));
    if (told == told_.end()) continue;
    port.findings = told->second.findings;
    port.rx_pause_share = told->second.rx_pause;
    port.tx_pause_share = told->second.tx_pause;
    port.rx_line_share = told->second.rx_line;
  }
  return out;
}

}  // namespace roceready::daemon
