// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/writer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/daemon/state/scratch.h"

namespace roceready::daemon {
namespace {

constexpr Instant kNow{1'000'000'000'000'000, 1'800'000'000'000'000'000};

// Each round ends while the first batch is being written, or just before or after: whichever it is, nothing is lost.
TEST(StateWriter, writes_what_came_while_it_was_writing_before_it_ends) {
  constexpr int kRounds = 40;
  const Scratch dir;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const std::string word = std::to_string(round);
    {
      auto store = Store::open(dir.path, {}, kNow);
      ASSERT_TRUE(store) << store.error().text();
      StateWriter writer(dir.path, {}, std::move(*store), "");
      StoreBatch large, small;
      large.kept["large"] = std::string(std::size_t{512} << 10U, 'x') + word;
      small.kept["small"] = word;
      writer.put(std::move(large));
      for (int wait = 0; wait < round * 20; ++wait) (void)writer.status();
      writer.put(std::move(small));
      ASSERT_TRUE(writer.finish(10'000));
      EXPECT_TRUE(writer.status().writable) << writer.status().problem;
    }
    const auto store = Store::open(dir.path, {}, kNow);
    ASSERT_TRUE(store) << store.error().text();
    const auto large = store->kept("large"), small = store->kept("small");
    ASSERT_TRUE(large && *large && small && *small);
    EXPECT_TRUE((*large)->ends_with("x" + word));
    EXPECT_EQ(**small, word);
  }
}

TEST(StateWriter, ends_in_time_where_nothing_can_be_written) {
  StateWriter writer("/nonexistent/roceready", {}, std::nullopt, "no such directory");
  StoreBatch batch;
  batch.kept["settings"] = "{}";
  writer.put(std::move(batch));
  EXPECT_TRUE(writer.finish(10'000));
  EXPECT_FALSE(writer.status().writable);
}

}  // namespace
}  // namespace roceready::daemon
