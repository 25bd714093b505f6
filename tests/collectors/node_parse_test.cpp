// SPDX-License-Identifier: Apache-2.0
#include "collectors/node_parse.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(NodeParse, hash_is_fnv_1a) {
  EXPECT_EQ(hash_text(""), "cbf29ce484222325");
  EXPECT_EQ(hash_text("a"), "af63dc4c8601ec8c");
}

TEST(NodeParse, uptime_and_hypervisor) {
  EXPECT_EQ(parse_uptime("12345.67 8.9\n"), 12345.67);
  EXPECT_EQ(parse_uptime("up"), std::nullopt);
  EXPECT_EQ(parse_hypervisor("model\t: x\nflags\t\t: fpu hypervisor lahf\n"), true);
  EXPECT_EQ(parse_hypervisor("flags : fpu\n"), false);
  EXPECT_EQ(parse_hypervisor("Features : fp asimd\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_vendor("processor\t: 0\nvendor_id\t: AuthenticAMD\n"), "AuthenticAMD");
  EXPECT_EQ(parse_cpu_vendor("vendor_id"), std::nullopt);
  EXPECT_EQ(parse_cpu_vendor("Features : fp asimd\n"), std::nullopt);
}

TEST(NodeParse, locked_memory_limits) {
  const char* limits =
      "Limit                     Soft Limit           Hard Limit           Units\n"
      "Max locked memory         8388608              unlimited            bytes\n";
  EXPECT_EQ(parse_max_locked_memory(limits), 8388608U);
  EXPECT_EQ(parse_max_locked_memory("Max locked memory         unlimited   unlimited bytes"), UINT64_MAX);
  EXPECT_EQ(parse_max_locked_memory("nothing"), std::nullopt);
}

TEST(NodeParse, limits_of_unit_files) {
  struct Case {
    const char* text;
    std::optional<std::uint64_t> bytes;
  };
  const Case cases[] = {{"[Service]\nLimitMEMLOCK=infinity\n", UINT64_MAX},
                        {"LimitMEMLOCK = 64M", 67108864},
                        {"LimitMEMLOCK=8M:16M", 8388608},
                        {"LimitMEMLOCK=1000", 1000},
                        {"LimitMEMLOCK=1\nLimitMEMLOCK=2", 2},
                        {"LimitMEMLOCK=1\nLimitMEMLOCK=", std::nullopt},
                        {"#LimitMEMLOCK=1", std::nullopt},
                        {"DefaultLimitMEMLOCK=1", std::nullopt},
                        {"LimitMEMLOCK=99999999E", std::nullopt},
                        {"LimitMEMLOCK=lots", std::nullopt}};
  for (const Case& c : cases) EXPECT_EQ(parse_unit_limit(c.text, "LimitMEMLOCK"), c.bytes) << c.text;
}

}  // namespace
}  // namespace roceready
