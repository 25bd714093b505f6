// SPDX-License-Identifier: Apache-2.0
#include "probes/peers.h"

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

std::string text_of(std::string_view entry) {
  const Result<PeerAddress> peer = parse_peer(entry);
  return peer ? peer->text() : "refused: " + peer.error().what;
}
std::vector<std::string> texts(const PeerList& list) {
  std::vector<std::string> out;
  for (const PeerAddress& peer : list.peers) out.push_back(peer.text());
  return out;
}
using Texts = std::vector<std::string>;

TEST(ParsePeer, takes_names_and_addresses_with_and_without_a_port) {
  EXPECT_EQ(text_of("node17"), "node17:9885");
  EXPECT_EQ(text_of("  node17:1234 "), "node17:1234");
  EXPECT_EQ(text_of("Node17.Example.ORG."), "node17.example.org:9885");
  EXPECT_EQ(text_of("gpu_01"), "gpu_01:9885");
  EXPECT_EQ(text_of("10.0.0.1"), "10.0.0.1:9885");
  EXPECT_EQ(text_of("10.0.0.1:1"), "10.0.0.1:1");
  EXPECT_EQ(text_of("[2001:DB8:0::7]:9900"), "[2001:db8::7]:9900");
  EXPECT_EQ(text_of("[2001:db8::7]"), "[2001:db8::7]:9885");
  EXPECT_EQ(text_of("2001:db8::7"), "[2001:db8::7]:9885");
  EXPECT_EQ(text_of("::ffff:10.0.0.1"), "10.0.0.1:9885") << "one host has one name";
}

TEST(ParsePeer, refuses_what_names_no_peer) {
  for (const char* entry : {"",
                            "   ",
                            ":9885",
                            "node17:",
                            "node17:0",
                            "node17:65536",
                            "node17:-1",
                            "node17:x",
                            "node17:98 85",
                            "[::1",
                            "[]:9885",
                            "[2001:db8::7]9885",
                            "[2001:db8::7]:",
                            "[node17]:9885",
                            "[10.0.0.1]:9885",
                            "http://node17:9885",
                            "node 17",
                            "node..org",
                            "-node",
                            "node-",
                            "nöde",
                            "10.0.0.256",
                            "10.0.0",
                            "010.0.0.1",
                            "0.0.0.0",
                            "::",
                            "224.0.0.1",
                            "255.255.255.255",
                            "ff02::1",
                            "fe80::1%eth0",
                            "2001:db8::7::1",
                            "a:b:c",
                            "node\n17",
                            "."})
    EXPECT_TRUE(text_of(entry).starts_with("refused: ")) << entry << " gave " << text_of(entry);
  EXPECT_TRUE(text_of(std::string(64, 'a')).starts_with("refused: "));
  std::string longest = "a";
  while (longest.size() <= 253) longest += ".a";
  EXPECT_TRUE(text_of(longest).starts_with("refused: "));
  EXPECT_TRUE(text_of(std::string_view("node\0x", 6)).starts_with("refused: "));
  EXPECT_TRUE(text_of(std::string_view("10.0.0.1\0x", 10)).starts_with("refused: "));
}

TEST(PeersFromList, costs_a_bad_entry_that_entry_alone) {
  const PeerList list = peers_from_list({"node1", "node2:x", "node3"}, "probes.peers");
  EXPECT_EQ(texts(list), (Texts{"node1:9885", "node3:9885"}));
  ASSERT_EQ(list.problems.size(), 1U);
  EXPECT_EQ(list.problems[0].where, "probes.peers[1]");
  EXPECT_NE(list.problems[0].what.find("port"), std::string::npos);
}

TEST(PeersFromFileSd, reads_json_with_labels) {
  const PeerList list = peers_from_file_sd(R"([
	{"targets": ["node1:9885", "node2"], "labels": {"rail": "0", "tor": "leaf\u00e4\ud83d\ude00", "job": "x"}},
    {"targets": []}, {"targets": ["[2001:db8::1]:1"]}])",
                                           "peers.json");
  EXPECT_TRUE(list.problems.empty()) << list.problems[0].what;
  ASSERT_EQ(texts(list), (Texts{"node1:9885", "node2:9885", "[2001:db8::1]:1"}));
  EXPECT_EQ(list.peers[1].rail, "0");
  EXPECT_EQ(list.peers[1].label, "leafä😀");
  EXPECT_EQ(list.peers[2].label, "");
}

TEST(PeersFromFileSd, reads_yaml_with_labels) {
  const PeerList list = peers_from_file_sd(
      "# racks\n- targets:\n  - node1:9885\n  - 'node2'\n  labels:\n    tor: leaf1\n    rail: 3\n- labels: {tor: "
      "leaf2}\n"
      "  targets: [node3, \"[2001:db8::1]\"]\n",
      "peers.yaml");
  EXPECT_TRUE(list.problems.empty()) << list.problems[0].what;
  ASSERT_EQ(texts(list), (Texts{"node1:9885", "node2:9885", "node3:9885", "[2001:db8::1]:9885"}));
  EXPECT_EQ(list.peers[0].label, "leaf1");
  EXPECT_EQ(list.peers[1].rail, "3");
  EXPECT_EQ(list.peers[3].label, "leaf2");
}

TEST(PeersFromFileSd, of_an_empty_list_has_neither_peers_nor_problems) {
  for (const char* text : {"[]", "- targets: []\n", "[{\"targets\": [], \"labels\": {}}]", ""}) {
    const PeerList list = peers_from_file_sd(text, "f");
    EXPECT_TRUE(list.peers.empty() && list.problems.empty()) << text;
  }
}

TEST(PeersFromFileSd, names_the_place_of_a_bad_target) {
  const PeerList list = peers_from_file_sd("- targets: [node1]\n- targets: [node2, 'node3:99999']\n", "peers.yaml");
  EXPECT_EQ(list.peers.size(), 2U);
  ASSERT_EQ(list.problems.size(), 1U);
  EXPECT_EQ(list.problems[0].where, "peers.yaml [1].targets[1]");
}

TEST(PeersFromFileSd, refuses_files_of_another_form_with_one_problem) {
  for (const char* text : {"{",
                           "targets: [node1]\n",
                           "[1]",
                           "[null]",
                           "7",
                           "null",
                           "{\"targets\": [\"node1\"]}",
                           "[[\"node1\"]]",
                           "[\"node1\"]",
                           "[{\"targets\": \"node1\"}]",
                           "[{\"targets\": [1]}]",
                           "[{\"targets\": [\"a\"], \"labels\": {\"tor\": 1}}]",
                           "[{\"target\": [\"node1\"]}]",
                           "- targets: node1\n",
                           "- targets: [[node1]]\n",
                           "- targets: [{a: b}]\n",
                           "- targets:\n",
                           "- targets: [~]\n",
                           "- labels: [a]\n",
                           "- labels: {a: [b]}\n",
                           "- labels: {[a]: b}\n",
                           "- labels: {a: ~}\n",
                           "- {targets, labels}\n",
                           "- target: [a]\n",
                           "- &a {targets: [b]}\n- *a\n",
                           "- targets: &t [a]\n- targets: *t\n",
                           "- targets: [a]\n---\n- targets: [b]\n",
                           "- targets: [a\n",
                           "a: &b [*b]\n",
                           "\xc3\x28",
                           "- \t- x"}) {
    const PeerList list = peers_from_file_sd(text, "f");
    EXPECT_TRUE(list.peers.empty()) << text;
    EXPECT_EQ(list.problems.size(), 1U) << text;
  }
}

TEST(PeersFromFileSd, refuses_deep_nesting_and_too_many_entries) {
  EXPECT_EQ(peers_from_file_sd(std::string(100'000, '['), "f").problems.size(), 1U);
  EXPECT_EQ(peers_from_file_sd(std::string((16 << 20) + 1, ' '), "f").problems.size(), 1U);
}

TEST(PeersFromDns, takes_addresses_and_says_when_there_is_none) {
  const PeerList list = peers_from_dns("peers.example", 1234, {"10.0.0.1", "10.0.0.2", "0.0.0.0", "junk"});
  EXPECT_EQ(texts(list), (Texts{"10.0.0.1:1234", "10.0.0.2:1234"}));
  EXPECT_EQ(list.problems.size(), 2U);
  const PeerList none = peers_from_dns("peers.example", 1234, {});
  ASSERT_EQ(none.problems.size(), 1U);
  EXPECT_EQ(none.problems[0].where, "peers.example");
}

TEST(PeersFromDns, of_both_families_are_of_one_alone) {
  const PeerList equal = peers_from_dns("peers.example", 9885, {"2001:db8::1", "2001:db8::2", "10.0.0.1", "10.0.0.2"});
  EXPECT_EQ(texts(equal), (Texts{"10.0.0.1:9885", "10.0.0.2:9885"}));
  EXPECT_TRUE(equal.problems.empty());
  const PeerList six = peers_from_dns("peers.example", 9885, {"2001:db8::1", "2001:db8::2", "10.0.0.1", "2001:db8::3"});
  EXPECT_EQ(texts(six), (Texts{"[2001:db8::1]:9885", "[2001:db8::2]:9885", "[2001:db8::3]:9885"}));
  ASSERT_EQ(six.problems.size(), 1U);
  EXPECT_EQ(six.problems[0].where, "peers.example");
  EXPECT_EQ(six.problems[0].what,
            "has 1 IPv4 and 3 IPv6 addresses; only those of IPv6 are probed, since a node may have both");
  const PeerList two_each = peers_from_dns("peers.example", 9885, {"2001:db8::1", "2001:db8::2", "10.0.0.1"});
  EXPECT_EQ(texts(two_each), Texts{"10.0.0.1:9885"}) << "one node with two addresses of IPv6";
  const PeerList four = peers_from_dns("peers.example", 9885, {"::ffff:10.0.0.3", "2001:db8::1", "10.0.0.1"});
  EXPECT_EQ(texts(four), (Texts{"10.0.0.3:9885", "10.0.0.1:9885"})) << "a mapped address is one of IPv4";
  EXPECT_EQ(four.problem_count, 1U);
  EXPECT_EQ(texts(peers_from_dns("peers.example", 9885, {"2001:db8::1"})), Texts{"[2001:db8::1]:9885"});
}

TEST(MergePeers, names_each_peer_once_sorted_and_without_ourselves) {
  const PeerList first = peers_from_list({"node3", "node1", "node2", "NODE1:9885", "10.0.0.9"}, "probes.peers");
  const PeerList second = peers_from_file_sd("- targets: [node4, node1]\n  labels: {tor: leaf1}\n", "f");
  const PeerList all = merge_peers({first, second}, {.hosts = {"Node2", "::ffff:10.0.0.9"}, .port = 9885});
  EXPECT_EQ(texts(all), (Texts{"node1:9885", "node3:9885", "node4:9885"}));
  EXPECT_EQ(all.own, (Texts{"10.0.0.9:9885", "node2:9885"}));
  EXPECT_EQ(all.peers[0].label, "leaf1") << "a later source may add a label";
  EXPECT_TRUE(all.problems.empty());
}

TEST(MergePeers, keeps_another_daemon_on_this_host) {
  const PeerList all =
      merge_peers({peers_from_list({"node1:9885", "node1:9886"}, "l")}, {.hosts = {"node1"}, .port = 9885});
  EXPECT_EQ(texts(all), Texts{"node1:9886"});
}

TEST(MergePeers, reports_labels_that_contradict) {
  const PeerList all = merge_peers({peers_from_file_sd("- targets: [node1]\n  labels: {tor: a}\n", "f"),
                                    peers_from_file_sd("- targets: [node1]\n  labels: {tor: b}\n", "g")},
                                   {});
  ASSERT_EQ(all.peers.size(), 1U);
  EXPECT_EQ(all.peers[0].label, "a");
  ASSERT_EQ(all.problems.size(), 1U);
  EXPECT_EQ(all.problems[0].where, "node1:9885");
}

TEST(MergePeers, keeps_the_problems_of_all_sources_but_only_so_many) {
  const PeerList bad = peers_from_list(std::vector<std::string>(150, "?"), "l");
  EXPECT_EQ(bad.problems.size(), 100U);
  EXPECT_EQ(bad.problem_count, 150U);
  const PeerList all = merge_peers({bad, bad}, {});
  EXPECT_EQ(all.problems.size(), 100U);
  EXPECT_EQ(all.problem_count, 300U);
}

TEST(MergePeers, has_a_limit) {
  PeerList many;
  for (std::size_t i = 0; i < kMostPeers + 5; ++i) {
    PeerAddress peer;
    peer.host = "n" + std::to_string(i);
    many.peers.push_back(std::move(peer));
  }
  const PeerList all = merge_peers({many}, {});
  EXPECT_EQ(all.peers.size(), kMostPeers);
  EXPECT_EQ(all.problem_count, 5U);
}

}  // namespace
}  // namespace roceready::probes
