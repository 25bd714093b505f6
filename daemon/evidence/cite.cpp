// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/cite.h"

#include <algorithm>
#include <map>
#include <utility>

#include "collectors/evidence/ask.h"
#include "core/base/text.h"

namespace roceready::daemon {
namespace {

/// The canonical counter that an item's words begin with, and its lane: "pfc_rx_pause_duration of priority 3 …".
std::string counter_of(const rules::EvidenceItem& item, const Subject& subject) {
  const std::string word = item.what.substr(0, item.what.find(' '));
  if (!counter_from_name(word)) return {};
  return subject.priority ? word + " " + std::to_string(*subject.priority) : word;
}

std::string place_of(const evidence::Draft& draft, const rules::EvidenceItem& item, const Subject& subject) {
  const std::string counter = counter_of(item, subject);
  if (std::string place = draft.place_of(item.source, counter); !place.empty()) return place;
  // Several sources in one item, a file below a directory: the longest beginning that some file holds.
  for (std::string source = item.source; !source.empty();) {
    const auto cut = source.find_last_of("/,; ");
    if (cut == std::string::npos) break;
    source.resize(cut);
    if (std::string place = draft.place_of(source); !place.empty()) return place;
  }
  return {};
}

}  // namespace

void cite_files(const evidence::Draft& draft, rules::Report& report) {
  const auto cite = [&](rules::Finding& finding) {
    for (rules::EvidenceItem& item : finding.evidence) {
      const std::string place = place_of(draft, item, finding.subject);
      if (!place.empty()) item.source = item.source.empty() ? place : place + " (" + item.source + ")";
    }
  };
  for (rules::Finding& finding : report.findings) cite(finding);
  for (rules::WaivedFinding& waived : report.waived_findings) cite(waived.finding);
}

std::vector<std::string> commands_to_ask_for(const rules::Report& report, std::size_t most) {
  std::map<std::string, std::size_t> settles;
  for (const auto* gaps : {&report.unknown, &report.not_looked_at}) {
    for (const rules::Gap& gap : *gaps) {
      if (const std::string command = evidence::command_in_reason(gap.detail); !command.empty()) ++settles[command];
    }
  }
  std::vector<std::pair<std::string, std::size_t>> order(settles.begin(), settles.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (const auto& [command, count] : order) {
    if (out.size() < most) out.push_back(command);
  }
  return out;
}

}  // namespace roceready::daemon
