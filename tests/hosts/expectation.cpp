// SPDX-License-Identifier: Apache-2.0
#include "tests/hosts/expectation.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "rules/rule.h"

namespace roceready::hosts {
namespace {

using nlohmann::json;
using rules::Finding;
using rules::Report;

std::string rule_of(const std::string& key) {
  return key.substr(0, key.find('@'));
}

bool contains(const json& list, const std::string& word) {
  return std::any_of(list.begin(), list.end(), [&](const json& one) { return one == word; });
}

/// Rules that nothing here could judge are listed in one gap for all.
bool names(const std::string& list, const std::string& rule) {
  for (std::size_t at = list.find(rule); at != std::string::npos; at = list.find(rule, at + 1)) {
    const std::size_t end = at + rule.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ',')) return true;
  }
  return false;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_grave(const Finding& finding) {
  return finding.severity != rules::Severity::Info;
}

class Comparison {
 public:
  Comparison(const json& expect, const Judged& judged) : expect_(expect), report_(*judged.report) {}

  std::vector<std::string> run() {
    check_verdict();
    check_findings();
    check_words();
    check_gaps();
    check_rates();
    check_symptoms();
    return std::move(wrong_);
  }

 private:
  void complain(std::string text) { wrong_.push_back(std::move(text)); }
  [[nodiscard]] const json& member(const char* name) const {
    static const json kNone = json::array();
    return expect_.contains(name) ? expect_.at(name) : kNone;
  }

  void check_verdict() {
    const std::string verdict = rules::name_of(report_.verdict);
    if (expect_.contains("verdict") && !contains(expect_.at("verdict"), verdict))
      complain("verdict is " + verdict + ", not " + expect_.at("verdict").dump());
    if (expect_.contains("score")) {
      const double wanted = expect_.at("score").get<double>();
      if (!report_.score)
        complain("there is no score, wanted " + expect_.at("score").dump());
      else if (std::lround(*report_.score) != std::lround(wanted))
        complain("score is " + std::to_string(*report_.score) + ", wanted " + expect_.at("score").dump());
    }
    if (expect_.contains("first_cause")) {
      const std::string first = report_.causes.empty() ? "" : rule_of(report_.causes.front());
      const json& wanted = expect_.at("first_cause");
      if (wanted.empty() ? !first.empty() : !contains(wanted, first))
        complain("first cause is " + (first.empty() ? "missing" : first) + ", wanted " + wanted.dump());
    }
    if (expect_.contains("out_of_scope")) {
      const auto out =
          std::count_if(report_.ports.begin(), report_.ports.end(), [](const auto& port) { return !port.in_scope; });
      if (out != expect_.at("out_of_scope").get<std::ptrdiff_t>())
        complain(std::to_string(out) + " ports are out of scope, wanted " + expect_.at("out_of_scope").dump());
    }
  }

  void check_findings() {
    std::set<std::string> wanted;
    for (const json& one : member("must_have")) {
      if (!one.contains("subjects") &&
          std::none_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
            return one.at("rule") == finding.rule->id && one.at("severity") == rules::name_of(finding.severity);
          }))
        complain("no finding " + one.at("rule").get<std::string>() + " of severity " + one.at("severity").dump());
      for (const json& subject : one.value("subjects", json::array())) {
        const std::string key = one.at("rule").get<std::string>() + "@" + subject.get<std::string>();
        wanted.insert(key);
        const Finding* found = report_.finding(key);
        if (found == nullptr)
          complain("no finding " + key);
        else if (one.at("severity") != rules::name_of(found->severity))
          complain(key + " is " + rules::name_of(found->severity) + ", wanted " +
                   one.at("severity").get<std::string>());
      }
    }
    for (const Finding& finding : report_.findings) {
      if (!is_grave(finding)) continue;
      const std::string what = std::string(rules::name_of(finding.severity)) + " " + finding.key + ": " + finding.seen;
      if (contains(member("must_not"), finding.rule->id))
        complain("must not be found: " + what);
      else if (expect_.value("others", "") == "none" && !wanted.contains(finding.key))
        complain("unexpected " + what);
    }
  }

  void check_words() {
    for (const auto& [rule, all] : member("words").items()) {
      for (const json& words : all)
        if (std::none_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
              return rule == finding.rule->id && holds(finding.seen, words.get<std::string>());
            }))
          complain("no finding " + rule + " says: " + words.get<std::string>());
    }
    for (const json& words : member("not_words"))
      for (const Finding& finding : report_.findings)
        if (holds(finding.seen + " " + finding.rule->title, words.get<std::string>()))
          complain(finding.key + " must not say \"" + words.get<std::string>() + "\": " + finding.seen);
  }

  void check_gaps() {
    const auto is_unknown = [&](const std::string& word) {
      return std::any_of(report_.unknown.begin(), report_.unknown.end(), [&](const rules::Gap& gap) {
        return gap.rule == word || gap.rule + "@" + gap.subject.key() == word;
      });
    };
    for (const json& one : member("unknown"))
      if (!is_unknown(one.get<std::string>())) complain(one.get<std::string>() + " is not listed as unknown");
    for (const json& one : member("not_unknown"))
      if (is_unknown(one.get<std::string>())) complain(one.get<std::string>() + " is listed as unknown");
    for (const json& one : member("not_looked_at"))
      if (std::none_of(report_.not_looked_at.begin(), report_.not_looked_at.end(), [&](const rules::Gap& gap) {
            return one == gap.rule || names(gap.detail, one.get<std::string>());
          }))
        complain(one.get<std::string>() + " is not listed as not looked at");
  }

  void check_rates() {
    if (!member("no_rate").empty() && report_.ports.empty()) complain("there is no port to have a rate");
    for (const json& one : member("no_rate"))
      for (const rules::PortReport& port : report_.ports)
        if (const auto rate = port.rates.find(one.get<std::string>()); rate == port.rates.end())
          complain(port.key + " has no rate " + one.get<std::string>() + " at all");
        else if (rate->second)
          complain(rate->first + " of " + port.key + " is " + std::to_string(*rate->second));
  }

  void check_symptoms() {
    for (const auto& [cause, symptoms] : member("symptoms").items()) {
      for (const json& symptom : symptoms) {
        const bool folded = std::any_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
          return symptom == finding.rule->id &&
                 std::any_of(finding.symptom_of.begin(), finding.symptom_of.end(),
                             [&](const std::string& key) { return rule_of(key) == cause; });
        });
        if (!folded) complain(symptom.get<std::string>() + " is not folded under " + cause);
      }
    }
  }

  const json& expect_;
  const Report& report_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> disagreements(const json& expect, const Judged& judged) {
  return Comparison(expect, judged).run();
}

Result<json> read_expectation(const std::filesystem::path& directory) {
  const auto path = directory / "expect.json";
  std::ifstream in(path);
  json out = json::parse(in, nullptr, false);
  if (out.is_discarded()) return Error{ErrorCode::Malformed, "is missing or no JSON", path.string()};
  return out;
}

}  // namespace roceready::hosts
