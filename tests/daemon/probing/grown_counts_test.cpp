// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/grown_counts.h"

#include <gtest/gtest.h>

namespace roceready::daemon {
namespace {

TEST(GrownCounts, tell_what_came_since_the_time_before) {
  GrownCounts counts;
  EXPECT_FALSE(counts.update({{"forged", 0}}));
  EXPECT_EQ(counts.update({{"forged", 3}, {"replayed", 1}}), "3 forged, 1 replayed");
  EXPECT_FALSE(counts.update({{"forged", 3}, {"replayed", 1}}));
  EXPECT_EQ(counts.update({{"forged", 5}, {"replayed", 1}}), "2 forged");
}

TEST(GrownCounts, are_those_of_a_responder_and_of_a_mesh_in_words) {
  probes::Responder::Status status;
  status.denied = 2;
  status.messages.refused[static_cast<std::size_t>(probes::Refusal::Forged)] = 4;
  status.messages.over_rate = 1;
  const auto words = GrownCounts().update(counts_of(status));
  ASSERT_TRUE(words);
  EXPECT_NE(words->find("2 sessions refused"), std::string::npos);
  EXPECT_NE(words->find("4 " + std::string(probes::name_of(probes::Refusal::Forged))), std::string::npos);
  EXPECT_NE(words->find("1 above the rate"), std::string::npos);
  probes::UdProber::Refusals refused{};
  probes::UdProber::Discards discarded{};
  refused[static_cast<std::size_t>(probes::Refusal::Replayed)] = 1;
  discarded[0] = 7;
  const auto taken = GrownCounts().update(counts_of(refused, discarded));
  ASSERT_TRUE(taken);
  EXPECT_NE(taken->find("7 " + std::string(probes::name_of(static_cast<probes::Impossible>(0)))), std::string::npos);
}

}  // namespace
}  // namespace roceready::daemon
