// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(Rfc3339, writes_utc_with_milliseconds) {
  EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(1769828645678999999), "2026-01-31T03:04:05.678Z");
  EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(rfc3339(INT64_MIN).substr(0, 4), "1677");
}

TEST(Rfc3339, is_inverted_by_parse_to_the_millisecond) {
  for (const std::int64_t moment :
       {std::int64_t{0}, std::int64_t{1769828645678000000}, std::int64_t{951782400000000000}}) {
    const auto back = parse_rfc3339(rfc3339(moment));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, moment);
  }
  EXPECT_EQ(*parse_rfc3339("2026-01-31T03:04:05Z"), 1769828645000000000);
  EXPECT_EQ(*parse_rfc3339("2026-01-31T03:04:05.5Z"), 1769828645500000000);
  EXPECT_EQ(*parse_rfc3339("2026-01-31T03:04:05.123456789Z"), 1769828645123456789);
}

TEST(Rfc3339, refuses_what_is_not_a_time_in_utc) {
  for (const char* bad :
       {"", "2026-01-31", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T03:04:05",
        "2026-01-31T03:04:05+01:00", "2026-01-31T03:04:05.Z", "2026-01-31T03:04:05.1234567890Z", "2026-01-31T03:04:0xZ",
        "9999-01-31T03:04:05Z", "+026-01-31T03:04:05Z", "2026-01-31T03:04:60Z"})
    EXPECT_FALSE(parse_rfc3339(bad)) << bad;
}

TEST(ParseDuration, knows_the_units_of_the_command_line) {
  EXPECT_EQ(*parse_duration("200ms"), 200'000'000);
  EXPECT_EQ(*parse_duration("2s"), 2'000'000'000);
  EXPECT_EQ(*parse_duration("5m"), 300'000'000'000);
  EXPECT_EQ(*parse_duration("24h"), 86'400'000'000'000);
  EXPECT_EQ(*parse_duration("1.5s"), 1'500'000'000);
  EXPECT_EQ(*parse_duration("0s"), 0);
}

TEST(ParseDuration, refuses_the_rest) {
  for (const char* bad :
       {"", "2", "s", "-1s", "+1s", " 1s", "1 s", "infs", "nans", "11y", "99999999999h", "4000d", "1sm", "0x1s"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(DurationText, picks_the_unit_that_reads_well) {
  EXPECT_EQ(duration_text(0.85), "850 ms");
  EXPECT_EQ(duration_text(2), "2 s");
  EXPECT_EQ(duration_text(90), "90 s");
  EXPECT_EQ(duration_text(180), "3 min");
  EXPECT_EQ(duration_text(5 * 3600), "5 h");
  EXPECT_EQ(duration_text(2 * 86400), "2 d");
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(3e-6), "3 µs");
  EXPECT_EQ(duration_text(-2), "-2 s");
  EXPECT_EQ(duration_text(0.99999), "1 s");
}

}  // namespace
}  // namespace roceready
