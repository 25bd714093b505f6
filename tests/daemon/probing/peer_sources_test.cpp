// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/peer_sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kSecond = 1'000'000'000;

class PeerSourcesTest : public testing::Test {
 protected:
  PeerSourcesTest() {
    std::string pattern = (fs::temp_directory_path() / "roceready-peers-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    file_ = directory_ / "peers.json";
  }
  ~PeerSourcesTest() override { fs::remove_all(directory_); }
  /// Files that are written within one tick of the clock are told apart by their size.
  void write(const std::string& text) const { std::ofstream(file_) << text; }
  static std::vector<std::string> names(const std::optional<probes::PeerList>& list) {
    std::vector<std::string> out;
    if (list)
      for (const auto& peer : list->peers) out.push_back(peer.text());
    std::sort(out.begin(), out.end());
    return out;
  }

  fs::path directory_, file_;
};

using Names = std::vector<std::string>;

TEST_F(PeerSourcesTest, add_up_and_leave_out_this_node) {
  config::ProbeSettings settings;
  settings.peers = {"node1", "node2:9886", "10.0.0.9"};
  settings.peers_file = file_.string();
  write(R"([{"targets": ["node3:9885", "node1:9885"], "labels": {"tor": "leaf1"}}])");
  PeerSources sources(settings);
  const auto list = sources.look({{"10.0.0.9"}, 9885}, kSecond);
  EXPECT_EQ(names(list), (Names{"node1:9885", "node2:9886", "node3:9885"}));
  EXPECT_EQ(list->problem_count, 0U);
  EXPECT_FALSE(sources.look({{"10.0.0.9"}, 9885}, 2 * kSecond)) << "nothing changed";
}

TEST_F(PeerSourcesTest, notice_a_changed_file_and_survive_a_bad_one) {
  config::ProbeSettings settings;
  settings.peers_file = file_.string();
  PeerSources sources(settings);
  const auto missing = sources.look({}, kSecond);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->problem_count, 1U);
  write(R"([{"targets": ["node3:9885"]}])");
  EXPECT_EQ(names(sources.look({}, 2 * kSecond)), Names{"node3:9885"});
  write(R"([{"targets": ["node3:9885", "node4)");
  const auto damaged = sources.look({}, 3 * kSecond);
  EXPECT_EQ(names(damaged), Names{"node3:9885"}) << "half a file is nobody's wish";
  EXPECT_GT(damaged->problem_count, 0U);
  write(R"([{"targets": ["node3:9885", "node4:9885"]}])");
  EXPECT_EQ(names(sources.look({}, 4 * kSecond)), (Names{"node3:9885", "node4:9885"}));
  fs::remove(file_);
  const auto gone = sources.look({}, 5 * kSecond);
  EXPECT_EQ(names(gone), (Names{"node3:9885", "node4:9885"})) << "a file that vanished is no wish either";
  EXPECT_EQ(gone->problem_count, 1U);
}

TEST_F(PeerSourcesTest, do_not_hang_on_a_pipe_or_read_a_folder) {
  config::ProbeSettings settings;
  settings.peers_file = directory_.string();
  EXPECT_EQ(PeerSources(settings).look({}, kSecond)->problem_count, 1U);
}

TEST_F(PeerSourcesTest, say_when_a_name_has_no_address) {
  config::ProbeSettings settings;
  settings.peers_dns = "no-such-name.invalid:9885";
  const auto list = PeerSources(settings).look({}, kSecond);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->problem_count, 1U);
  EXPECT_TRUE(list->peers.empty());
}

TEST_F(PeerSourcesTest, say_what_is_wrong_in_a_few_clean_lines) {
  config::ProbeSettings settings;
  settings.peers = {"node1", "http://node2", "node3:0\x1b[31m"};
  settings.peers_file = file_.string();
  const auto list = PeerSources(settings).look({}, kSecond);
  EXPECT_EQ(names(list), Names{"node1:9885"});
  const auto lines = problem_lines(*list);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "probes.peers[1]: \"http://node2\" is a URL; only host:port belongs here");
  EXPECT_EQ(lines[1].find('\x1b'), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("probes.peers_file " + file_.string() + ": cannot be read"), std::string::npos) << lines[2];

  probes::PeerList many;
  for (int i = 0; i < 300; ++i) many.problem("probes.peers", std::string(2000, '\n'));
  const auto few = problem_lines(many);
  ASSERT_EQ(few.size(), 9U);
  for (const std::string& line : few) EXPECT_LE(line.size(), 1024U);
  EXPECT_NE(few.back().find("and 292 more problems"), std::string::npos) << few.back();
  EXPECT_TRUE(problem_lines({}).empty());
}

TEST_F(PeerSourcesTest, the_secret_is_long_enough_and_has_no_line_end) {
  write("0123456789abcdef\n");
  EXPECT_EQ(*read_secret(file_.string()), "0123456789abcdef");
  write("short\n\n");
  EXPECT_NE(read_secret(file_.string()).error().text().find("at least 16 bytes, this has 5"), std::string::npos);
  write(std::string(5000, 'x'));
  EXPECT_FALSE(read_secret(file_.string()));
  EXPECT_FALSE(read_secret((directory_ / "missing").string()));
  EXPECT_FALSE(read_secret("/dev/zero"));
}

TEST(OwnNames, has_the_loopback_address) {
  const auto own = own_names(9885);
  EXPECT_NE(std::find(own.hosts.begin(), own.hosts.end(), "127.0.0.1"), own.hosts.end());
}

}  // namespace
}  // namespace roceready::daemon
