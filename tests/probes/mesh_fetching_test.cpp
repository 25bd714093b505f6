// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/probes/hanging.h"
#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

/// A second port of the prober.
doubles::FakePortSetup second_port() {
  doubles::FakePortSetup out;
  out.device = "mlx5_1";
  out.addresses = {"10.0.0.2"};
  return out;
}

/// Counts the questions to each peer, and holds those to peers that hang.
class AskedChannel : public PeerChannel {
 public:
  explicit AskedChannel(FakeChannel& real) : real_(real) {}
  Result<std::string> post_session(const PeerAddress& peer, const std::string& body, int timeout_ms) override {
    bool hangs = false;
    {
      const std::lock_guard guard(lock_);
      ++questions_[peer.text()];
      hangs = hanging_.contains(peer.text());
    }
    if (hangs) {
      gate.pass();
      return Error{ErrorCode::TimedOut, "no answer within the time", peer.text(), 0};
    }
    const std::lock_guard guard(lock_);
    return real_.post_session(peer, body, timeout_ms);
  }
  void hang(const std::string& peer) {
    const std::lock_guard guard(lock_);
    hanging_.insert(peer);
  }
  int questions(const std::string& peer) {
    const std::lock_guard guard(lock_);
    return questions_[peer];
  }
  Gate gate;

 private:
  FakeChannel& real_;
  std::mutex lock_;
  std::map<std::string, int> questions_;
  std::set<std::string> hanging_;
};

/// A world whose prober asks over such a channel, from two ports and with two kinds of probes.
struct Fetching : World {
  AskedChannel asking{channel};
  explicit Fetching(int count) : World(count) {
    fabric.add_port("a", second_port());
    options.connected = {ProbeKind::RcWrite};
    mesh = std::make_unique<Mesh>(fabric.node("a"), asking, options);
    mesh->set_peers(peers);
  }
  ~Fetching() { mesh.reset(); }  // before its channel
};

TEST(Mesh, asks_a_silent_peer_once_for_all_its_links) {
  Fetching world(2);
  world.channel.peers.erase("peer0:9885");
  world.run(60 * kSecond);
  EXPECT_LE(world.asking.questions("peer0:9885"), 8) << "after 1, 2, 4, 8, 16 and 30 s";
  EXPECT_GE(world.asking.questions("peer0:9885"), 4);
  for (const PeerProbe& link : world.mesh->facts().peers) {
    if (link.peer != "peer0:9885") continue;
    EXPECT_TRUE(link.error) << "each link knows why";
    EXPECT_FALSE(link.control_answers.value_or(true));
  }
}

TEST(Mesh, when_a_silent_peer_answers_again_gives_all_its_links_their_sessions) {
  Fetching world(2);
  world.channel.peers.erase("peer0:9885");
  world.run(40 * kSecond);
  world.start("peer0");
  world.run(32 * kSecond);
  for (const PeerProbe& link : world.mesh->facts().peers) EXPECT_FALSE(link.error) << link.peer << link.kind;
}

TEST(Mesh, gives_a_restarted_peer_its_session_while_all_others_are_silent) {
  constexpr int kPeers = 6;
  Fetching world(kPeers);
  world.run(5 * kSecond);
  // All but the first die: their questions are answered by nobody, first at once and then after a long time.
  for (int i = 1; i < kPeers; ++i) {
    const std::string peer = "peer" + std::to_string(i);
    world.channel.peers.erase(peer + ":9885");
    world.responders.erase(peer);
  }
  world.run(10 * kSecond);
  world.asking.gate.close();
  for (int i = 1; i < kPeers; ++i) world.asking.hang("peer" + std::to_string(i) + ":9885");
  world.fetchers_run = false;
  std::atomic<bool> over = false;
  std::vector<std::jthread> fetchers;
  for (int i = 0; i < 4; ++i)
    fetchers.emplace_back([&] {
      while (!over) {
        (void)world.mesh->fetch_one();
        std::this_thread::yield();
      }
    });
  world.run(40 * kSecond);  // every fetcher that may is held by a silent peer
  world.asking.gate.await(3);
  const int before = world.asking.questions("peer0:9885");
  const std::uint64_t sent = world.responders["peer0"]->status().messages.answered;
  world.start("peer0");
  for (int i = 0; i < 1000 && world.responders["peer0"]->status().messages.answered == 0; ++i) {
    world.run(100 * kMs);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT(sent, 0U);
  EXPECT_GT(world.asking.questions("peer0:9885"), before);
  EXPECT_GT(world.responders["peer0"]->status().messages.answered, 0U);
  over = true;
  world.asking.gate.open();
}

TEST(Mesh, asks_a_peer_whose_digest_changes_each_second_now_and_then_and_over_one_link) {
  Fetching world(1);
  world.run(12 * kSecond);
  const int before = world.asking.questions("peer0:9885");
  NodeDigest digest;
  for (int i = 0; i < 40; ++i) {
    digest.role = std::to_string(i);
    world.responders["peer0"]->set_digest(digest);
    world.run(kSecond);
  }
  EXPECT_LE(world.asking.questions("peer0:9885") - before, 5);
  world.run(12 * kSecond);
  ASSERT_EQ(world.mesh->facts().digests.size(), 1U);
  EXPECT_EQ(world.mesh->facts().digests[0].digest.role, "39") << "the last word is heard";
  const int after = world.asking.questions("peer0:9885");
  world.run(30 * kSecond);
  EXPECT_EQ(world.asking.questions("peer0:9885"), after);
  EXPECT_EQ(world.responders["peer0"]->status().sessions, 4U) << "what was replaced has ended";
  EXPECT_EQ(world.of("peer0").total_lost, 0U);
}

TEST(Mesh, that_replaces_a_session_ends_the_old_one_and_no_others) {
  World world(1);
  world.peers.push_back({"alias", 9885, "", ""});  // another name of the same node
  world.channel.peers["alias:9885"] = world.responders["peer0"].get();
  world.begin();
  world.run(5 * kSecond);
  ASSERT_EQ(world.responders["peer0"]->status().sessions, 2U);
  const std::size_t asked = world.channel.asked.size();
  NodeDigest digest;
  digest.role = "another";
  world.responders["peer0"]->set_digest(digest);
  world.run(5 * kSecond);
  EXPECT_EQ(world.channel.asked.size(), asked + 2) << "once for each name";
  EXPECT_EQ(world.responders["peer0"]->status().sessions, 2U);
  for (const char* peer : {"peer0", "alias"}) EXPECT_EQ(world.of(peer).total_lost, 0U) << peer;
}

}  // namespace
}  // namespace roceready::probes
