// SPDX-License-Identifier: Apache-2.0
// ethtool -S NETDEV: "NIC statistics:" and "     name: value" lines.
#include <algorithm>

#include "collectors/counter_plan.h"
#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeading = "NIC statistics:";

/// Whether some driver has a statistic of this name.
bool is_known_name(std::string_view name) {
  for (const VendorTable* table : vendor_tables()) {
    for (const CounterRow& row : table->rows) {
      if (row.source == Source::EthtoolStatistics && lane_of_name(row.name, name)) return true;
    }
  }
  return false;
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "ethtool") return false;
  auto netdev = word_after(words, "-S");
  if (!netdev) netdev = word_after(words, "--statistics");
  if (!netdev) return false;
  if (is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

Fit fit(std::string_view line, About&) {
  if (trim(line) == kHeading) return Fit::Begins;
  const auto pair = key_value(line);
  if (!pair || pair->key.find(' ') != std::string_view::npos || !parse_u64(pair->value)) return Fit::No;
  if (is_known_name(pair->key)) return Fit::Certain;
  return Fit::Possible;
}

void parse(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    if (trim(line.text) == kHeading) {
      draft.netdev(section.about.netdev);
      draft.cite("ethtool statistics of " + section.about.netdev, section, line.number);
      continue;
    }
    const auto pair = key_value(line.text);
    const auto value = pair ? parse_u64(pair->value) : std::nullopt;
    if (value)
      draft.statistic(section.about.netdev, std::string(pair->key), *value, section, line.number);
    else
      draft.unread(section, line, "no \"name: number\"");
  }
}

}  // namespace

extern const Format kEthtoolStatistics;
constinit const Format kEthtoolStatistics{"ethtool -S", "ethtool -S NETDEV", true, made_by, fit, parse};

}  // namespace roceready::evidence
