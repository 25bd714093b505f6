// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/kept_baselines.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/state/store.h"
#include "daemon/state/writer.h"
#include "tests/daemon/state/scratch.h"

namespace roceready::daemon {
namespace {

using nlohmann::json;
using probes::LearnedBaseline;
using probes::LinkBaseline;

constexpr std::int64_t kSecond = 1'000'000'000, kDay = 86'400 * kSecond;
constexpr std::size_t kRoom = 1 << 20;
constexpr ProbeTime kThen{5'000 * kSecond, 1'800'000'000 * kSecond};

LinkBaseline baseline(int peer = 1) {
  LinkBaseline out;
  out.own = "mlx5_0/1";
  out.peer = "node" + std::to_string(peer) + ":9885";
  out.peer_port = "mlx5_1/1";
  out.kind = "ud";
  out.terms.own_address = "10.0.0.1";
  out.terms.peer_address = "fd00::7";
  out.terms.own = {100'000'000'000, 4096, "22.39.1002"};
  out.terms.peer = {std::nullopt, 1024, std::nullopt};
  out.terms.paths = 4;
  out.terms.size = 64;
  out.terms.interval_ns = 500'000'000;
  out.terms.traffic_class = 106;
  out.terms.service_level = 3;
  out.terms.nic_clock = true;
  out.learned[0] = LearnedBaseline{{4.5e-6, 9.25e-6}, 1234, kThen.probes_ns - 60 * kSecond};
  out.learned[1] = LearnedBaseline{{31e-6, 250e-6}, 2, kThen.probes_ns - 3600 * kSecond};
  return out;
}

KeptBaselines read_changed(const std::function<void(json&)>& change, const ProbeTime& now = kThen) {
  json kept = json::parse(kept_baselines_text({baseline(1), baseline(2)}, kThen, kRoom));
  change(kept);
  return kept_baselines_from(kept.dump(), now);
}

TEST(KeptBaselines, come_back_as_they_were_by_the_clock_of_another_boot) {
  const std::string text = kept_baselines_text({baseline()}, kThen, kRoom);
  const KeptBaselines same = kept_baselines_from(text, kThen);
  ASSERT_EQ(same.baselines.size(), 1U);
  EXPECT_EQ(same.baselines[0], baseline());
  EXPECT_EQ(same.old + same.senseless, 0U);
  EXPECT_EQ(same.why, "");
  // An hour later, in a boot that is ten seconds old.
  const KeptBaselines later = kept_baselines_from(text, {10 * kSecond, kThen.wall_ns + 3600 * kSecond});
  ASSERT_EQ(later.baselines.size(), 1U);
  EXPECT_EQ(later.baselines[0].learned[0]->learned_ns, (10 - 3660) * kSecond);
  EXPECT_EQ(later.baselines[0].learned[0]->minutes, 1234U);
}

TEST(KeptBaselines, are_the_newest_that_fit) {
  std::vector<LinkBaseline> many;
  for (int i = 0; i < 5000; ++i) {
    many.push_back(baseline(i));
    many.back().learned[1].reset();
    many.back().learned[0]->learned_ns = kThen.probes_ns - (5000 - i) * kSecond;
  }
  const KeptBaselines all = kept_baselines_from(kept_baselines_text(many, kThen, std::size_t{1} << 30), kThen);
  EXPECT_EQ(all.baselines.size(), probes::kMostBaselines);
  EXPECT_EQ(all.baselines.front().peer, "node4999:9885");
  const std::string small = kept_baselines_text(many, kThen, 10'000);
  EXPECT_LE(small.size(), 10'000U);
  const KeptBaselines few = kept_baselines_from(small, kThen);
  EXPECT_GT(few.baselines.size(), 10U);
  EXPECT_EQ(few.baselines.front().peer, "node4999:9885");
  EXPECT_EQ(few.senseless, 0U);
  EXPECT_TRUE(kept_baselines_from(kept_baselines_text({}, kThen, 0), kThen).why.empty());
}

TEST(KeptBaselines, are_forgotten_after_seven_days_and_each_load_by_itself) {
  const std::string text = kept_baselines_text({baseline()}, kThen, kRoom);
  const auto after = [&](std::int64_t ns) { return kept_baselines_from(text, {0, kThen.wall_ns + ns}); };
  const std::int64_t limit = 7 * kDay;
  EXPECT_TRUE(after(limit - 3600 * kSecond).baselines.at(0).learned[1]);
  const KeptBaselines half = after(limit - 3599 * kSecond);
  EXPECT_FALSE(half.baselines.at(0).learned[1]);
  EXPECT_TRUE(half.baselines.at(0).learned[0]);
  const KeptBaselines none = after(limit);
  EXPECT_TRUE(none.baselines.empty());
  EXPECT_EQ(none.old, 1U);
  EXPECT_EQ(none.senseless, 0U) << "that is no fault of the file";
  LinkBaseline old = baseline();
  old.learned[1].reset();
  old.learned[0]->learned_ns = kThen.probes_ns - 7 * kDay - kSecond;
  EXPECT_TRUE(kept_baselines_from(kept_baselines_text({old}, kThen, kRoom), kThen).baselines.empty());
}

TEST(KeptBaselines, bear_a_wall_clock_that_stepped_back_but_not_one_that_is_days_off) {
  const std::string text = kept_baselines_text({baseline()}, kThen, kRoom);
  const KeptBaselines back = kept_baselines_from(text, {100 * kSecond, kThen.wall_ns - 7200 * kSecond});
  ASSERT_EQ(back.baselines.size(), 1U);
  EXPECT_EQ(back.baselines[0].learned[0]->learned_ns, 100 * kSecond) << "not in the future";
  const KeptBaselines far = kept_baselines_from(text, {100 * kSecond, 0});
  EXPECT_TRUE(far.baselines.empty());
  EXPECT_EQ(far.senseless, 1U);
  EXPECT_NE(far.why.find("future"), std::string::npos) << far.why;
}

TEST(KeptBaselines, that_make_no_sense_cost_themselves_alone) {
  const std::vector<std::pair<const char*, json>> bad = {{"/own", 7},
                                                         {"/own", ""},
                                                         {"/peer", std::string(300, 'x')},
                                                         {"/kind", "rc-atomic"},
                                                         {"/paths", 0},
                                                         {"/paths", 17},
                                                         {"/paths", "4"},
                                                         {"/interval_ns", -1},
                                                         {"/size", 1e30},
                                                         {"/nic_clock", 1},
                                                         {"/traffic_class", 256},
                                                         {"/own_port", nullptr},
                                                         {"/own_port/mtu", -1},
                                                         {"/own_port/firmware", json::array()},
                                                         {"/peer_port", json::array()},
                                                         {"/idle", 5},
                                                         {"/idle/p50", 0},
                                                         {"/idle/p50", -4.5e-6},
                                                         {"/idle/p50", "4.5e-06"},
                                                         {"/idle/p50", 1},
                                                         {"/idle/p99", 10},
                                                         {"/idle/p99", nullptr},
                                                         {"/idle/minutes", 0},
                                                         {"/idle/minutes", 1.5},
                                                         {"/idle/wall_ns", -5},
                                                         {"/busy/p99", 1e300},
                                                         {"/busy/wall_ns", std::numeric_limits<std::int64_t>::max()}};
  for (const auto& [where, value] : bad) {
    const KeptBaselines read = read_changed([&](json& kept) { kept["links"][0][json::json_pointer(where)] = value; });
    ASSERT_EQ(read.baselines.size(), 1U) << where << " " << value;
    EXPECT_EQ(read.baselines[0], baseline(2)) << where;
    EXPECT_EQ(read.senseless, 1U) << where;
    EXPECT_NE(read.why, "") << where;
  }
  for (const char* member : {"own", "peer_name", "size", "nic_clock", "own_port"}) {
    const KeptBaselines read = read_changed([&](json& kept) { kept["links"][0].erase(member); });
    EXPECT_EQ(read.baselines.size(), 1U) << member;
  }
}

TEST(KeptBaselines, of_another_form_or_none_at_all_are_nothing_with_a_reason) {
  const std::string good = kept_baselines_text({baseline()}, kThen, kRoom);
  for (std::size_t length = 0; length < good.size(); length += 7) {
    const KeptBaselines cut = kept_baselines_from(good.substr(0, length), kThen);
    EXPECT_TRUE(cut.baselines.empty());
    EXPECT_NE(cut.why, "");
  }
  for (const char* text : {"[]", "null", "{}", R"({"version":1})", R"({"version":1,"links":{}})", "\xff\xfe", "7"})
    EXPECT_NE(kept_baselines_from(text, kThen).why, "") << text;
  const KeptBaselines newer = read_changed([](json& kept) { kept["version"] = 2; });
  EXPECT_TRUE(newer.baselines.empty());
  EXPECT_NE(newer.why.find("version 2"), std::string::npos) << newer.why;
  for (const json& each : {json(5), json(nullptr), json::array(), json::object()}) {
    const KeptBaselines read = read_changed([&](json& kept) { kept["links"][1] = each; });
    EXPECT_EQ(read.baselines.size(), 1U) << each;
    EXPECT_EQ(read.senseless, 1U) << each;
  }
}

TEST(KeptBaselines, survive_in_the_state_file) {
  const Scratch dir;
  const std::string text = kept_baselines_text({baseline(1), baseline(2)}, kThen, kRoom);
  {
    auto store = Store::open(dir.path, {}, state_time());
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(store->write({{}, {{"baselines", text}}}, state_time()));
  }
  const auto store = Store::open_for_reading(dir.path);
  ASSERT_TRUE(store);
  const auto kept = store->kept("baselines");
  ASSERT_TRUE(kept && kept->has_value());
  EXPECT_EQ(kept_baselines_from(**kept, kThen).baselines.size(), 2U);
}

}  // namespace
}  // namespace roceready::daemon
