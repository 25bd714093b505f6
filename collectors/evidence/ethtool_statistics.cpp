// SPDX-License-Identifier: Apache-2.0
// ethtool -S NETDEV: "NIC statistics:" and "     name: value" lines.
#include <algorithm>
#include <string>
#include <unordered_set>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"
#include "collectors/vendors/vendor.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeading = "NIC statistics:";

/// Names of all drivers' statistics, one for each priority where they have one.
std::unordered_set<std::string> make_names() {
  constexpr std::string_view kPriority = "{prio}";
  std::unordered_set<std::string> out;
  for (const VendorTable* table : vendor_tables()) {
    for (const CounterRow& row : table->rows) {
      if (row.source != Source::EthtoolStatistics) continue;
      const auto hole = row.name.find(kPriority);
      if (hole == std::string_view::npos) {
        out.emplace(row.name);
        continue;
      }
      for (char digit = '0'; digit <= '7'; ++digit)
        out.insert(std::string(row.name.substr(0, hole)) + digit +
                   std::string(row.name.substr(hole + kPriority.size())));
    }
  }
  return out;
}

/// Whether some driver has a statistic of this name.
bool is_known_name(std::string_view name) {
  static const std::unordered_set<std::string> kNames = make_names();
  return kNames.contains(std::string(name));
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "ethtool") return false;
  auto netdev = word_after(words, "-S");
  if (!netdev) netdev = word_after(words, "--statistics");
  if (!netdev) return false;
  if (is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

/// Name and number at the last ": ": bnxt_en's names hold one, "[0]: rx_ucast_packets".
std::optional<KeyValue> statistic_of(std::string_view line) {
  line = trim(line);
  const auto colon = line.rfind(": ");
  if (colon == std::string_view::npos || colon == 0 || !parse_count(trim(line.substr(colon + 1)))) return std::nullopt;
  return KeyValue{trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
}

Fit fit(std::string_view line, About&) {
  if (trim(line) == kHeading) return Fit::Begins;
  if (refusal_of(line)) return Fit::Possible;
  const auto pair = statistic_of(line);
  const bool queue = pair && pair->key.starts_with("[");
  if (!pair || (pair->key.find(' ') != std::string_view::npos && !queue)) return Fit::No;
  if (is_known_name(pair->key)) return Fit::Certain;
  return Fit::Possible;
}

void parse(const Section& section, Draft& draft) {
  const std::string& name = section.about.netdev;
  Netdev& netdev = draft.netdev(name);
  bool stated = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    if (trim(line.text) == kHeading) return draft.cite("ethtool statistics of " + name, section, line.number), true;
    const auto pair = statistic_of(line.text);
    const auto value = pair ? parse_count(pair->value) : std::nullopt;
    if (!value) return false;
    draft.statistic(name, std::string(pair->key), *value, section, line.number);
    return stated = true;
  });
  if (refused && !stated && !netdev.ethtool.statistics) netdev.ethtool.statistics = *refused;
}

}  // namespace

extern const Format kEthtoolStatistics;
constinit const Format kEthtoolStatistics{"ethtool -S", "ethtool -S NETDEV", true, made_by, fit, parse};

}  // namespace roceready::evidence
