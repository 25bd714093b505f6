// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "daemon/cli/command.h"
#include "daemon/export/rule_text.h"
#include "rules/engine.h"

namespace roceready::daemon::cli {

int run_explain(const Words& words, Terminal& terminal) {
  std::string id, format = "text";
  bool markdown = false;
  const std::vector<OptionSpec> options = {
      {"RULE+", "id of a rule, e.g. pfc-disabled", &id},
      {"--format", "text or json", &format, false, "FORMAT"},
      {"--markdown", "the page of docs/rules/", &markdown, true},
  };
  if (const auto code = parse({"explain", "What a rule reads, when it fires, why it matters, what to do.", run_explain},
                              options, words, terminal))
    return *code;
  const auto json = wants_json(format);
  if (!json) return fail(terminal, json.error());
  const rules::Rule* rule = rules::rule_named(id);
  if (rule == nullptr) {
    Words ids;
    for (const rules::Rule* each : rules::catalogue()) ids.emplace_back(each->id);
    const std::string near = nearest_of(id, ids);
    return usage(terminal, "\"" + clean_text(id) + "\" is no rule; " +
                               (near.empty() ? "roceready rules lists them" : "did you mean " + near + "?"));
  }
  terminal.out(markdown ? rule_markdown(*rule)
               : *json  ? rule_json(*rule)
                        : rule_text(*rule, terminal.out_has_colour()));
  return kOk;
}

}  // namespace roceready::daemon::cli
