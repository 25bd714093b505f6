// SPDX-License-Identifier: Apache-2.0
#include "probes/rc_prober.h"

#include <gtest/gtest.h>

#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

constexpr ProbeKind kKinds[] = {ProbeKind::RcWrite, ProbeKind::RcRead, ProbeKind::RcSend};

TEST(ConnectedProbe, measures_writes_reads_and_sends) {
  for (const ProbeKind kind : kKinds) {
    Pair pair;
    pair.plan.kind = kind;
    pair.plan.secret = secret_of("one secret of the fabric, long enough");
    pair.restart_b();
    pair.plan.paths = 2;
    pair.plan.count = 300;  // more than the peer's ring of receives
    const ProbeResult result = pair.run();
    EXPECT_FALSE(result.error) << name_of(kind) << ": " << *result.error;
    EXPECT_EQ(result.sent, 300U);
    EXPECT_EQ(result.lost, 0U);
    ASSERT_TRUE(result.rtt);
    EXPECT_NEAR(result.rtt->p50_seconds, 4.3e-6, 1e-6);
    EXPECT_FALSE(result.responder_delay);
    EXPECT_FALSE(result.dscp_received);
    pair.b.reset();
    EXPECT_EQ(pair.fabric.open_objects(), 0);
  }
}

TEST(ConnectedProbe, tells_a_dead_path_in_well_under_a_second_and_in_words) {
  for (const ProbeKind kind : kKinds) {
    Pair pair;
    pair.plan.kind = kind;
    doubles::FabricRule rule;
    rule.loss = 1;
    pair.fabric.add_rule(rule);
    const std::int64_t began = pair.fabric.now_ns();
    const ProbeResult result = pair.run();
    EXPECT_LT(pair.fabric.now_ns() - began, 600'000'000);
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->find("IBV_WC_RETRY_EXC_ERR"), std::string::npos) << *result.error;
    EXPECT_EQ(result.sent, 1U);
    EXPECT_EQ(result.lost, 1U);
  }
}

TEST(ConnectedProbe, names_a_responder_that_posts_no_receives) {
  Pair pair;
  pair.plan.kind = ProbeKind::RcSend;
  pair.plan.count = 100;
  pair.responder_runs = false;
  const ProbeResult result = pair.run();
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find("IBV_WC_RNR_RETRY_EXC_ERR"), std::string::npos) << *result.error;
  EXPECT_NE(result.error->find("starved"), std::string::npos);
  EXPECT_EQ(result.sent, 65U) << "as many as the ring has receives, and one";
}

TEST(ConnectedProbe, survives_one_lost_packet_as_the_NIC_retries) {
  Pair pair;
  pair.plan.kind = ProbeKind::RcWrite;
  pair.plan.count = 500;
  doubles::FabricRule rule;
  rule.loss = 0.05;
  pair.fabric.add_rule(rule);
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 0U);
  EXPECT_GT(result.rtt->max_seconds, 0.02);
  EXPECT_LT(result.rtt->p50_seconds, 1e-5);
}

TEST(ConnectedProbe, finds_the_MTU_black_hole_that_small_requests_miss) {
  Pair pair;
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  pair.plan.kind = ProbeKind::RcWrite;
  doubles::FabricRule rule;
  rule.longer_than = 1500;
  rule.loss = 1;
  pair.fabric.add_rule(rule);
  EXPECT_FALSE(pair.run().error);
  pair.plan.size = 4096;
  EXPECT_TRUE(pair.run().error);
}

TEST(ConnectedProbe, that_this_host_could_not_send_is_no_loss) {
  EXPECT_TRUE(verbs::says_nothing_of_the_path(verbs::Status::LocalQpOperation));
  EXPECT_TRUE(verbs::says_nothing_of_the_path(verbs::Status::Flushed));
  EXPECT_FALSE(verbs::says_nothing_of_the_path(verbs::Status::RetryExceeded));
  EXPECT_FALSE(verbs::says_nothing_of_the_path(verbs::Status::RemoteAccess));
}

TEST(CompletionStatus, has_a_name_and_a_meaning_for_every_number) {
  for (int number = 0; number < verbs::kStatuses; ++number) {
    const auto status = static_cast<verbs::Status>(number);
    EXPECT_EQ(verbs::name_of(status).rfind("IBV_WC_", 0), 0U) << number;
    EXPECT_FALSE(verbs::explain(status).empty());
  }
  EXPECT_EQ(verbs::name_of(verbs::Status::RetryExceeded), "IBV_WC_RETRY_EXC_ERR");
  EXPECT_EQ(verbs::name_of(static_cast<verbs::Status>(99)), "completion status 99");
}

}  // namespace
}  // namespace roceready::probes
