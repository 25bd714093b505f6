// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

namespace roceready {
namespace {

using namespace std::string_literals;

TEST(CleanText, leaves_valid_utf8_alone) {
  for (const char* text : {"", "eth0", "µs", "€", "日本", "\xf0\x9f\x98\x80", "a\\x41"})
    EXPECT_EQ(clean_text(text), text);
}

TEST(CleanText, spells_out_controls_and_broken_bytes) {
  EXPECT_EQ(clean_text("a\nb\0c\x1b[31m\x7f"s), "a\\x0ab\\x00c\\x1b[31m\\x7f");
  EXPECT_EQ(clean_text("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(clean_text("\xc2\x9b"), "\\xc2\\x9b");  // C1: a terminal takes it for an escape
  EXPECT_EQ(clean_text("\xc0\xaf"), "\\xc0\\xaf");  // overlong '/'
  EXPECT_EQ(clean_text("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(clean_text("\xe2\x82"), "\\xe2\\x82");  // cut short
  EXPECT_EQ(clean_text("ok\xe2\x82z"), "ok\\xe2\\x82z");
}

TEST(Split, gives_one_part_more_than_separators) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string_view>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string_view>{"", ""}));
}

TEST(Trim, takes_blanks_off_both_ends) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(ParseU64, takes_a_whole_decimal_and_nothing_else) {
  EXPECT_EQ(parse_u64("0"), 0U);
  EXPECT_EQ(parse_u64("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* bad : {"", " 1", "1 ", "+1", "-1", "1.0", "0x10", "18446744073709551616", "1\n", "a"})
    EXPECT_FALSE(parse_u64(bad)) << bad;
}

TEST(ParseI64, takes_a_minus) {
  EXPECT_EQ(parse_i64("-1"), -1);
  EXPECT_EQ(parse_i64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(parse_i64("9223372036854775808"));
  EXPECT_FALSE(parse_i64("+1"));
}

TEST(ParseDouble, refuses_what_is_not_a_finite_number) {
  EXPECT_EQ(parse_double("2.5"), 2.5);
  EXPECT_EQ(parse_double("-1e3"), -1000);
  for (const char* bad : {"", "inf", "nan", "1e999", "1,5", "2.5 "}) EXPECT_FALSE(parse_double(bad)) << bad;
}

TEST(NumberText, reads_back_to_the_same_number) {
  for (const double value : {0.0, 0.1, 1.0 / 3, 1e22, 5e-324, 1.7976931348623157e308, -42.0, 123456789.0}) {
    const auto back = parse_double(number_text(value));
    ASSERT_TRUE(back) << number_text(value);
    EXPECT_EQ(*back, value);
  }
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(std::nan("")), "NaN");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-Inf");
}

TEST(ShortNumber, keeps_the_digits_that_a_person_wants) {
  const struct {
    double value;
    int digits;
    const char* text;
  } cases[] = {{0, 3, "0"},
               {1, 3, "1"},
               {3.14159, 3, "3.14"},
               {-2.5, 3, "-2.5"},
               {1234567, 3, "1230000"},
               {999.9, 3, "1000"},
               {0.00012345, 3, "0.000123"},
               {0.5, 3, "0.5"},
               {1e8, 3, "100000000"},
               {12.3456, 5, "12.346"},
               {100, 3, "100"}};
  for (const auto& c : cases) EXPECT_EQ(short_number(c.value, c.digits), c.text);
  EXPECT_EQ(short_number(1.5e12), "1500000000000");
  EXPECT_EQ(short_number(std::nan("")), "NaN");
}

TEST(NumberText, writes_out_what_a_person_would) {
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(1e11), "100000000000");
  EXPECT_EQ(number_text(-1e5), "-100000");
  EXPECT_EQ(number_text(1e-5), "0.00001");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1e300), "1e+300");
}

TEST(Numbers, do_not_follow_the_locale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "the machine has no de_DE.UTF-8 locale";
  EXPECT_EQ(number_text(1.5), "1.5");
  EXPECT_EQ(short_number(1.5), "1.5");
  EXPECT_EQ(parse_double("1.5"), 1.5);
  std::setlocale(LC_ALL, before.c_str());
}

TEST(NearestOf, finds_the_typo_and_keeps_quiet_about_strangers) {
  const std::vector<std::string> keys{"storm_share", "storm_seconds", "profile"};
  EXPECT_EQ(nearest_of("storm_shar", keys), "storm_share");
  EXPECT_EQ(nearest_of("stromshare", keys), "storm_share");
  EXPECT_EQ(nearest_of("prots", {"probes", "ports"}), "ports") << "a swap is one slip";
  EXPECT_EQ(nearest_of("profil", keys), "profile");
  EXPECT_EQ(nearest_of("banana", keys), "");
  EXPECT_EQ(nearest_of("", keys), "");
  EXPECT_EQ(nearest_of("x", {}), "");
}

TEST(NearestOf, looks_past_the_case_of_letters) {
  EXPECT_EQ(nearest_of("PFC-DISABLED", {"gid-missing", "pfc-disabled"}), "pfc-disabled");
  EXPECT_EQ(nearest_of("Pfc-Disable", {"gid-missing", "pfc-disabled"}), "pfc-disabled");
  EXPECT_EQ(nearest_of("mlx5_0", {"MLX5_0", "mlx5_0"}), "mlx5_0") << "the one that is written the same";
  EXPECT_EQ(nearest_of("BANANA", {"pfc-disabled"}), "");
}

TEST(MatchesPattern, knows_star_and_question_mark_only) {
  const struct {
    const char *pattern, *text;
    bool match;
  } cases[] = {{"*", "", true},
               {"", "", true},
               {"", "a", false},
               {"mlx5_*", "mlx5_0", true},
               {"mlx5_?", "mlx5_10", false},
               {"*_0", "mlx5_0", true},
               {"a*b*c", "aXXbYYc", true},
               {"a*b*c", "aXXcYYb", false},
               {"[ab]", "a", false},
               {"**a", "ba", true},
               {"?", "", false},
               {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaa", false}};
  for (const auto& c : cases) EXPECT_EQ(matches_pattern(c.pattern, c.text), c.match) << c.pattern << " on " << c.text;
}

}  // namespace
}  // namespace roceready
