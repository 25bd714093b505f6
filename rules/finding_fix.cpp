// SPDX-License-Identifier: Apache-2.0
#include "rules/finding_fix.h"

#include <string_view>
#include <utility>

#include "rules/roce_chain.h"
#include "rules/rule.h"

namespace roceready::rules {

std::vector<FixCommand> fix_of(const Evidence& seen) {
  const Rule& rule = seen.rule();
  const std::vector<Recipe> recipes = std::string_view(rule.id) == "qos-chain-broken"
                                          ? cures_of_chain(seen)
                                          : std::vector<Recipe>(rule.fix.begin(), rule.fix.end());
  std::vector<FixCommand> out;
  for (const Recipe recipe : recipes)
    for (FixCommand& command : commands_for(recipe, seen)) out.push_back(std::move(command));
  return out;
}

}  // namespace roceready::rules
