// SPDX-License-Identifier: Apache-2.0
#include "probes/digest.h"

#include <set>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

NodeDigest small_digest() {
  NodeDigest out{.profile = "nvidia-lossless", .role = "gpu", .ports = {}};
  PortDigest& port = out.ports.emplace_back();
  port.device = "mlx5_0";
  port.rail = "rail0";
  port.address = std::string("10.0.0.1");
  port.trust = std::string("dscp");
  port.pfc_mask = 8U;
  port.dscp_to_priority = std::map<std::string, std::uint32_t>{{"26", 3}, {"48", 6}};
  port.mtu = 9000U;
  port.speed_bits_per_second = std::uint64_t{400'000'000'000};
  port.fec = Absent{Why::Denied, "ethtool: EPERM at 12:00"};
  port.roce_versions = std::vector<std::string>{"RoCE v2"};
  return out;
}

TEST(Digest, comes_back_as_it_was_sent) {
  NodeDigest sent = small_digest();
  ASSERT_TRUE(make_sendable(sent));
  const Result<NodeDigest> read = digest_from_text(digest_text(sent));
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->ports.size(), 1U);
  EXPECT_EQ(read->profile, "nvidia-lossless");
  EXPECT_EQ(*read->ports[0].pfc_mask, 8U);
  EXPECT_EQ(read->ports[0].dscp_to_priority->at("26"), 3U);
  EXPECT_EQ(*read->ports[0].speed_bits_per_second, 400'000'000'000U);
  EXPECT_EQ(read->ports[0].fec.absent().why, Why::Denied);
  EXPECT_EQ(digest_hash(*read), digest_hash(sent));
}

TEST(Digest, hash_follows_facts_and_not_the_words_of_an_absence) {
  NodeDigest first = small_digest(), second = small_digest();
  second.ports[0].fec = Absent{Why::Denied, "ethtool: EPERM at 13:00"};
  (void)make_sendable(first), (void)make_sendable(second);
  EXPECT_EQ(digest_hash(first), digest_hash(second));
  second.ports[0].pfc_mask = 0U;
  EXPECT_NE(digest_hash(first), digest_hash(second));
  EXPECT_NE(digest_hash({}), 0U);
}

TEST(Digest, hash_does_not_depend_on_the_order_in_which_ports_were_found) {
  NodeDigest first, second;
  for (const char* device : {"mlx5_0", "mlx5_1"}) first.ports.emplace_back().device = device;
  for (const char* device : {"mlx5_1", "mlx5_0"}) second.ports.emplace_back().device = device;
  (void)make_sendable(first), (void)make_sendable(second);
  EXPECT_EQ(digest_hash(first), digest_hash(second));
}

TEST(Digest, sends_no_more_than_peers_take) {
  NodeDigest digest;
  for (int i = 0; i < 200; ++i) {
    PortDigest& port = digest.ports.emplace_back(small_digest().ports[0]);
    port.device = "mlx5_" + std::to_string(i);
    for (int dscp = 0; dscp < 64; ++dscp) (*port.dscp_to_priority)[std::to_string(dscp)] = 3;
  }
  EXPECT_FALSE(make_sendable(digest));
  EXPECT_FALSE(digest.ports.empty());
  EXPECT_LE(digest_text(digest).size(), kDigestBytes);
  EXPECT_TRUE(digest_from_text(digest_text(digest)));
}

TEST(Digest, leaves_out_findings_before_ports_where_it_is_too_long) {
  NodeDigest digest;
  std::map<std::string, std::string> findings;
  for (int i = 0; i < 16; ++i) findings["transport-some-rule-of-a-long-name-" + std::to_string(i)] = "critical";
  for (int i = 0; i < 40; ++i) {
    PortDigest& port = digest.ports.emplace_back(small_digest().ports[0]);
    port.device = "mlx5_" + std::to_string(i);
    port.findings = findings;
  }
  EXPECT_TRUE(make_sendable(digest)) << "no port had to be left out";
  EXPECT_EQ(digest.ports.size(), 40U);
  EXPECT_EQ(digest.ports[0].findings.absent().why, Why::Filtered);
}

TEST(Digest, of_a_peer_that_says_what_cannot_be_is_refused_before_it_spoils_the_facts) {
  EXPECT_FALSE(digest_from_text(R"({"ports":[{"device":"mlx5_0","rx_pause_share":1.5}]})"));
  EXPECT_FALSE(digest_from_text(R"({"ports":[{"device":"mlx5_0","tx_pause_share":-0.1}]})"));
  EXPECT_FALSE(digest_from_text(R"({"ports":[{"device":"mlx5_0","pfc_mask":256}]})"));
  EXPECT_TRUE(digest_from_text(R"({"ports":[{"device":"mlx5_0","rx_pause_share":1}],"label":"leaf-a"})"));
}

TEST(Digest, of_a_newer_peer_is_read_without_what_we_do_not_know) {
  const Result<NodeDigest> read =
      digest_from_text(R"({"profile":"x","quantum":1,"ports":[{"device":"mlx5_0","warp":{"a":[1]}}]})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->profile, "x");
  EXPECT_EQ(read->ports.at(0).device, "mlx5_0");
  EXPECT_EQ(read->ports[0].mtu.absent().why, Why::NotRecorded);
}

TEST(Digest, is_refused_with_the_place_of_the_fault) {
  struct Case {
    const char* text;
    const char* where;
  };
  for (const Case& bad :
       {Case{"[]", ""}, Case{"7", ""}, Case{"", ""}, Case{"{\"profile\":7}", "profile"},
        Case{"{\"ports\":{}}", "ports"}, Case{"{\"ports\":[7]}", "ports[0]"},
        Case{"{\"ports\":[{\"mtu\":\"x\"}]}", "ports[0].mtu"}, Case{"{\"ports\":[{\"mtu\":-1}]}", "ports[0].mtu"},
        Case{"{\"ports\":[{\"pfc_mask\":4294967296}]}", "ports[0].pfc_mask"},
        Case{"{\"ports\":[{\"mtu\":{\"absent\":\"moody\"}}]}", "ports[0].mtu.absent"}}) {
    const Result<NodeDigest> read = digest_from_text(bad.text);
    ASSERT_FALSE(read) << bad.text;
    EXPECT_EQ(read.error().code, ErrorCode::Malformed) << bad.text;
    EXPECT_EQ(read.error().where, bad.where) << bad.text;
  }
}

TEST(Digest, is_refused_where_it_is_larger_than_any_node) {
  EXPECT_FALSE(digest_from_text(std::string(kDigestBytes + 1, ' ') + "{}"));
  EXPECT_FALSE(digest_from_text(std::string(10'000, '[')));
  EXPECT_FALSE(digest_from_text("{\"profile\":\"" + std::string(129, 'a') + "\"}"));
  std::string ports = "{\"ports\":[";
  for (int i = 0; i < 65; ++i) ports += i == 0 ? "{}" : ",{}";
  EXPECT_FALSE(digest_from_text(ports + "]}"));
  std::string map = "{\"ports\":[{\"dscp_to_priority\":{";
  for (int i = 0; i < 65; ++i) map += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  EXPECT_FALSE(digest_from_text(map + "}}]}"));
}

TEST(ToldHash, differs_for_each_service_level_and_is_that_of_the_digest_where_none_is_told) {
  EXPECT_EQ(told_hash(42, std::nullopt), 42U);
  std::set<std::uint64_t> all{42};
  for (std::uint32_t level = 0; level < 16; ++level) all.insert(told_hash(42, level));
  EXPECT_EQ(all.size(), 17U);
  EXPECT_NE(told_hash(0x9E3779B97F4A7C15, 0U), 0U);
}

}  // namespace
}  // namespace roceready::probes
