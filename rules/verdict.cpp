// SPDX-License-Identifier: Apache-2.0
#include "rules/verdict.h"

#include <algorithm>

#include "rules/rule.h"

namespace roceready::rules {
namespace {

constexpr double kLeastCoverage = 0.6;

double weight_of(const Rule& rule) {
  double weight = 0;
  for (const Severity severity : rule.severities) {
    weight = std::max(weight, severity == Severity::Critical ? 40.0 : severity == Severity::Warning ? 12.0 : 0.0);
  }
  return weight;
}

std::string ports_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " port" : " ports");
}

std::string subject_text(const Finding& finding) {
  if (finding.subject.device.empty()) return finding.subject.netdev.empty() ? "This node" : finding.subject.netdev;
  std::string text = finding.subject.device + "/" + std::to_string(finding.subject.port);
  if (!finding.subject.netdev.empty()) text += " (" + finding.subject.netdev + ")";
  return text;
}

std::string why_not_applicable(const Report& report) {
  const Snapshot& now = *report.snapshot;
  if (now.ports.empty()) {
    const bool of_switch = !now.log.empty() && std::all_of(now.log.begin(), now.log.end(), [](const LogFact& fact) {
      return fact.kind.starts_with("switch_");
    });
    if (of_switch) return "The files are of a switch: they show no RDMA port of a node.";
    if (now.host.rdma_subsystem && !*now.host.rdma_subsystem) {
      return "This node has no RDMA: the kernel's RDMA subsystem is not loaded and no RDMA device exists.";
    }
    return "This node has no RDMA device.";
  }
  std::size_t in_scope = 0;
  for (const RdmaPort& port : now.ports) in_scope += port.in_scope ? 1U : 0U;
  if (in_scope == 0) {
    return "None of this node's " + ports_text(now.ports.size()) + " is in scope: " + now.ports.front().device + "/" +
           std::to_string(now.ports.front().port) + ": " + now.ports.front().why_not + ".";
  }
  return "RoCE readiness does not apply: profile not-roce on " + ports_text(in_scope) + ".";
}

std::string why_unknown(const Report& report) {
  std::string reason = "too little could be read";
  const auto no_profile =
      std::any_of(report.unknown.begin(), report.unknown.end(), [](const Gap& gap) { return gap.why == "no_profile"; });
  if (no_profile) {
    reason = "no profile is stated, so nobody knows what is expected here (--profile NAME)";
  } else if (!report.unknown.empty()) {
    const Gap& gap = report.unknown.front();
    reason = gap.detail + (gap.rule.empty() ? "" : " (" + gap.rule + ")");
    if (gap.rule.empty() && !gap.settle_with.empty()) reason += "; what settles it: " + gap.settle_with;
  }
  return "Not judged: " + reason + ".";
}

}  // namespace

bool is_mandatory(const Rule& rule, const Profile* profile) {
  if (profile == nullptr) return (rule.mandatory & kRoceModes) != 0;
  return (rule.mandatory & profile->mode) != 0 || (rule.mandatory_over_distance && profile->long_haul) ||
         (rule.mandatory_for_link_pause && profile->global_pause == GlobalPause::Required);
}

Coverage coverage_of(const RuleJudgement* begin, const RuleJudgement* end) {
  Coverage out;
  double seen = 0;
  double all = 0;
  for (const RuleJudgement* one = begin; one != end; ++one) {
    const double weight = weight_of(*one->rule);
    switch (one->outcome) {
      case Outcome::Pass:
      case Outcome::Fail:
      case Outcome::Attested:
        ++out.judged;
        seen += weight;
        all += weight;
        break;
      case Outcome::Unknown:
        ++out.unknown;
        all += weight;
        break;
      case Outcome::NotApplicable:
        ++out.not_applicable;
        break;
      case Outcome::NotLookedAt:
        break;
    }
  }
  out.ratio = all > 0 ? seen / all : 0;
  return out;
}

Verdict verdict_of(const PortState& port) {
  if (port.not_roce) return Verdict::NotApplicable;
  bool critical = false;
  bool degraded = false;
  for (const Finding* finding : port.findings) {
    const bool active = finding->state == FindingState::Active;
    if (active && finding->severity == Severity::Critical && finding->confidence >= kSure) critical = true;
    if (finding->severity != Severity::Info) degraded = true;
  }
  if (critical) return Verdict::NotReady;
  if (port.initializing) return Verdict::Initializing;
  const bool blind = port.mandatory_unknown || port.no_counters || !port.profile_stated;
  if (blind || port.coverage.ratio < kLeastCoverage) return Verdict::Unknown;
  return degraded ? Verdict::Degraded : Verdict::Ready;
}

Verdict worse(Verdict a, Verdict b) {
  const auto rank = [](Verdict v) {
    switch (v) {
      case Verdict::NotReady:
        return 5;
      case Verdict::Unknown:
        return 4;
      case Verdict::Degraded:
        return 3;
      case Verdict::Initializing:
        return 2;
      case Verdict::Ready:
        return 1;
      case Verdict::NotApplicable:
        return 0;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

std::string summary_of(const Report& report) {
  std::size_t in_scope = 0;
  std::size_t ready = 0;
  for (const PortReport& port : report.ports) {
    in_scope += port.in_scope ? 1U : 0U;
    ready += port.in_scope && port.verdict == Verdict::Ready ? 1U : 0U;
  }
  switch (report.verdict) {
    case Verdict::NotApplicable:
      return why_not_applicable(report);
    case Verdict::Ready:
      return "Ready for lossless RDMA as profile " + report.profile.name + " has it: " + ports_text(in_scope) + ".";
    case Verdict::Initializing:
      return "Watching; too few samples yet to call " + ports_text(in_scope) + " ready.";
    case Verdict::Unknown:
      if (report.causes.empty()) return why_unknown(report);
      break;
    case Verdict::Degraded:
    case Verdict::NotReady:
      break;
  }
  const Finding* first = report.causes.empty() ? nullptr : report.finding(report.causes.front());
  if (first == nullptr) return why_unknown(report);
  std::string text = subject_text(*first) + ": " + first->rule->title;
  if (first->state == FindingState::Recovering) text += " (recovering)";
  text += ".";
  if (report.causes.size() > 1) {
    text += " " + std::to_string(report.causes.size() - 1) + " more to fix.";
  }
  if (ready > 0) text += " " + ports_text(ready) + " of " + std::to_string(in_scope) + " ready.";
  if (report.verdict == Verdict::Unknown) text += " " + why_unknown(report);
  return text;
}

}  // namespace roceready::rules
