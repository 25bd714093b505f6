// SPDX-License-Identifier: Apache-2.0
// What the probe engine costs: CPU time of the calling thread, on a fabric in memory (tests/doubles/fake_fabric.h)
// whose own work (copying packets, IP headers) is in it. System calls and drivers are not: bench/probe_latency.sh runs
// those.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/snapshot/probe_json.h"
#include "probes/mesh.h"
#include "probes/thread_delay.h"
#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;
constexpr std::uint32_t kFullEvery = 4;  // of these probes one is large, and counted apart
constexpr double kAsAsked = 0.95;        // the facts of a link are up to 10 s old, before and behind

/// One probe at a time, as `roceready probe` sends them: prober and responder together.
void probe_on_demand(benchmark::State& state) {
  Pair pair;
  const bool authenticated = state.range(0) != 0;
  if (authenticated) pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  pair.plan.count = 10'000;
  std::uint64_t probes = 0;
  for (auto unused : state) {
    const ProbeResult result = pair.run();
    if (result.lost != 0 || result.sent != pair.plan.count) {
      state.SkipWithError("probes were lost");
      break;
    }
    probes += result.sent;
  }
  state.counters["probes_per_second"] = benchmark::Counter(static_cast<double>(probes), benchmark::Counter::kIsRate);
  state.counters["us_per_probe"] =
      benchmark::Counter(static_cast<double>(probes) * 1e-6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(probe_on_demand)->ArgName("authenticated")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// A node in a mesh: it probes `peers` once a second each, as many probe it, and all have four paths. Peers are names
/// of one other node, so that the cost of theirs can be kept out.
class MeshNode {
 public:
  explicit MeshNode(std::size_t peers) {
    fabric_.add_port("a", {});
    doubles::FakePortSetup other;
    other.addresses = {"10.0.0.2"};
    fabric_.add_port("b", other);
    const auto secret = secret_of("one secret of the fabric, long enough");
    for (const char* name : {"a", "b"}) {
      ResponderOptions options;
      options.secret = secret;
      options.labels.node = name;
      options.expected_peers = static_cast<std::uint32_t>(peers);
      auto& responder = name[0] == 'a' ? own_responder_ : other_responder_;
      responder = std::make_unique<Responder>(fabric_.node(name), options);
      MeshOptions mesh;
      mesh.secret = secret;
      mesh.labels.node = name;
      mesh.interval_ns = kSecond;
      mesh.full_every = kFullEvery;
      mesh.budget = std::make_shared<Budget>(
          BudgetLimits{.messages_per_second = 1'000'000, .bytes_per_second = 1'000'000'000, .core_share = 1});
      auto& engine = name[0] == 'a' ? own_ : other_;
      engine = std::make_unique<Mesh>(fabric_.node(name), channel_, mesh);
    }
    std::vector<PeerAddress> ours, theirs;
    for (std::size_t i = 0; i < peers; ++i) {
      ours.push_back({"peer" + std::to_string(i), 9885, "", ""});
      theirs.push_back({"own" + std::to_string(i), 9885, "", ""});
      channel_.peers[ours.back().text()] = other_responder_.get();
      channel_.peers[theirs.back().text()] = own_responder_.get();
    }
    own_->set_peers(ours);
    other_->set_peers(theirs);
    for (int i = 0; i < 2; ++i) {  // all sessions, then full windows
      run(2 * kSecond);
      while (own_->fetch_one() || other_->fetch_one()) channel_.asked.clear();
    }
    run(60 * kSecond);
  }

  /// As the daemon's threads do: a turn of the engine before and one behind each sleep, which ends with the next
  /// completion, the next probe that is due, or after 20 ms.
  void run(std::int64_t ns) {
    const std::int64_t until_ns = fabric_.now_ns() + ns;
    while (fabric_.now_ns() < until_ns) {
      measured(probing_ns, [&] {
        own_->step(0);
        own_->step(0);
      });
      measured(answering_ns, [&] {
        own_responder_->step(0);
        own_responder_->step(0);
      });
      other_->step(0);
      other_responder_->step(0);
      std::int64_t next_ns = 0;
      measured(probing_ns, [&] { next_ns = own_->next_step_ns(); });
      next_ns = std::min({next_ns, other_->next_step_ns(), fabric_.next_ns().value_or(next_ns)});
      fabric_.advance(std::clamp<std::int64_t>(next_ns - fabric_.now_ns(), 1'000, 20 * kMs));
    }
  }
  [[nodiscard]] ProbeFacts facts() { return own_->facts(); }
  struct Sent {
    std::uint64_t small = 0, lost = 0, held_back = 0;
  };
  [[nodiscard]] Sent sent() {
    Sent out;
    for (const PeerProbe& peer : facts().peers)
      out.small += peer.total_sent, out.lost += peer.total_lost, out.held_back += peer.not_sent;
    return out;
  }
  /// What the daemon does after each of its periods: the facts as text for the sampler, and back.
  void publish() {
    if (fabric_.now_ns() < publish_ns_) return;
    std::string text;
    const std::int64_t before_ns = publishing_ns;
    measured(publishing_ns, [&] { text = probe_facts_json(own_->facts()); });
    bytes = text.size();
    publish_ns_ = fabric_.now_ns() + publishing_period_ns(publishing_ns - before_ns) - kMs;
    measured(reading_ns, [&] { benchmark::DoNotOptimize(probe_facts_from_json(text)); });
  }
  [[nodiscard]] std::int64_t all_ns() const { return probing_ns + answering_ns + publishing_ns + reading_ns; }
  std::int64_t probing_ns = 0, answering_ns = 0, publishing_ns = 0, reading_ns = 0;
  std::size_t bytes = 0;  ///< of the published text

 private:
  template <class Work>
  static void measured(std::int64_t& sum_ns, const Work& work) {
    const std::int64_t before_ns = thread_cpu_ns();
    work();
    sum_ns += thread_cpu_ns() - before_ns;
  }
  doubles::FakeFabric fabric_;
  FakeChannel channel_;
  std::unique_ptr<Responder> own_responder_, other_responder_;
  std::unique_ptr<Mesh> own_, other_;
  std::int64_t publish_ns_ = 0;
};

void mesh_second(benchmark::State& state) {
  MeshNode node(static_cast<std::size_t>(state.range(0)));
  node.probing_ns = node.answering_ns = node.publishing_ns = node.reading_ns = 0;
  const MeshNode::Sent before = node.sent();
  std::int64_t before_ns = 0, seconds = 0;
  for (auto unused : state) {
    node.run(kSecond);
    node.publish();
    const std::int64_t all_ns = node.all_ns();
    state.SetIterationTime(static_cast<double>(all_ns - before_ns) * 1e-9);
    before_ns = all_ns;
    ++seconds;
  }
  const MeshNode::Sent after = node.sent();
  const double asked = static_cast<double>(state.range(0) * seconds) * (kFullEvery - 1) / kFullEvery;
  const auto small = static_cast<double>(after.small - before.small);
  if (after.lost != 0 || after.held_back != 0) state.SkipWithError("probes were lost or held back");
  if (small < kAsAsked * asked) state.SkipWithError("fewer probes were sent than asked for: this measured idling");
  state.counters["sent_of_asked"] = small / asked;
  const auto share = [&](std::int64_t ns) { return static_cast<double>(ns) * 1e-9 / static_cast<double>(seconds); };
  state.counters["core_share"] = share(before_ns);
  state.counters["probing"] = share(node.probing_ns);
  state.counters["answering"] = share(node.answering_ns);
  state.counters["publishing"] = share(node.publishing_ns);
  state.counters["reading"] = share(node.reading_ns);
  state.counters["text_kB"] = static_cast<double>(node.bytes) * 1e-3;
}
BENCHMARK(mesh_second)
    ->ArgName("peers")
    ->Arg(64)
    ->Arg(1000)
    ->UseManualTime()
    ->Iterations(60)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace roceready::probes
