// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/json.h"

#include <algorithm>

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/text.h"
#include "daemon/export/port_json.h"
#include "daemon/version.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

Json of(const std::variant<double, std::string>& value) {
  if (const auto* number = std::get_if<double>(&value)) return json_number(*number);
  return json_text(std::get<std::string>(value));
}

}  // namespace

Json json_subject(const Subject& subject) {
  Json out;
  out["device"] = json_text_or_null(subject.device);
  out["port"] = subject.device.empty() ? Json() : Json(subject.port);
  out["netdev"] = json_text_or_null(subject.netdev);
  if (!subject.member.empty()) out["member"] = json_text(subject.member);
  if (subject.priority) out["priority"] = *subject.priority;
  if (subject.peer) out["peer"] = json_text(*subject.peer);
  if (subject.path) out["path"] = json_text(*subject.path);
  return out;
}

Json json_evidence(const rules::EvidenceItem& item) {
  Json out;
  out["what"] = json_text(item.what);
  out["value"] = of(item.value);
  out["unit"] = json_text(item.unit);
  if (item.op) out["op"] = json_text(*item.op);
  if (item.limit) out["limit"] = of(*item.limit);
  out["source"] = json_text(item.source);
  out["at"] = json_time(item.at_wall_ns);
  return out;
}

namespace {

using rules::Finding;
using rules::Gap;
using rules::Report;

Json of(const rules::FixCommand& fix) {
  Json out;
  out["vendor"] = json_text(fix.vendor);
  out["command"] = json_text(fix.command);
  out["persistent"] = fix.persistent;
  if (!fix.note.empty()) out["note"] = json_text(fix.note);
  return out;
}

Json of(const Finding& finding) {
  Json out;
  out["key"] = json_text(finding.key);
  out["id"] = finding.rule->id;
  out["severity"] = name_of(finding.severity);
  out["action"] = name_of(finding.rule->action);
  out["confidence"] = json_number(finding.confidence);
  out["state"] = finding.state == rules::FindingState::Active ? "active" : "recovering";
  out["since"] = json_time(finding.since_wall_ns);
  out["subject"] = json_subject(finding.subject);
  out["title"] = finding.rule->title;
  out["seen"] = json_text(finding.seen);
  out["evidence"] = Json::array();
  for (const auto& item : finding.evidence) out["evidence"].push_back(json_evidence(item));
  out["impact"] = finding.rule->why;
  out["next"] = json_text(finding.next);
  out["likely_causes"] = Json::array();
  for (const char* cause : finding.rule->likely_causes) out["likely_causes"].push_back(cause);
  out["fix"] = Json::array();
  for (const auto& fix : finding.fix) out["fix"].push_back(of(fix));
  out["cause_of"] = Json::array();
  for (const auto& key : finding.cause_of) out["cause_of"].push_back(json_text(key));
  // One parent is enough for folding; the others name this finding in their cause_of.
  out["symptom_of"] = finding.symptom_of.empty() ? Json() : json_text(finding.symptom_of.front());
  return out;
}

Json of(const std::vector<Gap>& gaps) {
  Json out = Json::array();
  for (const Gap& gap : gaps) {
    Json entry;
    entry["rule"] = json_text_or_null(gap.rule);
    entry["subject"] = json_subject(gap.subject);
    entry["why"] = json_text(gap.why);
    entry["detail"] = json_text(gap.detail);
    entry["settle_with"] = json_text_or_null(gap.settle_with);
    out.push_back(std::move(entry));
  }
  return out;
}

Json waived_of(const Report& report) {
  Json out = of(report.waived);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool counts = i < report.waived_findings.size();
    const auto* one = counts ? &report.waived_findings[i] : nullptr;
    out[i]["finding"] = one != nullptr ? json_text(one->finding.key) : Json();
    out[i]["severity"] = one != nullptr ? Json(name_of(one->finding.severity)) : Json();
    out[i]["reason"] = one != nullptr ? json_text(one->reason) : Json();
    out[i]["expires"] = one != nullptr ? json_time(one->expires_wall_ns) : Json();
  }
  return out;
}

Json attested_of(const Report& report) {
  Json out = Json::array();
  for (const rules::Attested& one : report.attested)
    out.push_back(Json{{"rule", json_text(one.rule)},
                       {"subject", json_subject(one.subject)},
                       {"detail", json_text(one.detail)},
                       {"by", json_text(one.by)},
                       {"reason", json_text(one.reason)},
                       {"expires", json_time(one.expires_wall_ns)},
                       {"confidence", json_number(one.confidence)}});
  return out;
}

Json node_of(const Report& report) {
  const NodeFacts facts = report.snapshot ? report.snapshot->node : NodeFacts{};
  Json out;
  out["hostname"] = json_reading(facts.hostname);
  out["kernel"] = json_reading(facts.kernel);
  out["boot_id_hash"] = json_reading(facts.boot_id_hash);
  out["uptime_seconds"] = json_reading(facts.uptime_seconds);
  return out;
}

Json profile_of(const rules::ProfileUse& use) {
  Json out;
  out["name"] = json_text_or_null(use.name);
  out["origin"] = name_of(use.origin);
  out["since"] = use.since_wall_ns ? json_time(*use.since_wall_ns) : Json();
  out["confidence"] = json_number(use.confidence);
  out["why"] = json_text_or_null(use.why);
  out["role"] = json_text_or_null(use.role);
  out["modifiers"] = Json::array();
  for (const std::string& modifier : use.modifiers) out["modifiers"].push_back(json_text(modifier));
  out["changed"] = Json::array();
  for (const auto& one : use.changed)
    out["changed"].push_back(Json{{"key", json_text(one.key)},
                                  {"value", json_text_or_null(one.value)},
                                  {"otherwise", json_text_or_null(one.otherwise)}});
  return out;
}

Json texts(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& one : list) out.push_back(json_text(one));
  return out;
}

Json files_of(const rules::FilesRead& files) {
  constexpr std::size_t kMostUnread = 1000;
  Json out;
  out["count"] = files.files;
  out["lines_read"] = files.lines_read;
  out["lines_unread"] = files.lines_unread;
  out["formats"] = texts(files.formats);
  out["assumptions"] = texts(files.assumptions);
  out["skipped"] = texts(files.skipped);
  const auto some = static_cast<std::ptrdiff_t>(std::min(files.unread.size(), kMostUnread));
  out["unread"] = texts({files.unread.begin(), files.unread.begin() + some});
  out["ask_for"] = texts(files.ask_for);
  return out;
}

/// How it was looked at: differs between a recording and its replay, so it lives in `source` and nowhere else.
Json source_of(const Report& report) {
  Json out;
  out["kind"] = json_text(report.source_kind);
  out["detail"] = json_text_or_null(report.source_detail);
  out["window_seconds"] = json_number(report.window_seconds);
  out["kernel_seconds"] = json_number(report.kernel_seconds);
  out["one_shot"] = report.one_shot;
  if (report.files_read) out["files"] = files_of(*report.files_read);
  return out;
}

Json whole(const Report& report) {
  Json out;
  out["schema"] = "roceready.report/1";
  out["version"] = version();
  out["generated_at"] = json_time(report.at.wall_ns);
  out["source"] = source_of(report);
  out["node"] = node_of(report);
  out["profile"] = profile_of(report.profile);
  out["verdict"] = name_of(report.verdict);
  out["score"] = report.score ? json_number(*report.score) : Json();
  out["score_without_waivers"] = report.score_without_waivers ? json_number(*report.score_without_waivers) : Json();
  out["coverage"] = json_coverage(report.coverage);
  out["summary"] = json_text(report.summary);
  out["causes"] = Json::array();
  for (const std::string& key : report.causes)
    if (const Finding* finding = report.finding(key)) out["causes"].push_back(of(*finding));
  out["findings"] = Json::array();
  for (const Finding& finding : report.findings) out["findings"].push_back(of(finding));
  out["ports"] = json_ports(report);
  out["penalties"] = json_penalties(report.penalties);
  out["unknown"] = of(report.unknown);
  out["not_looked_at"] = of(report.not_looked_at);
  out["waived"] = waived_of(report);
  out["attested"] = attested_of(report);
  out["limits_changed"] = Json::array();
  for (const auto& limit : report.limits_changed)
    out["limits_changed"].push_back(Json{{"option", json_text(limit.option)},
                                         {"value", json_number(limit.value)},
                                         {"default", json_number(limit.default_value)}});
  return out;
}

}  // namespace

std::string report_json(const Report& report) {
  return json_dump(whole(report));
}

std::string nothing_json(const rules::FilesRead& files) {
  Json out;
  out["schema"] = "roceready.nothing/1";
  out["verdict"] = "unknown";
  out["files"] = files_of(files);
  return json_dump(out);
}

std::string ports_json(const Report& report) {
  return json_dump(json_ports(report));
}

std::string verdict_in_report_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  const auto schema = json.find("schema"), verdict = json.find("verdict");
  if (schema == json.end() || *schema != "roceready.report/1") return {};
  return verdict != json.end() && verdict->is_string() ? verdict->get<std::string>() : std::string();
}

std::string problem_detail_in(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return clean_text(text);
  const auto detail = json.find("detail");
  return detail != json.end() && detail->is_string() ? clean_text(detail->get<std::string>()) : clean_text(text);
}

}  // namespace roceready::daemon
