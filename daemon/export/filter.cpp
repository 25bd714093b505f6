// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/filter.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/text.h"

namespace roceready::daemon {
namespace {

using rules::PortReport;
using rules::Report;
using rules::Verdict;

Error no_such_port(const Report& report, const ReportFilter& wanted) {
  const std::string name = wanted.device + (wanted.port ? "/" + std::to_string(*wanted.port) : "");
  std::vector<std::string> names;
  std::string list;
  for (const PortReport& port : report.ports) {
    names.push_back(port.device + "/" + std::to_string(port.port));
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string near = nearest_of(name, names);
  std::string what = "no RDMA port \"" + clean_text(name) + "\"";
  if (!near.empty()) what += "; did you mean " + near + "?";
  if (near.empty()) what += ".";
  what += list.empty() ? " This host shows no RDMA port." : " Ports of this host: " + list;
  return Error{ErrorCode::Usage, what, "", 0};
}

/// The worst verdict in scope, by the order in which Verdict is declared.
void judge_selected(Report& out) {
  const PortReport* worst = nullptr;
  for (const PortReport& port : out.ports) {
    const bool counts = port.in_scope && port.verdict != Verdict::NotApplicable;
    if (counts && (worst == nullptr || port.verdict > worst->verdict)) worst = &port;
  }
  out.verdict = worst != nullptr ? worst->verdict : Verdict::NotApplicable;
  out.score.reset();
  out.coverage = {};
  out.penalties.clear();
  if (worst == nullptr) {
    out.summary = out.ports.front().why_not.empty() ? "The selected port is not judged."
                                                    : "The selected port is out of scope: " + out.ports.front().why_not;
    return;
  }
  out.score = worst->score;
  out.coverage = worst->coverage;
  out.penalties = worst->penalties;
  std::string words = name_of(worst->verdict);
  std::replace(words.begin(), words.end(), '_', ' ');
  out.summary = "Port " + worst->device + "/" + std::to_string(worst->port) + " is " + words + ".";
}

template <class T, class Keep>
void keep_if(std::vector<T>& items, Keep keep) {
  items.erase(std::remove_if(items.begin(), items.end(), [&](const T& item) { return !keep(item); }), items.end());
}

}  // namespace

Result<ReportFilter> parse_port_filter(const std::string& text) {
  ReportFilter out;
  const auto slash = text.find('/');
  out.device = text.substr(0, slash);
  if (slash != std::string::npos) {
    const auto number = parse_u64(text.substr(slash + 1));
    if (!number || *number == 0 || *number > 65535)
      return Error{ErrorCode::Usage,
                   "\"" + clean_text(text) + "\" is not a port; write DEVICE or DEVICE/NUMBER, e.g. mlx5_0/1", "", 0};
    out.port = static_cast<std::uint32_t>(*number);
  }
  if (out.device.empty())
    return Error{ErrorCode::Usage,
                 "\"" + clean_text(text) + "\" is not a port; write DEVICE or DEVICE/NUMBER, e.g. mlx5_0/1", "", 0};
  return out;
}

Result<rules::Severity> parse_severity(const std::string& text) {
  std::vector<std::string> names;
  for (const auto severity : {rules::Severity::Info, rules::Severity::Warning, rules::Severity::Critical}) {
    names.emplace_back(name_of(severity));
    if (text == names.back()) return severity;
  }
  const std::string near = nearest_of(text, names);
  return Error{ErrorCode::Usage,
               "\"" + clean_text(text) + "\" is not a severity (info, warning, critical)" +
                   (near.empty() ? "" : "; did you mean " + near + "?"),
               "", 0};
}

Result<Report> filtered(const Report& report, const ReportFilter& filter) {
  Report out = report;
  if (!filter.device.empty()) {
    const auto wanted = [&](const std::string& device, std::uint32_t port) {
      return device == filter.device && (!filter.port || *filter.port == port);
    };
    keep_if(out.ports, [&](const PortReport& port) { return wanted(port.device, port.port); });
    if (out.ports.empty()) return no_such_port(report, filter);
    keep_if(out.findings, [&](const rules::Finding& f) { return wanted(f.subject.device, f.subject.port); });
    for (auto* gaps : {&out.unknown, &out.not_looked_at, &out.waived})
      keep_if(*gaps, [&](const rules::Gap& gap) { return wanted(gap.subject.device, gap.subject.port); });
    judge_selected(out);
  }
  keep_if(out.findings, [&](const rules::Finding& f) { return f.severity >= filter.min_severity; });
  std::set<std::string> kept;
  for (const rules::Finding& finding : out.findings) kept.insert(finding.key);
  keep_if(out.causes, [&](const std::string& key) { return kept.contains(key); });
  return out;
}

}  // namespace roceready::daemon
