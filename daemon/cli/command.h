// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "daemon/cli/terminal.h"
#include "rules/report.h"

namespace roceready::daemon::cli {

// Exit codes of all commands; diagnose has its own below them.
inline constexpr int kOk = 0, kUsage = 64, kIo = 74;

using Words = std::vector<std::string>;

/// One subcommand: a file each, listed in commands().
struct Command {
  const char* name;
  const char* help;
  int (*run)(const Words& words, Terminal& terminal);  ///< null: not in this version
};
[[nodiscard]] const std::vector<Command>& commands();
/// The program: `words` is argv without argv[0]. Returns the exit code.
[[nodiscard]] int run(const Words& words, Terminal& terminal);

/// One option of a subcommand, for parse().
struct OptionSpec {
  std::string names;  ///< "--window", or "RULE" for a positional word (add "+" behind the name when it must be given)
  std::string help;
  /// A flag, a word, a word that may be left out ("--daemon[=URL]": "" then), several words.
  std::variant<bool*, std::string*, std::optional<std::string>*, Words*> to;
  bool hidden = false;
  const char* value = "TEXT";  ///< name of the value in --help
};

/// Parses the words of one subcommand. nullopt: go on; else the exit code to leave with (--help was printed, or what is
/// wrong and what to try, with the nearest option).
[[nodiscard]] std::optional<int> parse(const Command& command, const std::vector<OptionSpec>& options,
                                       const Words& words, Terminal& terminal);

/// Prints an error and returns its exit code: 64 for Usage, else 74.
[[nodiscard]] int fail(Terminal& terminal, const Error& error);
[[nodiscard]] int usage(Terminal& terminal, const std::string& message);
/// text or json; a Usage error names the nearest.
[[nodiscard]] Result<bool> wants_json(const std::string& format);

/// 0 ready, 1 degraded, 2 not_ready, 3 else, as monitoring plug-ins; `only_critical` makes 1 become 0.
[[nodiscard]] int exit_code(rules::Verdict verdict, bool only_critical);
/// The verdict of that name; Unknown for a word that is none.
[[nodiscard]] rules::Verdict verdict_named(const std::string& name);

int run_diagnose(const Words& words, Terminal& terminal);
int run_daemon(const Words& words, Terminal& terminal);
int run_record(const Words& words, Terminal& terminal);
int run_probe(const Words& words, Terminal& terminal);
int run_responder(const Words& words, Terminal& terminal);
int run_incidents(const Words& words, Terminal& terminal);
int run_explain(const Words& words, Terminal& terminal);
int run_rules(const Words& words, Terminal& terminal);
int run_check_config(const Words& words, Terminal& terminal);
int run_print_config(const Words& words, Terminal& terminal);
int run_version(const Words& words, Terminal& terminal);

}  // namespace roceready::daemon::cli
