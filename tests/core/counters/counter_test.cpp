// SPDX-License-Identifier: Apache-2.0
#include "core/counters/counter.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(CounterCatalogue, is_sorted_and_every_name_leads_back) {
  std::string before;
  std::set<std::string> metrics;
  for (std::size_t i = 0; i < kCounterIds; ++i) {
    const CounterInfo& info = info_of(static_cast<CounterId>(i));
    EXPECT_LT(before, info.name);
    before = info.name;
    EXPECT_EQ(counter_from_name(info.name), static_cast<CounterId>(i));
    const std::string metric = info.metric;
    if (metric == "-") continue;
    EXPECT_TRUE(metrics.insert(metric).second) << metric;
    EXPECT_EQ(metric.rfind("roce_", 0), 0U) << metric;
    EXPECT_EQ(metric.ends_with("_total"), info.kind == CounterKind::Counter) << metric;
  }
}

TEST(CounterCatalogue, knows_no_other_name) {
  EXPECT_FALSE(counter_from_name(""));
  EXPECT_FALSE(counter_from_name("cnp_sen"));
  EXPECT_FALSE(counter_from_name("zzz"));
  EXPECT_STREQ(info_of(CounterId::kCount).name, "");
}

TEST(CounterReadings, find_by_id_and_lane) {
  CounterReadings readings;
  readings.values = {{CounterId::CnpSent, kNoLane, 64, 7, 1},
                     {CounterId::RxBytesPriority, 0, 64, 1, 1},
                     {CounterId::RxBytesPriority, 3, 64, 2, 1}};
  readings.offered = {CounterId::CnpSent, CounterId::RxBytesPriority};
  ASSERT_NE(readings.find(CounterId::RxBytesPriority, 3), nullptr);
  EXPECT_EQ(readings.find(CounterId::RxBytesPriority, 3)->raw, 2U);
  EXPECT_EQ(readings.find(CounterId::RxBytesPriority, 4), nullptr);
  EXPECT_EQ(readings.find(CounterId::RxBytesPriority), nullptr);
  EXPECT_EQ(readings.find(CounterId::CnpSent)->value(), 7.0);
  EXPECT_TRUE(readings.can_show(CounterId::CnpSent));
  EXPECT_FALSE(readings.can_show(CounterId::CnpHandled));
}

}  // namespace
}  // namespace roceready
