// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "daemon/cli/command.h"
#include "daemon/http/server.h"
#include "daemon/log.h"
#include "daemon/probing/answering.h"
#include "daemon/probing/live_verbs.h"
#include "daemon/process.h"
#include "daemon/scheduler.h"
#include "daemon/setup.h"
#include "probes/cm/kernel_manager.h"

namespace roceready::daemon::cli {
namespace {

Result<void> serve_probes(const http::Endpoint& endpoint, const ProbeTerms& terms, std::uint32_t expected_peers) {
  const auto verbs = live_verbs();
  const auto manager = probes::cm::make_kernel_manager();
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // threads begin later and inherit it
  Answering answering(*verbs, terms, expected_peers, nullptr, manager.get());
  const Board board;
  http::Server server(
      {board, monotonic_now_ns,
       [&](const std::string& body, const std::string& remote) { return answering.session(body, remote); },
       http::Serves::Sessions});
  if (auto started = server.start(endpoint); !started) return started;
  log(Level::Info, "answering probes",
      {{"address", endpoint.text()},
       {"exposes", "RDMA probe sessions"},
       {"authentication",
        terms.secret.empty() ? "none: everybody who reaches this address may probe, slowly" : "shared secret"}});
  int signal = 0;
  while (::sigwait(&signals, &signal) != 0) {
  }
  server.stop();
  return {};
}

}  // namespace

int run_responder(const Words& words, Terminal& terminal) {
  std::string listen = "[::]:9885", secret, config_file;
  const std::vector<OptionSpec> options = {
      {"--listen", "address and port (default [::]:9885: all addresses)", &listen, false, "HOST:PORT"},
      {"--secret-file", "secret that peers know too (default: probes.secret_file)", &secret, false, "FILE"},
      {"--config", "configuration file", &config_file, false, "FILE"},
  };
  if (const auto code =
          parse({"responder", "Answers RDMA probes of other nodes until it is stopped; judges nothing.", run_responder},
                options, words, terminal))
    return *code;
  raise_descriptor_limit();
  const auto endpoint = http::parse_endpoint(listen);
  if (!endpoint) return fail(terminal, endpoint.error().during("--listen"));
  std::map<std::string, std::string> overrides;
  if (!secret.empty()) overrides["probes.secret_file"] = secret;
  const auto read = load_configuration(config_file.empty() ? std::nullopt : std::optional<std::string>(config_file),
                                       std::move(overrides));
  if (!read) return fail(terminal, read.error());
  const config::Settings& settings = read->loaded.settings;
  set_log_level(settings.log_level);
  const auto terms = probe_terms(settings);
  if (!terms) return fail(terminal, terms.error());
  if (auto served = serve_probes(*endpoint, *terms, static_cast<std::uint32_t>(settings.probes.max_peers)); !served)
    return fail(terminal, served.error());
  return kOk;
}

}  // namespace roceready::daemon::cli
