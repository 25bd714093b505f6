// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/command.h"
#include "daemon/process.h"
#include "daemon/service.h"

namespace roceready::daemon::cli {

int run_daemon(const Words& words, Terminal& terminal) {
  ServiceOptions service;
  std::string config, host, profile, listen;
  const std::vector<OptionSpec> options = {
      {"--config", "configuration file (default /etc/roceready/roceready.yaml where it exists)", &config, false,
       "FILE"},
      {"--host", "serve a recorded host instead of this one", &host, false, "DIR"},
      {"--profile", "what is expected of this node", &profile, false, "NAME"},
      {"--listen", "address and port (option http.listen)", &listen, false, "HOST:PORT"},
  };
  if (const auto code = parse({"daemon", "Samples, judges, serves HTTP. SIGHUP reloads the configuration.", run_daemon},
                              options, words, terminal))
    return *code;
  if (!config.empty()) service.config_file = config;
  if (!host.empty()) service.host = host;
  if (!profile.empty()) service.overrides["profile"] = profile;
  if (!listen.empty()) service.overrides["http.listen"] = listen;
  raise_descriptor_limit();
  const auto ended = serve(service);
  return ended ? kOk : fail(terminal, ended.error());
}

}  // namespace roceready::daemon::cli
