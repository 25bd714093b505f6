// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/command.h"
#include "daemon/export/rule_text.h"
#include "rules/engine.h"

namespace roceready::daemon::cli {

int run_rules(const Words& words, Terminal& terminal) {
  std::string format = "text";
  bool markdown = false;
  const std::vector<OptionSpec> options = {
      {"--format", "text or json", &format, false, "FORMAT"},
      {"--markdown", "docs/rules/README.md", &markdown, true},
  };
  if (const auto code = parse({"rules", "The list of rules; roceready explain RULE tells more.", run_rules}, options,
                              words, terminal))
    return *code;
  const auto json = wants_json(format);
  if (!json) return fail(terminal, json.error());
  const auto& list = rules::catalogue();
  terminal.out(markdown ? rules_index_markdown(list)
               : *json  ? rules_json(list)
                        : rules_text(list, terminal.out_has_colour()));
  return kOk;
}

}  // namespace roceready::daemon::cli
