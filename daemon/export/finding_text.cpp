// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/finding_text.h"

#include <cmath>
#include <initializer_list>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/export/text.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

using rules::EvidenceItem;
using rules::Finding;
using rules::Report;
using rules::Severity;

constexpr std::size_t kLabel = 9;

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::Critical:
      return Ink::Red;
    case Severity::Warning:
      return Ink::Yellow;
    case Severity::Info:
      return Ink::Plain;
  }
  return Ink::Plain;
}

/// Whole numbers exactly: a counter or a mask that was rounded cannot be compared with what another tool shows.
std::string amount_text(double number) {
  constexpr double kWholeNumbers = 9007199254740992.0;  // 2^53
  const bool whole = std::abs(number) < kWholeNumbers && number == std::trunc(number);
  return whole ? number_text(number) : short_number(number, 6);
}

std::string scaled(double number, double step, std::initializer_list<const char*> units) {
  std::string unit;
  for (const char* next : units) {
    if (std::abs(number) < step) break;
    number /= step;
    unit = next;
  }
  return unit.empty() ? "" : short_number(number, 6) + " " + unit;
}

/// A number with its unit: "400 Gb/s", "8 MiB (8388608 bytes)", "12 events/s".
std::string value_text(const std::variant<double, std::string>& value, const std::string& unit) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return std::get<std::string>(value) + (unit.empty() ? "" : " " + unit);
  const std::string plain = amount_text(*number) + (unit.empty() ? "" : " " + unit);
  if (unit == "bits/s") {
    const std::string text = scaled(*number, 1000, {"kb/s", "Mb/s", "Gb/s"});
    return text.empty() ? plain : text;
  }
  if (unit == "bytes") {
    const std::string text = scaled(*number, 1024, {"KiB", "MiB", "GiB", "TiB"});
    return text.empty() ? plain : text + " (" + plain + ")";
  }
  return plain;
}

std::string evidence_text(const EvidenceItem& item) {
  std::string out = item.what + " = " + value_text(item.value, item.unit);
  if (item.limit) out += " (fires when " + item.op.value_or("past") + " " + value_text(*item.limit, item.unit) + ")";
  if (!item.source.empty()) out += ", from " + item.source;
  return out;
}

/// Commands stay on one line, however long, so that they can be copied. A note is told once for commands that share it.
std::string commands(const Finding& finding, std::size_t indent, const Paint& paint, bool notes) {
  std::string out, vendor, told;
  for (const rules::FixCommand& fix : finding.fix) {
    const bool other = !vendor.empty() && fix.vendor != vendor;
    out += std::string(indent, ' ') + padded(out.empty() ? "Type" : other ? "or" : "", kLabel);
    out += paint.ink(Ink::Bold, clean_text(fix.command)) + "\n";
    const std::string note = fix.note.empty() && !fix.persistent ? "lost at the next reboot" : fix.note;
    if (notes && !note.empty() && note != told) out += labelled(indent, "", kLabel + 2, note);
    told = note;
    vendor = fix.vendor;
  }
  return out;
}

std::string title_line(const std::string& lead, const Finding& finding, const Paint& paint) {
  const std::string severity = name_of(finding.severity);
  const std::string subject = "[" + subject_text(finding.subject) + "]" +
                              (finding.state == rules::FindingState::Recovering ? " recovering" : "");
  const bool fits = columns(lead + severity + finding.rule->title + subject) + 4 <= kTextWidth;
  return lead + paint.ink(ink_of(finding.severity), severity) + "  " + finding.rule->title +
         (fits ? "  " : "\n" + std::string(columns(lead), ' ')) + subject + "\n";
}

std::string details(const Finding& finding, std::size_t indent, const Paint& paint, bool verbose) {
  std::string out = labelled(indent, "Seen", kLabel, finding.seen);
  if (finding.confidence < 0.995)
    out += labelled(indent, "", kLabel, "confidence " + short_number(finding.confidence, 2));
  if (finding.age_seconds >= 1)
    out += labelled(indent, "Since", kLabel,
                    rfc3339(finding.since_wall_ns) + " (" + duration_text(finding.age_seconds) + ")");
  out += labelled(indent, "Why", kLabel, finding.rule->why);
  out += labelled(indent, "Do", kLabel, clean_text(finding.next));
  out += commands(finding, indent, paint, true);
  if (verbose) {
    for (const EvidenceItem& item : finding.evidence) out += labelled(indent, "Evidence", kLabel, evidence_text(item));
    out += labelled(indent, "Key", kLabel, finding.key);
  }
  return out;
}

/// Symptoms below their cause, each told once in the whole report, symptoms of symptoms as well.
void fold(const Report& report, const Finding& cause, std::size_t indent, std::set<std::string>& told, std::string& out,
          const Paint& paint) {
  for (const std::string& key : cause.cause_of) {
    const Finding* symptom = report.finding(key);
    if (symptom == nullptr || !told.insert(key).second) continue;
    out += title_line(std::string(indent, ' ') + "- ", *symptom, paint);
    out += wrapped(std::string(indent + 2, ' '), symptom->seen);
    if (indent < 16) fold(report, *symptom, indent + 2, told, out, paint);
  }
}

std::string folded(const Report& report, const Finding& cause, std::set<std::string>& told, const Paint& paint) {
  std::string symptoms;
  fold(report, cause, 6, told, symptoms, paint);
  return symptoms.empty() ? symptoms : "    Explains\n" + symptoms;
}

/// A cause in full; the same fault on other subjects below it, with what differs there.
std::string cause_text(const Report& report, const std::vector<const Finding*>& order, const Finding& cause,
                       std::size_t number, std::set<std::string>& told, const Paint& paint, bool verbose) {
  const std::string lead = padded(std::to_string(number) + ".", 3) + " ";
  std::string out =
      title_line(lead, cause, paint) + details(cause, 4, paint, verbose) + folded(report, cause, told, paint);
  for (const Finding* other : order) {
    if (!other->symptom_of.empty()) continue;  // told under its own cause
    if (other->rule != cause.rule || other->severity != cause.severity || !told.insert(other->key).second) continue;
    out += "    Also on [" + subject_text(other->subject) + "]\n";
    out += labelled(4, "Seen", kLabel, other->seen) + commands(*other, 4, paint, false) +
           folded(report, *other, told, paint);
  }
  return out + "    More     roceready explain " + cause.rule->id + "\n";
}

/// A rate over its limit that has not lasted yet: info for now, and what may become a fault.
bool is_not_yet_sustained(const Finding& finding) {
  const std::string_view family = finding.rule->family;
  return finding.severity == Severity::Info && finding.state == rules::FindingState::Active &&
         finding.rule->judged == rules::kRate && (family == "pfc" || family == "transport" || family == "drop");
}

}  // namespace

std::string findings_text(const Report& report, const Paint& paint, bool verbose) {
  std::string out, not_yet;
  std::set<std::string> told;
  std::size_t number = 0, infos = 0;
  std::vector<const Finding*> order;
  for (const std::string& key : report.causes)
    if (const Finding* cause = report.finding(key)) order.push_back(cause);
  for (const Finding& finding : report.findings) order.push_back(&finding);  // what no cause leads to
  for (const Finding* finding : order) {
    if (told.contains(finding->key)) continue;
    if (finding->severity == Severity::Info && !verbose) {
      told.insert(finding->key);
      if (is_not_yet_sustained(*finding))
        not_yet += "  " + std::string(finding->rule->id) + "  [" + subject_text(finding->subject) + "]  " +
                   clean_text(finding->seen) + "\n";
      else
        ++infos;
      continue;
    }
    told.insert(finding->key);
    if (number++ == 0) out += "\n" + paint.ink(Ink::Bold, "FIX FIRST") + "\n";
    out += cause_text(report, order, *finding, number, told, paint, verbose) + "\n";
  }
  if (!out.empty()) out.pop_back();
  if (!not_yet.empty()) out += "\n" + paint.ink(Ink::Bold, "SEEN, NOT YET SUSTAINED") + "\n" + not_yet;
  if (infos > 0)
    out += "\n" + std::to_string(infos) + (infos == 1 ? " remark" : " remarks") +
           " of severity info (--verbose shows " + (infos == 1 ? "it" : "them") + ").\n";
  return out;
}

}  // namespace roceready::daemon
