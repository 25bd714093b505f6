// SPDX-License-Identifier: Apache-2.0
#include "probes/subset.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

using Nodes = std::vector<SubsetNode>;

/// Nodes named as clusters name them, with the label that `rack_of` gives to each, "" for none.
Nodes cluster(std::size_t count, const std::function<std::string(std::size_t)>& rack_of) {
  Nodes out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({subset_id("node" + std::to_string(i) + ":9885"), subset_id(rack_of(i))});
  return out;
}
std::string rack(std::size_t number) {
  return "tor" + std::to_string(number);
}

struct Load {
  std::size_t least = ~std::size_t{0}, most = 0, largest_subset = 0;
  std::vector<std::size_t> probed_by;
};

/// Every node chooses; how many probe each.
Load load_of(const Nodes& nodes, std::size_t most) {
  Load out;
  out.probed_by.resize(nodes.size());
  Nodes peers(nodes.begin() + 1, nodes.end());
  for (std::size_t self = 0; self < nodes.size(); ++self) {
    if (self > 0) peers[self - 1] = nodes[self - 1];
    const std::vector<std::uint32_t> chosen = choose_subset(nodes[self], peers, most);
    out.largest_subset = std::max(out.largest_subset, chosen.size());
    for (const std::uint32_t index : chosen) ++out.probed_by[index < self ? index : index + 1];
  }
  const auto [least, greatest] = std::minmax_element(out.probed_by.begin(), out.probed_by.end());
  out.least = *least;
  out.most = *greatest;
  return out;
}

constexpr std::size_t kMany = 10'000, kMost = 64;

TEST(Subset, of_10000_nodes_covers_each_and_floods_none) {
  const Load load = load_of(cluster(kMany, [](std::size_t) { return ""; }), kMost);
  EXPECT_EQ(load.largest_subset, kMost);
  EXPECT_GE(load.least, 3U);
  EXPECT_LE(load.most, kMost * 5 / 2);
}

TEST(Subset, of_10000_nodes_in_racks_of_40_covers_each_and_floods_none) {
  const Load load = load_of(cluster(kMany, [](std::size_t i) { return rack(i / 40); }), kMost);
  EXPECT_LE(load.largest_subset, kMost);
  EXPECT_GE(load.least, 3U);
  EXPECT_LE(load.most, kMost * 5 / 2);
}

/// Shapes where half of a large rack would fall upon a few others.
TEST(Subset, does_not_flood_a_small_rack_beside_a_large_one) {
  struct Shape {
    const char* name;
    std::function<std::string(std::size_t)> rack_of;
  };
  const std::vector<Shape> shapes{
      {"one node alone", [](std::size_t i) { return rack(i == 0 ? 1 : 0); }},
      {"ten beside the rest", [](std::size_t i) { return rack(i < 10 ? 1 : 0); }},
      {"a tenth beside the rest", [](std::size_t i) { return rack(i % 10 == 0 ? 1 : 0); }},
      {"a third without a label", [](std::size_t i) { return i % 3 == 0 ? "" : rack(0); }},
      {"half in one rack, half alone", [](std::size_t i) { return rack(i % 2 == 0 ? i : 1); }},
      {"racks of very different size",
       [](std::size_t i) {
         return rack(i < 1'000 ? 1 : i < 1'500 ? 2 : i < 1'700 ? 3 : i);
       }},
  };
  for (const Shape& shape : shapes) {
    const Load load = load_of(cluster(2'000, shape.rack_of), kMost);
    EXPECT_LE(load.largest_subset, kMost) << shape.name;
    EXPECT_GE(load.least, 3U) << shape.name;
    EXPECT_LE(load.most, kMost * 5 / 2) << shape.name;
  }
}

TEST(Subset, is_half_inside_the_own_rack) {
  const Nodes nodes = cluster(4'000, [](std::size_t i) { return rack(i / 100); });
  const Nodes peers(nodes.begin() + 1, nodes.end());
  const auto chosen = choose_subset(nodes[0], peers, kMost);
  ASSERT_EQ(chosen.size(), kMost);
  EXPECT_EQ(std::ranges::count_if(chosen, [&](std::uint32_t i) { return peers[i].label == nodes[0].label; }), 32);
}

TEST(Subset, takes_more_from_outside_where_the_own_rack_is_small) {
  const Nodes nodes = cluster(4'000, [](std::size_t i) { return rack(i / 8); });
  const Nodes peers(nodes.begin() + 1, nodes.end());
  const auto chosen = choose_subset(nodes[0], peers, kMost);
  ASSERT_EQ(chosen.size(), kMost);
  EXPECT_EQ(std::ranges::count_if(chosen, [&](std::uint32_t i) { return peers[i].label == nodes[0].label; }), 7);
}

TEST(Subset, is_everybody_where_they_are_few) {
  const Nodes nodes = cluster(65, [](std::size_t i) { return rack(i % 2); });
  const auto chosen = choose_subset(nodes[0], Nodes(nodes.begin() + 1, nodes.end()), kMost);
  ASSERT_EQ(chosen.size(), 64U);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
  EXPECT_TRUE(choose_subset(nodes[0], {}, kMost).empty());
}

/// Ids of what a node chooses of all others.
std::vector<std::uint64_t> chosen_ids(const Nodes& nodes, std::size_t self) {
  Nodes peers = nodes;
  peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(self));
  std::vector<std::uint64_t> out;
  for (const std::uint32_t index : choose_subset(nodes[self], peers, kMost)) out.push_back(peers[index].id);
  std::ranges::sort(out);
  return out;
}

TEST(Subset, changes_one_pick_when_a_peer_goes_and_only_of_who_had_it) {
  const Nodes before = cluster(2'000, [](std::size_t i) { return rack(i / 100); });
  Nodes after = before;
  const std::uint64_t gone = after.back().id;
  after.pop_back();
  std::size_t touched = 0;
  for (std::size_t self = 0; self < 200; ++self) {
    const auto old = chosen_ids(before, self), now = chosen_ids(after, self);
    std::vector<std::uint64_t> added, removed;
    std::ranges::set_difference(now, old, std::back_inserter(added));
    std::ranges::set_difference(old, now, std::back_inserter(removed));
    if (!std::ranges::binary_search(old, gone)) {
      EXPECT_TRUE(added.empty() && removed.empty()) << self;
      continue;
    }
    ++touched;
    EXPECT_EQ(removed, std::vector<std::uint64_t>{gone}) << self;
    EXPECT_EQ(added.size(), 1U) << self;
  }
  EXPECT_GT(touched, 0U);
}

TEST(Subset, does_not_depend_on_the_order_of_the_list) {
  Nodes nodes = cluster(1'000, [](std::size_t i) { return rack(i / 100); });
  const auto expected = chosen_ids(nodes, 0);
  std::reverse(nodes.begin() + 1, nodes.end());
  EXPECT_EQ(chosen_ids(nodes, 0), expected);
}

TEST(SubsetId, is_the_same_on_every_machine) {
  EXPECT_EQ(subset_id(""), 0U);
  EXPECT_NE(subset_id("node1:9885"), subset_id("node2:9885"));
  EXPECT_EQ(subset_id("node17:9885"), 0xd51f0f2c0fe0808bU);
}

}  // namespace
}  // namespace roceready::probes
