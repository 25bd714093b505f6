// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/command.h"

#include <cstring>

#include "core/base/text.h"
#include "daemon/export/paint.h"
#include "daemon/version.h"

namespace roceready::daemon::cli {
namespace {

std::string help_text() {
  std::string out = "roceready " + version() +
                    ": is this node ready for lossless RDMA over Ethernet, and if not, what is to be fixed?\n\n";
  out += "usage: roceready COMMAND [OPTION…]   (roceready COMMAND --help for its options)\n\n";
  for (const Command& command : commands())
    out += "  " + padded(command.name, 14) + command.help + (command.run == nullptr ? " (not in this version)" : "") +
           "\n";
  return out + "\nIt reads and judges; it never changes a setting of the host, the NIC or the switch.\n";
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands())
    if (name == command.name) return &command;
  return nullptr;
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"diagnose", "one report, then exits: 0 ready, 1 degraded, 2 not ready, 3 unknown", run_diagnose},
      {"daemon", "samples, judges, serves HTTP", run_daemon},
      {"record", "records this host so that anyone can replay it", run_record},
      {"incidents", "what happened, begin to end", run_incidents},
      {"explain", "what a rule reads, when it fires, why it matters, what to do", run_explain},
      {"rules", "the list of rules", run_rules},
      {"check-config", "all problems of a configuration file at once", run_check_config},
      {"print-config", "the effective configuration, and where each value came from", run_print_config},
      {"version", "version, build, kernel interfaces found", run_version},
      {"probe", "RDMA probes to peers now: latency, loss, class on arrival, MTU of the path", run_probe},
      {"responder", "answers probes, without the rest of the daemon", run_responder},
  };
  return table;
}

int run(const Words& words, Terminal& terminal) {
  if (words.empty()) {
    terminal.err(help_text());
    return kUsage;
  }
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    terminal.out(help_text());
    return kOk;
  }
  const Words rest(words.begin() + 1, words.end());
  if (name == "--version" || name == "-V") return run_version(rest, terminal);
  const Command* command = find_command(name);
  if (command == nullptr) {
    Words names;
    for (const Command& each : commands()) names.emplace_back(each.name);
    const std::string near = nearest_of(name, names);
    return usage(terminal, "\"" + clean_text(name) + "\" is no command; " +
                               (near.empty() ? "roceready --help lists them" : "did you mean roceready " + near + "?"));
  }
  if (command->run == nullptr) return usage(terminal, name + ": not in this version (" + version() + ")");
  return command->run(rest, terminal);
}

int fail(Terminal& terminal, const Error& error) {
  std::string text = error.text();
  if (error.os_error != 0)
    if (const std::string why = std::strerror(error.os_error); text.find(why) == std::string::npos) text += ": " + why;
  for (const std::string_view line : split(text, '\n')) terminal.err("roceready: " + std::string(line) + "\n");
  return error.code == ErrorCode::Usage ? kUsage : kIo;
}

int usage(Terminal& terminal, const std::string& message) {
  return fail(terminal, Error{ErrorCode::Usage, message, "", 0});
}

Result<bool> wants_json(const std::string& format) {
  if (format == "text") return false;
  if (format == "json") return true;
  const std::string near = nearest_of(format, {"text", "json"});
  return Error{ErrorCode::Usage,
               "--format is text or json, not \"" + clean_text(format) + "\"" +
                   (near.empty() ? "" : "; did you mean " + near + "?"),
               "", 0};
}

int exit_code(rules::Verdict verdict, bool only_critical) {
  switch (verdict) {
    case rules::Verdict::Ready:
      return 0;
    case rules::Verdict::Degraded:
      return only_critical ? 0 : 1;
    case rules::Verdict::NotReady:
      return 2;
    case rules::Verdict::Unknown:
    case rules::Verdict::Initializing:
    case rules::Verdict::NotApplicable:
      return 3;
  }
  return 3;
}

rules::Verdict verdict_named(const std::string& name) {
  using rules::Verdict;
  for (const Verdict verdict :
       {Verdict::Ready, Verdict::Degraded, Verdict::NotReady, Verdict::Initializing, Verdict::NotApplicable})
    if (name == name_of(verdict)) return verdict;
  return Verdict::Unknown;
}

}  // namespace roceready::daemon::cli
