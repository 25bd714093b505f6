// SPDX-License-Identifier: Apache-2.0
// ethtool -S NETDEV --groups eth-phy eth-mac eth-ctrl rmon, or --all-groups: "Standard stats for NETDEV:" and
// "GROUP-NAME: value" lines. They are kept as statistics by these names, which no driver uses for its own.
#include <string>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kGroups[] = {"eth-phy-", "eth-mac-", "eth-ctrl-", "rmon-", "rx-rmon-", "tx-rmon-"};

std::optional<std::string> heading(std::string_view line) {
  return netdev_between(line, "Standard stats for ", ":");
}

bool made_by(std::span<const std::string> words, About& about) {
  const bool groups = has_word(words, "--groups") || has_word(words, "--all-groups");
  return groups && ethtool_asks(words, {"-S", "--statistics"}, about);
}

std::optional<KeyValue> statistic_of(std::string_view line) {
  const auto pair = key_value(line);
  if (!pair || !parse_u64(pair->value) || pair->key.find(' ') != std::string_view::npos) return std::nullopt;
  for (const std::string_view group : kGroups)
    if (pair->key.starts_with(group)) return pair;
  return std::nullopt;
}

Fit fit(std::string_view line, About& about) {
  if (const auto netdev = heading(line)) {
    about.netdev = *netdev;
    return Fit::Begins;
  }
  return statistic_of(line) ? Fit::Certain : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  const std::string& name = section.about.netdev;
  draft.netdev(name);
  static_cast<void>(take_lines(section, draft, [&](const Line& line) {
    if (heading(line.text)) return true;
    const auto pair = statistic_of(line.text);
    const auto value = pair ? parse_u64(pair->value) : std::nullopt;
    if (value) draft.statistic(name, std::string(pair->key), *value, section, line.number);
    return value.has_value();
  }));
}

}  // namespace

extern const Format kEthtoolGroups;
constinit const Format kEthtoolGroups{
    "ethtool -S --groups", "ethtool -S NETDEV --all-groups", true, made_by, fit, parse};

}  // namespace roceready::evidence
