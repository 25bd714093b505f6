// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/incidents.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/export/paint.h"
#include "daemon/export/port_json.h"

namespace roceready::daemon {
namespace {

using rules::Incident;
using rules::IncidentState;

double lasted_seconds(const Incident& incident, std::int64_t now_wall_ns) {
  const std::int64_t end = incident.end ? incident.end->wall_ns : now_wall_ns;
  // Within one boot the monotonic clock knows better.
  if (incident.end && incident.end->monotonic_ns > incident.begin.monotonic_ns &&
      incident.kind == rules::IncidentKind::Finding) {
    const double by_wall = static_cast<double>(end - incident.begin.wall_ns) * 1e-9;
    const double by_monotonic = seconds_between(incident.begin, *incident.end);
    return by_wall < 0 ? by_monotonic : by_wall;
  }
  return std::max(0.0, static_cast<double>(end - incident.begin.wall_ns) * 1e-9);
}

Json of(const rules::IncidentView& view) {
  Json out;
  out["at"] = json_time(view.wall_ns);
  out["severity"] = name_of(view.severity);
  out["seen"] = json_text(view.seen);
  out["evidence"] = Json::array();
  for (const rules::EvidenceItem& item : view.evidence) out["evidence"].push_back(json_evidence(item));
  return out;
}

Json of(const Incident& incident, std::int64_t now_wall_ns) {
  Json out;
  out["id"] = incident.id;
  out["kind"] = name_of(incident.kind);
  out["key"] = json_text(incident.key);
  out["rule"] = json_text_or_null(incident.rule);
  out["title"] = json_text(incident.title);
  out["subject"] = json_subject(incident.subject);
  out["severity"] = name_of(incident.peak.severity);
  out["state"] = name_of(incident.state);
  out["begin"] = json_time(incident.begin.wall_ns);
  out["end"] = incident.end ? json_time(incident.end->wall_ns) : Json();
  out["lasted_seconds"] = incident.end ? json_number(lasted_seconds(incident, now_wall_ns)) : Json();
  out["ended_by"] = json_text_or_null(incident.ended_by);
  out["relapses"] = incident.relapses;
  out["first"] = of(incident.first);
  out["peak"] = of(incident.peak);
  out["change"] = Json();
  if (!incident.what.empty())
    out["change"] = {
        {"what", json_text(incident.what)}, {"from", json_text(incident.from)}, {"to", json_text(incident.to)}};
  return out;
}

/// "2026-11-30 00:01:02".
std::string short_time(std::int64_t wall_ns) {
  std::string out = rfc3339(wall_ns).substr(0, 19);
  std::replace(out.begin(), out.end(), 'T', ' ');
  return out;
}

std::string state_text(const Incident& incident) {
  if (incident.kind != rules::IncidentKind::Finding) return "change";
  if (incident.state != IncidentState::Ended) return name_of(incident.state);
  return incident.ended_by == "cleared" ? "ended" : incident.ended_by;
}

}  // namespace

Result<std::int64_t> parse_since(const std::string& text, std::int64_t now_wall_ns) {
  if (const auto ago = parse_duration(text)) return now_wall_ns - *ago;
  if (const auto at = parse_rfc3339(text)) return *at;
  return Error{
      ErrorCode::Usage,
      "\"" + clean_text(text).substr(0, 100) + "\" is neither a duration (24h) nor a time (2026-11-30T00:00:00Z)", "",
      0};
}

IncidentList filtered(const IncidentList& list, const IncidentFilter& filter) {
  IncidentList out;
  out.complete = list.complete;
  for (const IncidentPtr& each : list.incidents) {
    const std::int64_t end = each->end ? each->end->wall_ns : INT64_MAX;
    if (filter.since_wall_ns && end < *filter.since_wall_ns) continue;
    if (!filter.device.empty() && each->subject.device != filter.device) continue;
    if (filter.port && each->subject.port != *filter.port) continue;
    out.incidents.push_back(each);
  }
  return out;
}

std::string incidents_json(const IncidentList& list, std::int64_t now_wall_ns) {
  Json out;
  out["schema"] = "roceready.incidents/1";
  out["generated_at"] = json_time(now_wall_ns);
  out["complete"] = list.complete;
  out["incidents"] = Json::array();
  for (const IncidentPtr& each : list.incidents) out["incidents"].push_back(of(*each, now_wall_ns));
  return json_dump(out);
}

std::string incidents_text(const IncidentList& list, std::int64_t now_wall_ns, bool colour) {
  if (list.incidents.empty()) return "Nothing happened in that time.\n";
  const Paint paint(colour);
  std::string out =
      padded("BEGIN (UTC)", 21) + padded("LASTED", 10) + padded("SEVERITY", 10) + padded("STATE", 14) + "WHAT\n";
  if (!list.complete) out = "Older incidents are left out.\n" + out;
  for (const IncidentPtr& each : list.incidents) {
    const Incident& incident = *each;
    const bool moment = incident.kind != rules::IncidentKind::Finding;
    const std::string severity = moment ? "" : name_of(incident.peak.severity);
    out += padded(short_time(incident.begin.wall_ns), 21) +
           padded(moment ? "" : duration_text(lasted_seconds(incident, now_wall_ns)), 10) +
           paint.ink(moment                                                ? Ink::Plain
                     : incident.peak.severity == rules::Severity::Critical ? Ink::Red
                                                                           : Ink::Yellow,
                     padded(severity, 10)) +
           padded(state_text(incident), 14) + clean_text(incident.key) + "\n";
    out += "    " + clean_text(incident.peak.seen) + "\n";
    if (incident.relapses > 0)
      out += "    It came back " + std::to_string(incident.relapses) + " times before it was over.\n";
  }
  return out;
}

}  // namespace roceready::daemon
