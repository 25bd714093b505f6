// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_prober.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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
  out.carries = true;
  return out;
}

cm::Outcome ended(Kind kind, std::string why = "", cm::Stage stage = cm::Stage::Connect) {
  cm::Outcome out;
  out.kind = kind;
  out.stage = stage;
  out.why = std::move(why);
  return out;
}

/// A prober, and a connection manager that does what `next` says; the mesh tells of its datagrams each five seconds.
struct Probed : testing::Test {
  Probed() {
    fabric.add_port("a", {});
    port = std::move(*fabric.node("a").open({"mlx5_0", 1}));
    manager.instead = [this](const cm::Call& call) -> std::optional<cm::Outcome> {
      if (during) during();
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
  void aim(std::vector<CmTarget> at) {
    targets = std::move(at);
    tell();
  }
  /// What the mesh knows now.
  void tell() {
    for (CmTarget& each : targets) {
      each.port = port;
      each.closing = closing.get_token();
      each.known_until_ns = fabric.now_ns() - kSecond / 2;
      if (each.carries && datagrams_sent) each.datagrams_answered += 10;
    }
    prober.set_targets(targets);
  }
  /// Runs for so long.
  void run(std::int64_t seconds) {
    for (std::int64_t k = 0; k < 2 * seconds; ++k) {
      fabric.advance(kSecond / 2);
      if (++halves % 10 == 0) tell();
      while (prober.step({})) {
      }
    }
  }
  PeerProbe of(std::size_t index = 0) { return prober.results().at(index); }

  doubles::FakeFabric fabric;
  doubles::FakeManager manager;
  Budget budget{BudgetLimits{}};
  std::shared_ptr<verbs::Port> port;
  std::stop_source closing;
  std::vector<CmTarget> targets;
  bool datagrams_sent = true;
  std::function<void()> during;
  int halves = 0;
  CmProber prober{manager, fabric.node("a"), budget};
  SessionKey key = target_of("").key;
  cm::Outcome next = ended(Kind::Connected);
};

TEST_F(Probed, connects_each_45_s_from_the_sessions_address_to_its_service) {
  aim({target_of("node2:9885")});
  run(1);
  ASSERT_EQ(manager.calls.size(), 1U);
  EXPECT_EQ(manager.calls[0].from, *verbs::parse_address("10.0.0.1"));
  EXPECT_EQ(manager.calls[0].to, *verbs::parse_address("10.0.0.2"));
  EXPECT_EQ(manager.calls[0].service, 4791);
  EXPECT_EQ(manager.calls[0].traffic_class, 106);
  EXPECT_LE(manager.calls[0].told.size(), cm::kPrivateBytes);
  run(44);
  EXPECT_EQ(manager.calls.size(), 1U);
  run(181);
  EXPECT_EQ(manager.calls.size(), 6U);
  const PeerProbe known = of();
  EXPECT_EQ(known.kind, "rdmacm");
  EXPECT_EQ(known.peer, "node2:9885");
  EXPECT_EQ(known.sent, 6U);
  EXPECT_EQ(known.lost + known.lost_in_row + known.not_sent, 0U);
  ASSERT_FALSE(known.error);
  EXPECT_EQ(known.error.absent().why, Why::NotPresent);
}

TEST_F(Probed, has_a_queue_pair_of_its_own_for_each_attempt_and_five_seconds_longer) {
  const int before = fabric.open_objects();
  int during_call = 0;
  during = [&] { during_call = fabric.open_objects(); };
  aim({target_of("node2:9885")});
  run(1);
  EXPECT_GT(during_call, before);
  EXPECT_EQ(prober.queue_pairs_kept(), 1U);
  run(7);
  EXPECT_EQ(prober.queue_pairs_kept(), 0U);
  EXPECT_EQ(fabric.open_objects(), before);
  run(45);
  ASSERT_EQ(manager.calls.size(), 2U);
  EXPECT_NE(manager.calls[0].queue_pair, 0U);
  EXPECT_NE(manager.calls[0].queue_pair, manager.calls[1].queue_pair);
}

TEST_F(Probed, lets_all_go_at_once_when_the_port_is_closed) {
  const int before = fabric.open_objects();
  aim({target_of("node2:9885")});
  run(1);
  EXPECT_EQ(prober.queue_pairs_kept(), 1U);
  closing.request_stop();
  (void)prober.step({});
  EXPECT_EQ(prober.queue_pairs_kept(), 0U);
  EXPECT_EQ(fabric.open_objects(), before);
  run(60);
  EXPECT_EQ(manager.calls.size(), 1U) << "nothing is asked of a port that goes";
  EXPECT_EQ(*of().error, "the port was closed");
  EXPECT_EQ(of().lost, 0U);
}

TEST_F(Probed, ends_an_attempt_when_the_port_is_closed_meanwhile) {
  during = [&] { closing.request_stop(); };
  next = ended(Kind::Failed, "no answer");
  aim({target_of("node2:9885")});
  run(20);
  EXPECT_EQ(of().lost, 0U);
  EXPECT_EQ(of().not_sent, 1U);
  EXPECT_EQ(prober.queue_pairs_kept(), 0U);
}

TEST_F(Probed, keeps_no_port_open_between_attempts) {
  aim({target_of("node2:9885")});
  run(10);
  const std::weak_ptr<verbs::Port> alive = port;
  port.reset();
  EXPECT_TRUE(alive.expired());
  run(60);
  EXPECT_EQ(manager.calls.size(), 1U);
  EXPECT_EQ(*of().error, "the port was closed");
}

TEST_F(Probed, counts_a_failure_once_the_datagrams_of_that_time_were_answered) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  run(1);
  EXPECT_EQ(of().lost, 0U) << "nobody knows yet";
  EXPECT_EQ(*of().error, "connect: no answer");
  run(10);
  EXPECT_EQ(of().lost, 1U);
  EXPECT_EQ(of().lost_in_row, 1U);
}

TEST_F(Probed, takes_ninety_seconds_and_more_for_three_in_a_row) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  run(90);
  EXPECT_LT(of().lost_in_row, 3U);
  run(12);
  EXPECT_EQ(of().lost_in_row, 3U);
}

TEST_F(Probed, tries_a_target_that_failed_three_times_every_three_minutes) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  run(100);
  EXPECT_EQ(manager.calls.size(), 3U);
  EXPECT_EQ(of().lost_in_row, 3U);
  run(165);
  EXPECT_EQ(manager.calls.size(), 3U);
  run(11);
  EXPECT_EQ(manager.calls.size(), 4U);
  EXPECT_EQ(of().lost_in_row, 4U);
  run(900);
  EXPECT_GE(of().lost, 3U) << "the window has some of them all the time";
  next = ended(Kind::Connected);
  run(181);
  EXPECT_EQ(of().lost_in_row, 0U);
  const std::size_t calls = manager.calls.size();
  run(46);
  EXPECT_EQ(manager.calls.size(), calls + 1) << "and as often as any other, once it is well";
}

TEST_F(Probed, has_a_window_of_some_rounds_where_nobody_gets_to_a_target) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  for (int k = 0; k < 4; ++k) {  // as where all workers wait for others
    fabric.advance(400 * kSecond);
    tell();
    while (prober.step({})) {
    }
    fabric.advance(10 * kSecond);
    tell();
  }
  EXPECT_EQ(of().lost_in_row, 4U);
  fabric.advance(380 * kSecond);
  EXPECT_GE(of().sent, 3U);
}

TEST_F(Probed, counts_what_failed_while_one_datagram_of_many_was_lost) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  for (int k = 0; k < 3; ++k) {
    run(2);
    targets[0].datagrams_lost += 1;
    run(43);
  }
  EXPECT_EQ(of().lost_in_row, 3U);
  EXPECT_EQ(of().not_sent, 0U);
}

TEST_F(Probed, does_not_count_what_failed_while_the_datagrams_were_counted_anew) {
  aim({target_of("node2:9885")});
  targets[0].datagrams_lost = 50;
  tell();
  next = ended(Kind::Failed, "no answer");
  run(1);
  targets[0].datagrams_lost = 0;
  run(10);
  EXPECT_EQ(of().lost, 0U);
  EXPECT_EQ(of().not_sent, 1U);
}

TEST_F(Probed, does_not_count_what_failed_while_many_datagrams_were_lost) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  for (int k = 0; k < 4; ++k) {
    run(2);
    targets[0].datagrams_lost += 3;  // of 13, at the time of the attempt
    run(43);
  }
  EXPECT_EQ(of().lost, 0U);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_EQ(of().not_sent, 4U);
  EXPECT_NE(of().error->find("not counted, since datagrams were lost"), std::string::npos) << *of().error;
}

TEST_F(Probed, does_not_count_what_failed_while_no_datagram_was_sent) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  datagrams_sent = false;
  run(180);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_GE(of().not_sent, 3U);
}

TEST_F(Probed, does_not_count_what_failed_with_a_session_that_was_replaced_meanwhile) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "rejected: not taken there (28)");  // by a peer that knows the new session alone
  run(1);
  targets[0].session = 78;
  run(10);
  EXPECT_EQ(of().lost, 0U);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_EQ(of().not_sent, 1U);
  EXPECT_NE(of().error->find("not counted, since the session was replaced"), std::string::npos) << *of().error;
  run(50);
  EXPECT_EQ(of().lost, 1U) << "with the new one it counts";
  EXPECT_EQ(of().lost_in_row, 1U);
}

TEST_F(Probed, does_not_count_what_failed_while_the_session_was_being_replaced) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "rejected: not taken there (28)");
  during = [&] {
    targets[0].session = 78;
    tell();
  };
  run(1);
  EXPECT_EQ(of().lost, 0U);
  EXPECT_EQ(of().not_sent, 1U) << "known at once";
  during = nullptr;
  next = ended(Kind::Connected);
  run(45);
  EXPECT_EQ(of().sent, 1U);
  EXPECT_FALSE(of().error);
}

TEST_F(Probed, says_nothing_of_an_outage_of_three_minutes_and_counts_anew_behind_it) {
  aim({target_of("node2:9885")});
  run(40);
  next = ended(Kind::Failed, "no answer");
  run(20);
  EXPECT_EQ(of().lost_in_row, 1U);
  targets[0].carries = false;
  const std::size_t calls = manager.calls.size();
  run(180);
  EXPECT_EQ(manager.calls.size(), calls) << "nothing is tried where datagrams are not answered";
  EXPECT_EQ(of().lost_in_row, 0U);
  targets[0].carries = true;
  run(80);
  EXPECT_LT(of().lost_in_row, 3U) << "and not before the mesh has worked for 90 s";
  run(30);
  EXPECT_EQ(of().lost_in_row, 3U);
}

TEST_F(Probed, does_not_count_what_an_outage_cut_off) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  run(1);
  targets[0].carries = false;
  run(180);
  EXPECT_EQ(of().lost, 0U);
  EXPECT_EQ(of().not_sent, 1U);
}

TEST_F(Probed, counts_anew_at_another_address_and_behind_a_refusal) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "no answer");
  run(60);
  EXPECT_EQ(of().lost_in_row, 2U);
  targets[0].to = *verbs::parse_address("10.0.0.3");
  tell();
  EXPECT_EQ(of().lost_in_row, 0U);
  run(60);
  EXPECT_EQ(of().lost_in_row, 1U);
  next = ended(Kind::Refused, "rejected: no resources (3)");
  run(45);
  EXPECT_EQ(of().lost_in_row, 0U);
}

TEST_F(Probed, takes_a_rejection_for_the_peers_own_word_where_it_signed_it) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "rejected: not taken there (28)");
  next.told.assign(148, std::byte{0});  // by its kernel
  run(60);
  EXPECT_EQ(of().lost_in_row, 2U);
  const auto with = [this](std::uint64_t session, std::uint64_t more) {
    manager.instead = [this, session, more](const cm::Call& call) {
      cm::Outcome out = next;
      const std::uint64_t attempt = decode_cm(call.told, key)->attempt + more;
      EXPECT_GT(encode_refusal(session, attempt, key, out.told), 0U);
      return std::optional(out);
    };
  };
  with(77, 1);
  run(45);
  EXPECT_EQ(of().lost_in_row, 3U) << "of another attempt";
  with(77, 0);
  run(181);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_NE(of().error->find("the peer refused: rejected: not taken there (28)"), std::string::npos) << *of().error;
}

TEST_F(Probed, tells_how_many_newest_attempts_were_not_well) {
  aim({target_of("node2:9885")});
  run(10);
  EXPECT_EQ(of().discarded, 0U);
  next = ended(Kind::Failed, "no answer");
  run(45);
  next = ended(Kind::NotTried);
  next.why_not = {Why::NotPresent, "no memory"};
  run(90);
  EXPECT_EQ(of().discarded, 3U);
  next = ended(Kind::Connected);
  run(45);
  EXPECT_EQ(of().discarded, 0U);
}

TEST_F(Probed, gives_each_target_its_turn_whatever_the_budget_says) {
  std::vector<CmTarget> many;
  for (std::uint32_t k = 0; k < 6; ++k) many.push_back(target_of("node" + std::to_string(k) + ":9885", k));
  aim(many);
  run(1);
  // One target has used up what a second gives it, each time that it is due.
  for (int k = 0; k < 400; ++k) {
    while (budget.ask(0, 64, fabric.now_ns()) == Held::No) {
    }
    fabric.advance(kSecond / 2);
    if (k % 10 == 0) tell();
    while (budget.ask(0, 64, fabric.now_ns()) == Held::No) {
    }
    (void)prober.step({});
  }
  const auto all = prober.results();
  for (std::size_t k = 1; k < all.size(); ++k) EXPECT_GE(all[k].sent, 4U) << all[k].peer;
  EXPECT_GE(all[0].not_sent, 3U);
  EXPECT_EQ(all[0].lost, 0U);
  EXPECT_NE(all[0].error->find("held back by the budget"), std::string::npos);
}

TEST_F(Probed, numbers_its_attempts_in_one_row) {
  aim({target_of("node2:9885"), target_of("node3:9885", 1)});
  run(60);
  std::uint64_t last = 0;
  for (const cm::Call& call : manager.calls) {
    const std::uint64_t number = decode_cm(call.told, key)->attempt;
    EXPECT_GT(number, last);
    last = number;
  }
}

TEST_F(Probed, has_threads_from_the_first_peer_that_listens_on) {
  prober.keep_workers();
  EXPECT_EQ(prober.workers(), 0U);
  CmTarget silent = target_of("node2:9885");
  silent.service = 0;
  silent.port = port;
  prober.set_targets({silent});
  prober.keep_workers();
  EXPECT_EQ(prober.workers(), 0U);
  CmTarget quiet = target_of("node2:9885");
  quiet.carries = false;  // so that no worker does anything here
  prober.set_targets({quiet});
  prober.keep_workers();
  EXPECT_EQ(prober.workers(), 1U);
  prober.set_targets({});
  prober.keep_workers();
  EXPECT_EQ(prober.workers(), 1U) << "and nobody waits for them to end";
  std::vector<CmTarget> many;
  for (int k = 0; k < 200; ++k) many.emplace_back(quiet).named.peer = "node" + std::to_string(k) + ":9885";
  prober.set_targets(many);
  prober.keep_workers();
  EXPECT_EQ(prober.workers(), 16U);
  prober.request_stop();
  prober.keep_workers();
}

TEST_F(Probed, lets_the_port_go_by_itself_once_no_target_is_left) {
  const int before = fabric.open_objects();
  aim({target_of("node2:9885")});
  run(1);
  EXPECT_EQ(prober.queue_pairs_kept(), 1U);
  prober.keep_workers();
  closing.request_stop();
  prober.set_targets({});
  prober.keep_workers();
  for (int k = 0; k < 500 && prober.queue_pairs_kept() + static_cast<std::size_t>(fabric.open_objects() - before) > 0;
       ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(prober.queue_pairs_kept(), 0U);
  EXPECT_EQ(fabric.open_objects(), before);
}

TEST_F(Probed, tells_the_stage_of_the_newest_failure_and_how_many_there_were_in_a_row) {
  aim({target_of("node2:9885")});
  run(46);
  next = ended(Kind::Failed, "no route to 10.0.0.2", cm::Stage::AddressResolution);
  run(100);
  EXPECT_EQ(of().lost_in_row, 2U);
  EXPECT_EQ(of().sent, 4U);
  EXPECT_EQ(of().lost, 2U);
  EXPECT_EQ(*of().error, "address resolution: no route to 10.0.0.2");
  next = ended(Kind::Connected);
  run(45);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_EQ(of().total_lost, 2U);
  EXPECT_FALSE(of().error);
}

TEST_F(Probed, takes_an_acceptance_of_somebody_else_for_a_failure) {
  aim({target_of("node2:9885")});
  next.told.assign(56, std::byte{0});
  run(10);
  EXPECT_EQ(of().lost, 1U);
  EXPECT_NE(of().error->find("does not know the session"), std::string::npos);
}

TEST_F(Probed, takes_an_acceptance_of_an_earlier_attempt_for_a_failure) {
  aim({target_of("node2:9885")});
  const auto old = encode(CmMessage{CmMessageType::Acceptance, 77, 1}, key);
  next.told.assign(old.begin(), old.end());
  run(10);
  EXPECT_EQ(of().lost, 0U) << "the first attempt";
  run(50);
  EXPECT_EQ(of().lost, 1U);
}

TEST_F(Probed, counts_what_the_peer_refuses_by_its_own_word_as_neither_well_nor_failed) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Refused, "rejected: no resources (3)");
  run(100);
  EXPECT_EQ(of().sent, 0U);
  EXPECT_EQ(of().not_sent, 3U);
  EXPECT_EQ(of().lost_in_row, 0U);
  EXPECT_NE(of().error->find("no resources"), std::string::npos);
}

TEST_F(Probed, says_why_this_host_cannot) {
  aim({target_of("node2:9885")});
  next = ended(Kind::NotTried);
  next.why_not = {Why::Denied, "permission denied"};
  run(1);
  ASSERT_FALSE(of().error);
  EXPECT_EQ(of().error.absent(), next.why_not);
  EXPECT_EQ(of().sent, 0U);
  next.why_not = {Why::NotPresent, "no memory"};
  run(60);
  EXPECT_EQ(*of().error, "no memory") << "a passing want is no reason not to look";
  EXPECT_EQ(of().lost, 0U);
}

TEST_F(Probed, leaves_a_peer_alone_that_tells_no_port) {
  CmTarget target = target_of("node2:9885");
  target.service = 0;
  aim({target});
  run(100);
  EXPECT_TRUE(manager.calls.empty());
  ASSERT_FALSE(of().error);
  EXPECT_EQ(of().error.absent().why, Why::NotSupported);
  EXPECT_NE(of().error.absent().detail.find("the peer does not listen"), std::string::npos);
}

TEST_F(Probed, keeps_what_it_knows_over_a_new_session_and_forgets_who_is_gone) {
  aim({target_of("node2:9885"), target_of("node3:9885", 1)});
  next = ended(Kind::Failed, "x");
  run(10);
  targets.pop_back();
  targets[0].session = 78;
  tell();
  ASSERT_EQ(prober.results().size(), 1U);
  EXPECT_EQ(of().lost_in_row, 1U);
  run(50);
  EXPECT_EQ(of().lost_in_row, 2U);
  EXPECT_EQ(decode_cm(manager.calls.back().told, key)->session, 78U);
  aim({});
  aim({target_of("node2:9885")});
  EXPECT_EQ(of().lost_in_row, 0U);
}

TEST_F(Probed, is_about_the_last_ten_minutes) {
  aim({target_of("node2:9885")});
  next = ended(Kind::Failed, "x");
  run(10);
  targets[0].service = 0;
  run(611);
  EXPECT_EQ(of().sent, 0U);
  EXPECT_EQ(of().total_sent, 1U);
}

TEST_F(Probed, makes_few_attempts_at_a_time_and_keeps_to_the_budget) {
  std::vector<CmTarget> many;
  for (std::uint32_t k = 0; k < 60; ++k) many.push_back(target_of("node" + std::to_string(k) + ":9885", k));
  aim(many);
  fabric.advance(kSecond);
  EXPECT_TRUE(prober.step({}));
  EXPECT_FALSE(prober.step({})) << "at once";
  run(40);
  EXPECT_GE(manager.calls.size(), 60U);
  EXPECT_GE(budget.spent().messages, 240U);
  const std::size_t calls = manager.calls.size();
  aim({target_of("fresh:9885")});
  fabric.advance(kSecond);
  budget.trouble(fabric.now_ns());
  EXPECT_FALSE(prober.step({})) << "the budget holds it back";
  EXPECT_EQ(manager.calls.size(), calls);
  EXPECT_EQ(of().not_sent, 1U);
  EXPECT_EQ(of().lost, 0U);
  run(46);
  EXPECT_EQ(of().sent, 1U);
}

TEST_F(Probed, forgets_an_attempt_that_the_end_of_probing_cut_short) {
  aim({target_of("node2:9885")});
  std::stop_source ends;
  manager.instead = [&](const cm::Call&) {
    ends.request_stop();
    return ended(Kind::Failed, "stopped");
  };
  fabric.advance(kSecond);
  EXPECT_TRUE(prober.step(ends.get_token()));
  EXPECT_EQ(of().sent + of().not_sent, 0U);
}

TEST_F(Probed, travels_in_the_snapshot_and_back) {
  aim({target_of("node2:9885"), target_of("node3:9885", 1)});
  next = ended(Kind::Failed, "unreachable");
  run(10);
  targets[1].service = 0;
  tell();
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
