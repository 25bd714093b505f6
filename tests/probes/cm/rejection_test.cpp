// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/rejection.h"

#include <gtest/gtest.h>

namespace roceready::probes::cm {
namespace {

TEST(Rejection, is_named_with_its_number) {
  EXPECT_EQ(rejection_words(12), "invalid GID (12)");
  EXPECT_EQ(rejection_words(28), "the program there does not take it (28)");
  EXPECT_EQ(rejection_words(999), "reason (999)");
  EXPECT_EQ(rejection_words(-1), "reason (-1)");
}

TEST(Rejection, by_the_program_behind_says_nothing_of_the_path) {
  for (const int reason : {1, 3, 8, 10, 27, 28}) EXPECT_TRUE(is_peers_own_word(reason)) << reason;
  for (const int reason : {0, 4, 12, 26, 999}) EXPECT_FALSE(is_peers_own_word(reason)) << reason;
}

}  // namespace
}  // namespace roceready::probes::cm
