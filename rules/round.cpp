// SPDX-License-Identifier: Apache-2.0
#include "rules/round.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "rules/acceptance.h"
#include "rules/burst_evidence.h"
#include "rules/finding_fix.h"
#include "rules/planned.h"
#include "rules/port_probes.h"
#include "rules/stretches.h"

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
  return managed || (member->dcb.ets && member->dcb.ets->willing.value_or(false));
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

/// Asks, and writes down.
class Asker {
 public:
  Asker(const Terms& terms, Round& round)
      : terms_(terms), round_(round), no_probes_(probes_are_off(round.now)), measured_(was_measured(round.now)) {}
  void ask_node();
  void ask_port(const RdmaPort& port);

 private:
  [[nodiscard]] Target& new_target(const Profile* profile);
  [[nodiscard]] const Target& target(const RdmaPort& port, const Netdev* member);
  void ask(const Rule& rule, const Target& target);
  void take(const Evidence& seen, const Target& target, Judgement& judgement);

  const Terms& terms_;
  Round& round_;
  bool no_probes_, measured_;
  Outcomes out_{Subject{}};  // of the rule that is asked
};

Target& Asker::new_target(const Profile* profile) {
  Target& out = round_.targets.emplace_back();
  Evidence::Context& context = out.context;
  context.history = &round_.history;
  context.now = &round_.now;
  context.profile = profile;
  context.limits = &terms_.options.limits;
  context.one_shot = terms_.options.one_shot;
  context.rdma_units = &terms_.options.rdma_units;
  context.past = &terms_.past;
  context.demands = &terms_.options.demands;
  context.functions = &round_.functions;
  return out;
}

const Target& Asker::target(const RdmaPort& port, const Netdev* member) {
  Target& out = new_target(terms_.expectation.of(port));
  Evidence::Context& context = out.context;
  context.port = &port;
  out.port_side = {round_.history, owner_of(port), port.counters};
  context.port_side = &out.port_side;
  context.member = member;
  if (member != nullptr) {
    out.member_side = {round_.history, member->link.name, member->counters};
    context.member_side = &out.member_side;
  }
  context.function = function_of(round_.now, &port, member);
  out.subject = subject_of(port, member);
  return out;
}

void Asker::ask(const Rule& rule, const Target& target) {
  Evidence::Context context = target.context;
  context.rule = &rule;
  const Profile* const profile = context.profile;
  const Evidence seen(context);
  Outcomes& out = out_;
  out.begin_anew(target.subject);
  const bool every_roce_mode = (rule.modes & kRoceModes) == kRoceModes;
  if (profile != nullptr && (rule.modes & profile->mode) == 0) {
    out.not_applicable("not a demand of the profile");
  } else if (profile == nullptr && !every_roce_mode) {
    out.not_looked_at("no_profile", "what is expected depends on the profile",
                      "--profile NAME, or profile: NAME in the configuration");
  } else if (rule.scope == Scope::Member && context.member == nullptr) {
    out.unknown({Why::NotPresent, "the port's network device is not visible"});
  } else {
    rule.judge(seen, out);
  }
  const std::optional<double> guessed = terms_.expectation.guessed();
  if (guessed && profile == terms_.expectation.of_node()) doubt_guesses(context, *guessed, out.entries());
  for (Judgement& judgement : out.entries()) take(seen, target, judgement);
}

void Asker::take(const Evidence& seen, const Target& target, Judgement& judgement) {
  const Rule& rule = seen.rule();
  const RdmaPort* const port = target.context.port;
  const Profile* const profile = target.context.profile;
  if (port != nullptr && !terms_.options.attestations.empty())
    attest(terms_.options.attestations, rule, *port, profile, midpoint(round_.now).wall_ns, judgement, round_.attested);
  round_.said.push_back({&rule, &target.subject, judgement.outcome, hides_a_critical(rule, judgement)});
  if (judgement.outcome == Outcome::Unknown || judgement.outcome == Outcome::NotLookedAt)
    round_.silences.push_back({&rule, std::move(judgement)});
  if (round_.said.back().outcome != Outcome::Fail) return;
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
  if (port != nullptr) {
    add_bursts(seen, finding.evidence);
    finding.grew = stretches_of(seen, finding.subject.priority);
  }
  finding.derived_threshold = judgement.derived_threshold;
  if (finding.severity != Severity::Info) finding.fix = fix_of(seen);
  round_.failures.push_back({std::move(finding), hold_of(rule, seen), rule.hold_within_seconds});
}

void Asker::ask_port(const RdmaPort& port) {
  const std::size_t begin = round_.said.size();
  const Target& whole = target(port, nullptr);
  std::vector<const Target*> members;
  for (const std::string& name : port.members)
    if (const Netdev* member = round_.now.netdev(name)) members.push_back(&target(port, member));
  for (const Rule* rule : catalogue()) {
    if (rule->scope == Scope::Node || rule->status == Status::Planned) continue;
    if (rule->on_demand && !measured_) continue;         // named once for the whole node: add_unmeasured
    if (no_probes_ && rests_on_probes(*rule)) continue;  // named once for the whole node: add_unprobed
    if (rule->scope == Scope::Port || members.empty()) {
      ask(*rule, whole);
      continue;
    }
    for (const Target* member : members) ask(*rule, *member);
  }
  round_.of_port[&port] = {begin, round_.said.size()};
}

void Asker::ask_node() {
  const Target& node = new_target(terms_.expectation.of_node());
  for (const Rule* rule : catalogue()) {
    if (rule->scope == Scope::Node && rule->status == Status::Active) ask(*rule, node);
  }
  round_.of_node = round_.said.size();
}

}  // namespace

Round ask_all(const Terms& terms, const History& history, const Snapshot& now) {
  Round round{history, now, functions_of_netdevs(now)};
  Asker asker(terms, round);
  asker.ask_node();
  for (const RdmaPort& port : now.ports)
    if (port.in_scope) asker.ask_port(port);
  return round;
}

}  // namespace roceready::rules
