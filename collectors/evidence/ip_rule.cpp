// SPDX-License-Identifier: Apache-2.0
// ip rule: "32765:\tfrom 10.1.0.0/24 lookup 101", and ip route, of which snapshots hold nothing.
#include <algorithm>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

using Words = std::vector<std::string_view>;

std::string_view after(const Words& words, std::string_view key) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == key) return words[i + 1];
  return {};
}

bool is_rule(const Words& words) {
  return words.size() >= 4 && words[0].ends_with(":") && parse_u32(words[0].substr(0, words[0].size() - 1)) &&
         (words[1] == "from" || words[1] == "not");
}

bool rule_made_by(std::span<const std::string> words, About&) {
  return words[0] == "ip" && (has_word(words, "rule") || has_word(words, "ru"));
}

Fit rule_fit(std::string_view line, About&) {
  if (is_rule(words_of(line))) return Fit::Certain;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

/// Number of a routing table; 0 for a name that only /etc/iproute2/rt_tables knows.
std::uint32_t table_of(std::string_view name) {
  if (name == "local") return 255;
  if (name == "main") return 254;
  if (name == "default") return 253;
  return parse_u32(name).value_or(0);
}

std::optional<PolicyRule> rule_of(const Words& words) {
  PolicyRule out;
  const std::string_view source = after(words, "from");
  out.out_netdev = after(words, "oif");
  out.table = table_of(after(words, "lookup"));
  if (source != "all" && source.find(':') == std::string_view::npos) {
    const auto slash = source.find('/');
    const auto prefix =
        slash == std::string_view::npos ? std::optional<std::uint32_t>(32) : parse_u32(source.substr(slash + 1));
    if (!prefix || *prefix > 32) return std::nullopt;
    out.source = source.substr(0, slash);
    out.source_prefix = *prefix;
  }
  if (after(words, "lookup").empty() || (out.source.empty() && out.out_netdev.empty())) return std::nullopt;
  return out;
}

void parse_rules(const Section& section, Draft& draft) {
  constexpr std::size_t kMost = 4096;
  std::vector<PolicyRule> rules;
  bool first = false, last = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const Words words = words_of(line.text);
    if (!is_rule(words)) return false;
    draft.cite("routing rules (ip rule)", section, line.number);
    first = first || after(words, "lookup") == "local";
    last = last || after(words, "lookup") == "main" || after(words, "lookup") == "default";
    auto rule = rule_of(words);
    if (rule && rules.size() < kMost) rules.push_back(std::move(*rule));
    return true;
  });
  // That there is none is told only by a list from its begin to its end.
  if (!rules.empty() || (first && last))
    draft.host().policy_rules = rules;
  else if (refused && !draft.host().policy_rules)
    draft.host().policy_rules = *refused;
}

bool route_made_by(std::span<const std::string> words, About&) {
  return words[0] == "ip" && (has_word(words, "route") || has_word(words, "r") || has_word(words, "ro"));
}

Fit route_fit(std::string_view line, About&) {
  constexpr std::string_view kTypes[] = {"default",   "unreachable", "blackhole", "local",
                                         "broadcast", "prohibit",    "nexthop"};
  const Words words = words_of(line);
  if (words.size() < 3) return refusal_of(line) ? Fit::Possible : Fit::No;
  const bool has_dev = std::find(words.begin(), words.end(), "dev") != words.end();
  const bool typed = std::find(std::begin(kTypes), std::end(kTypes), words[0]) != std::end(kTypes);
  const bool address = words[0].find_first_not_of("0123456789abcdef.:/") == std::string_view::npos &&
                       words[0].find_first_of(".:") != std::string_view::npos;
  if (has_dev && (typed || address) && (words[1] == "dev" || words[1] == "via" || typed)) return Fit::Certain;
  return typed ? Fit::Possible : Fit::No;
}

void parse_routes(const Section&, Draft&) {}

}  // namespace

extern const Format kIpRule, kIpRoute;
constinit const Format kIpRule{"ip rule", "ip rule", false, rule_made_by, rule_fit, parse_rules};
constinit const Format kIpRoute{"ip route", "ip route", false, route_made_by, route_fit, parse_routes};

}  // namespace roceready::evidence
