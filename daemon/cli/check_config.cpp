// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "daemon/cli/command.h"
#include "daemon/export/port_json.h"
#include "daemon/probing/peer_sources.h"
#include "daemon/setup.h"

namespace roceready::daemon::cli {

int run_check_config(const Words& words, Terminal& terminal) {
  std::string file, format = "text";
  const std::vector<OptionSpec> options = {
      {"FILE+", "configuration file", &file},
      {"--format", "text or json", &format, false, "FORMAT"},
  };
  if (const auto code = parse({"check-config", "All problems of a configuration file at once.", run_check_config},
                              options, words, terminal))
    return *code;
  const auto json = wants_json(format);
  if (!json) return fail(terminal, json.error());
  if (const auto readable = check_readable(file); !readable) return fail(terminal, readable.error());
  config::LoadOutcome outcome = load_options(file, {});
  if (outcome.loaded && !outcome.loaded->settings.probes.secret_file.empty()) {
    if (const auto secret = read_secret(outcome.loaded->settings.probes.secret_file); !secret)
      outcome.problems.push_back({"probes.secret_file", secret.error().text()});
  }
  if (*json) {
    Json out = Json::array();
    for (const auto& problem : outcome.problems)
      out.push_back(Json{{"key", json_text_or_null(problem.key)}, {"message", json_text(problem.message)}});
    terminal.out(json_dump(out));
  } else if (outcome.problems.empty()) {
    terminal.out(clean_text(file) + ": good\n");
  } else {
    for (const auto& problem : outcome.problems)
      terminal.out(clean_text(file) + ": " + clean_text(problem.message) + "\n");
  }
  return outcome.problems.empty() ? kOk : kUsage;
}

}  // namespace roceready::daemon::cli
