// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "daemon/cli/bandwidth.h"
#include "daemon/cli/command.h"
#include "daemon/cli/interruption.h"
#include "daemon/export/probe_view.h"
#include "daemon/probing/http_channel.h"
#include "daemon/probing/live_verbs.h"
#include "daemon/probing/probe_terms.h"
#include "daemon/setup.h"
#include "probes/peers.h"
#include "probes/prober.h"

namespace roceready::daemon::cli {
namespace {

struct Asked {
  Words peers;
  std::string kind = "ud", count, size, dscp, paths, seconds, port, format = "text", config, secret;
  bool mtu_sweep = false;
};

constexpr const char* kLoopback = "loopback";  // no kind of session: both ends are here

Result<std::uint32_t> number(const std::string& option, const std::string& text, std::uint32_t otherwise,
                             std::uint32_t least, std::uint32_t most) {
  if (text.empty()) return otherwise;
  const auto value = parse_u64(text);
  if (!value || *value < least || *value > most)
    return Error{ErrorCode::Usage,
                 option + ": \"" + clean_text(text) + "\" is not a number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 "", 0};
  return static_cast<std::uint32_t>(*value);
}

/// The configuration as the command line changes it.
Result<config::Settings> settings_of(const Asked& asked) {
  std::map<std::string, std::string> overrides;
  if (!asked.secret.empty()) overrides["probes.secret_file"] = asked.secret;
  auto read = load_configuration(asked.config.empty() ? std::nullopt : std::optional<std::string>(asked.config),
                                 std::move(overrides));
  if (!read) return read.error();
  return std::move(read->loaded.settings);
}

/// "mlx5_0" or "mlx5_0/1" as --port has it.
Result<void> read_port(const std::string& text, std::string& device, std::uint32_t& port) {
  const auto slash = text.find('/');
  device = text.substr(0, slash);
  if (slash == std::string::npos) return {};
  const auto read = number("--port", text.substr(slash + 1), 1, 1, 255);
  if (!read) return read.error();
  port = *read;
  return {};
}

/// What goes with a measurement of bandwidth only, or with single probes only.
Result<void> check_kind(const Asked& asked) {
  const bool loopback = asked.kind == kLoopback, measures = loopback || asked.kind == "bandwidth";
  const auto wrong = [](std::string what) { return Error{ErrorCode::Usage, std::move(what), "", 0}; };
  if (!measures && !asked.seconds.empty()) return wrong("--seconds goes with --kind bandwidth or loopback");
  if (measures && (!asked.count.empty() || asked.mtu_sweep))
    return wrong("--count and --mtu-sweep go with single probes; a measurement of bandwidth has --seconds");
  if (loopback && !asked.peers.empty()) return wrong("--kind loopback is of a port to itself and has no PEER");
  if (!loopback && asked.peers.empty()) return wrong("PEER is missing: host[:port] of a daemon or responder");
  return {};
}

Result<probes::BandwidthPlan> bandwidth_plan_of(const Asked& asked, const ProbeTerms& terms) {
  probes::BandwidthPlan out;
  const auto size =
      number("--size", asked.size, out.message_bytes, probes::kLeastBandwidthBytes, probes::kMostBandwidthBytes);
  const auto dscp = number("--dscp", asked.dscp, terms.in_class.dscp, 0, 63);
  const auto paths = number("--paths", asked.paths, out.queue_pairs, probes::kLeastBandwidthPairs, 16);
  const auto seconds = number("--seconds", asked.seconds, 2, 1, probes::kMostBandwidthSeconds);
  for (const auto* each : {&size, &dscp, &paths, &seconds})
    if (!*each) return each->error();
  out.message_bytes = *size;
  out.dscp = static_cast<std::uint8_t>(*dscp);
  out.queue_pairs = *paths;
  out.duration_ns = std::int64_t{*seconds} * 1'000'000'000;
  out.service_level = terms.in_class.service_level;
  out.secret = terms.secret;
  out.labels = terms.labels;
  out.may_use = terms.may_use;
  if (auto port = read_port(asked.port, out.device, out.port); !port) return port.error();
  return out;
}

Result<probes::ProbePlan> plan_of(const Asked& asked, const ProbeTerms& terms, std::int64_t timeout_ns) {
  probes::ProbePlan out;
  const auto kind = probes::probe_kind_from_name(asked.kind);
  if (!kind)
    return Error{
        ErrorCode::Usage,
        "--kind: \"" + clean_text(asked.kind) + "\" is not ud, rc-write, rc-read, rc-send, bandwidth or loopback", "",
        0};
  out.kind = *kind;
  const bool datagrams = *kind == probes::ProbeKind::Ud, sends = *kind == probes::ProbeKind::RcSend;
  const auto count = number("--count", asked.count, 1000, 1, 1'000'000);
  const auto size = number("--size", asked.size, 64, datagrams ? 64 : 1, datagrams ? 4096 : sends ? 64 : 65536);
  const auto dscp = number("--dscp", asked.dscp, terms.in_class.dscp, 0, 63);
  const auto paths = number("--paths", asked.paths, 1, 1, 16);
  for (const auto* each : {&count, &size, &dscp, &paths})
    if (!*each) return each->error();
  if (asked.mtu_sweep && !datagrams) return Error{ErrorCode::Usage, "--mtu-sweep goes with --kind ud", "", 0};
  out.count = *count;
  out.size = *size;
  out.dscp = static_cast<std::uint8_t>(*dscp);
  out.paths = *paths;
  out.mtu_sweep = asked.mtu_sweep;
  out.service_level = terms.in_class.service_level;
  out.timeout_ns = timeout_ns;
  out.secret = terms.secret;
  out.labels = terms.labels;
  out.may_use = terms.may_use;
  if (auto port = read_port(asked.port, out.device, out.port); !port) return port.error();
  return out;
}

Result<std::vector<probes::PeerAddress>> peers_of(const Words& words) {
  std::vector<probes::PeerAddress> out;
  for (const std::string& word : words) {
    auto peer = probes::parse_peer(word);
    if (!peer) {
      Error error = peer.error();
      error.code = ErrorCode::Usage;
      error.what = "\"" + clean_text(word) + "\" is no peer: " + error.what + "; write HOST, HOST:PORT or [IPV6]:PORT";
      return error;
    }
    out.push_back(std::move(*peer));
  }
  return out;
}

void show_progress(Terminal& terminal, const std::string& peer, const probes::ProbeRun::Progress& progress) {
  constexpr std::size_t kWidth = 30;
  const std::size_t done =
      progress.of == 0 ? 0 : static_cast<std::size_t>(std::min(progress.done, progress.of) * kWidth / progress.of);
  terminal.err("\r" + peer + " [" + std::string(done, '#') + std::string(kWidth - done, ' ') + "] " +
               std::to_string(progress.done) + "/" + std::to_string(progress.of) +
               (progress.lost > 0 ? ", " + std::to_string(progress.lost) + " lost" : "") + "  ");
}

}  // namespace

int run_probe(const Words& words, Terminal& terminal) {
  Asked asked;
  const std::vector<OptionSpec> options = {
      {"PEER", "host[:port] of a daemon or responder; several in a row; none for --kind loopback", &asked.peers, false,
       "PEER…"},
      {"--kind",
       "ud (datagrams), rc-write, rc-read or rc-send (connected); bandwidth: writes that fill the line, with the "
       "shared secret; loopback: the same from a port to itself, never while jobs run",
       &asked.kind, false, "KIND"},
      {"--count", "probes to each peer (default 1000)", &asked.count, false, "N"},
      {"--size", "payload bytes (default 64; of bandwidth 65536, at most 1048576)", &asked.size, false, "BYTES"},
      {"--dscp", "DSCP of the probes (default: the profile's RDMA traffic, else 26)", &asked.dscp, false, "N"},
      {"--paths", "paths: source queue pairs and flow labels (default 1, of bandwidth at least 4; at most 16)",
       &asked.paths, false, "N"},
      {"--seconds", "how long bandwidth is measured (default 2, at most 10)", &asked.seconds, false, "N"},
      {"--mtu-sweep", "also try sizes up to the MTU of both ports", &asked.mtu_sweep},
      {"--port", "our RDMA port (default: the first that can probe)", &asked.port, false, "DEV[/N]"},
      {"--secret-file", "secret that the peer knows too (default: probes.secret_file)", &asked.secret, false, "FILE"},
      {"--format", "text or json", &asked.format, false, "FORMAT"},
      {"--config", "configuration file", &asked.config, false, "FILE"},
  };
  if (const auto code =
          parse({"probe",
                 "RDMA probes to peers now. Exit code: 0 all well, 1 loss, a rewritten class or a low "
                 "bandwidth, 2 a peer was not reached, 3 probes could not be made, or not all of them, or "
                 "a bandwidth could not be judged.",
                 run_probe},
                options, words, terminal))
    return *code;
  const auto json = wants_json(asked.format);
  if (!json) return fail(terminal, json.error());
  if (const auto fine = check_kind(asked); !fine) return fail(terminal, fine.error());
  const auto peers = peers_of(asked.peers);
  if (!peers) return fail(terminal, peers.error());
  const auto settings = settings_of(asked);
  if (!settings) return fail(terminal, settings.error());
  const auto terms = probe_terms(*settings);
  if (!terms) return fail(terminal, terms.error());
  if (asked.kind == kLoopback || asked.kind == "bandwidth") {
    const auto plan = bandwidth_plan_of(asked, *terms);
    if (!plan) return fail(terminal, plan.error());
    if (plan->secret.empty() && !peers->empty())
      return usage(
          terminal,
          "--kind bandwidth fills the line, so a peer grants it only to who knows its secret: --secret-file, or "
          "probes.secret_file");
    return measure_bandwidth({*peers, *plan, *settings, *json}, terminal);
  }
  const auto plan = plan_of(asked, *terms, settings->probes.timeout_ns);
  if (!plan) return fail(terminal, plan.error());

  const auto verbs = live_verbs();
  HttpChannel channel;
  watch_for_interruption();
  std::vector<probes::ProbeResult> results;
  for (const probes::PeerAddress& peer : *peers) {
    std::stop_source stop;
    const std::string name = clean_text(peer.text());
    results.push_back(probes::probe_on_demand(*verbs, channel, peer, *plan, stop.get_token(),
                                              [&](const probes::ProbeRun::Progress& progress) {
                                                if (interrupted()) stop.request_stop();
                                                if (terminal.err_is_terminal()) show_progress(terminal, name, progress);
                                              }));
    if (terminal.err_is_terminal()) terminal.err("\r\x1b[K");
    if (interrupted()) break;
  }
  terminal.out(*json ? probe_results_json(results) : probe_results_text(results, Paint(terminal.out_has_colour())));
  return probe_exit_code(results);
}

}  // namespace roceready::daemon::cli
