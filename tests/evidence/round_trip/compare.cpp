// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/round_trip/compare.h"

#include <map>
#include <utility>

#include "collectors/evidence/bundle.h"
#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

using rules::Finding;
using rules::Outcome;
using rules::Severity;

std::map<std::string, const Finding*> findings_of(const rules::Report& report) {
  std::map<std::string, const Finding*> out;
  for (const Finding& finding : report.findings) out[finding.key] = &finding;
  return out;
}

bool is_graver(Severity one, Severity other) {
  const auto rank = [](Severity severity) {
    return severity == Severity::Critical ? 2 : severity == Severity::Warning ? 1 : 0;
  };
  return rank(one) > rank(other);
}

/// What the rule said there, and why.
std::string said_of(const hosts::Judged& judged, const std::string& key) {
  const auto at = judged.outcomes.find(key);
  std::string out = at == judged.outcomes.end() ? "said nothing" : hosts::name_of(at->second);
  for (const auto* gaps : {&judged.report->unknown, &judged.report->not_looked_at})
    for (const rules::Gap& gap : *gaps)
      if (gap.rule + "@" + gap.subject.key() == key) out += ": " + gap.why + ": " + gap.detail;
  return out;
}

}  // namespace

const char* name_of(Differs how) {
  switch (how) {
    case Differs::Lacks:
      return "lacks";
    case Differs::Softens:
      return "softens";
    case Differs::Passes:
      return "passes";
    case Differs::Invents:
      return "invents";
  }
  return "?";
}

std::vector<Difference> differences(const std::vector<Snapshot>& snapshots, const rules::JudgeOptions& options) {
  evidence::Bundle bundle;
  for (const File& file : files_of(snapshots)) bundle.add(file.name, file.text, 0);
  const auto hosts = bundle.finish({});
  std::vector<Difference> out;
  if (hosts.size() != 1) {
    out.push_back({Differs::Invents, "", "the files are of " + std::to_string(hosts.size()) + " hosts"});
    return out;
  }
  rules::JudgeOptions by_files = options;
  by_files.rdma_units.clear();
  const hosts::Judged node = hosts::judge(snapshots, options);
  const hosts::Judged files = hosts::judge(hosts[0].snapshots, std::move(by_files));
  const auto on_node = findings_of(*node.report), in_files = findings_of(*files.report);
  for (const auto& [key, finding] : on_node) {
    const std::string rule = finding->rule->id;
    const std::string what = key + " (" + rules::name_of(finding->severity) + "): ";
    const auto same = in_files.find(key);
    if (same == in_files.end()) {
      const auto outcome = files.outcomes.find(key);
      const bool passes = outcome != files.outcomes.end() && outcome->second == Outcome::Pass;
      out.push_back({passes ? Differs::Passes : Differs::Lacks, rule, what + said_of(files, key)});
    } else if (is_graver(finding->severity, same->second->severity)) {
      out.push_back({Differs::Softens, rule, what + rules::name_of(same->second->severity)});
    } else if (is_graver(same->second->severity, finding->severity)) {
      out.push_back({Differs::Invents, rule, what + rules::name_of(same->second->severity)});
    }
  }
  for (const auto& [key, finding] : in_files) {
    if (on_node.contains(key)) continue;
    out.push_back({Differs::Invents, finding->rule->id,
                   key + " (" + rules::name_of(finding->severity) + "): " + finding->seen +
                       " On the node: " + said_of(node, key)});
  }
  return out;
}

}  // namespace roceready::round_trip
