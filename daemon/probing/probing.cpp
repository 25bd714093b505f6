// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/probing.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "core/snapshot/probe_json.h"
#include "daemon/http/server.h"
#include "daemon/log.h"
#include "daemon/probing/fitting_results.h"
#include "daemon/probing/grown_counts.h"
#include "daemon/probing/live_verbs.h"
#include "daemon/probing/peer_sources.h"
#include "daemon/scheduler.h"
#include "daemon/state/writer.h"
#include "probes/cm/kernel_manager.h"
#include "probes/cm_prober.h"
#include "probes/mesh.h"
#include "probes/reasons.h"
#include "probes/subset.h"
#include "probes/thread_delay.h"

namespace roceready::daemon {
namespace {

constexpr int kFirstSampleSeconds = 1;

/// One purse for probes and answers.
std::shared_ptr<probes::Budget> budget_of(const config::ProbeSettings& settings) {
  probes::BudgetLimits limits;
  limits.messages_per_second = static_cast<std::uint64_t>(settings.packets_per_second);
  limits.bytes_per_second = static_cast<std::uint64_t>(settings.bytes_per_second);
  limits.core_share = settings.core_share;
  return std::make_shared<probes::Budget>(limits);
}

/// What the rule on round trips calls slow, as the configuration has it.
probes::SlowLimits slow_limits(const std::map<std::string, double>& limits) {
  probes::SlowLimits out;
  const auto take = [&](const char* option, double& into) {
    if (const auto found = limits.find(option); found != limits.end()) into = found->second;
  };
  take("rules.probe-rtt-high.median_factor", out.p50_factor);
  take("rules.probe-rtt-high.tail_factor", out.p99_factor);
  take("rules.probe-rtt-high.floor_s", out.floor_seconds);
  return out;
}

probes::MeshOptions mesh_options(const config::ProbeSettings& settings, const ProbeTerms& terms,
                                 const probes::SlowLimits& slow, std::shared_ptr<probes::Budget> budget) {
  probes::MeshOptions out;
  out.budget = std::move(budget);
  out.secret = terms.secret;
  out.labels = terms.labels;
  out.in_class = terms.in_class;
  out.paths = settings.paths;
  out.interval_ns = settings.interval_ns;
  out.timeout_ns = settings.timeout_ns;
  out.window.slow = slow;
  // One request of each kind in 30 s: as much as one kind in 10 s.
  out.connected = {probes::ProbeKind::RcWrite, probes::ProbeKind::RcRead, probes::ProbeKind::RcSend};
  out.connected_interval_ns = 30'000'000'000;
  out.may_use = terms.may_use;
  return out;
}

/// Of the state file's size incidents and history need the most.
std::size_t most_baseline_bytes(const config::Settings& settings) {
  constexpr std::uint64_t kPart = 16, kMostBytes = std::uint64_t{2} << 20U;
  return static_cast<std::size_t>(std::min(settings.state_max_bytes / kPart, kMostBytes));
}

/// Of more peers than wanted, those that this node probes.
std::vector<probes::PeerAddress> chosen(const probes::PeerList& all, const ProbeTerms& terms, std::size_t most) {
  if (all.peers.size() <= most) return all.peers;
  // The others know us by the name in their lists.
  const probes::SubsetNode self{probes::subset_id(all.own.empty() ? terms.labels.node : all.own.front()),
                                terms.labels.label.empty() ? 0 : probes::subset_id(terms.labels.label)};
  std::vector<probes::SubsetNode> nodes;
  nodes.reserve(all.peers.size());
  for (const probes::PeerAddress& peer : all.peers)
    nodes.push_back({probes::subset_id(peer.text()), peer.label.empty() ? 0 : probes::subset_id(peer.label)});
  std::vector<probes::PeerAddress> out;
  for (const std::uint32_t index : probes::choose_subset(self, nodes, most)) out.push_back(all.peers[index]);
  return out;
}

}  // namespace

/// A mesh with its threads; ends with them.
struct Probing::Running {
  Running(probes::verbs::Verbs& verbs, probes::cm::Manager& manager, probes::PeerChannel& channel, PublishedProbes& to,
          const config::ProbeSettings& with, ProbeTerms as, const probes::SlowLimits& slow,
          const std::shared_ptr<probes::Budget>& budget, std::shared_ptr<const Answering> answers,
          std::uint16_t own_port, KnownBaselines& learned, std::function<void()> keep)
      : published(to),
        baselines(learned),
        keep_baselines(std::move(keep)),
        answering(std::move(answers)),
        settings(with),
        terms(std::move(as)),
        port(own_port),
        sources(with),
        purse(budget),
        mesh(verbs, channel, mesh_options(with, terms, slow, budget), learned.all()),
        connections(manager, verbs, *purse),
        engine([this](const std::stop_token& stop) { mesh.run(stop); }),
        watcher([this](const std::stop_token& stop) { watch(stop); }),
        publisher([this](const std::stop_token& stop) { publish(stop); }) {}

  ~Running() {
    connections.request_stop();
    for (std::jthread* each : {&engine, &watcher, &publisher})
      each->request_stop();  // then they are waited for at once
  }

  void watch(const std::stop_token& stop) {
    constexpr std::chrono::seconds kPeriod{5};
    constexpr int kRoundsOfCounts = 12, kRoundsOfBaselines = 60;  // a minute, five
    GrownCounts counts;
    int rounds = 0;
    do {
      const auto refused = mesh.refusals();
      const auto discarded = mesh.discards();
      connections.set_targets(mesh.cm_targets());
      connections.keep_workers();
      {
        const std::lock_guard lock(refusals_lock);
        refusals.replies = probes::by_reason<probes::Refusal>(refused);
        refusals.answers = probes::by_reason<probes::Impossible>(discarded);
      }
      ++rounds;
      if (rounds % kRoundsOfBaselines == 0) {
        take_baselines();
        keep_baselines();
      }
      if (rounds % kRoundsOfCounts == 0)
        if (const auto grown = counts.update(counts_of(refused, discarded)))
          log(Level::Info, "replies to probes that were not taken in this minute", {{"what", *grown}});
      const auto list = sources.look(own_names(port), monotonic_now_ns());
      if (!list) continue;
      const auto peers = chosen(*list, terms, settings.max_peers);
      mesh.set_peers(peers);
      log(Level::Info, "peers of probes",
          {{"known", std::to_string(list->peers.size())}, {"probed", std::to_string(peers.size())}});
      std::string why;
      std::vector<std::string> lines = problem_lines(*list);
      if (!lines.empty()) {
        why = lines.front();
        if (list->problem_count > 1) why += " (and " + std::to_string(list->problem_count - 1) + " more problems)";
        log(Level::Warning, "peers of probes cannot all be understood", {{"why", why}});
      }
      const std::lock_guard lock(peers_lock);
      no_peers = peers.empty() && !why.empty() ? "no peer is known: " + why : "";
      problems = std::move(lines);
    } while (!wait(stop, kPeriod));
  }

  void take_baselines() {
    if (auto learned = mesh.baselines()) baselines.take(std::move(*learned));  // else what was known before stays
  }

  void publish(const std::stop_token& stop) {
    std::chrono::nanoseconds period = std::chrono::seconds(1);
    while (!wait(stop, period)) {
      const std::int64_t before_ns = probes::thread_cpu_ns();
      ProbeFacts facts = mesh.facts();
      connections.add_to(facts);
      if (answering) facts.arrivals = answering->arrivals();
      {
        const std::lock_guard lock(peers_lock);
        if (!no_peers.empty()) facts.blocked["peers"] = no_peers;
        facts.problems = problems;
      }
      published.publish(fitting_results(facts));
      tell_left_out(facts);
      period = std::chrono::nanoseconds(probes::publishing_period_ns(probes::thread_cpu_ns() - before_ns));
    }
  }

  /// When it begins and ends: which peers have faults, and so how many fit, may change each time.
  void tell_left_out(const ProbeFacts& facts) {
    const bool some = facts.peers_left_out > 0;
    if (std::exchange(leaves_out, some) == some) return;
    if (some)
      log(Level::Warning, "results of probes are too long to be told of all peers, those with faults first",
          {{"left_out", std::to_string(facts.peers_left_out)}, {"try", "a lower probes.max_peers"}});
    else
      log(Level::Info, "results of probes are told of all peers again");
  }

  /// True: it is over.
  bool wait(const std::stop_token& stop, std::chrono::nanoseconds period) {
    std::unique_lock lock(sleep_lock);
    return sleep.wait_for(lock, stop, period, [&] { return stop.stop_requested(); });
  }

  PublishedProbes& published;
  KnownBaselines& baselines;
  std::function<void()> keep_baselines;
  std::shared_ptr<const Answering> answering;  // null: nobody is answered
  config::ProbeSettings settings;
  ProbeTerms terms;
  std::uint16_t port;
  PeerSources sources;
  std::shared_ptr<probes::Budget> purse;
  probes::Mesh mesh;
  probes::CmProber connections;
  std::mutex peers_lock;
  std::string no_peers;               ///< why there is none; "" while there are some, or none is wanted
  std::vector<std::string> problems;  // of the sources of peers
  bool leaves_out = false;            // of the publisher's thread
  mutable std::mutex refusals_lock;
  ProbeRefusals refusals;
  std::mutex sleep_lock;
  std::condition_variable_any sleep;
  std::jthread engine, watcher, publisher;
};

Probing::Probing(PublishedProbes& published)
    : published_(published), verbs_(live_verbs()), manager_(probes::cm::make_kernel_manager()) {}

Probing::~Probing() {
  running_.reset();
  published_.withdraw();
}

void Probing::apply(const config::Settings& settings) {
  const std::lock_guard one_at_a_time(applying_);
  auto terms = probe_terms(settings);
  Wanted wanted;
  wanted.settings = settings.probes;
  wanted.slow = slow_limits(settings.limits);
  if (terms) {
    wanted.secret = terms->secret;
    wanted.in_class = terms->in_class;
    scope_->select(terms->may_use);
    terms->may_use = [scope = scope_](const probes::verbs::PortName& port) { return scope->contains(port); };
  } else {
    wanted.problem = terms.error().text();
  }
  {
    const std::lock_guard lock(lock_);
    settings_ = settings;
  }
  if (wanted_ == wanted) return;
  wanted_ = wanted;

  if (const auto before = mesh()) before->take_baselines();  // for the one that follows
  const std::size_t most_bytes = most_baseline_bytes(settings);
  std::shared_ptr<Answering> answering;
  std::shared_ptr<Running> running;
  std::string blocked = wanted.problem;
  const auto budget = budget_of(wanted.settings);
  if (terms && wanted.settings.answer)
    answering = std::make_shared<Answering>(*verbs_, *terms, static_cast<std::uint32_t>(wanted.settings.max_peers),
                                            budget, manager_.get());
  if (terms && wants_peers(wanted.settings)) {
    const auto endpoint = http::parse_endpoint(settings.http_listen);
    const int port = endpoint ? endpoint->port : probes::kDefaultPort;
    running = std::make_shared<Running>(*verbs_, *manager_, channel_, published_, wanted.settings, std::move(*terms),
                                        wanted.slow, budget, answering, static_cast<std::uint16_t>(port), baselines_,
                                        [this, most_bytes] { baselines_.publish(now(), most_bytes); });
  }
  if (!blocked.empty()) log(Level::Error, "probes are neither sent nor answered", {{"why", blocked}});
  {
    const std::lock_guard lock(lock_);
    if (answering) answering->set_digest(digest_);
    if (running) running->mesh.set_digest(digest_);
    answering_.swap(answering);
    running_.swap(running);
    blocked_ = wants_peers(wanted.settings) ? blocked : "";
  }
  // What was before ends here, outside of the lock: its threads may be waiting for a peer or a name.
  answering.reset();
  running.reset();
  const std::lock_guard lock(lock_);
  if (!running_) published_.withdraw();
}

void Probing::publish_blocked(const NodeDigest& node, const std::string& why) {
  ProbeFacts facts;
  for (const PortDigest& port : node.ports) facts.blocked[port.device + "/" + std::to_string(port.port)] = why;
  published_.publish(probe_facts_json(facts));
}

void Probing::learn(const rules::Report& report) {
  scope_->see(*report.snapshot);
  const std::lock_guard lock(lock_);
  if (const auto in_class = class_in(report.profile, settings_)) {
    if (running_) running_->mesh.set_class(*in_class);
    if (answering_) answering_->set_service_level(in_class->service_level);
  }
  NodeDigest now = own_.take(report, monotonic_now_ns());
  if (running_) {
    now.label = running_->terms.labels.label;
    const auto& rails = running_->terms.labels.rails;
    for (PortDigest& port : now.ports) {
      const auto rail = rails.find(port.device + "/" + std::to_string(port.port));
      if (rail != rails.end()) port.rail = rail->second;
    }
  }
  if (!blocked_.empty()) publish_blocked(now, blocked_);
  if (node_digest_json(now) == node_digest_json(digest_)) return;
  digest_ = std::move(now);
  if (running_) running_->mesh.set_digest(digest_);
  if (answering_) answering_->set_digest(digest_);
}

http::SessionAnswer Probing::session(const std::string& body, const std::string& remote) {
  std::shared_ptr<Answering> answering;
  {
    const std::lock_guard lock(lock_);
    answering = answering_;
  }
  if (!answering) return {404, "probes.answer is off, or the configuration of probes cannot be used: see the log"};
  if (!scope_->known() && scope_->unlisted())
    return {503, "the RDMA ports of this node cannot be listed: see rdma_ports under `unknown` in its report"};
  if (!scope_->known())
    return {503, "this node has just begun: which of its ports may answer is known after its first sample; ask again",
            kFirstSampleSeconds};
  return answering->session(body, remote);
}

std::optional<std::string> Probing::results() const {
  auto newest = published_.results();
  return newest ? std::optional(std::move(*newest)) : std::nullopt;
}

ProbeRefusals Probing::refusals() const {
  const std::lock_guard lock(lock_);
  ProbeRefusals out;
  if (running_) {
    const std::lock_guard inner(running_->refusals_lock);
    out = running_->refusals;
  }
  if (answering_) {
    out.probes = answering_->refused();
    out.connections = answering_->refused_connections();
  }
  return out;
}

std::shared_ptr<Probing::Running> Probing::mesh() const {
  const std::lock_guard lock(lock_);
  return running_;
}

ProbeTime Probing::now() const {
  return {verbs_->now_ns(), state_time().wall_ns};
}

void Probing::recall_baselines(const std::string& kept) {
  baselines_.recall(kept, now());
}

std::shared_ptr<const std::string> Probing::baselines() const {
  return baselines_.text();
}

std::shared_ptr<const std::string> Probing::last_baselines() {
  if (const auto running = mesh()) running->take_baselines();
  const std::lock_guard lock(lock_);
  baselines_.publish(now(), most_baseline_bytes(settings_));
  return baselines_.text();
}

bool Probing::stop(int most_ms) {
  std::shared_ptr<Answering> answering;
  std::shared_ptr<Running> running;
  {
    const std::lock_guard lock(lock_);
    answering_.swap(answering);
    running_.swap(running);
  }
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> ended = done->get_future();
  std::thread([done, answering = std::move(answering), running = std::move(running)]() mutable {
    answering.reset();
    running.reset();
    done->set_value();
  }).detach();
  return ended.wait_for(std::chrono::milliseconds(most_ms)) == std::future_status::ready;
}

}  // namespace roceready::daemon
