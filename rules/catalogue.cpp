// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rules/engine.h"

namespace roceready::rules {

#define RULE(name) extern const Rule name;
#include "rules/catalog.def"
#undef RULE

const std::vector<const Rule*>& catalogue() {
  static const std::vector<const Rule*> all = {
#define RULE(name) &name,
#include "rules/catalog.def"
#undef RULE
  };
  return all;
}

const Rule* rule_named(std::string_view id) {
  const auto& all = catalogue();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Rule* rule) { return id == rule->id; });
  return found == all.end() ? nullptr : *found;
}

std::vector<CounterId> needed_signals() {
  // What views plot (rates.h) and decision trees read, whether or not a rule does.
  std::vector<CounterId> out{CounterId::RxBytesPhy,    CounterId::TxBytesPhy,         CounterId::RdmaRxPackets,
                             CounterId::RdmaTxPackets, CounterId::PfcRxPauseDuration, CounterId::PfcTxPauseDuration,
                             CounterId::CnpHandled,    CounterId::CnpReceived};
  for (const Rule* rule : catalogue()) out.insert(out.end(), rule->needs.begin(), rule->needs.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

const Limit* limit_named(const Rule& rule, std::string_view name) {
  const auto* found = std::find_if(rule.limits.begin(), rule.limits.end(), [&](const Limit& l) {
    return !name.empty() && name.front() == *l.name && name == l.name;
  });
  return found == rule.limits.end() ? nullptr : found;
}

}  // namespace roceready::rules
