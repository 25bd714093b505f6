// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_prober.h"

#include <gtest/gtest.h>

#include "core/snapshot/probe_json.h"
#include "probes/cm_message.h"
#include "tests/doubles/fake_fabric.h"
#include "tests/doubles/fake_manager.h"

namespace roceready::probes {
namespace {

using Kind = cm::Outcome::Kind;
constexpr std::int64_t kSecond = 1'000'000'000;

CmTarget target_of(const std::string& peer, std::uint32_t index = 0) {
  CmTarget out;
  out.named.device = "mlx5_0";
  out.named.peer = peer;
  out.named.peer_device = "mlx5_3";
  out.named.address = "10.0.0.2";
  out.from = *verbs::parse_address("10.0.0.1");
  out.to = *verbs::parse_address("10.0.0.2");
  out.session = 77;
  out.key.fill(std::byte{5});
  out.service = 4791;
  out.traffic_class = 106;
  out.budget_target = index;
  return out;
}

cm::Outcome ended(Kind kind, std::string why = "", cm::Stage stage = cm::Stage::Connect) {
  cm::Outcome out;
  out.kind = kind;
  out.stage = stage;
  out.why = std::move(why);
  return out;
}

/// A prober, and a connection manager that does what `next` says.
struct Probed : testing::Test {
  Probed() {
    manager.instead = [this](const cm::Call& call) -> std::optional<cm::Outcome> {
      cm::Outcome out = next;
      if (out.kind == Kind::Connected && out.told.empty()) {  // as the responder of the session would
        const auto asked = decode_cm(call.told, key);
        EXPECT_TRUE(asked);
        const auto said = encode(CmMessage{CmMessageType::Acceptance, asked->session, asked->attempt}, key);
        out.told.assign(said.begin(), said.end());
      }
      return out;
    };
  }
  /// Runs for so long.
  void run(std::int64_t seconds) {
    for (std::int64_t k = 0; k < 2 * seconds; ++k) {
      fabric.advance(kSecond / 2);
      while (prober.step({})) {
      }
    }
  }
  PeerProbe of(std::size_t index = 0) { return prober.results().at(index); }

  doubles::FakeFabric fabric;
  doubles::FakeManager manager;
  Budget budget{BudgetLimits{}};
  CmProber prober{manager, fabric.node("a"), budget};
  SessionKey key = target_of("").key;
  cm::Outcome next = ended(Kind::Connected);
};

TEST_F(Probed, connects_once_a_minute_from_the_sessions_address_to_its_service) {
  prober.set_targets({target_of("node2:9885")});
  run(1);
  ASSERT_EQ(manager.calls.size(), 1U);
  EXPECT_EQ(manager.calls[0].from, *verbs::parse_address("10.0.0.1"));
  EXPECT_EQ(manager.calls[0].to, *verbs::parse_address("10.0.0.2"));
  EXPECT_EQ(manager.calls[0].service, 4791);
  EXPECT_EQ(manager.calls[0].traffic_class, 106);
  EXPECT_LE(manager.calls[0].told.size(), cm::kPrivateBytes);
  run(58);
  EXPECT_EQ(manager.calls.size(), 1U);
  run(240);
  EXPECT_EQ(manager.calls.size(), 5U);
  const PeerProbe known = of();
  EXPECT_EQ(known.kind, "rdmacm");
  EXPECT_EQ(known.peer, "node2:9885");
  EXPECT_EQ(known.sent, 5U);
  EXPECT_EQ(known.lost + known.lost_in_row + known.not_sent, 0U);
  ASSERT_FALSE(known.error);
  EXPECT_EQ(known.error.absent().why, Why::NotPresent);
}

TEST_F(Probed, tells_the_stage_of_the_newest_failure_and_how_many_there_were_in_a_row) {
  prober.set_targets({target_of("node2:9885")});
  run(61);
  next = ended(Kind::Failed, "no route to 10.0.0.2", cm::Stage::AddressResolution);
  run(120);
  EXPECT_EQ(of().lost_in_row, 2U);
  EXPECT_EQ(of().sent, 4U);
  EXPECT_EQ(of().lost, 2U);
  EXPECT_EQ(*of().error, "address resolution: no route to 10.0.0.2");
  next = ended(Kind::Connected);
  run(60);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_EQ(of().total_lost, 2U);
  EXPECT_FALSE(of().error);
}

TEST_F(Probed, takes_an_acceptance_of_somebody_else_for_a_failure) {
  prober.set_targets({target_of("node2:9885")});
  next.told.assign(56, std::byte{0});
  run(1);
  EXPECT_EQ(of().lost, 1U);
  EXPECT_NE(of().error->find("does not know the session"), std::string::npos);
}

TEST_F(Probed, takes_an_acceptance_of_an_earlier_attempt_for_a_failure) {
  prober.set_targets({target_of("node2:9885")});
  const auto old = encode(CmMessage{CmMessageType::Acceptance, 77, 1}, key);
  next.told.assign(old.begin(), old.end());
  run(1);
  EXPECT_EQ(of().lost, 0U) << "the first attempt";
  run(60);
  EXPECT_EQ(of().lost, 1U);
}

TEST_F(Probed, counts_what_the_peer_refuses_by_its_own_word_as_neither_well_nor_failed) {
  prober.set_targets({target_of("node2:9885")});
  next = ended(Kind::Refused, "rejected: nobody listens on that service (8)");
  run(130);
  EXPECT_EQ(of().sent, 0U);
  EXPECT_EQ(of().not_sent, 3U);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_NE(of().error->find("nobody listens"), std::string::npos);
}

TEST_F(Probed, says_why_this_host_cannot) {
  prober.set_targets({target_of("node2:9885")});
  next = ended(Kind::NotTried);
  next.why_not = {Why::Denied, "permission denied"};
  run(1);
  ASSERT_FALSE(of().error);
  EXPECT_EQ(of().error.absent(), next.why_not);
  EXPECT_EQ(of().sent, 0U);
  next.why_not = {Why::NotPresent, "no memory"};
  run(60);
  EXPECT_EQ(*of().error, "no memory") << "a passing want is no reason not to look";
}

TEST_F(Probed, leaves_a_peer_alone_that_offers_nothing) {
  CmTarget target = target_of("node2:9885");
  target.service = 0;
  prober.set_targets({target});
  run(100);
  EXPECT_TRUE(manager.calls.empty());
  ASSERT_FALSE(of().error);
  EXPECT_EQ(of().error.absent().why, Why::NotSupported);
}

TEST_F(Probed, keeps_what_it_knows_over_a_new_session_and_forgets_who_is_gone) {
  prober.set_targets({target_of("node2:9885"), target_of("node3:9885", 1)});
  next = ended(Kind::Failed, "x");
  run(2);
  CmTarget renewed = target_of("node2:9885");
  renewed.session = 78;
  prober.set_targets({renewed});
  ASSERT_EQ(prober.results().size(), 1U);
  EXPECT_EQ(of().lost_in_row, 1U);
  run(60);
  EXPECT_EQ(of().lost_in_row, 2U);
  EXPECT_EQ(decode_cm(manager.calls.back().told, key)->session, 78U);
  prober.set_targets({});
  prober.set_targets({target_of("node2:9885")});
  EXPECT_EQ(of().lost_in_row, 0U);
}

TEST_F(Probed, is_about_the_last_ten_minutes) {
  prober.set_targets({target_of("node2:9885")});
  next = ended(Kind::Failed, "x");
  run(2);
  CmTarget silent = target_of("node2:9885");
  silent.service = 0;
  prober.set_targets({silent});
  run(601);
  EXPECT_EQ(of().sent, 0U);
  EXPECT_EQ(of().total_sent, 1U);
}

TEST_F(Probed, makes_few_attempts_at_a_time_and_keeps_to_the_budget) {
  std::vector<CmTarget> many;
  for (std::uint32_t k = 0; k < 100; ++k) many.push_back(target_of("node" + std::to_string(k) + ":9885", k));
  prober.set_targets(many);
  fabric.advance(kSecond);
  EXPECT_TRUE(prober.step({}));
  EXPECT_FALSE(prober.step({})) << "at once";
  run(60);
  EXPECT_GE(manager.calls.size(), 100U);
  EXPECT_GE(budget.spent().messages, 400U);
  prober.set_targets({target_of("fresh:9885")});
  fabric.advance(kSecond);
  budget.trouble(fabric.now_ns());
  EXPECT_FALSE(prober.step({})) << "the budget holds it back";
  fabric.advance(kSecond);
  EXPECT_TRUE(prober.step({}));
}

TEST_F(Probed, forgets_an_attempt_that_the_end_of_probing_cut_short) {
  prober.set_targets({target_of("node2:9885")});
  std::stop_source ends;
  manager.instead = [&](const cm::Call&) {
    ends.request_stop();
    return ended(Kind::Failed, "stopped");
  };
  fabric.advance(kSecond);
  EXPECT_TRUE(prober.step(ends.get_token()));
  EXPECT_EQ(of().sent, 0U);
}

TEST_F(Probed, travels_in_the_snapshot_and_back) {
  prober.set_targets({target_of("node2:9885"), target_of("node3:9885", 1)});
  next = ended(Kind::Failed, "unreachable");
  run(2);
  CmTarget without = target_of("node3:9885", 1);
  without.service = 0;
  prober.set_targets({target_of("node2:9885"), without});
  ProbeFacts facts;
  PeerProbe mesh = target_of("node2:9885").named;
  mesh.kind = "ud";
  facts.peers = {mesh};
  prober.add_to(facts);
  const auto read = probe_facts_from_json(probe_facts_json(facts));
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->peers.size(), 3U);
  EXPECT_EQ(read->peers[0].kind, "rdmacm") << "sorted by kind within a peer";
  EXPECT_EQ(read->peers[1].kind, "ud");
  EXPECT_EQ(read->peers[0].lost, 1U);
  EXPECT_EQ(*read->peers[0].error, "connect: unreachable");
  EXPECT_EQ(read->peers[2].error.absent().why, Why::NotSupported);
}

}  // namespace
}  // namespace roceready::probes
