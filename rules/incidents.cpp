// SPDX-License-Identifier: Apache-2.0
#include "rules/incidents.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "rules/rule.h"

namespace roceready::rules {
namespace {

constexpr std::size_t kMostOpen = 1024, kMostEnds = 4096;
/// Between two samples the clocks of a running machine drift apart by less: NTP slews by 500 ppm.
constexpr double kClockStepSeconds = 1.0;
/// Observed time after which an info finding tells that what was graver before a restart has shrunk.
constexpr double kSettledSeconds = 600;
/// A number that grew by less is no news; the peak itself is exact.
constexpr double kNews = 1.1;

std::string boot_of(const Report& report) {
  return report.snapshot ? report.snapshot->node.boot_id_hash.value_or("") : "";
}

/// The number that a rule compared with its limit, and which way is worse.
std::optional<std::pair<double, bool>> magnitude(const std::vector<EvidenceItem>& evidence) {
  for (const EvidenceItem& item : evidence) {
    const auto* number = std::get_if<double>(&item.value);
    if (number == nullptr || !item.op || item.op->empty() || !std::isfinite(*number)) continue;
    if (item.op->front() == '>') return std::pair(*number, true);
    if (item.op->front() == '<') return std::pair(*number, false);
  }
  return {};
}

/// 0: not worse; 1: a new peak; 2: worth telling.
int worse(const IncidentView& peak, const Finding& now) {
  if (now.severity != peak.severity) return now.severity > peak.severity ? 2 : 0;
  const auto before = magnitude(peak.evidence), after = magnitude(now.evidence);
  if (!before || !after || before->second != after->second) return 0;
  const auto [a, up] = *before;
  const double b = after->first;
  if (up ? b <= a : b >= a) return 0;
  return std::abs(b - a) >= std::abs(a) * (kNews - 1) ? 2 : 1;
}

IncidentView view_of(const Finding& finding, const Instant& at) {
  return {at.wall_ns, finding.severity, finding.seen, finding.evidence};
}

bool lists_ports(const Snapshot& snapshot) {
  return std::none_of(snapshot.collectors.begin(), snapshot.collectors.end(),
                      [](const CollectorRun& run) { return run.collector == "rdma_ports" && run.ran && !run.success; });
}

/// Why the subject is no longer looked at: "" while it is.
std::string gone(const Subject& subject, const Report& report) {
  if (subject.device.empty() || !report.snapshot || !lists_ports(*report.snapshot)) return "";
  const auto port =
      std::find_if(report.snapshot->ports.begin(), report.snapshot->ports.end(),
                   [&](const RdmaPort& each) { return each.device == subject.device && each.port == subject.port; });
  if (port == report.snapshot->ports.end()) return "device_gone";
  if (!port->in_scope) return "out_of_scope";
  const auto& members = port->members;
  const bool has = subject.member.empty() || std::find(members.begin(), members.end(), subject.member) != members.end();
  return has ? "" : "device_gone";
}

bool about(const Gap& gap, const Incident& incident) {
  const Subject &a = gap.subject, &b = incident.subject;
  return gap.rule == incident.rule && a.device == b.device && a.port == b.port &&
         (a.member.empty() || a.member == b.member) && (!a.priority || a.priority == b.priority);
}

const Gap* gap_about(const std::vector<Gap>& gaps, const Incident& incident) {
  const auto found = std::find_if(gaps.begin(), gaps.end(), [&](const Gap& gap) { return about(gap, incident); });
  return found == gaps.end() ? nullptr : &*found;
}

}  // namespace

const char* name_of(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::Finding:
      return "finding";
    case IncidentKind::Drift:
      return "drift";
    case IncidentKind::Clock:
      return "clock";
  }
  return "";
}

const char* name_of(IncidentState state) {
  switch (state) {
    case IncidentState::Active:
      return "active";
    case IncidentState::Recovering:
      return "recovering";
    case IncidentState::Ended:
      return "ended";
  }
  return "";
}

Incident Incidents::moment(IncidentKind kind, const Instant& at, const std::string& boot) {
  Incident out;
  out.id = ++last_id_;
  out.kind = kind;
  out.state = IncidentState::Ended;
  out.begin = at;
  out.end = at;
  out.boot = boot;
  out.first.wall_ns = out.peak.wall_ns = at.wall_ns;
  out.first.severity = out.peak.severity = Severity::Info;
  return out;
}

Incident Incidents::drift(const Report& report, const Subject& subject, const std::string& what,
                          const std::string& from, const std::string& to) {
  Incident out = moment(IncidentKind::Drift, report.at, boot_of(report));
  out.key = "drift@" + subject.key() + " " + what;
  out.title = "A setting changed: " + what;
  out.subject = subject;
  out.what = what;
  out.from = from;
  out.to = to;
  out.first.seen = out.peak.seen = what + " of " + subject.key() + " changed from " + from + " to " + to + ".";
  return out;
}

void Incidents::resume(const std::vector<Incident>& kept, std::uint64_t last_id, const std::optional<Instant>& last,
                       const std::string& boot) {
  last_id_ = std::max(last_id_, last_id);
  for (const Incident& one : kept) {
    last_id_ = std::max(last_id_, one.id);
    if (one.state != IncidentState::Ended) {
      if (open_.size() < kMostOpen && open_.insert_or_assign(one.key, one).second) unconfirmed_[one.key] = true;
    } else if (one.boot == boot && one.end && last_ends_.size() < kMostEnds) {
      std::int64_t& end = last_ends_[one.key];
      end = std::max(end, one.end->monotonic_ns);
    }
  }
  last_ = last;
  boot_ = boot;
}

/// Times of the same boot are anchored to the monotonic clock, so that a step moves them with the wall clock.
void Incidents::note_clock(const Report& report, const std::string& boot, std::vector<IncidentChange>& out) {
  const std::optional<Instant> before = std::exchange(last_, report.at);
  if (!before || boot.empty() || boot != boot_) {
    boot_ = boot;
    return;
  }
  const std::int64_t step = (report.at.wall_ns - before->wall_ns) - (report.at.monotonic_ns - before->monotonic_ns);
  if (std::abs(static_cast<double>(step)) < kClockStepSeconds * 1e9) return;
  Incident event = moment(IncidentKind::Clock, report.at, boot);
  event.key = "clock@node";
  event.title = "The wall clock stepped";
  event.what = "wall_clock";
  event.from = rfc3339(report.at.wall_ns - step);
  event.to = rfc3339(report.at.wall_ns);
  event.first.seen = event.peak.seen = "The wall clock stepped " + std::string(step > 0 ? "forward" : "back") + " by " +
                                       duration_text(std::abs(static_cast<double>(step)) * 1e-9) + ", from " +
                                       event.from + " to " + event.to + ".";
  out.push_back({IncidentChange::Kind::Begins, std::move(event)});
  for (auto& [key, incident] : open_) {
    if (incident.boot != boot) continue;
    incident.begin.wall_ns += step;
    incident.first.wall_ns += step;
    incident.peak.wall_ns += step;
    if (incident.end) incident.end->wall_ns += step;
    out.push_back({IncidentChange::Kind::Changes, incident});
  }
}

void Incidents::see(const Finding& finding, const Report& report, const std::string& boot,
                    std::vector<IncidentChange>& out) {
  const bool active = finding.state == FindingState::Active;
  const auto found = open_.find(finding.key);
  if (found == open_.end()) {
    if (!active) return;  // its begin was never seen
    if (open_.size() >= kMostOpen) {
      ++not_followed_;
      return;
    }
    Incident fresh;
    fresh.id = ++last_id_;
    fresh.key = finding.key;
    fresh.rule = finding.rule->id;
    fresh.title = finding.rule->title;
    fresh.subject = finding.subject;
    fresh.boot = boot;
    auto age = static_cast<std::int64_t>(finding.age_seconds * 1e9);
    if (const auto last = last_ends_.find(finding.key); last != last_ends_.end())
      age = std::min(age, std::max<std::int64_t>(0, report.at.monotonic_ns - last->second));
    fresh.begin = {report.at.monotonic_ns - age, report.at.wall_ns - age};
    fresh.first = fresh.peak = view_of(finding, report.at);
    out.push_back({IncidentChange::Kind::Begins, fresh});
    open_.emplace(finding.key, std::move(fresh));
    return;
  }
  Incident& incident = found->second;
  unconfirmed_.erase(finding.key);
  bool news = false;
  if (active && incident.state == IncidentState::Recovering) {
    incident.state = IncidentState::Active;
    incident.end.reset();
    ++incident.relapses;
    news = true;
  } else if (!active && incident.state == IncidentState::Active) {
    incident.state = IncidentState::Recovering;
    incident.end = report.at;
    news = true;
  }
  const int by = active ? worse(incident.peak, finding) : 0;
  if (by > 0) incident.peak = view_of(finding, report.at);
  if (news || by == 2) out.push_back({IncidentChange::Kind::Changes, incident});
}

/// Why an incident without a grave finding is over; nothing while that is not known.
std::optional<std::string> Incidents::why_over(const Incident& incident, const Report& report) const {
  if (const std::string why = gone(incident.subject, report); !why.empty()) return why;
  if (incident.state == IncidentState::Recovering) return "cleared";
  if (!report.snapshot || gap_about(report.unknown, incident) != nullptr) return {};
  if (gap_about(report.waived, incident) != nullptr) return "waived";
  if (const Gap* gap = gap_about(report.not_looked_at, incident))
    return gap->why == "longer_window" ? std::nullopt : std::optional<std::string>("not_judged");
  // Ports that cannot be listed are judged by nobody.
  if (!incident.subject.device.empty() && !lists_ports(*report.snapshot)) return {};
  if (unconfirmed_.contains(incident.key) && report.window_seconds < kSettledSeconds) {
    const Finding* info = report.finding(incident.key);
    if (info != nullptr) return {};
  }
  return "cleared";
}

std::vector<IncidentChange> Incidents::take(const Report& report) {
  std::vector<IncidentChange> out;
  const std::string boot = boot_of(report);
  note_clock(report, boot, out);
  std::set<std::string_view> grave;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::Info || !grave.insert(finding.key).second) continue;
    see(finding, report, boot, out);
  }
  for (auto each = open_.begin(); each != open_.end();) {
    Incident& incident = each->second;
    const auto why = grave.contains(each->first) ? std::nullopt : why_over(incident, report);
    if (!why) {
      ++each;
      continue;
    }
    if (!incident.end) incident.end = report.at;
    // Of an earlier boot, whose wall clock may have been ahead.
    incident.end->wall_ns = std::max(incident.end->wall_ns, incident.begin.wall_ns);
    incident.state = IncidentState::Ended;
    incident.ended_by = *why;
    if (last_ends_.size() >= kMostEnds) last_ends_.clear();
    last_ends_[each->first] = incident.end->monotonic_ns;
    unconfirmed_.erase(each->first);
    out.push_back({IncidentChange::Kind::Ends, std::move(incident)});
    each = open_.erase(each);
  }
  return out;
}

}  // namespace roceready::rules
