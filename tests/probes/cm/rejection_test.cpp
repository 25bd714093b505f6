// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/rejection.h"

#include <gtest/gtest.h>

namespace roceready::probes::cm {
namespace {

TEST(Rejection, is_named_with_its_number) {
  EXPECT_EQ(rejection_words(12), "invalid GID (12)");
  EXPECT_EQ(rejection_words(28), "not taken there (28)");
  EXPECT_EQ(rejection_words(999), "reason (999)");
  EXPECT_EQ(rejection_words(-1), "reason (-1)");
}

TEST(Rejection, by_a_manager_that_was_well_reached_says_nothing_of_the_path) {
  for (const int reason : {1, 3, 10, 27}) EXPECT_TRUE(is_peers_own_word(reason)) << reason;
  for (const int reason : {0, 4, 8, 12, 26, 28, 999}) EXPECT_FALSE(is_peers_own_word(reason)) << reason;
}

}  // namespace
}  // namespace roceready::probes::cm
