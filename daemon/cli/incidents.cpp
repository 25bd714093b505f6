// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/incidents.h"

#include <ctime>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "daemon/cli/command.h"
#include "daemon/export/filter.h"
#include "daemon/export/json.h"
#include "daemon/http/client.h"
#include "daemon/setup.h"
#include "daemon/state/store.h"

namespace roceready::daemon::cli {
namespace {

constexpr std::size_t kMost = 10'000;

struct Asked {
  std::string format = "text", since, port, config, state;
  std::optional<std::string> daemon;
};

std::int64_t wall_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Rendered by the daemon.
int from_daemon(const Asked& asked, bool json, Terminal& terminal) {
  if (!asked.config.empty() || !asked.state.empty())
    return usage(terminal, "--daemon asks a running daemon; --config and --state do not go with it");
  std::string path = std::string("/api/v1/incidents?format=") + (json ? "json" : "text");
  if (!asked.since.empty()) path += "&since=" + http::query_escaped(asked.since);
  if (!asked.port.empty()) path += "&port=" + http::query_escaped(asked.port);
  const auto answer = http::fetch(asked.daemon->empty() ? "http://127.0.0.1:9885" : *asked.daemon, path);
  if (!answer) return fail(terminal, answer.error());
  if (answer->status == 400) return usage(terminal, problem_detail_in(answer->body));
  if (answer->status != 200)
    return fail(terminal,
                Error{ErrorCode::Io, "the daemon has none to tell: " + problem_detail_in(answer->body), "", 0});
  terminal.out(answer->body);
  return kOk;
}

Result<IncidentList> read_state(const Asked& asked, const IncidentFilter& filter, Terminal& terminal) {
  std::string directory = asked.state;
  if (directory.empty()) {
    const auto configuration =
        load_configuration(asked.config.empty() ? std::nullopt : std::optional<std::string>(asked.config), {});
    if (!configuration) return configuration.error();
    directory = configuration->loaded.settings.state_directory;
    if (directory.empty()) return Error{ErrorCode::Usage, "state.directory is empty: nothing is kept", "", 0};
  }
  const auto store = Store::open_for_reading(directory);
  if (!store) return store.error();
  std::vector<std::int64_t> senseless;
  auto kept = store->incidents(kMost, filter.since_wall_ns.value_or(0), &senseless);
  if (!kept) return kept.error();
  if (!senseless.empty())
    terminal.err("incidents that were kept make no sense and are left out: " + std::to_string(senseless.size()) + "\n");
  IncidentList out;
  out.complete = kept->size() + senseless.size() < kMost;
  for (rules::Incident& each : *kept) out.incidents.push_back(std::make_shared<const rules::Incident>(std::move(each)));
  return filtered(out, filter);
}

}  // namespace

int run_incidents(const Words& words, Terminal& terminal) {
  Asked asked;
  const std::vector<OptionSpec> options = {
      {"--since", "those that lasted then or later: 24h, or 2026-11-30T00:00:00Z", &asked.since, false, "WHEN"},
      {"--port", "only this port", &asked.port, false, "DEV[/N]"},
      {"--format", "text or json", &asked.format, false, "FORMAT"},
      {"--daemon", "ask the running daemon (default http://127.0.0.1:9885) instead of the state directory",
       &asked.daemon, false, "[URL]"},
      {"--state", "state directory (default: state.directory of the configuration)", &asked.state, false, "DIR"},
      {"--config", "configuration file", &asked.config, false, "FILE"},
  };
  if (const auto code =
          parse({"incidents", "What happened on this node, begin to end.", run_incidents}, options, words, terminal))
    return *code;
  const auto json = wants_json(asked.format);
  if (!json) return fail(terminal, json.error());
  const std::int64_t now = wall_now_ns();
  IncidentFilter filter;
  if (!asked.since.empty()) {
    const auto since = parse_since(asked.since, now);
    if (!since) return fail(terminal, since.error().during("--since"));
    filter.since_wall_ns = *since;
  }
  if (!asked.port.empty()) {
    const auto port = parse_port_filter(asked.port);
    if (!port) return fail(terminal, port.error().during("--port"));
    filter.device = port->device;
    filter.port = port->port;
  }
  if (asked.daemon) return from_daemon(asked, *json, terminal);
  const auto list = read_state(asked, filter, terminal);
  if (!list) return fail(terminal, list.error());
  terminal.out(*json ? incidents_json(*list, now) : incidents_text(*list, now, terminal.out_has_colour()));
  return kOk;
}

}  // namespace roceready::daemon::cli
