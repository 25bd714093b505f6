// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "collectors/live/live_host.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/cli/command.h"
#include "daemon/evidence/record.h"
#include "daemon/export/json.h"
#include "daemon/export/port_view.h"
#include "daemon/one_shot.h"
#include "daemon/probing/daemon_probes.h"
#include "daemon/record_writer.h"
#include "daemon/scheduler.h"
#include "daemon/setup.h"
#include "daemon/version.h"

namespace roceready::daemon::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;
void ask_stop(int) {
  stop_asked = 1;
}

/// Ctrl-C ends the recording, which then is complete. sleep_for is interrupted and resumed; the check follows each
/// sample.
void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = ask_stop;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return Error{ErrorCode::Io, "cannot write: " + std::string(std::strerror(errno)), path.string(), errno};
}

Result<std::int64_t> duration_of(const std::string& option, const std::string& text, std::int64_t least_ns) {
  auto value = parse_duration(text);
  if (!value) return value.error().during(option);
  if (*value < least_ns)
    return Error{ErrorCode::Usage, option + " is at least " + duration_text(static_cast<double>(least_ns) * 1e-9), "",
                 0};
  return value;
}

RecordedHostInfo info_of(const config::Settings& settings, const Snapshot& seen) {
  RecordedHostInfo info;
  info.layout = "raw";
  info.origin = "recorded";
  info.description = "Recorded with roceready record.";
  info.profile = settings.profile;
  info.recorded_by = "roceready " + version();
  info.include = settings.ports_include;
  info.exclude = settings.ports_exclude;
  info.expected = settings.ports_expected;
  info.kernel = seen.node.kernel.value_or("");
  for (const Netdev& netdev : seen.netdevs) {
    if (!netdev.ethtool.driver || info.driver.find(netdev.ethtool.driver->driver) != std::string::npos) continue;
    info.driver += (info.driver.empty() ? "" : ", ") + netdev.ethtool.driver->driver;
  }
  return info;
}

struct Plan {
  std::string directory;
  Configuration configuration;
  std::int64_t duration_ns = 0, interval_ns = 0;
};

Result<rules::ReportPtr> record(const Plan& plan, Terminal& terminal) {
  const config::Settings& settings = plan.configuration.loaded.settings;
  auto writer = RecordWriter::create(plan.directory, info_of(settings, {}));
  if (!writer) return writer.error();
  DaemonProbes probes(settings.http_listen, monotonic_now_ns);
  LiveHost live({.root = "", .probes = &probes});
  RecordingHost recording(live.host());
  const auto source = host_source(recording.host(), sampler_options(settings));
  Result<void> written;
  std::size_t samples = 0;
  stop_on_signals();
  const auto report = judge_live(*source, judge_options(settings, true), plan.duration_ns, plan.interval_ns, [&] {
    written = writer->add(recording.take_sample());
    if (terminal.err_is_terminal()) terminal.err("\r" + std::to_string(++samples) + " samples");
    return !written || stop_asked != 0;
  });
  if (terminal.err_is_terminal()) terminal.err("\n");
  if (!written) return written.error();
  if (auto described = writer->describe(info_of(settings, *report->snapshot)); !described) return described.error();
  if (auto finished = writer->finish(); !finished) return finished.error();
  const std::filesystem::path directory = plan.directory;
  if (auto done = write_file(directory / "config.yaml", config::print(plan.configuration.loaded, all_options())); !done)
    return done.error();
  if (auto done = write_file(directory / "report.json", report_json(*report)); !done) return done.error();
  return report;
}

/// Files of another machine as a recorded host.
int record_files(EvidenceRequest request, const std::string& interval, const std::string& directory,
                 Terminal& terminal) {
  if (!interval.empty()) {
    const auto between = duration_of("--interval", interval, 100'000'000);
    if (!between) return fail(terminal, between.error());
    request.interval_ns = *between;
  }
  const auto written = record_evidence(request, directory);
  if (!written) return fail(terminal, written.error().during("recording to " + clean_text(directory)));
  for (const auto& path : *written) terminal.out("recorded to " + clean_text(path.string()) + "\n");
  return kOk;
}

}  // namespace

int run_record(const Words& words, Terminal& terminal) {
  std::string directory, duration = "10s", interval, config_file, profile;
  Words from_evidence;
  bool redact = false;
  const std::vector<OptionSpec> options = {
      {"DIR+", "directory to make (or an empty one)", &directory},
      {"--duration", "how long (default 10s)", &duration, false, "DURATION"},
      {"--interval", "time between samples (default 1s)", &interval, false, "DURATION"},
      {"--profile", "what is expected of this node", &profile, false, "NAME"},
      {"--config", "configuration file", &config_file, false, "FILE"},
      {"--redact", "not in this version", &redact, true},
      {"--from-evidence", "makes the recorded host of files instead (as diagnose --evidence; --interval is theirs)",
       &from_evidence, false, "PATH…"},
  };
  if (const auto code = parse(
          {"record", "Records this host so that anyone can replay it: roceready diagnose --host DIR.", run_record},
          options, words, terminal))
    return *code;
  if (redact) return usage(terminal, "--redact: not in this version; nothing was recorded");
  if (!from_evidence.empty()) {
    EvidenceRequest request;
    request.paths = from_evidence;
    if (!config_file.empty()) request.config_file = config_file;
    if (!profile.empty()) request.overrides["profile"] = profile;
    return record_files(std::move(request), interval, directory, terminal);
  }
  if (interval.empty()) interval = "1s";
  const auto duration_ns = duration_of("--duration", duration, 0);
  if (!duration_ns) return fail(terminal, duration_ns.error());
  const auto interval_ns = duration_of("--interval", interval, 100'000'000);
  if (!interval_ns) return fail(terminal, interval_ns.error());
  std::map<std::string, std::string> overrides;
  if (!profile.empty()) overrides["profile"] = profile;
  auto configuration =
      load_configuration(config_file.empty() ? std::nullopt : std::optional<std::string>(config_file), overrides);
  if (!configuration) return fail(terminal, configuration.error());
  const auto report = record({directory, std::move(*configuration), *duration_ns, *interval_ns}, terminal);
  if (!report) return fail(terminal, report.error().during("recording to " + clean_text(directory)));
  terminal.out("recorded to " + clean_text(directory) + ": " + (*report)->summary + "\n");
  return kOk;
}

}  // namespace roceready::daemon::cli
