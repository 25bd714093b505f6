// SPDX-License-Identifier: Apache-2.0
// Every host as the outputs of the tools that people send, judged by these files: the same is found as on the node, but
// for what the tools cannot show (tests/evidence/round_trip/limits_of_tools.cpp).
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/evidence/round_trip/compare.h"
#include "tests/hosts/pipeline.h"

namespace roceready::hosts {
namespace {

namespace fs = std::filesystem;
using round_trip::Difference;
using round_trip::Limit;

const Limit* limit_for(const Difference& difference) {
  const auto& limits = round_trip::limits_of_tools();
  const auto at = std::find_if(limits.begin(), limits.end(), [&](const Limit& limit) {
    return difference.rule == limit.rule && difference.how == limit.how;
  });
  return at == limits.end() ? nullptr : &*at;
}

class EachHostByFiles : public testing::TestWithParam<fs::path> {};

std::string name_of_host(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

TEST_P(EachHostByFiles, is_judged_as_on_the_node) {
  const auto held = replay(GetParam());
  ASSERT_TRUE(held) << held.error().text();
  for (const Difference& difference : round_trip::differences(held->snapshots, held->options)) {
    if (limit_for(difference) == nullptr) ADD_FAILURE() << name_of(difference.how) << " " << difference.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, EachHostByFiles, testing::ValuesIn(host_directories()), name_of_host);

TEST(LimitsOfTools, are_all_met_by_some_host_and_say_why) {
  std::set<const Limit*> met;
  for (const fs::path& directory : host_directories()) {
    const auto held = replay(directory);
    ASSERT_TRUE(held) << held.error().text();
    for (const Difference& difference : round_trip::differences(held->snapshots, held->options))
      if (const Limit* limit = limit_for(difference)) met.insert(limit);
  }
  for (const Limit& limit : round_trip::limits_of_tools()) {
    EXPECT_TRUE(met.contains(&limit)) << limit.rule << " " << name_of(limit.how);
    EXPECT_GE(std::string(limit.reason).size(), 20U) << limit.rule;
  }
}

}  // namespace
}  // namespace roceready::hosts
