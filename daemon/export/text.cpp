// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/evidence/text.h"
#include "daemon/export/finding_text.h"
#include "daemon/export/paint.h"
#include "daemon/export/port_view.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

using rules::Gap;
using rules::Report;
using rules::Verdict;

std::string words_of(const char* name) {
  std::string out = name;
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

Ink ink_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::NotReady:
      return Ink::Red;
    case Verdict::Ready:
      return Ink::Green;
    case Verdict::Degraded:
    case Verdict::Unknown:
    case Verdict::Initializing:
      return Ink::Yellow;
    case Verdict::NotApplicable:
      return Ink::Plain;
  }
  return Ink::Plain;
}

std::string headline(const Report& report, const Paint& paint) {
  std::string verdict = words_of(name_of(report.verdict));
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  std::string out = paint.ink(ink_of(report.verdict), verdict);
  out += report.score ? "   score " + short_number(*report.score) + " of 100" : "   no score";
  if (report.score_without_waivers) out += " (" + short_number(*report.score_without_waivers) + " without waivers)";
  const std::string host = report.snapshot && report.snapshot->node.hostname ? *report.snapshot->node.hostname : "";
  if (!host.empty()) out += "   " + clean_text(host);
  if (report.at.wall_ns != 0) out += "   " + rfc3339(report.at.wall_ns);  // files may not tell
  out += "\n";
  return out + wrapped("", report.summary);
}

/// "Profile nvidia-lossless (named), role gpu, with lag; cnp_dscp 4 instead of 48."
std::string profile_text(const rules::ProfileUse& use) {
  std::string out = "Profile " + clean_text(use.name) + " (" + name_of(use.origin);
  if (use.since_wall_ns && *use.since_wall_ns != 0) out += " since " + rfc3339(*use.since_wall_ns);
  out += ")";
  if (!use.role.empty()) out += ", role " + clean_text(use.role);
  for (std::size_t i = 0; i < use.modifiers.size(); ++i)
    out += (i == 0 ? ", with " : ", ") + clean_text(use.modifiers[i]);
  for (std::size_t i = 0; i < use.changed.size(); ++i)
    out += (i == 0 ? "; " : ", ") + use.changed[i].key + " " + clean_text(use.changed[i].value) + " instead of " +
           (use.changed[i].otherwise.empty() ? "none" : clean_text(use.changed[i].otherwise));
  out += ".";
  // "named by the user" alone says nothing new.
  const bool plain = use.origin == rules::ProfileOrigin::Named && use.why.find(',') == std::string::npos;
  return plain || use.why.empty() ? out : out + " " + clean_text(use.why) + ".";
}

std::string basis(const Report& report) {
  std::string out;
  if (report.profile.name.empty() && report.verdict == Verdict::NotApplicable) {
    out += "Nothing here is judged as RoCE.";
  } else if (report.profile.name.empty()) {
    out += "No profile is stated, so this node is never called ready: name one with --profile NAME.";
  } else {
    out += profile_text(report.profile);
  }
  out += " " + short_number(report.coverage.ratio * 100) + " % of what applies could be judged (" +
         std::to_string(report.coverage.judged) + " checks, " + std::to_string(report.coverage.unknown) + " unknown).";
  out += " Observed for " + duration_text(report.window_seconds);
  // A recording with a coarse clock does not know.
  if (report.kernel_seconds > 0)
    out += ", " + duration_text(report.kernel_seconds) + " of the last sample in kernel calls";
  out += ".";
  if (report.source_kind != "live") out += " Source: " + report.source_kind + " " + report.source_detail + ".";
  return wrapped("", out);
}

std::string priorities_text(const Reading<PfcFacts>& pfc) {
  if (!pfc) return "pfc ?";
  std::string list;
  for (const std::uint8_t p : priorities_of(pfc->enabled)) list += (list.empty() ? "" : ",") + std::to_string(p);
  return list.empty() ? "pfc off" : "pfc " + list;
}

std::string member_line(const MemberView& member) {
  if (member.facts == nullptr) return clean_text(member.name) + " (not seen)";
  const DcbFacts& dcb = member.facts->dcb;
  return padded(clean_text(member.name), 10) + " " + padded(speed_text(member.speed_bits_per_second), 9) + " " +
         padded(priorities_text(dcb.pfc), 8) + " trust " + (dcb.trust ? clean_text(*dcb.trust) : "?");
}

std::string port_line(const PortView& view, const Paint& paint) {
  const rules::PortReport& judged = *view.judged;
  std::string out = "  " + padded(clean_text(view.name()), 14) + " ";
  out += paint.ink(ink_of(judged.verdict), padded(words_of(name_of(judged.verdict)), 14)) + " ";
  out += padded(judged.score ? short_number(*judged.score) : "-", 5) + " ";
  if (view.facts == nullptr) return out + "not there\n";
  const char* link = !view.carrier ? "link ?" : *view.carrier ? "link up" : "link down";
  out += padded(link, 9) + " mtu " + padded(view.mtu ? std::to_string(*view.mtu) : "?", 5) + "  ";
  if (view.members.size() == 1) return out + member_line(view.members.front()) + "\n";
  out += clean_text(view.netdev) + "\n";
  for (const MemberView& member : view.members) out += std::string(41, ' ') + member_line(member) + "\n";
  return out;
}

std::string ports(const Report& report, const Paint& paint, bool verbose) {
  std::string in, outside;
  std::size_t out_of_scope = 0;
  for (const PortView& view : port_views(report)) {
    if (view.judged->in_scope) {
      in += port_line(view, paint);
    } else {
      ++out_of_scope;
      if (verbose || out_of_scope <= 4)
        outside += wrapped("  " + padded(clean_text(view.name()), 14) + " out of scope: ", view.judged->why_not);
    }
  }
  if (!verbose && out_of_scope > 4)
    outside += "  and " + std::to_string(out_of_scope - 4) + " more out of scope (--verbose lists them)\n";
  if (in.empty() && outside.empty()) return {};
  return "\n" + paint.ink(Ink::Bold, "PORTS") + "\n" + in + outside;
}

/// A source that knows nothing better says "refused", and who remembers it says "refused since …".
std::string without_echo(std::string detail) {
  const std::string echo = "refused; refused since";
  if (const auto at = detail.find(echo); at != std::string::npos) detail.erase(at, std::string("refused; ").size());
  return detail;
}

/// Gaps that share reason and remedy are told once, with the rules that they stop.
std::string gaps(const std::vector<Gap>& list, const std::string& title, const Paint& paint, bool verbose) {
  if (list.empty()) return {};
  std::string out = "\n" + paint.ink(Ink::Bold, title) + "\n";
  std::set<std::size_t> told;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (told.contains(i)) continue;
    std::string rules_text;
    std::set<std::string> subjects;
    for (std::size_t k = i; k < list.size(); ++k) {
      const bool same =
          list[k].why == list[i].why && list[k].detail == list[i].detail && list[k].settle_with == list[i].settle_with;
      if (!same) continue;
      told.insert(k);
      const std::string name = list[k].rule.empty() ? "facts" : clean_text(list[k].rule);
      if ((", " + rules_text + ",").find(", " + name + ",") == std::string::npos)
        rules_text += (rules_text.empty() ? "" : ", ") + name;
      subjects.insert(subject_text(list[k].subject));
    }
    const std::string where = subjects.size() == 1 ? *subjects.begin() : std::to_string(subjects.size()) + " subjects";
    out += wrapped("  ", rules_text + " (" + where + ")");
    out += wrapped("      ", words_of(clean_text(list[i].why).c_str()) +
                                 (list[i].detail.empty() ? "" : ": " + without_echo(list[i].detail)));
    if (!list[i].settle_with.empty()) out += wrapped("      settle with: ", list[i].settle_with);
    if (verbose && subjects.size() > 1)
      for (const std::string& subject : subjects) out += "      on " + subject + "\n";
  }
  return out;
}

std::string attested(const Report& report, const Paint& paint) {
  if (report.attested.empty()) return {};
  std::string out = "\n" + paint.ink(Ink::Bold, "ATTESTED, NOT READ") + "\n";
  for (const rules::Attested& one : report.attested) {
    out += wrapped("  ", clean_text(one.rule) + " (" + subject_text(one.subject) + ")");
    out += wrapped("      ",
                   clean_text(one.by) + ", until " + rfc3339(one.expires_wall_ns) + ": " + clean_text(one.reason));
  }
  return out;
}

std::string limits(const Report& report, const Paint& paint) {
  if (report.limits_changed.empty()) return {};
  std::string out = "\n" + paint.ink(Ink::Bold, "LIMITS CHANGED BY THE CONFIGURATION") + "\n";
  for (const auto& limit : report.limits_changed)
    out += "  " + clean_text(limit.option) + ": " + number_text(limit.value) + " (default " +
           number_text(limit.default_value) + ")\n";
  return out;
}

}  // namespace

std::string subject_text(const Subject& subject) {
  std::string out;
  if (!subject.device.empty()) out = clean_text(subject.device) + "/" + std::to_string(subject.port);
  const std::string netdev = clean_text(subject.member.empty() ? subject.netdev : subject.member);
  if (!netdev.empty()) out += (out.empty() ? "" : " ") + netdev;
  if (out.empty()) out = "this node";
  if (subject.priority) out += " priority " + std::to_string(*subject.priority);
  if (subject.peer) out += " to " + clean_text(*subject.peer);
  return out;
}

std::string speed_text(const Reading<std::uint64_t>& bits_per_second) {
  if (!bits_per_second) return "?";
  const auto value = static_cast<double>(*bits_per_second);
  return value >= 1e9 ? short_number(value / 1e9) + " Gb/s" : short_number(value / 1e6) + " Mb/s";
}

std::string report_text(const Report& report, const TextOptions& options) {
  const Paint paint(options.colour);
  std::string out = headline(report, paint) + "\n" + basis(report);
  out += findings_text(report, paint, options.verbose);
  out += ports(report, paint, options.verbose);
  out += gaps(report.unknown, "COULD NOT BE JUDGED", paint, options.verbose);
  out += gaps(report.waived, "WAIVED", paint, options.verbose);
  out += attested(report, paint);
  out += limits(report, paint);
  if (options.verbose) {
    out += gaps(report.not_looked_at, "NOT LOOKED AT", paint, true);
  } else if (!report.not_looked_at.empty()) {
    std::map<std::string, std::size_t> reasons;
    for (const Gap& gap : report.not_looked_at) ++reasons[words_of(clean_text(gap.why).c_str())];
    std::string list;
    for (const auto& [why, count] : reasons) list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + why;
    out += "\n" + wrapped("Not looked at: ", list + " (--verbose says which).");
  }
  if (report.files_read) out += files_text(*report.files_read, paint, options.verbose);
  return out;
}

}  // namespace roceready::daemon
