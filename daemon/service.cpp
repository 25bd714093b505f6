// SPDX-License-Identifier: Apache-2.0
#include "daemon/service.h"

#include <unistd.h>
#include <csignal>
#include <ctime>

#include <atomic>
#include <memory>
#include <utility>

#include "core/base/time.h"
#include "daemon/http/server.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/probing/probe_terms.h"
#include "daemon/probing/probing.h"
#include "daemon/process.h"
#include "daemon/scheduler.h"
#include "daemon/setup.h"
#include "daemon/version.h"

namespace roceready::daemon {
namespace {

constexpr std::int64_t kStopMs = 700;

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

std::int64_t wall_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

Result<Configuration> read_configuration(const ServiceOptions& options, const std::optional<RecordedHostInfo>& info) {
  if (info) return load_recorded_configuration(*options.host, *info, options.config_file, options.overrides);
  return load_configuration(options.config_file, options.overrides);
}

/// A recording is judged as a one-shot: it is over, so it would say `initializing` for ever.
SamplingPlan plan_of(const config::Settings& settings, bool recorded) {
  return {sampler_options(settings), judge_options(settings, recorded), settings.sampling_interval_ns, settings.bursts};
}

/// A recorded host is not this machine: what happens on it is not kept among what happened here.
std::unique_ptr<Keeper> keeper_of(const config::Settings& settings, bool recorded) {
  if (recorded) return nullptr;
  KeeperOptions out;
  out.directory = settings.state_directory;
  out.limits.max_bytes = settings.state_max_bytes;
  out.limits.max_age_ns = settings.state_max_age_ns;
  return std::make_unique<Keeper>(std::move(out));
}

std::shared_ptr<ConfigView> view_of(const Configuration& configuration) {
  auto view = std::make_shared<ConfigView>();
  view->values = configuration.loaded.values;
  view->origin = configuration.loaded.origin;
  view->file = configuration.file;
  view->loaded_wall_ns = wall_now_ns();
  return view;
}

/// Everything that lives as long as the daemon.
class Service {
 public:
  /// `probing`: null for a recorded host.
  Service(const ServiceOptions& options, std::optional<RecordedHostInfo> info, Configuration configuration,
          std::unique_ptr<SampleSource> source, std::unique_ptr<Probing> probing)
      : options_(options),
        info_(std::move(info)),
        listen_(configuration.loaded.settings.http_listen),
        sampling_(std::move(source), plan_of(configuration.loaded.settings, info_.has_value()), board_,
                  keeper_of(configuration.loaded.settings, info_.has_value())),
        scheduler_(sampling_, board_, [this] { after_tick(); }),
        probing_(std::move(probing)),
        server_(site()) {
    board_.set_config(view_of(configuration));
    if (const auto kept = sampling_.kept_baselines(); kept && probing_) probing_->recall_baselines(*kept);
    if (probing_) probing_->apply(configuration.loaded.settings);
  }

  Result<void> run() {
    const auto endpoint = http::parse_endpoint(listen_);
    if (!endpoint) return endpoint.error().during("http.listen");
    if (auto started = server_.start(*endpoint); !started) return started.error();
    const bool local = endpoint->host == "127.0.0.1" || endpoint->host == "::1" || endpoint->host == "localhost";
    log(Level::Info, "listening",
        {{"address", endpoint->text()},
         {"exposes", "metrics, report and configuration, read-only, without authentication"},
         {"to", local ? "this host" : "every host that reaches this address"}});
    scheduler_.start();
    wait_for_end();
    notify_service_manager("STOPPING=1");
    server_.stop();
    if (!scheduler_.stop(kStopMs)) {
      // A driver call hangs in the kernel; only the end of the process frees us from that thread.
      log(Level::Warning, "the sampling thread does not end, leaving it behind");
      ::_exit(0);
    }
    if (probing_) board_.set_probe_baselines(probing_->last_baselines());
    if (probing_ && !probing_->stop(kStopMs)) {
      log(Level::Warning, "a peer, a name or a device keeps the probes waiting, leaving them");
      static_cast<void>(sampling_.finish(kStopMs));
      ::_exit(0);
    }
    if (!sampling_.finish(kStopMs)) {
      log(Level::Warning, "the state directory does not take what is to be kept, leaving it");
      ::_exit(0);
    }
    log(Level::Info, "stopped");
    return {};
  }

 private:
  http::Site site() {
    http::Site out{board_, monotonic_now_ns};
    if (probing_) {
      out.probe_session = [this](const std::string& body, const std::string& remote) {
        return probing_->session(body, remote);
      };
      out.probe_results = [this] { return probing_->results(); };
    }
    return out;
  }

  void after_tick() {
    tell_peers();
    notify_service_manager(ready_.exchange(true) ? "WATCHDOG=1" : "READY=1\nWATCHDOG=1");
  }

  /// What peers are told of this node follows its samples.
  void tell_peers() {
    const auto sample = board_.latest();
    if (!probing_ || !sample || !sample->report().snapshot) return;
    probing_->learn(sample->report());
    board_.set_probe_refusals(probing_->refusals());
    board_.set_probe_baselines(probing_->baselines());
  }

  void wait_for_end() {
    const sigset_t signals = our_signals();
    for (;;) {
      int signal = 0;
      if (::sigwait(&signals, &signal) != 0) continue;
      if (signal != SIGHUP) {
        log(Level::Info, "stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
        return;
      }
      reload();
    }
  }

  void reload() {
    notify_reloading();
    auto configuration = read_configuration(options_, info_);
    if (configuration && probing_) {  // a secret that cannot be read must not end the probes that run
      if (const auto terms = probe_terms(configuration->loaded.settings); !terms) configuration = terms.error();
    }
    if (configuration) {
      const config::Settings& settings = configuration->loaded.settings;
      set_log_level(settings.log_level);
      board_.set_config(view_of(*configuration));
      scheduler_.apply(plan_of(settings, info_.has_value()));
      if (probing_) probing_->apply(settings);
      log(Level::Info, "configuration reloaded", {{"file", configuration->file}});
      if (settings.http_listen != listen_)
        log(Level::Warning, "http.listen has changed; that needs a restart",
            {{"now", listen_}, {"wanted", settings.http_listen}});
    } else {
      auto view = std::make_shared<ConfigView>(*board_.config());
      view->reload_success = false;
      view->problems = {{"", configuration.error().text()}};
      board_.set_config(std::move(view));
      log(Level::Error, "the new configuration is refused, the old one stays",
          {{"problem", configuration.error().text()}});
    }
    notify_service_manager("READY=1");
  }

  ServiceOptions options_;
  std::optional<RecordedHostInfo> info_;
  std::string listen_;
  Board board_;
  std::atomic<bool> ready_{false};
  Sampling sampling_;
  Scheduler scheduler_;
  std::unique_ptr<Probing> probing_;
  http::Server server_;
};

}  // namespace

Result<void> serve(const ServiceOptions& options) {
  static_cast<void>(process_facts());  // its first call is taken for the start of the process
  std::optional<RecordedHostInfo> info;
  if (options.host) {
    auto read = read_host_info(*options.host);
    if (!read) return read.error();
    info = std::move(*read);
  }
  auto configuration = read_configuration(options, info);
  if (!configuration) return configuration.error();
  const config::Settings& settings = configuration->loaded.settings;
  set_log_level(settings.log_level);
  PublishedProbes published;
  std::unique_ptr<Probing> probing;
  std::unique_ptr<SampleSource> source;
  if (info) {
    auto recorded = recorded_source(*options.host, *info, sampler_options(settings));
    if (!recorded) return recorded.error();
    source = std::move(*recorded);
  } else {
    source = live_source(sampler_options(settings), &published);
  }
  // Not before: a file that is slow to read must not keep Ctrl-C away. Threads start later and inherit the mask.
  const sigset_t signals = our_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  log(Level::Info, "starting",
      {{"version", version()},
       {"config", configuration->file},
       {"source", source->kind()},
       {"profile", settings.profile}});
  if (!info) probing = std::make_unique<Probing>(published);
  Service service(options, std::move(info), std::move(*configuration), std::move(source), std::move(probing));
  return service.run();
}

}  // namespace roceready::daemon
