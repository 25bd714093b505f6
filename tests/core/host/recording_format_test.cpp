// SPDX-License-Identifier: Apache-2.0
#include "core/host/recording_format.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace roceready::recording_format {
namespace {

using namespace std::string_literals;

TEST(EncodeKey, leaves_ordinary_names_readable) {
  for (const char* key :
       {"sys/class/net/eth0/mtu", "list/sys/class/infiniband", "sys/bus/pci/devices/0000:3b:00.0/vendor",
        "netlink/dcb/ieee/eth0.100", "verbs/gid_table/mlx5_bond_0"})
    EXPECT_EQ(encode_key(key), key);
}

TEST(EncodeKey, makes_strange_names_harmless) {
  EXPECT_EQ(encode_key("sys/../etc"), "sys/%2E./etc");
  EXPECT_EQ(encode_key("sys/./x"), "sys/%2E/x");
  EXPECT_EQ(encode_key("ethtool/driver_info/.hidden"), "ethtool/driver_info/%2Ehidden");
  EXPECT_EQ(encode_key("ethtool/driver_info/a.hex"), "ethtool/driver_info/a%2Ehex");
  EXPECT_EQ(encode_key("ethtool/driver_info/a.hexa"), "ethtool/driver_info/a.hexa");
  EXPECT_EQ(encode_key("data.json/x"), "data%2Ejson/x");
  EXPECT_EQ(encode_key("sys/data.json"), "sys/data.json");
  EXPECT_EQ(encode_key("a%b c\n\xff"), "a%25b%20c%0A%FF");
}

TEST(DecodeKey, inverts_encode_key_for_any_bytes) {
  for (const std::string& key : {"sys/../etc"s, "a//b"s, ""s, "/"s, ".."s, ".hex"s, "x.hex"s, "lists.json/y"s,
                                 "\0\xff%2E"s, "list/"s, "a.b.hex/c.hex"s}) {
    const auto back = decode_key(encode_key(key));
    ASSERT_TRUE(back) << encode_key(key);
    EXPECT_EQ(*back, key);
  }
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(decode_key(encode_key(all)), all);
}

TEST(DecodeKey, refuses_what_encode_key_never_writes) {
  for (const char* bad : {"..", "sys/../x", "a b", "%2e%2E", "%61", "%", "%4", "%zz", ".hidden", "a.hex", "\xc3\xa4"})
    EXPECT_FALSE(decode_key(bad)) << bad;
}

TEST(CanBePath, wants_two_short_components) {
  EXPECT_TRUE(can_be_path("sys/x"));
  EXPECT_FALSE(can_be_path("sys"));
  EXPECT_FALSE(can_be_path("a//b"));
  EXPECT_FALSE(can_be_path("a/"));
  EXPECT_FALSE(can_be_path("a/" + std::string(300, 'b')));
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep += "/a";
  EXPECT_FALSE(can_be_path(deep));
}

TEST(IsText, is_what_an_editor_shows_as_it_is) {
  for (const std::string& text : {""s, "1500\n"s, "a\tb"s, "µs\n"s, "back\\slash"s}) EXPECT_TRUE(is_text(text)) << text;
  for (const std::string& other : {"\0"s, "a\r\n"s, "\xff"s, "\x1b[0m"s, "\xc2\x85"s}) EXPECT_FALSE(is_text(other));
}

TEST(Hex, is_inverted_and_broken_into_lines) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += static_cast<char>(i * 7);
  EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
  EXPECT_EQ(to_hex("\x01\xab"), "01ab\n");
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(from_hex(" 01\r\n aB \t"), "\x01\xab");
}

TEST(Hex, refuses_anything_else) {
  for (const char* bad : {"0", "0 1", "0g", "0x01", "01,02", "010"}) EXPECT_FALSE(from_hex(bad)) << bad;
}

TEST(SampleDirectory, counts_with_four_digits_or_more) {
  EXPECT_EQ(sample_directory(0), "0000");
  EXPECT_EQ(sample_directory(42), "0042");
  EXPECT_EQ(sample_directory(12345), "12345");
}

TEST(ParseHostInfo, takes_what_is_there_and_ignores_what_it_does_not_know) {
  const auto info = parse_host_info(
      R"({"format":"roceready.host/1","layout":"raw","origin":"made up","redacted":["mac"],"expected":["mlx5_0/1"],"new":1})",
      "host.json");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->layout, "raw");
  EXPECT_EQ(info->origin, "made up");
  EXPECT_EQ(info->redacted, std::vector<std::string>{"mac"});
  EXPECT_EQ(info->expected, std::vector<std::string>{"mlx5_0/1"});
  EXPECT_EQ(info->profile, "");
}

TEST(ParseHostInfo, says_what_is_wrong_and_where) {
  const struct {
    const char *text, *says;
  } cases[] = {{"", "not JSON"},
               {"[]", "not a JSON object"},
               {"{}", "layout"},
               {R"({"layout":"cooked"})", "must be raw or snapshot"},
               {R"({"layout":7})", "layout is not a string"},
               {R"({"layout":"raw","redacted":"mac"})", "redacted is not a list of strings"},
               {R"({"layout":"raw","include":[1]})", "include is not a list of strings"},
               {R"({"layout":"raw","format":"roceready.host/2"})", "this build reads roceready.host/1"},
               {"{\"layout\":\"raw\"", "not JSON"},
               {"{\"layout\":\"\xff\"}", "not JSON"}};
  for (const auto& c : cases) {
    const auto info = parse_host_info(c.text, "dir/host.json");
    ASSERT_FALSE(info) << c.text;
    EXPECT_EQ(info.error().code, ErrorCode::Malformed);
    EXPECT_EQ(info.error().where, "dir/host.json");
    EXPECT_NE(info.error().what.find(c.says), std::string::npos) << info.error().what;
  }
}

TEST(ParseClock, reads_the_readings_of_each_sample) {
  const auto clock = parse_clock(
      R"({"samples":[{"clock":[{"monotonic_ns":1,"wall_ns":-2},{"monotonic_ns":3,"wall_ns":9223372036854775807}]},
                     {"clock":[{"monotonic_ns":4,"wall_ns":5}],"unchanged":true}]})",
      "clock.json");
  ASSERT_TRUE(clock);
  ASSERT_EQ(clock->size(), 2U);
  EXPECT_EQ((*clock)[0].readings[0], (Instant{1, -2}));
  EXPECT_EQ((*clock)[0].readings[1].wall_ns, INT64_MAX);
  EXPECT_FALSE((*clock)[0].unchanged);
  EXPECT_TRUE((*clock)[1].unchanged);
}

TEST(ParseClock, refuses_damage) {
  for (const char* bad :
       {"{}", R"({"samples":[]})", R"({"samples":{}})", R"({"samples":[1]})", R"({"samples":[{}]})",
        R"({"samples":[{"clock":[]}]})", R"({"samples":[{"clock":[7]}]})", R"({"samples":[{"clock":[{"wall_ns":1}]}]})",
        R"({"samples":[{"clock":[{"monotonic_ns":1.5,"wall_ns":1}]}]})",
        R"({"samples":[{"clock":[{"monotonic_ns":18446744073709551615,"wall_ns":1}]}]})",
        R"({"samples":[{"clock":[{"monotonic_ns":1,"wall_ns":1}],"unchanged":1}]})"})
    EXPECT_FALSE(parse_clock(bad, "clock.json")) << bad;
}

TEST(ParseRefused, knows_errnos_by_name_alone_and_whole_errors) {
  RecordedSample sample;
  ASSERT_TRUE(parse_refused(
      R"({"sys/a":"ENOENT","sys/b":{"code":"changed","what":"w","where":"x"},"sys/c":{"errno":"EIO","what":{"hex":"ff"}},
          "sys/d":{"code":"denied","errno":"EIO"},"sys/e":"4711"})",
      "refused.json", sample));
  EXPECT_EQ(sample.answers.at("sys/a").error.code, ErrorCode::NotFound);
  EXPECT_EQ(sample.answers.at("sys/a").error.os_error, ENOENT);
  EXPECT_EQ(sample.answers.at("sys/b").error.code, ErrorCode::Changed);
  EXPECT_EQ(sample.answers.at("sys/b").error.text(), "w (x)");
  EXPECT_EQ(sample.answers.at("sys/c").error.code, ErrorCode::Io);
  EXPECT_EQ(sample.answers.at("sys/c").error.what, "\xff");
  EXPECT_EQ(sample.answers.at("sys/d").error.code, ErrorCode::Denied);
  EXPECT_EQ(sample.answers.at("sys/e").error.os_error, 4711);
}

TEST(ParseRefused, refuses_unknown_errnos_and_codes) {
  for (const char* bad :
       {R"({"sys/a":"EWHATEVER"})", R"({"sys/a":""})", R"({"sys/a":{}})", R"({"sys/a":{"code":"bad"}})",
        R"({"sys/a":{"errno":"EFOO"}})", R"({"sys/a":{"errno":5}})", R"({"sys/a":5})",
        R"({"sys/a":{"code":"io","what":5}})", R"({"sys/../a":"ENOENT"})", R"({"sys/a":"-5"})"}) {
    RecordedSample sample;
    const auto done = parse_refused(bad, "refused.json", sample);
    ASSERT_FALSE(done) << bad;
    EXPECT_EQ(done.error().where, "refused.json");
  }
}

TEST(ParseLists, keeps_order_and_bytes) {
  RecordedSample sample;
  ASSERT_TRUE(parse_lists(R"({"netlink/rdma/devices":[{"hex":"00ff"},"b","a"]})", "lists.json", sample));
  const Answer& answer = sample.answers.at("netlink/rdma/devices");
  EXPECT_EQ(answer.kind, Answer::Kind::List);
  EXPECT_EQ(answer.items, (std::vector<std::string>{"\0\xff"s, "b", "a"}));
  for (const char* bad : {R"({"x/y":"a"})", R"({"x/y":[1]})", R"({"x/y":[{"hex":"0"}]})",
                          R"({"x/y":[{"hex":"00","b":1}]})", R"({"x/y":[{}]})", R"({"netlink/rdma/devices":[]})"})
    EXPECT_FALSE(parse_lists(bad, "lists.json", sample)) << bad;
}

TEST(ClockFile, is_refused_where_time_stands_still_or_jumps) {
  const auto clock = [](const std::string& second) {
    return recording_format::parse_clock(
        R"({"samples": [{"clock": [{"monotonic_ns": 5000000000, "wall_ns": 0}]}, {"clock": [{"monotonic_ns": )" +
            second + R"(, "wall_ns": 0}]}]})",
        "clock.json");
  };
  EXPECT_TRUE(clock("5000000001"));
  for (const char* wrong : {"5000000000", "4999999999", "-1", "9223372036854775807"}) {
    const auto refused = clock(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::Malformed);
    EXPECT_EQ(refused.error().where, "clock.json");
    EXPECT_NE(refused.error().what.find("sample 1"), std::string::npos) << refused.error().what;
  }
}

}  // namespace
}  // namespace roceready::recording_format
