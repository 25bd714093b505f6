// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/cli/command.h"
#include "daemon/evidence/judge.h"
#include "daemon/evidence/text.h"
#include "daemon/export/filter.h"
#include "daemon/export/json.h"
#include "daemon/export/paint.h"
#include "daemon/export/text.h"
#include "daemon/http/client.h"
#include "daemon/one_shot.h"
#include "daemon/setup.h"

namespace roceready::daemon::cli {
namespace {

struct Asked {
  std::string window, interval, format = "text", host, profile, port, min_severity, fail_on, config;
  std::string max_size, max_file_size, max_files;
  Words evidence;
  std::optional<std::string> daemon;
  bool verbose = false, no_color = false;
};

/// What was asked, understood.
struct Wish {
  bool json = false, only_critical = false;
  ReportFilter filter;
  std::optional<std::int64_t> window_ns;
  std::int64_t interval_ns = 1'000'000'000;
  OpenLimits limits;
};

/// Limits of what is read of files, in MiB and files.
Result<OpenLimits> limits_of(const Asked& asked) {
  OpenLimits out;
  const auto set = [](const char* option, const std::string& text, std::uint64_t unit,
                      std::uint64_t& to) -> Result<void> {
    constexpr std::uint64_t kMost = 1'000'000;
    if (text.empty()) return {};
    const auto number = parse_u64(text);
    if (!number || *number == 0 || *number > kMost)
      return Error{ErrorCode::Usage, std::string(option) + " is a number from 1 to 1000000", "", 0};
    to = *number * unit;
    return {};
  };
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  if (auto done = set("--max-size", asked.max_size, kMebibyte, out.total_bytes); !done) return done.error();
  if (auto done = set("--max-file-size", asked.max_file_size, kMebibyte, out.file_bytes); !done) return done.error();
  if (auto done = set("--max-files", asked.max_files, 1, out.files); !done) return done.error();
  return out;
}

Result<Wish> understand(const Asked& asked) {
  Wish out;
  const auto json = wants_json(asked.format);
  if (!json) return json.error();
  out.json = *json;
  if (!asked.port.empty()) {
    auto port = parse_port_filter(asked.port);
    if (!port) return port.error().during("--port");
    out.filter = *port;
  }
  if (!asked.min_severity.empty()) {
    const auto severity = parse_severity(asked.min_severity);
    if (!severity) return severity.error().during("--min-severity");
    out.filter.min_severity = *severity;
  }
  if (!asked.fail_on.empty()) {
    const auto severity = parse_severity(asked.fail_on);
    if (!severity) return severity.error().during("--fail-on");
    if (*severity == rules::Severity::Info) return Error{ErrorCode::Usage, "--fail-on is warning or critical", "", 0};
    out.only_critical = *severity == rules::Severity::Critical;
  }
  if (!asked.window.empty()) {
    const auto window = parse_duration(asked.window);
    if (!window) return window.error().during("--window");
    if (*window > std::int64_t{3600} * 1'000'000'000)
      return Error{ErrorCode::Usage, "--window is at most 1h; for longer, run the daemon", "", 0};
    out.window_ns = *window;
  }
  if (!asked.interval.empty()) {
    const auto interval = parse_duration(asked.interval);
    if (!interval) return interval.error().during("--interval");
    if (*interval < 100'000'000) return Error{ErrorCode::Usage, "--interval is at least 100ms", "", 0};
    out.interval_ns = *interval;
  }
  if (auto limits = limits_of(asked); limits)
    out.limits = *limits;
  else
    return limits.error();
  // A rate needs two samples that lie an interval apart.
  if (asked.evidence.empty() && out.window_ns && *out.window_ns < out.interval_ns)
    return Error{ErrorCode::Usage,
                 "--window is at least the interval, " + duration_text(static_cast<double>(out.interval_ns) * 1e-9) +
                     (asked.interval.empty() ? "; for a shorter one, name an --interval (at least 100ms) too" : ""),
                 "", 0};
  return out;
}

/// The worse of two exit codes: 2 not ready, 3 unknown, 1 degraded, 0.
int worse_exit(int a, int b) {
  constexpr int kOrder[] = {0, 1, 3, 2};
  return kOrder[a] >= kOrder[b] ? a : b;
}

int show(const rules::Report& report, const Asked& asked, const Wish& wish, Terminal& terminal) {
  const auto part = filtered(report, wish.filter);
  if (!part) return fail(terminal, part.error());
  if (wish.json) {
    terminal.out(report_json(*part));
  } else {
    TextOptions options;
    options.verbose = asked.verbose;
    options.colour = terminal.out_has_colour() && !asked.no_color;
    terminal.out(report_text(*part, options));
  }
  return exit_code(part->verdict, wish.only_critical);
}

/// The report of a running daemon, rendered there.
int from_daemon(const Asked& asked, const Wish& wish, Terminal& terminal) {
  if (!asked.host.empty() || !asked.evidence.empty() || !asked.profile.empty() || !asked.config.empty() ||
      wish.window_ns)
    return usage(
        terminal,
        "--daemon shows the report of a running daemon; --host, --evidence, --profile, --config and --window do "
        "not go with it");
  std::string path = std::string("/diagnose?format=") + (wish.json ? "json" : "text");
  if (!asked.port.empty()) path += "&port=" + http::query_escaped(asked.port);
  if (!asked.min_severity.empty()) path += "&min_severity=" + http::query_escaped(asked.min_severity);
  if (asked.verbose && !wish.json) path += "&verbose=1";
  const std::string url = asked.daemon->empty() ? "http://127.0.0.1:9885" : *asked.daemon;
  const auto answer = http::fetch(url, path);
  if (!answer) return fail(terminal, answer.error());
  if (answer->status == 503) {
    const std::string detail = problem_detail_in(answer->body);
    terminal.err("roceready: the daemon has no report to go by: " + (detail.empty() ? "none yet" : detail) + "\n");
    return exit_code(rules::Verdict::Initializing, wish.only_critical);
  }
  if (answer->status == 400 || answer->status == 404) return usage(terminal, problem_detail_in(answer->body));
  const std::string verdict = wish.json ? verdict_in_report_json(answer->body) : answer->verdict;
  if (answer->status != 200 || verdict.empty())
    return fail(terminal, Error{ErrorCode::Io,
                                "what answers at " + url + " is no roceready daemon (status " +
                                    std::to_string(answer->status) + ")",
                                "", 0});
  terminal.out(answer->body);
  return exit_code(verdict_named(verdict), wish.only_critical);
}

std::map<std::string, std::string> overrides_of(const Asked& asked) {
  std::map<std::string, std::string> out;
  if (!asked.profile.empty()) out["profile"] = asked.profile;
  return out;
}

std::optional<std::string> file_of(const Asked& asked) {
  return asked.config.empty() ? std::nullopt : std::optional<std::string>(asked.config);
}

int from_recording(const Asked& asked, const Wish& wish, Terminal& terminal) {
  const auto report = judge_recorded_host(asked.host, file_of(asked), overrides_of(asked), wish.window_ns);
  if (!report) return fail(terminal, report.error());
  return show(**report, asked, wish, terminal);
}

/// Files of another machine: a report for each host that they tell of; the exit code is the worst one's.
int from_evidence(const Asked& asked, const Wish& wish, Terminal& terminal) {
  if (!asked.host.empty() || wish.window_ns)
    return usage(terminal, "--evidence judges files; --host and --window do not go with it");
  EvidenceRequest request;
  request.paths = asked.evidence;
  request.limits = wish.limits;
  request.interval_ns = asked.interval.empty() ? 0 : wish.interval_ns;
  request.config_file = file_of(asked);
  request.overrides = overrides_of(asked);
  request.device = wish.filter.device;
  const auto judged = judge_evidence(request);
  if (!judged) return fail(terminal, judged.error());
  if (judged->hosts.empty()) {
    terminal.out(wish.json ? nothing_json(judged->nothing) : nothing_text(judged->nothing, asked.verbose));
    return exit_code(rules::Verdict::Unknown, false);
  }
  int worst = kOk;
  std::string text;
  for (std::size_t i = 0; i < judged->hosts.size(); ++i) {
    const auto part = filtered(*judged->hosts[i], wish.filter);
    if (!part) return fail(terminal, part.error());
    if (wish.json) {
      text += (i == 0 ? "" : ",\n") + report_json(*part);
    } else {
      TextOptions options;
      options.verbose = asked.verbose;
      options.colour = terminal.out_has_colour() && !asked.no_color;
      text += (i == 0 ? "" : "\n" + std::string(kTextWidth, '=') + "\n\n") + report_text(*part, options);
    }
    worst = worse_exit(worst, exit_code(part->verdict, wish.only_critical));
  }
  terminal.out(wish.json && judged->hosts.size() > 1 ? "[\n" + text + "]\n" : text);
  return worst;
}

int from_this_host(const Asked& asked, const Wish& wish, Terminal& terminal) {
  const auto configuration = load_configuration(file_of(asked), overrides_of(asked));
  if (!configuration) return fail(terminal, configuration.error());
  const config::Settings& settings = configuration->loaded.settings;
  const auto source = live_source(sampler_options(settings));
  const auto report =
      judge_live(*source, judge_options(settings, true), wish.window_ns.value_or(2'000'000'000), wish.interval_ns);
  return show(*report, asked, wish, terminal);
}

}  // namespace

int run_diagnose(const Words& words, Terminal& terminal) {
  Asked asked;
  const std::vector<OptionSpec> options = {
      {"--window",
       "how long to observe: 2s, 5m (default 2s), at least the interval; of a recording: only its last so long",
       &asked.window, false, "DURATION"},
      {"--interval", "time between samples (default 1s); of evidence: between two outputs of one command",
       &asked.interval, false, "DURATION"},
      {"--format", "text or json", &asked.format, false, "FORMAT"},
      {"--host", "a recorded host instead of this one", &asked.host, false, "DIR"},
      {"--evidence", "outputs of other tools instead of this host: files, folders, archives, - for standard input",
       &asked.evidence, false, "PATH…"},
      {"--daemon", "the report of the running daemon (default http://127.0.0.1:9885)", &asked.daemon, false, "[URL]"},
      {"--profile", "what is expected of this node", &asked.profile, false, "NAME"},
      {"--port", "only this port, and its verdict", &asked.port, false, "DEV[/N]"},
      {"--min-severity", "leave out findings below: info, warning, critical", &asked.min_severity, false, "SEVERITY"},
      {"--fail-on", "critical: degraded exits 0 as well", &asked.fail_on, false, "SEVERITY"},
      {"--config", "configuration file", &asked.config, false, "FILE"},
      {"--verbose,-v", "info findings, evidence with sources, all that was not looked at", &asked.verbose},
      {"--no-color", "no colours", &asked.no_color},
      {"--max-size", "of evidence: MiB read in all, unpacked (default 4096)", &asked.max_size, false, "MIB"},
      {"--max-file-size", "of evidence: MiB read of one file (default 1024)", &asked.max_file_size, false, "MIB"},
      {"--max-files", "of evidence: number of files (default 200000)", &asked.max_files, false, "N"},
  };
  if (const auto code =
          parse({"diagnose", "One report, then exits: 0 ready, 1 degraded, 2 not ready, 3 unknown.", run_diagnose},
                options, words, terminal))
    return *code;
  const auto wish = understand(asked);
  if (!wish) return fail(terminal, wish.error());
  if (asked.daemon) return from_daemon(asked, *wish, terminal);
  if (!asked.evidence.empty()) return from_evidence(asked, *wish, terminal);
  if (!asked.host.empty()) return from_recording(asked, *wish, terminal);
  return from_this_host(asked, *wish, terminal);
}

}  // namespace roceready::daemon::cli
