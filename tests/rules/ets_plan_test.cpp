// SPDX-License-Identifier: Apache-2.0
#include "rules/ets_plan.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "rules/stated_profile.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

/// The one command of the finding that begins so; fails the test where there is none.
std::string command_of(const Scene& scene, const std::string& begin) {
  for (const FixCommand& one : scene.fix())
    if (one.command.starts_with(begin)) return one.command;
  ADD_FAILURE() << "no command " << begin;
  return begin;
}

std::uint32_t algorithm_named(const std::string& word) {
  EXPECT_TRUE(word == "ets" || word == "strict") << word;
  return word == "ets" ? kAlgorithmEts : kAlgorithmStrict;
}

/// What "0,0,0,1" sets, in order; what is not named stays.
void set_listed(std::array<std::uint32_t, kPriorities>& to, const std::string& list) {
  std::size_t at = 0;
  for (const std::string& word : split(list, ',')) to.at(at++) = static_cast<std::uint32_t>(std::stoul(word));
}

/// As mlnx_qos does: an option that is missing leaves what the NIC has.
EtsFacts after_mlnx_qos(EtsFacts ets, const std::string& command) {
  const std::vector<std::string> words = split(command, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--prio_tc") set_listed(ets.priority_to_class, words[i + 1]);
    if (words[i] == "--tc_bw") set_listed(ets.bandwidth_percent, words[i + 1]);
    std::size_t at = 0;
    if (words[i] == "--tsa")
      for (const std::string& word : split(words[i + 1], ',')) ets.algorithm.at(at++) = algorithm_named(word);
  }
  return ets;
}

/// As dcb does: "all:" first, then single ones.
EtsFacts after_dcb(EtsFacts ets, const std::string& command) {
  std::string what;
  for (const std::string& word : split(command, ' ')) {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) {
      what = word;
      continue;
    }
    const std::string value = word.substr(colon + 1);
    for (std::size_t i = 0; i < kPriorities; ++i) {
      if (word.substr(0, colon) != "all" && word.substr(0, colon) != std::to_string(i)) continue;
      if (what == "tc-tsa") ets.algorithm[i] = algorithm_named(value);
      if (what == "tc-bw") ets.bandwidth_percent[i] = static_cast<std::uint32_t>(std::stoul(value));
      if (what == "prio-tc") ets.priority_to_class[i] = static_cast<std::uint32_t>(std::stoul(value));
    }
  }
  return ets;
}

/// RoCE has its share and a class of its own, the default class is not starved, and the shares are whole.
void expect_whole(const EtsFacts& ets, const Profile& profile, std::uint32_t share) {
  const std::uint32_t roce = ets.priority_to_class[profile.roce_priority], bulk = ets.priority_to_class[0];
  EXPECT_EQ(ets.algorithm[roce], kAlgorithmEts);
  EXPECT_EQ(ets.bandwidth_percent[roce], share);
  EXPECT_EQ(ets.algorithm[bulk], kAlgorithmEts);
  std::uint32_t sum = 0;
  for (std::size_t c = 0; c < kPriorities; ++c) sum += ets.algorithm[c] == kAlgorithmEts ? ets.bandwidth_percent[c] : 0;
  EXPECT_EQ(sum, 100U);
  for (std::size_t p = 0; p < kPriorities; ++p) {
    const std::uint32_t own = ets.priority_to_class[p];
    EXPECT_TRUE(p == profile.roce_priority || own != roce) << "priority " << p << " is in RoCE's class";
    EXPECT_TRUE(ets.algorithm[own] == kAlgorithmStrict || ets.bandwidth_percent[own] > 0) << "priority " << p;
  }
}

TEST(EtsPlan, gives_each_class_its_share_whatever_map_the_nic_had) {
  constexpr std::array<std::array<std::uint32_t, kPriorities>, 5> kMaps{{{0, 1, 2, 3, 4, 5, 6, 7},
                                                                         {1, 0, 2, 3, 4, 5, 6, 7},
                                                                         {0, 0, 0, 1, 0, 0, 2, 2},
                                                                         {0, 0, 0, 0, 0, 0, 0, 0},
                                                                         {7, 6, 5, 4, 3, 2, 1, 0}}};
  for (const Profile& design : profiles()) {
    if ((design.mode & kRoceModes) == 0 || !has_class(design)) continue;
    for (const auto& map : kMaps) {
      Scene scene;
      scene.profile(design.name);
      scene.profile().converged = true;
      EtsFacts& ets = *scene.eth0().dcb.ets;
      ets.priority_to_class = map;
      ets.algorithm.fill(kAlgorithmEts);
      ets.bandwidth_percent = {30, 10, 10, 10, 10, 10, 10, 10};
      expect_fail(scene.ask(kQosEtsRoceStarved), Severity::Warning);
      const Profile& profile = scene.profile();
      SCOPED_TRACE(design.name + " from priority 0 in class " + std::to_string(map[0]));
      const EtsFacts typed = after_mlnx_qos(ets, command_of(scene, "mlnx_qos -i eth0 "));
      expect_whole(typed, profile, 50);
      expect_whole(after_dcb(ets, command_of(scene, "dcb ets set dev eth0 ")), profile, 50);
      ets = typed;
      expect_pass(scene.ask(kQosEtsRoceStarved));
      if (profile.cnp_priority) {
        EXPECT_EQ(ets.algorithm[ets.priority_to_class[*profile.cnp_priority]], kAlgorithmStrict);
      }
      if (profile.heartbeat_priority) expect_pass(scene.ask(kQosHeartbeatStarved));
    }
  }
}

TEST(EtsPlan, says_the_map_in_each_tools_words) {
  Scene scene;
  (void)scene.judge(kQosEtsRoceStarved);
  EXPECT_EQ(
      command_of(scene, "mlnx_qos"),
      "mlnx_qos -i eth0 --prio_tc 0,0,0,1,0,0,2,0 --tsa ets,ets,strict,strict,strict,strict,strict,strict --tc_bw "
      "50,50,0,0,0,0,0,0");
  EXPECT_EQ(command_of(scene, "dcb ets set"),
            "dcb ets set dev eth0 prio-tc all:0 3:1 6:2 tc-tsa all:strict 0:ets 1:ets tc-bw all:0 0:50 1:50");
  scene.port().driver = "irdma";
  scene.eth0().ethtool.driver->driver = "ice";
  (void)scene.judge(kQosEtsRoceStarved);
  EXPECT_EQ(command_of(scene, "lldptool"),
            "lldptool -T -i eth0 -V ETS-CFG willing=no up2tc=0:0,1:0,2:0,3:1,4:0,5:0,6:2,7:0 "
            "tsa=0:ets,1:ets,2:strict,3:strict,4:strict,5:strict,6:strict,7:strict tcbw=50,50,0,0,0,0,0,0");
}

TEST(EtsPlan, leaves_something_to_the_others_however_much_roce_is_to_have) {
  for (const std::uint32_t wanted : {0U, 1U, 70U, 99U, 100U, 250U}) {
    Scene scene;
    scene.profile("azure-local").profile().roce_ets_min_percent = wanted;
    scene.profile().pfc_priorities = 1U << 3 | 1U << 4;
    (void)scene.judge(kQosHeartbeatStarved);
    const EtsFacts ets = after_mlnx_qos(*scene.eth0().dcb.ets, command_of(scene, "mlnx_qos -i eth0 "));
    SCOPED_TRACE(wanted);
    expect_whole(ets, scene.profile(), std::clamp(wanted, 1U, 96U));  // 2 for the heartbeat, 1 each for 0 and 4
  }
}

TEST(EtsPlan, holds_the_share_that_the_user_asks_for) {
  Scene scene;
  scene.profile().converged = true;
  scene.limit("qos-ets-roce-starved.min_percent", 70);
  EtsFacts& ets = *scene.eth0().dcb.ets;
  ets.algorithm.fill(kAlgorithmEts);
  ets.bandwidth_percent.fill(12);
  expect_fail(scene.ask(kQosEtsRoceStarved), Severity::Warning, "70 %");
  ets = after_mlnx_qos(ets, command_of(scene, "mlnx_qos -i eth0 "));
  expect_pass(scene.ask(kQosEtsRoceStarved));
}

TEST(EtsPlan, is_silent_where_the_nic_has_too_few_classes_and_where_roce_is_in_the_default_one) {
  const auto sets = [](Scene& scene) {
    (void)scene.judge(kQosEtsSum);
    return std::any_of(scene.fix().begin(), scene.fix().end(), [](const FixCommand& one) {
      return one.command.find(" set ") != std::string::npos || one.command.find("--tsa") != std::string::npos;
    });
  };
  Scene scene;
  scene.eth0().dcb.ets->capability = 3U;
  EXPECT_TRUE(sets(scene));
  scene.eth0().dcb.ets->capability = 2U;
  EXPECT_FALSE(sets(scene));
  scene.eth0().dcb.ets->capability = 0U;  // the driver does not say
  EXPECT_TRUE(sets(scene));
  scene.profile().roce_priority = 0;
  EXPECT_FALSE(sets(scene));
  scene.profile("");
  EXPECT_FALSE(sets(scene));
}

}  // namespace
}  // namespace roceready::rules_test
