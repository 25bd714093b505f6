// SPDX-License-Identifier: Apache-2.0
#include "rules/engine.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/time.h"
#include "rules/acceptance.h"
#include "rules/burst_evidence.h"
#include "rules/decision_trees.h"
#include "rules/evidence.h"
#include "rules/expectation.h"
#include "rules/ledger.h"
#include "rules/planned.h"
#include "rules/port_probes.h"
#include "rules/rates.h"
#include "rules/verdict.h"

namespace roceready::rules {
namespace {

Subject subject_of(const RdmaPort& port, const Netdev* member) {
  Subject subject;
  subject.device = port.device;
  subject.port = port.port;
  subject.netdev = member != nullptr ? member->link.name : port.netdev.value_or("");
  if (member != nullptr && port.members.size() > 1) subject.member = member->link.name;
  return subject;
}

/// DCBX may still be negotiating: settings are judged only after they stood for a minute (rules.md 1.6.1).
bool negotiates_dcbx(const Netdev* member) {
  constexpr std::uint32_t kManagedByFirmware = 2;
  if (member == nullptr) return false;
  const bool managed = member->dcb.dcbx && (*member->dcb.dcbx & kManagedByFirmware) != 0;
  return managed || (member->dcb.ets && member->dcb.ets->willing);
}

/// Whether this failure would stand without any profile. What loses data or hurts other nodes was measured: the profile
/// only says where to look.
bool stands_without_profile(Evidence::Context context, const Judgement& failure) {
  const Rule& rule = *context.rule;
  const std::string_view id = rule.id, family = rule.family;
  if (family == "drop" || id.starts_with("pfc-storm-")) return true;
  if ((rule.modes & kRoceModes) != kRoceModes) return false;
  context.profile = nullptr;
  const Evidence seen(context);
  Outcomes out(failure.subject);
  rule.judge(seen, out);
  return std::any_of(out.entries().begin(), out.entries().end(), [&](const Judgement& one) {
    return one.outcome == Outcome::Fail && one.severity >= failure.severity &&
           one.subject.priority == failure.subject.priority && one.subject.peer == failure.subject.peer;
  });
}

/// No critical rests on a guess alone.
void doubt_guesses(const Evidence::Context& context, double confidence, std::vector<Judgement>& said) {
  for (Judgement& one : said) {
    if (one.outcome != Outcome::Fail || stands_without_profile(context, one)) continue;
    one.confidence = std::min(one.confidence, confidence);
    if (one.severity != Severity::Critical) continue;
    one.severity = Severity::Warning;
    one.sentence += " It would be critical if the profile were stated; it is only inferred: state the profile.";
  }
}

double hold_of(const Rule& rule, const Evidence& seen) {
  double hold = limit_named(rule, "hold_s") != nullptr ? seen.limit("hold_s") : rule.hold_seconds;
  const std::string_view family = rule.family;
  const bool setting = rule.judged == kStatic && (family == "pfc" || family == "qos");
  if (setting && seen.has_member() && negotiates_dcbx(&seen.member())) hold = std::max(hold, 60.0);
  return hold;
}

/// A reading that the driver refuses or answers with nonsense, behind which something critical may hide: no port is
/// called ready over that. What a kernel lacks or a privilege withholds is a known blind spot and only lowers the
/// coverage.
bool hides_a_critical(const Rule& rule, const Judgement& judgement) {
  if (judgement.outcome != Outcome::Unknown) return false;
  const auto& severities = rule.severities;
  const bool can_be_critical = std::find(severities.begin(), severities.end(), Severity::Critical) != severities.end();
  if (!can_be_critical) return false;
  const std::string& why = judgement.why;
  // Counters need no privilege: one who is denied them is denied the judgement.
  const bool denied_counters = why == name_of(Why::Denied) && rule.judged == kRate;
  return why == name_of(Why::Malformed) || why == name_of(Why::TimedOut) || denied_counters;
}

/// A weak limit alone never makes a critical: it takes a second finding of another family on the same port.
void demote_weak(std::vector<Finding>& findings) {
  std::vector<Finding*> weak;
  for (Finding& finding : findings) {
    if (finding.rule->weak && finding.severity == Severity::Critical) weak.push_back(&finding);
  }
  for (Finding* finding : weak) {
    const bool second = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      return other.state == FindingState::Active && other.severity != Severity::Info &&
             other.subject.device == finding->subject.device && other.subject.port == finding->subject.port &&
             std::string_view(other.rule->family) != finding->rule->family;
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

  /// What a rule is asked about; the same for all rules of a port or member.
  struct Target {
    const RdmaPort* port = nullptr;    // null: the node
    const Netdev* member = nullptr;    // null: the port
    const Profile* profile = nullptr;  // null: none is stated
    CountedSide member_side{}, port_side{};
    std::optional<const PciFunction*> function{};
    Subject subject{};
  };
  /// Unknown, or not looked at.
  struct Silence {
    const Rule* rule;
    Judgement judgement;
  };
  /// One round of judging: what each rule said, and which failures that makes.
  struct Round {
    const History& history;
    const Snapshot& now;
    std::deque<Target> targets{};
    std::vector<RuleJudgement> said{};  // node rules, then port by port
    std::vector<Silence> silences{};
    std::vector<Ledger::Failure> failures{};
    std::vector<Attested> attested{};
    std::map<const RdmaPort*, std::pair<std::size_t, std::size_t>> of_port{};  // range in `said`, ports in scope
    Outcomes out{Subject{}};                                                   // of the rule that is asked
  };
  [[nodiscard]] const Target& target(Round& round, const RdmaPort& port, const Netdev* member) const;
  void ask(Round& round, const Rule& rule, const Target& target);
  void take(Round& round, const Evidence& seen, const Target& target, Judgement& judgement);
  void ask_port(Round& round, const RdmaPort& port);
  void conclude(const Round& round, Report& report) const;
  /// Takes the silences out of the round.
  void add_gaps(Round& round, Report& report) const;
  PortReport port_report(const Round& round, const RdmaPort& port, const Report& report) const;
  void judge_node(const Round& round, Report& report) const;
};

const Engine::Impl::Target& Engine::Impl::target(Round& round, const RdmaPort& port, const Netdev* member) const {
  Target& out = round.targets.emplace_back();
  out.port = &port;
  out.member = member;
  out.profile = expectation.of(port);
  if (member != nullptr) out.member_side = {round.history, member->link.name, member->counters};
  out.port_side = {round.history, owner_of(port), port.counters};
  out.function = function_of(round.now, &port, member);
  out.subject = subject_of(port, member);
  return out;
}

void Engine::Impl::ask(Round& round, const Rule& rule, const Target& target) {
  const Profile* profile = target.profile;
  const Evidence::Context context{&round.history,
                                  &round.now,
                                  target.port,
                                  target.member,
                                  profile,
                                  &rule,
                                  &options.limits,
                                  options.one_shot,
                                  &options.rdma_units,
                                  &past,
                                  &options.demands,
                                  target.member == nullptr ? nullptr : &target.member_side,
                                  target.port == nullptr ? nullptr : &target.port_side,
                                  target.function};
  const Evidence seen(context);
  Outcomes& out = round.out;
  out.begin_anew(target.subject);
  const bool every_roce_mode = (rule.modes & kRoceModes) == kRoceModes;
  if (profile != nullptr && (rule.modes & profile->mode) == 0) {
    out.not_applicable("not a demand of the profile");
  } else if (profile == nullptr && !every_roce_mode) {
    out.not_looked_at("no_profile", "what is expected depends on the profile",
                      "--profile NAME, or profile: NAME in the configuration");
  } else if (rule.scope == Scope::Member && target.member == nullptr) {
    out.unknown({Why::NotPresent, "the port's network device is not visible"});
  } else {
    rule.judge(seen, out);
  }
  const std::optional<double> guessed = expectation.guessed();
  if (guessed && profile == expectation.of_node()) doubt_guesses(context, *guessed, out.entries());
  for (Judgement& judgement : out.entries()) take(round, seen, target, judgement);
}

void Engine::Impl::take(Round& round, const Evidence& seen, const Target& target, Judgement& judgement) {
  const Rule& rule = seen.rule();
  const Profile* profile = target.profile;
  if (target.port != nullptr)
    attest(options.attestations, rule, *target.port, profile, midpoint(round.now).wall_ns, judgement, round.attested);
  round.said.push_back({&rule, &target.subject, judgement.outcome, hides_a_critical(rule, judgement)});
  if (judgement.outcome == Outcome::Unknown || judgement.outcome == Outcome::NotLookedAt)
    round.silences.push_back({&rule, std::move(judgement)});
  if (round.said.back().outcome != Outcome::Fail) return;
  const auto calm = profile != nullptr ? why_info_only(rule, *profile) : std::nullopt;
  if (calm && judgement.severity != Severity::Info) {
    judgement.severity = Severity::Info;
    judgement.sentence += " " + *calm;
  }
  Finding finding;
  finding.key = std::string(rule.id) + "@" + judgement.subject.key();
  finding.rule = &rule;
  finding.severity = judgement.severity;
  finding.confidence = judgement.confidence;
  finding.subject = judgement.subject;
  finding.seen = std::move(judgement.sentence);
  finding.next = rule.next;
  finding.evidence = std::move(judgement.evidence);
  if (target.port != nullptr) add_bursts(seen, finding.evidence);
  finding.derived_threshold = judgement.derived_threshold;
  if (finding.severity != Severity::Info) {
    for (const Recipe recipe : rule.fix) {
      std::vector<FixCommand> commands = commands_for(recipe, seen);
      finding.fix.insert(finding.fix.end(), commands.begin(), commands.end());
    }
  }
  round.failures.push_back({std::move(finding), hold_of(rule, seen)});
}

void Engine::Impl::ask_port(Round& round, const RdmaPort& port) {
  const std::size_t begin = round.said.size();
  const bool no_probes = probes_are_off(round.now);
  const Target& whole = target(round, port, nullptr);
  std::vector<const Target*> members;
  for (const std::string& name : port.members)
    if (const Netdev* member = round.now.netdev(name)) members.push_back(&target(round, port, member));
  for (const Rule* rule : catalogue()) {
    if (rule->scope == Scope::Node || rule->status == Status::Planned) continue;
    if (no_probes && rests_on_probes(*rule)) continue;  // named once for the whole node: add_unprobed
    if (rule->scope == Scope::Port || members.empty()) {
      ask(round, *rule, whole);
      continue;
    }
    for (const Target* member : members) ask(round, *rule, *member);
  }
  round.of_port[&port] = {begin, round.said.size()};
}

void Engine::Impl::add_gaps(Round& round, Report& report) const {
  for (Silence& one : round.silences) {
    Judgement& j = one.judgement;
    Gap gap{one.rule->id, std::move(j.subject), std::move(j.why), std::move(j.sentence), std::move(j.settle_with)};
    (j.outcome == Outcome::Unknown ? report.unknown : report.not_looked_at).push_back(std::move(gap));
  }
  report.not_looked_at.insert(report.not_looked_at.end(), past.gaps.begin(), past.gaps.end());
  std::uint8_t modes = 0;
  for (const RdmaPort& port : round.now.ports) {
    if (!port.in_scope) continue;
    const Profile* profile = expectation.of(port);
    modes |= profile != nullptr ? static_cast<std::uint8_t>(profile->mode) : std::uint8_t{kRoceModes};
  }
  if (modes != 0 && probes_are_off(round.now)) add_unprobed(modes, round.now.probes.absent(), report.not_looked_at);
  add_planned(modes, report.not_looked_at);
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
  PortState state;
  state.profile_stated = profile != nullptr;
  if (profile == nullptr && expectation.unconfigured())  // said as a finding while it is so
    state.profile_stated = std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return std::string_view(finding.rule->id) == "qos-never-configured" && finding.subject.device == port.device &&
             finding.subject.port == port.port;
    });
  state.not_roce = profile != nullptr && profile->mode == kNotRoce;
  // The youngest part of the port decides: one that was plugged in later has no past yet.
  double watched = round.history.observed_seconds(owner_of(port));
  for (const std::string& member : port.members) watched = std::min(watched, round.history.observed_seconds(member));
  state.initializing = !options.one_shot && watched < options.initializing_seconds;
  const auto [first, last] = round.of_port.at(&port);
  const std::uint8_t mode = profile != nullptr ? static_cast<std::uint8_t>(profile->mode) : std::uint8_t{kRoceModes};
  for (std::size_t k = first; k < last; ++k) {
    const RuleJudgement& one = round.said[k];
    if (one.outcome != Outcome::Unknown) continue;
    // A peer or path of which nothing is known hides nothing of this port; results that make no sense may.
    const bool of_peer = round.now.probes && rests_on_probes(*one.rule);
    if ((one.rule->mandatory & mode) != 0 || (one.hides_a_critical && !of_peer)) state.mandatory_unknown = true;
  }
  state.coverage = out.coverage = coverage_of(round.said.data() + first, round.said.data() + last);
  for (const Finding& finding : report.findings) {
    if (finding.subject.device == port.device && finding.subject.port == port.port) state.findings.push_back(&finding);
  }
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
    return judged || std::string_view(finding->rule->id) == "host-rdma-driver-missing";
  });
  if (critical)
    report.verdict = Verdict::NotReady;
  else if (degraded && judged)
    report.verdict = worse(report.verdict, Verdict::Degraded);
  const auto failed = [](const CollectorRun& run) { return run.ran && !run.success && run.collector == "rdma_ports"; };
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
  report.causes = fold_causes(report.findings);
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

  Impl::Round round{history, *now};
  Impl::Target& node = round.targets.emplace_back();
  node.profile = impl_->expectation.of_node();
  for (const Rule* rule : catalogue()) {
    if (rule->scope == Scope::Node && rule->status == Status::Active) impl_->ask(round, *rule, node);
  }
  bool no_profile = false;
  for (const RdmaPort& port : now->ports) {
    if (!port.in_scope) continue;
    impl_->ask_port(round, port);
    no_profile = no_profile || impl_->expectation.of(port) == nullptr;
  }
  std::vector<Ledger::Blind> blind;
  for (const Impl::Silence& one : round.silences) {
    if (one.judgement.outcome == Outcome::Unknown) blind.push_back({one.rule, one.judgement.subject});
  }
  report->attested = std::move(round.attested);
  report->findings = impl_->ledger.settle(round.failures, blind, report->at, *now);
  std::vector<Finding> all = report->findings;
  waive(impl_->options.waivers, report->findings, *report);
  if (no_profile) {
    std::string names;
    for (const std::string& name : profile_names()) names += (names.empty() ? "" : ", ") + name;
    report->unknown.push_back({"",
                               {},
                               "no_profile",
                               "no profile is stated: what is expected of this node is not known",
                               "--profile NAME (" + names + ")"});
  }
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
