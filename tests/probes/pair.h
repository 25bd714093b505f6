// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "probes/peer_channel.h"
#include "probes/prober.h"
#include "probes/responder.h"
#include "tests/doubles/fake_fabric.h"

namespace roceready::probes {

inline std::vector<std::byte> secret_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

/// The control channel of tests: peers by name, each a responder or nothing.
class FakeChannel : public PeerChannel {
 public:
  std::map<std::string, Responder*> peers;
  std::function<void(std::string&)> on_the_way;  ///< changes an answer
  std::string from;                              ///< the address that peers see
  std::vector<std::string> asked;                ///< bodies as they were sent
  std::map<std::string, Error> says;             ///< what a peer says instead of answering

  Result<std::string> post_session(const PeerAddress& peer, const std::string& body, int) override {
    {
      const std::lock_guard guard(asked_lock_);
      asked.push_back(body);
    }
    if (const auto words = says.find(peer.text()); words != says.end()) return words->second;
    const auto found = peers.find(peer.text());
    if (found == peers.end() || found->second == nullptr)
      return Error{ErrorCode::TimedOut, "no answer within the time", peer.text(), 0};
    auto answer = found->second->answer(body, from);
    if (const auto* refusal = std::get_if<SessionRefusal>(&answer))
      return Error{ErrorCode::Denied, refusal->why, peer.text(), 0};
    std::string text = std::get<SessionReply>(std::move(answer)).body;
    if (on_the_way) on_the_way(text);
    return text;
  }

 private:
  std::mutex asked_lock_;  ///< a mesh asks from several threads
};

/// Two nodes on one fabric: "a" probes, "b" answers.
struct Pair {
  doubles::FakeFabric fabric;
  FakeChannel channel;
  std::unique_ptr<Responder> b;
  ProbePlan plan;
  PeerAddress peer{"b", 9885, "", ""};
  std::function<void()> between;  ///< called in each round of run()
  std::int64_t prober_late_ns = 0, responder_late_ns = 0;
  bool responder_runs = true;

  explicit Pair(const doubles::FakePortSetup& a = {}, doubles::FakePortSetup b_port = {}) {
    if (b_port.addresses == a.addresses) b_port.addresses = {"10.0.0.2"};
    fabric.add_port("a", a);
    fabric.add_port("b", b_port);
    channel.from = a.addresses.empty() ? "" : a.addresses.front();
    plan.count = 40;
    plan.labels.node = "a";
    restart_b();
  }
  void restart_b() {
    b.reset();
    ResponderOptions options;
    options.labels.node = "b";
    options.secret = plan.secret;
    b = std::make_unique<Responder>(fabric.node("b"), options);
    channel.peers[peer.text()] = b.get();
  }
  ProbeResult run() {
    ProbeRun run(fabric.node("a"), channel, peer, plan);
    while (run.step(prober_late_ns)) {
      if (between) between();
      if (responder_runs) b->step(responder_late_ns);
      advance();
    }
    return run.result();
  }
  /// To the next thing that happens, at most 1 ms.
  void advance() {
    const auto next = fabric.next_ns();
    const std::int64_t gap = next ? *next - fabric.now_ns() : 1'000'000;
    fabric.advance(std::clamp<std::int64_t>(gap, 100, 1'000'000));
  }
};

}  // namespace roceready::probes
