// SPDX-License-Identifier: Apache-2.0
#include "rules/engine.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/time.h"
#include "rules/acceptance.h"
#include "rules/causes_graph.h"
#include "rules/decision_trees.h"
#include "rules/expectation.h"
#include "rules/ledger.h"
#include "rules/planned.h"
#include "rules/port_probes.h"
#include "rules/rates.h"
#include "rules/round.h"
#include "rules/unread_counters.h"
#include "rules/verdict.h"

namespace roceready::rules {
namespace {

/// A weak limit alone never makes a critical: it takes a second finding of another family on the same port that does
/// not follow from it.
void demote_weak(std::vector<Finding>& findings) {
  std::vector<Finding*> weak;
  for (Finding& finding : findings) {
    if (finding.rule->weak && finding.severity == Severity::Critical) weak.push_back(&finding);
  }
  for (Finding* finding : weak) {
    const bool second = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      return other.state == FindingState::Active && other.severity != Severity::Info &&
             other.subject.device == finding->subject.device && other.subject.port == finding->subject.port &&
             std::string_view(other.rule->family) != finding->rule->family &&
             !may_follow_from(finding->rule->id, other.rule->id);
    });
    if (!second) finding->severity = Severity::Warning;
  }
}

}  // namespace

struct Engine::Impl {
  JudgeOptions options;
  Expectation expectation;
  Ledger ledger;
  Past past;

  explicit Impl(JudgeOptions o)
      : options(std::move(o)), expectation(options), ledger(options.one_shot, options.hold_down_seconds) {}

  void conclude(const Round& round, Report& report) const;
  /// What makes whole ports unknown, before all else that could not be read.
  void add_blind_ports(const Snapshot& now, Report& report) const;
  /// Takes the silences out of the round.
  void add_gaps(Round& round, Report& report) const;
  /// No verdict rests on such a guess (product.md 1, confidence 0.7).
  [[nodiscard]] bool weakly_guessed() const {
    const std::optional<double> sure = expectation.guessed();
    return sure && *sure < kSure && expectation.of_node() != nullptr;
  }
  [[nodiscard]] PortState state_of(const Round& round, const RdmaPort& port, const Report& report) const;
  [[nodiscard]] PortReport port_report(const Round& round, const RdmaPort& port, const Report& report) const;
  void judge_node(const Round& round, Report& report) const;
};

void Engine::Impl::add_blind_ports(const Snapshot& now, Report& report) const {
  bool no_profile = false;
  for (const RdmaPort& port : now.ports) no_profile = no_profile || (port.in_scope && expectation.of(port) == nullptr);
  if (no_profile) {
    std::string names;
    for (const std::string& name : profile_names()) names += (names.empty() ? "" : ", ") + name;
    report.unknown.push_back({"",
                              {},
                              "no_profile",
                              "no profile is stated: what is expected of this node is not known",
                              "--profile NAME (" + names + ")"});
  }
  if (!no_profile && weakly_guessed())
    report.unknown.push_back({"",
                              {},
                              "no_profile",
                              "the profile is a weak guess (confidence " + short_number(*expectation.guessed()) +
                                  "): what is expected of this node is not known",
                              "--profile " + expectation.of_node()->name + ", if it is meant so, or another one"});
  for (const RdmaPort& port : now.ports) {
    const Profile* profile = expectation.of(port);
    if (!port.in_scope || (profile != nullptr && profile->mode == kNotRoce)) continue;
    if (auto gap = counters_unread(now, port)) report.unknown.push_back(std::move(*gap));
  }
}

void Engine::Impl::add_gaps(Round& round, Report& report) const {
  for (Silence& one : round.silences) {
    Judgement& j = one.judgement;
    Gap gap{one.rule->id, std::move(j.subject), std::move(j.why), std::move(j.sentence), std::move(j.settle_with)};
    (j.outcome == Outcome::Unknown ? report.unknown : report.not_looked_at).push_back(std::move(gap));
  }
  report.not_looked_at.insert(report.not_looked_at.end(), past.gaps.begin(), past.gaps.end());
  std::uint8_t modes = 0;
  bool macsec = false;
  for (const RdmaPort& port : round.now.ports) {
    if (!port.in_scope) continue;
    const Profile* profile = expectation.of(port);
    macsec = macsec || (profile != nullptr && profile->macsec);
    modes |= profile != nullptr ? static_cast<std::uint8_t>(profile->mode) : std::uint8_t{kRoceModes};
  }
  if (modes != 0 && probes_are_off(round.now)) add_unprobed(modes, round.now.probes.absent(), report.not_looked_at);
  if (modes != 0 && round.now.probes) add_untold(*round.now.probes, report.not_looked_at);
  if (modes != 0 && !was_measured(round.now)) add_unmeasured(modes, report.not_looked_at);
  add_planned(modes, report.not_looked_at);
  if (macsec) add_macsec(modes, report.not_looked_at);
  for (const PciFunction& function : round.now.pci) {
    const auto& control = function.max_read_request_bytes;
    if (control || control.absent().why != Why::Denied) continue;
    report.not_looked_at.push_back(
        {"",
         {},
         name_of(Why::Denied),
         "MaxReadReq, MaxPayload and ACS of PCI function " + function.address + ": " + control.absent().detail,
         "the drop-in privileged.conf, or run as root"});
  }
  for (const CollectorRun& run : round.now.collectors) {
    if (run.ran && !run.success) {
      report.unknown.push_back({"",
                                {},
                                name_of(run.success.absent().why),
                                "collector " + run.collector + ": " + run.success.absent().detail,
                                ""});
    }
  }
}

PortState Engine::Impl::state_of(const Round& round, const RdmaPort& port, const Report& report) const {
  const Profile* profile = expectation.of(port);
  PortState state;
  state.profile_stated = profile != nullptr;
  if (profile == nullptr && expectation.unconfigured())  // said as a finding while it is so
    state.profile_stated = std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return std::string_view(finding.rule->id) == "qos-never-configured" && finding.subject.device == port.device &&
             finding.subject.port == port.port;
    });
  if (weakly_guessed()) state.profile_stated = false;
  state.not_roce = profile != nullptr && profile->mode == kNotRoce;
  // The youngest part of the port decides: one that was plugged in later has no past yet.
  double watched = round.history.observed_seconds(owner_of(port));
  for (const std::string& member : port.members) watched = std::min(watched, round.history.observed_seconds(member));
  state.initializing = !options.one_shot && watched < options.initializing_seconds;
  state.no_counters = counters_unread(round.now, port).has_value();
  const auto [first, last] = round.of_port.at(&port);
  for (std::size_t k = first; k < last; ++k) {
    const RuleJudgement& one = round.said[k];
    if (one.outcome != Outcome::Unknown) continue;
    // A peer or path of which nothing is known hides nothing of this port; results that make no sense may.
    const bool of_peer = round.now.probes && rests_on_probes(*one.rule);
    if (is_mandatory(*one.rule, profile) || (one.hides_a_critical && !of_peer)) state.mandatory_unknown = true;
  }
  state.coverage = coverage_of(round.said.data() + first, round.said.data() + last);
  for (const Finding& finding : report.findings) {
    if (finding.subject.device == port.device && finding.subject.port == port.port) state.findings.push_back(&finding);
  }
  return state;
}

PortReport Engine::Impl::port_report(const Round& round, const RdmaPort& port, const Report& report) const {
  PortReport out;
  out.key = port.key;
  out.device = port.device;
  out.port = port.port;
  out.in_scope = port.in_scope;
  out.why_not = port.why_not;
  if (!port.in_scope) return out;
  const Profile* profile = expectation.of(port);
  out.profile = profile != nullptr ? profile->name : "";
  const PortState state = state_of(round, port, report);
  out.coverage = state.coverage;
  out.verdict = verdict_of(state);
  Score score = score_of(state.findings);
  if (out.verdict == Verdict::Ready || out.verdict == Verdict::Degraded || out.verdict == Verdict::NotReady) {
    out.score = score.value;
    out.penalties = std::move(score.penalties);
  }
  out.rates = rates_of(round.history, round.now, port, profile);
  return out;
}

void Engine::Impl::judge_node(const Round& round, Report& report) const {
  report.coverage = coverage_of(round.said.data(), round.said.data() + round.said.size());
  std::vector<const Finding*> own;
  std::vector<const Finding*> own_critical;
  for (const Finding& finding : report.findings) {
    const bool of_port = std::any_of(report.ports.begin(), report.ports.end(), [&](const PortReport& p) {
      return p.device == finding.subject.device && p.port == finding.subject.port;
    });
    if (of_port) continue;
    own.push_back(&finding);
    if (finding.severity == Severity::Critical && finding.state == FindingState::Active && finding.confidence >= 0.7) {
      own_critical.push_back(&finding);
    }
  }
  std::optional<double> lowest;
  std::string lowest_port;
  for (const PortReport& port : report.ports) {
    if (!port.in_scope) continue;
    report.verdict = worse(report.verdict, port.verdict);
    if (port.score && (!lowest || *port.score < *lowest)) {
      lowest = port.score;
      lowest_port = port.key;
    }
  }
  const bool degraded =
      std::any_of(own.begin(), own.end(), [](const Finding* f) { return f->severity != Severity::Info; });
  const bool judged = report.verdict != Verdict::NotApplicable;
  // A node that RoCE does not concern is not_ready only for a port that it should have had.
  const bool critical = std::any_of(own_critical.begin(), own_critical.end(), [&](const Finding* finding) {
    const std::string_view id = finding->rule->id;
    return judged || id == "host-rdma-driver-missing" || id == "host-netdev-not-in-namespace";
  });
  if (critical)
    report.verdict = Verdict::NotReady;
  else if (degraded && judged)
    report.verdict = worse(report.verdict, Verdict::Degraded);
  const auto failed = [](const CollectorRun& run) { return run.ran && !run.success && run.collector == "rdma_ports"; };
  const auto blind = [&](const RuleJudgement& one) {
    return one.outcome == Outcome::Unknown && (is_mandatory(*one.rule, expectation.of_node()) || one.hides_a_critical);
  };
  const auto node_end = round.said.begin() + static_cast<std::ptrdiff_t>(round.of_node);
  if (judged && std::any_of(round.said.begin(), node_end, blind))
    report.verdict = worse(report.verdict, Verdict::Unknown);
  const auto& runs = round.now.collectors;
  if (std::any_of(runs.begin(), runs.end(), failed)) report.verdict = worse(report.verdict, Verdict::Unknown);

  const bool scored =
      report.verdict == Verdict::Ready || report.verdict == Verdict::Degraded || report.verdict == Verdict::NotReady;
  if (!scored) return;
  Score node = score_of(own);
  const double below = 100 - lowest.value_or(100);
  if (below > 0) report.penalties.push_back({"", "port", below, "the lowest port: " + lowest_port});
  double left = 100 - below;
  for (Penalty& penalty : node.penalties) {
    penalty.points = std::min(penalty.points, left);
    left -= penalty.points;
    if (penalty.points > 0) report.penalties.push_back(std::move(penalty));
  }
  report.score = left;
}

void Engine::Impl::conclude(const Round& round, Report& report) const {
  demote_weak(report.findings);
  report.causes = fold_causes(report.findings, !options.one_shot);
  look_next(report.findings, round.said, round.history);
  for (const RdmaPort& port : round.now.ports) report.ports.push_back(port_report(round, port, report));
  judge_node(round, report);
}

Engine::Engine(JudgeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::reconfigure(JudgeOptions options) {
  impl_->ledger.set_hold_down(options.hold_down_seconds);
  impl_->options = std::move(options);
  Expectation expectation(impl_->options);
  expectation.inherit(impl_->expectation);
  impl_->expectation = std::move(expectation);
}

void Engine::set_past(Past past) {
  impl_->past = std::move(past);
}
std::string Engine::save() const {
  return impl_->ledger.save();
}
bool Engine::recall(const std::string& text) {
  return impl_->ledger.recall(text);
}
void Engine::began_earlier(const std::string& key, const Instant& since, const Instant& now) {
  impl_->ledger.began_earlier(key, since, now);
}

ReportPtr Engine::judge(const History& history) {
  const SnapshotPtr now = history.now();
  auto report = std::make_shared<Report>();
  report->source_kind = impl_->options.source_kind;
  report->source_detail = impl_->options.source_detail;
  report->one_shot = impl_->options.one_shot;
  if (!now) return report;
  report->at = midpoint(*now);
  report->snapshot = now;
  report->window_seconds = history.observed_seconds();
  for (const CollectorRun& run : now->collectors)
    report->kernel_seconds += run.ran ? static_cast<double>(run.duration_ns) * 1e-9 : 0;
  if (!impl_->options.one_shot) impl_->expectation.look(*now, report->at, impl_->options.initializing_seconds);
  impl_->expectation.settle(*now);
  report->profile = impl_->expectation.use(*now);
  for (const auto& [option, value] : impl_->options.limits) {
    for (const Rule* rule : catalogue()) {
      for (const Limit& limit : rule->limits) {
        if (option == std::string("rules.") + rule->id + "." + limit.name) {
          report->limits_changed.push_back({option, value, limit.value});
        }
      }
    }
  }

  Round round = ask_all({impl_->options, impl_->expectation, impl_->past}, history, *now);
  std::vector<Ledger::Blind> blind;
  for (const Silence& one : round.silences) {
    if (one.judgement.outcome == Outcome::Unknown) blind.push_back({one.rule, one.judgement.subject});
  }
  report->attested = std::move(round.attested);
  report->findings = impl_->ledger.settle(round.failures, blind, report->at, *now);
  std::vector<Finding> all;
  if (!impl_->options.waivers.empty()) all = report->findings;
  waive(impl_->options.waivers, report->findings, *report);
  impl_->add_blind_ports(*now, *report);
  impl_->add_gaps(round, *report);
  impl_->conclude(round, *report);
  if (!report->waived_findings.empty()) {
    Report without;
    without.snapshot = now;
    without.findings = std::move(all);
    impl_->conclude(round, without);
    report->score_without_waivers = without.score;
    for (std::size_t i = 0; i < report->ports.size(); ++i)
      report->ports[i].score_without_waivers = without.ports[i].score;
  }
  report->summary = summary_of(*report);
  return report;
}

}  // namespace roceready::rules
