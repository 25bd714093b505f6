// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/rule_text.h"

#include <array>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "daemon/export/paint.h"
#include "daemon/export/port_json.h"

namespace roceready::daemon {
namespace {

using rules::Limit;
using rules::Rule;

std::vector<std::string> judged_names(const Rule& rule) {
  static constexpr std::array<std::pair<std::uint8_t, const char*>, 5> kNames{{{rules::kStatic, "static"},
                                                                               {rules::kRate, "rate"},
                                                                               {rules::kProbe, "probe"},
                                                                               {rules::kLldp, "lldp"},
                                                                               {rules::kFabric, "fabric"}}};
  std::vector<std::string> out;
  for (const auto& [bit, name] : kNames)
    if ((rule.judged & bit) != 0) out.emplace_back(name);
  return out;
}

std::vector<std::string> mode_names(std::uint8_t modes) {
  std::vector<std::string> out;
  for (const auto mode : {rules::kLossless, rules::kPfcOnly, rules::kLossy, rules::kNotRoce})
    if ((modes & mode) != 0) out.emplace_back(name_of(mode));
  return out;
}

std::vector<std::string> severity_names(const Rule& rule) {
  std::vector<std::string> out;
  for (const auto severity : rule.severities) out.emplace_back(name_of(severity));
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string mandatory_in(const Rule& rule) {
  if (rule.mandatory_for_link_pause) return "where the profile relies on link-level pause";
  if (!rule.mandatory_over_distance) return joined(mode_names(rule.mandatory));
  return joined(mode_names(rule.modes)) + ", with modifier long-haul";
}

const char* status_of(const Rule& rule) {
  return rule.status == rules::Status::Active ? "active" : "planned";
}

const char* proof_of(char evidence) {
  switch (evidence) {
    case 'V':
      return "vendor document";
    case 'K':
      return "kernel source";
    case 'P':
      return "paper";
    case 'T':
      return "tool";
    case 'S':
      return "standard";
    default:
      return "our own reasoning";
  }
}

std::string option_of(const Rule& rule, const Limit& limit) {
  return std::string("rules.") + rule.id + "." + limit.name;
}

Json brief(const Rule& rule) {
  Json out;
  out["id"] = rule.id;
  out["title"] = rule.title;
  out["family"] = rule.family;
  out["severities"] = severity_names(rule);
  out["judged"] = judged_names(rule);
  out["modes"] = mode_names(rule.modes);
  out["status"] = status_of(rule);
  return out;
}

template <class List>
Json texts(const List& list) {
  Json out = Json::array();
  for (const char* text : list) out.push_back(text);
  return out;
}

std::string signals_of(const Rule& rule) {
  std::vector<std::string> names;
  for (const CounterId id : rule.needs) names.emplace_back(info_of(id).name);
  return joined(names);
}

}  // namespace

std::string rule_text(const Rule& rule, bool colour) {
  const Paint paint(colour);
  constexpr std::size_t kLabel = 13;
  std::string out = paint.ink(Ink::Bold, rule.id) + "  " + rule.title + "\n\n";
  const auto line = [&](const char* label, const std::string& text) {
    if (!text.empty()) out += labelled(0, label, kLabel, text);
  };
  line("Reads", rule.what);
  line("Why", rule.why);
  line("Do", rule.next);
  bool first = true;
  for (const char* cause : rule.likely_causes) line(std::exchange(first, false) ? "Causes" : "", cause);
  first = true;
  for (const char* trap : rule.traps) line(std::exchange(first, false) ? "Not said" : "", trap);
  out += "\n";
  line("Family", rule.family);
  line("Severity", joined(severity_names(rule)));
  line("Judged by", joined(judged_names(rule)));
  line("Modes", joined(mode_names(rule.modes)));
  line("Mandatory in", mandatory_in(rule));
  line("Signals", signals_of(rule));
  if (rule.hold_within_seconds > 0)
    line("Holds", "a daemon reports it as info until it has lasted " + short_number(rule.hold_seconds) + " s of " +
                      short_number(rule.hold_within_seconds) + " s");
  else if (rule.hold_seconds > 0)
    line("Holds", "a daemon reports it as info for the first " + short_number(rule.hold_seconds) + " s");
  first = true;
  for (const Limit& limit : rule.limits)
    line(std::exchange(first, false) ? "Limits" : "", option_of(rule, limit) + ": " + number_text(limit.value) + " " +
                                                          limit.unit + " (" + proof_of(limit.evidence) + ") " +
                                                          limit.help);
  line("Facts", joined(std::vector<std::string>(rule.facts.begin(), rule.facts.end())));
  line("Since", rule.since);
  if (rule.status == rules::Status::Planned) line("Status", "planned: this version does not judge it yet");
  return out;
}

std::string rule_markdown(const Rule& rule) {
  std::string out = "# " + std::string(rule.id) + "\n\n" + rule.title + ".\n\n";
  out += "| | |\n|---|---|\n";
  const auto row = [&](const char* label, const std::string& text) {
    if (!text.empty()) out += "| " + std::string(label) + " | " + text + " |\n";
  };
  row("Family", rule.family);
  row("Severity", joined(severity_names(rule)));
  row("Judged by", joined(judged_names(rule)));
  row("Modes", joined(mode_names(rule.modes)));
  row("Mandatory in", mandatory_in(rule));
  row("Action", name_of(rule.action));
  row("Signals", signals_of(rule));
  row("Since", rule.since);
  if (rule.status == rules::Status::Planned) row("Status", "planned");
  out += "\n## What it reads and when it fires\n" + std::string(rule.what) + "\n";
  out += "\n## Why it matters\n" + std::string(rule.why) + "\n";
  out += "\n## What to do\n" + std::string(rule.next) + "\n";
  const auto list = [&](const char* title, const auto& items) {
    if (items.empty()) return;
    out += "\n## " + std::string(title) + "\n";
    for (const char* item : items) out += "- " + std::string(item) + "\n";
  };
  list("Likely causes", rule.likely_causes);
  list("What it does not say", rule.traps);
  if (!rule.limits.empty()) {
    out += "\n## Limits\n| option | default | unit | rests on | meaning |\n|---|---|---|---|---|\n";
    for (const Limit& limit : rule.limits)
      out += "| `" + option_of(rule, limit) + "` | " + number_text(limit.value) + " | " + limit.unit + " | " +
             proof_of(limit.evidence) + " | " + limit.help + " |\n";
  }
  list("Facts", rule.facts);
  return out;
}

std::string rules_index_markdown(const std::vector<const Rule*>& list) {
  std::map<std::string, std::vector<const Rule*>> families;
  for (const Rule* rule : list) families[rule->family].push_back(rule);
  std::string out = "# Rules\n\nGenerated from the rules themselves; `roceready explain RULE` says the same.\n";
  for (const auto& [family, members] : families) {
    out += "\n## " + family + "\n| rule | fault | severity |\n|---|---|---|\n";
    for (const Rule* rule : members)
      out += "| [" + std::string(rule->id) + "](" + rule->id + ".md) | " + rule->title +
             (rule->status == rules::Status::Planned ? " (planned)" : "") + " | " + joined(severity_names(*rule)) +
             " |\n";
  }
  return out;
}

std::string rules_text(const std::vector<const Rule*>& list, bool colour) {
  const Paint paint(colour);
  std::size_t width = 0;
  for (const Rule* rule : list) width = std::max(width, columns(rule->id));
  std::string out;
  for (const Rule* rule : list) {
    out += paint.ink(Ink::Bold, padded(rule->id, width)) + "  " + padded(joined(severity_names(*rule)), 17) + "  " +
           rule->title;
    if (rule->status == rules::Status::Planned) out += " (planned)";
    out += "\n";
  }
  return out;
}

std::string rules_json(const std::vector<const Rule*>& list) {
  Json out = Json::array();
  for (const Rule* rule : list) out.push_back(brief(*rule));
  return json_dump(out);
}

std::string rule_json(const Rule& rule) {
  Json out = brief(rule);
  out["action"] = name_of(rule.action);
  out["since"] = rule.since;
  out["mandatory"] = mode_names(rule.mandatory);
  out["what"] = rule.what;
  out["why"] = rule.why;
  out["next"] = rule.next;
  out["likely_causes"] = texts(rule.likely_causes);
  out["traps"] = texts(rule.traps);
  out["facts"] = texts(rule.facts);
  out["signals"] = Json::array();
  for (const CounterId id : rule.needs) out["signals"].push_back(info_of(id).name);
  out["hold_seconds"] = json_number(rule.hold_seconds);
  out["limits"] = Json::array();
  for (const Limit& limit : rule.limits)
    out["limits"].push_back(Json{{"option", option_of(rule, limit)},
                                 {"value", json_number(limit.value)},
                                 {"unit", limit.unit},
                                 {"min", json_number(limit.min)},
                                 {"max", json_number(limit.max)},
                                 {"rests_on", proof_of(limit.evidence)},
                                 {"help", limit.help}});
  return json_dump(out);
}

}  // namespace roceready::daemon
