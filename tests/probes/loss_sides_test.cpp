// SPDX-License-Identifier: Apache-2.0
#include "probes/loss_sides.h"

#include <vector>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

using End = LossSides::End;

/// Feeds probes in the order of their sequence, each ended before the next is sent.
struct Session {
  LossSides sides;
  std::uint64_t next = 1;
  LostSides answered(std::uint32_t arrived) { return end(End::Answered, true, arrived); }
  LostSides lost(bool small = true) { return end(End::Lost, small, std::nullopt); }
  LostSides end(End how, bool small, std::optional<std::uint32_t> arrived) {
    const std::uint64_t sequence = next++;
    return sides.ended(sequence, how, small, arrived, next);
  }
};

TEST(LossSides, tells_a_lost_probe_from_a_lost_answer) {
  Session session;
  EXPECT_EQ(session.answered(1).there, 0U);
  (void)session.lost();
  const LostSides there = session.answered(2);
  EXPECT_EQ(there.there, 1U);
  EXPECT_EQ(there.back, 0U);
  (void)session.lost();
  const LostSides back = session.answered(4);
  EXPECT_EQ(back.there, 0U);
  EXPECT_EQ(back.back, 1U);
}

TEST(LossSides, splits_several_losses_and_knows_those_before_the_first_answer) {
  Session session;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(session.lost().there, 0U);
  const LostSides known = session.answered(2);
  EXPECT_EQ(known.there, 3U);
  EXPECT_EQ(known.back, 1U);
}

TEST(LossSides, does_not_count_what_was_never_sent) {
  Session session;
  (void)session.answered(1);
  (void)session.end(End::NotSent, true, std::nullopt);
  const LostSides known = session.answered(2);
  EXPECT_EQ(known.there + known.back, 0U);
}

TEST(LossSides, takes_probes_in_their_order_whenever_they_end) {
  LossSides sides;
  // 2 is answered before it is known that 1 is lost.
  EXPECT_EQ(sides.ended(2, End::Answered, true, 1, 1).there, 0U);
  EXPECT_EQ(sides.ended(1, End::Lost, true, std::nullopt, 3).there, 1U);
  // 4 overtook 3 on its way there: their counts are turned round, and nothing was lost.
  EXPECT_EQ(sides.ended(4, End::Answered, true, 2, 3).there, 0U);
  const LostSides known = sides.ended(3, End::Answered, true, 3, 5);
  EXPECT_EQ(known.there + known.back, 0U);
}

TEST(LossSides, counts_small_probes_and_says_nothing_where_sizes_are_mixed) {
  Session session;
  (void)session.answered(1);
  (void)session.lost(false);
  (void)session.lost();
  EXPECT_EQ(session.answered(2).there, 1U) << "both were lost on the way there, the small one counts";
  (void)session.lost(false);
  (void)session.lost();
  const LostSides mixed = session.answered(4);
  EXPECT_EQ(mixed.there + mixed.back, 0U) << "one arrived, and nobody knows which";
}

TEST(LossSides, takes_back_what_was_answered_after_all) {
  Session open;
  (void)open.answered(1);
  (void)open.lost();
  (void)open.lost();
  const LostSides nothing = open.sides.came_late(2, 2);
  EXPECT_EQ(nothing.there + nothing.back, 0U) << "nothing had been said of it";
  const LostSides other = open.answered(3);
  EXPECT_EQ(other.there, 1U) << "the one that is lost indeed";
  EXPECT_EQ(other.back, 0U);

  Session said;
  (void)said.answered(1);
  (void)said.lost();
  EXPECT_EQ(said.answered(3).back, 1U);
  EXPECT_EQ(said.sides.came_late(2, 2).back, 1U);
  EXPECT_EQ(said.sides.came_late(2, 2).back, 0U) << "once";
  EXPECT_EQ(said.sides.came_late(1, 1).back, 0U) << "it was never lost";
}

TEST(LossSides, takes_back_what_it_has_not_looked_at_yet) {
  LossSides sides;
  (void)sides.ended(2, End::Lost, true, std::nullopt, 1);
  (void)sides.came_late(2, 2);
  const LostSides known = sides.ended(1, End::Answered, true, 1, 3);
  EXPECT_EQ(known.there + known.back, 0U);
  EXPECT_EQ(sides.ended(3, End::Answered, true, 3, 4).back, 0U);
}

TEST(LossSides, goes_over_the_end_of_the_count) {
  LossSides sides;
  (void)sides.ended(1, End::Answered, true, 0xffffffff, 2);
  (void)sides.ended(2, End::Lost, true, std::nullopt, 3);
  const LostSides known = sides.ended(3, End::Answered, true, 1, 4);
  EXPECT_EQ(known.back, 1U);
}

TEST(LossSides, knows_nothing_from_a_peer_that_does_not_count) {
  Session session;
  (void)session.lost();
  EXPECT_EQ(session.end(End::Answered, true, std::nullopt).there, 0U);
}

}  // namespace
}  // namespace roceready::probes
