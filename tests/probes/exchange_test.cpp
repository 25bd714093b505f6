// SPDX-License-Identifier: Apache-2.0
#include "probes/exchange.h"

#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace roceready::probes {
namespace {

using nlohmann::json;

ByteSpan bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
const ByteSpan kSecret = bytes("a secret that all nodes share"), kNoSecret;

Nonce nonce_of(unsigned seed) {
  Nonce out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(seed + i);
  return out;
}

Endpoint endpoint() {
  Endpoint out;
  out.device = "mlx5_0";
  out.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
  out.qkey = 0x11111111;
  out.mtu = 4096;
  out.rail = "rail0";
  out.label = "tor7";
  out.queue_pairs = {{.number = 17}, {.number = 18, .psn = 0xffffff}};
  out.scratch = ScratchBuffer{.address = 0xffff'ffff'ffff'f000, .rkey = 0xdeadbeef, .bytes = 4096};
  return out;
}
SessionRequest request() {
  SessionRequest out;
  out.nonce = nonce_of(1);
  out.node = "node1";
  out.kind = ProbeKind::RcWrite;
  out.on_demand = true;
  out.seconds = 10;
  out.traffic_class = 26 << 2 | 2;
  out.want_device = "mlx5_3";
  out.want_port = 1;
  out.endpoint = endpoint();
  out.digest.profile = "nvidia-lossless";
  return out;
}
SessionAnswer answer() {
  SessionAnswer out;
  out.request_nonce = nonce_of(1);
  out.nonce = nonce_of(99);
  out.session = 0xfedcba9876543210;
  out.node = "node2";
  out.seconds = 10;
  out.probes_per_second = 1000.5;
  out.endpoints = {endpoint(), endpoint()};
  out.digest.role = "gpu";
  return out;
}

/// A body after somebody without the secret changed it.
std::string changed(const std::string& body, const std::function<void(json&)>& change) {
  json parsed = json::parse(body);
  change(parsed);
  return parsed.dump();
}

TEST(Exchange, carries_a_request_there) {
  const Result<SessionRequest> read = decode_request(encode_request(request(), kSecret), kSecret);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->nonce, request().nonce);
  EXPECT_EQ(read->node, "node1");
  EXPECT_EQ(read->kind, ProbeKind::RcWrite);
  EXPECT_TRUE(read->on_demand);
  EXPECT_EQ(read->seconds, 10U);
  EXPECT_EQ(read->traffic_class, request().traffic_class);
  EXPECT_EQ(read->want_device, "mlx5_3");
  EXPECT_EQ(read->want_port, 1U);
  EXPECT_EQ(read->endpoint, endpoint());
  EXPECT_EQ(read->digest.profile, "nvidia-lossless");
  EXPECT_TRUE(read->authenticated);
}

TEST(Exchange, names_the_session_that_is_replaced_where_there_is_one) {
  SessionRequest asked = request();
  EXPECT_EQ(encode_request(asked, kSecret).find("replaces"), std::string::npos);
  EXPECT_EQ(decode_request(encode_request(asked, kSecret), kSecret)->replaces, 0U);
  asked.replaces = 0xffff'ffff'ffff'fff0;
  EXPECT_EQ(decode_request(encode_request(asked, kSecret), kSecret)->replaces, 0xffff'ffff'ffff'fff0U);
}

TEST(Exchange, carries_an_answer_back) {
  const Result<SessionAnswer> read = decode_answer(encode_answer(answer(), kSecret), kSecret, request());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->nonce, answer().nonce);
  EXPECT_EQ(read->session, answer().session);
  EXPECT_EQ(read->node, "node2");
  EXPECT_EQ(read->probes_per_second, 1000.5);
  EXPECT_EQ(read->endpoints, answer().endpoints);
  EXPECT_EQ(read->digest.role, "gpu");
  EXPECT_TRUE(read->authenticated);
}

TEST(Exchange, tells_where_connections_are_taken_and_an_older_peer_takes_none) {
  EXPECT_EQ(encode_answer(answer(), kSecret).find("cm_service"), std::string::npos);
  EXPECT_FALSE(decode_answer(encode_answer(answer(), kSecret), kSecret, request())->cm_service);
  SessionAnswer said = answer();
  said.cm_service = 65'535;
  EXPECT_EQ(decode_answer(encode_answer(said, kSecret), kSecret, request())->cm_service, 65'535);
  for (const json& bad : {json(0), json(65'536), json(-1), json("4791"), json(nullptr), json(1.5)}) {
    const std::string body = changed(encode_answer(said, kNoSecret), [&](json& to) { to["cm_service"] = bad; });
    const auto refused = decode_answer(body, kNoSecret, request());
    ASSERT_FALSE(refused) << bad.dump();
    EXPECT_EQ(refused.error().where, "cm_service");
  }
}

TEST(Exchange, tells_the_service_level_of_replies_where_it_is_told) {
  EXPECT_FALSE(decode_answer(encode_answer(answer(), kSecret), kSecret, request())->service_level);
  SessionAnswer said = answer();
  said.service_level = 5;
  EXPECT_EQ(decode_answer(encode_answer(said, kSecret), kSecret, request())->service_level, 5U);
  said.service_level = 16;
  const auto refused = decode_answer(encode_answer(said, kSecret), kSecret, request());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "service_level");
}

TEST(Exchange, tells_one_responder_from_the_next_where_the_peer_does) {
  SessionAnswer said = answer();
  EXPECT_EQ(decode_answer(encode_answer(said, kSecret), kSecret, request())->instance, 0U);
  said.instance = 0xfedcba9876543210;
  EXPECT_EQ(decode_answer(encode_answer(said, kSecret), kSecret, request())->instance, said.instance);
  const std::string body = changed(encode_answer(said, kNoSecret), [](json& to) { to["instance"] = "twelve"; });
  EXPECT_EQ(decode_answer(body, kNoSecret, request()).error().where, "instance");
}

TEST(Exchange, tells_which_kinds_a_mesh_may_ask_for) {
  const auto said = [](const char* kinds) {
    std::string body = encode_answer(answer(), kNoSecret);
    const std::size_t from = body.find("\"kinds\":["), to = body.find(']', from) + 1;
    body.replace(from, to - from + 1, kinds);  // and the comma behind it
    return decode_answer(body, kNoSecret, request());
  };
  SessionAnswer all = answer();
  all.kinds.assign(kMeshKinds.begin(), kMeshKinds.end());
  EXPECT_EQ(decode_answer(encode_answer(all, kSecret), kSecret, request())->kinds, all.kinds);
  using Kinds = std::vector<ProbeKind>;
  EXPECT_EQ(said("")->kinds, Kinds(kMeshKindsUnsaid.begin(), kMeshKindsUnsaid.end())) << "an older version";
  EXPECT_EQ(said(R"("kinds":["ud","rc-atomic","rc-send"],)")->kinds, (Kinds{ProbeKind::Ud, ProbeKind::RcSend}));
  for (const char* bad : {R"("kinds":"ud",)", R"("kinds":[],)", R"("kinds":[7],)", R"("kinds":null,)"}) {
    const auto refused = said(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().where.substr(0, 5), "kinds");
  }
}

TEST(Exchange, without_a_secret_is_not_authenticated) {
  const auto read = decode_request(encode_request(request(), kNoSecret), kNoSecret);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->authenticated);
  const auto signed_one = decode_request(encode_request(request(), kSecret), kNoSecret);
  ASSERT_TRUE(signed_one) << "who has no secret serves who has one, on demand";
  EXPECT_FALSE(signed_one->authenticated);
  EXPECT_FALSE(decode_answer(encode_answer(answer(), kNoSecret), kNoSecret, request())->authenticated);
}

TEST(Exchange, refuses_what_is_not_signed_or_signed_with_another_secret) {
  for (const ByteSpan theirs : {kNoSecret, bytes("another secret")}) {
    const auto read = decode_request(encode_request(request(), theirs), kSecret);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Denied);
    EXPECT_EQ(decode_answer(encode_answer(answer(), theirs), kSecret, request()).error().code, ErrorCode::Denied);
  }
}

TEST(Exchange, refuses_a_signed_body_in_which_anything_was_changed) {
  const std::string body = encode_request(request(), kSecret);
  const json parsed = json::parse(body);
  for (const auto& member : parsed.items()) {
    const std::string& name = member.key();
    const auto read = decode_request(changed(body, [&](json& all) { all[name] = "x"; }), kSecret);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::Denied) << name;
    EXPECT_FALSE(decode_request(changed(body, [&](json& all) { all.erase(name); }), kSecret)) << name;
  }
  EXPECT_FALSE(decode_request(changed(body, [](json& all) { all["new"] = 1; }), kSecret));
  const auto move = [](json& all) { all["endpoint"]["gid"] = "00000000000000000000ffff0a000002"; };
  EXPECT_FALSE(decode_request(changed(body, move), kSecret)) << "replies are not sent elsewhere";
}

TEST(Exchange, does_not_take_a_request_for_an_answer) {
  const auto read = decode_answer(encode_request(request(), kSecret), kSecret, request());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Denied);
}

TEST(Exchange, does_not_take_the_answer_to_another_request) {
  SessionRequest other = request();
  other.nonce = nonce_of(2);
  const auto read = decode_answer(encode_answer(answer(), kSecret), kSecret, other);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Denied);
}

TEST(Exchange, says_that_a_peer_speaks_another_version) {
  const auto read = decode_request(
      changed(encode_request(request(), kNoSecret), [](json& all) { all["schema"] = "roceready.probe-session/2"; }),
      kNoSecret);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::NotSupported);
  EXPECT_NE(read.error().what.find("roceready.probe-session/2"), std::string::npos);
}

TEST(Exchange, skips_members_of_a_newer_peer) {
  EXPECT_TRUE(decode_request(changed(encode_request(request(), kNoSecret),
                                     [](json& all) {
                                       all["new"] = json{{"a", 1}}, all["endpoint"]["new"] = 1;
                                     }),
                             kNoSecret));
}

TEST(Exchange, refuses_bad_members_with_their_place) {
  struct Case {
    const char* pointer;
    json value;
    const char* where;
  };
  const std::string long_name(65, 'a');
  const json loopback4 = "00000000000000000000ffff7f000001", any4 = "00000000000000000000ffff00000000";
  const json group4 = "00000000000000000000ffffe0000001", broadcast4 = "00000000000000000000ffffffffffff";
  const json group6 = "ff020000000000000000000000000001", loopback6 = "00000000000000000000000000000001";
  const json link6 = "fe800000000000000000000000000001", none = "00000000000000000000000000000000";
  std::vector<Case> cases{
      {"/nonce", "00", "nonce"},
      {"/nonce", 7, "nonce"},
      {"/nonce", std::string(32, 'G'), "nonce"},
      {"/node", long_name, "node"},
      {"/node", nullptr, "node"},
      {"/kind", "tcp", "kind"},
      {"/on_demand", 1, "on_demand"},
      {"/seconds", 0, "seconds"},
      {"/seconds", 86401, "seconds"},
      {"/seconds", -1, "seconds"},
      {"/seconds", 1.5, "seconds"},
      {"/seconds", "10", "seconds"},
      {"/traffic_class", 256, "traffic_class"},
      {"/want_port", 256, "want_port"},
      {"/endpoint", 7, "endpoint"},
      {"/endpoint/device", "", "endpoint"},
      {"/endpoint/port", 0, "endpoint.port"},
      {"/endpoint/qkey", 0x80000000U, "endpoint.qkey"},
      {"/endpoint/mtu", 1500, "endpoint"},
      {"/endpoint/mtu", 8192, "endpoint.mtu"},
      {"/endpoint/queue_pairs", json::array(), "endpoint.queue_pairs"},
      {"/endpoint/queue_pairs/1/number", 1, "endpoint.queue_pairs[1].number"},
      {"/endpoint/queue_pairs/0/number", 0xffffff, "endpoint.queue_pairs[0].number"},
      {"/endpoint/queue_pairs/0/psn", 0x1000000, "endpoint.queue_pairs[0].psn"},
      {"/endpoint/scratch/address", 7, "endpoint.scratch.address"},
      {"/endpoint/scratch/address", "18446744073709551616", "endpoint.scratch.address"},
      {"/endpoint/scratch/bytes", 0, "endpoint.scratch.bytes"},
      {"/digest", nullptr, "digest"},
      {"/digest/profile", 7, "digest"},
  };
  for (const json& gid : {loopback4, any4, group4, broadcast4, group6, loopback6, link6, none})
    cases.push_back({"/endpoint/gid", gid, "endpoint"});
  json many = json::array();
  for (int i = 0; i < 17; ++i) many.push_back({{"number", 20}, {"psn", 0}});
  cases.push_back({"/endpoint/queue_pairs", many, "endpoint.queue_pairs"});
  for (const Case& bad : cases) {
    const auto read = decode_request(changed(encode_request(request(), kNoSecret),
                                             [&](json& all) { all[json::json_pointer(bad.pointer)] = bad.value; }),
                                     kNoSecret);
    ASSERT_FALSE(read) << bad.pointer << " " << bad.value;
    EXPECT_EQ(read.error().code, ErrorCode::Malformed) << bad.pointer << " " << bad.value;
    EXPECT_EQ(read.error().where, bad.where) << bad.pointer << " " << bad.value;
    EXPECT_FALSE(read.error().what.empty());
  }
}

TEST(Exchange, refuses_bad_answers_with_their_place) {
  const std::string body = encode_answer(answer(), kNoSecret);
  const auto place = [&](const char* pointer, const json& value) {
    const auto read = decode_answer(changed(body, [&](json& all) { all[json::json_pointer(pointer)] = value; }),
                                    kNoSecret, request());
    return read ? std::string("taken") : read.error().where;
  };
  EXPECT_EQ(place("/session", "0"), "session");
  EXPECT_EQ(place("/session", 7), "session");
  EXPECT_EQ(place("/probes_per_second", 0), "probes_per_second");
  EXPECT_EQ(place("/probes_per_second", -1.0), "probes_per_second");
  EXPECT_EQ(place("/probes_per_second", nullptr), "probes_per_second") << "what becomes of NaN in JSON";
  EXPECT_EQ(place("/probes_per_second", 1e300), "probes_per_second");
  EXPECT_EQ(place("/endpoints", json::array()), "endpoints");
  EXPECT_EQ(place("/endpoints/1/port", 0), "endpoints[1].port");
  EXPECT_EQ(place("/seconds", 0), "seconds");
}

TEST(Exchange, wants_memory_for_writes_and_reads_alone) {
  SessionAnswer without = answer();
  for (Endpoint& one : without.endpoints) one.scratch.reset();
  const std::string body = encode_answer(without, kNoSecret);
  SessionRequest asked = request();
  for (const ProbeKind kind : {ProbeKind::RcWrite, ProbeKind::RcRead}) {
    asked.kind = kind;
    EXPECT_FALSE(decode_answer(body, kNoSecret, asked)) << name_of(kind);
  }
  for (const ProbeKind kind : {ProbeKind::Ud, ProbeKind::RcSend}) {
    asked.kind = kind;
    EXPECT_TRUE(decode_answer(body, kNoSecret, asked)) << name_of(kind);
  }
}

TEST(Exchange, survives_what_is_no_body) {
  const std::vector<std::string> bodies{"",
                                        "{",
                                        "null",
                                        "[]",
                                        "7",
                                        "\"text\"",
                                        "{}",
                                        std::string(60'000, '['),
                                        "{\"mac\":" + std::string(60'000, '{'),
                                        "{\"schema\":\"\xff\"}",
                                        std::string("{\"schema\":\"a\0b\"}", 16),
                                        std::string(kExchangeBytes + 1, ' ')};
  for (const std::string& body : bodies)
    for (const ByteSpan secret : {kSecret, kNoSecret}) {
      EXPECT_FALSE(decode_request(body, secret));
      EXPECT_FALSE(decode_answer(body, secret, request()));
    }
}

TEST(Exchange, cleans_control_characters_out_of_names) {
  SessionRequest dirty = request();
  dirty.node = "node\x1b[2J\n";
  const auto read = decode_request(encode_request(dirty, kSecret), kSecret);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->node, "node\\x1b[2J\\x0a");
}

TEST(Exchange, stays_below_its_limit_with_the_most_of_everything) {
  SessionAnswer full = answer();
  Endpoint large = endpoint();
  large.device = large.rail = large.label = std::string(kNameBytes, 'x');
  large.queue_pairs.assign(kQueuePairs, {.number = 0xfffffe, .psn = 0xffffff});
  full.endpoints.assign(kEndpoints, large);
  for (int i = 0; i < 64; ++i) {
    PortDigest& port = full.digest.ports.emplace_back();
    port.device = "mlx5_" + std::to_string(i);
    port.model = std::string(128, 'm');
    port.firmware = std::string(128, 'f');
  }
  const std::string body = encode_answer(full, kSecret);
  EXPECT_LE(body.size(), kExchangeBytes);
  EXPECT_TRUE(decode_answer(body, kSecret, request()));
}

TEST(SessionKey, depends_on_everything_that_both_sides_know) {
  const SessionKey key = session_key(kSecret, nonce_of(1), nonce_of(2), 3);
  EXPECT_EQ(session_key(kSecret, nonce_of(1), nonce_of(2), 3), key);
  EXPECT_NE(session_key(kNoSecret, nonce_of(1), nonce_of(2), 3), key);
  EXPECT_NE(session_key(kSecret, nonce_of(2), nonce_of(1), 3), key);
  EXPECT_NE(session_key(kSecret, nonce_of(1), nonce_of(3), 3), key);
  EXPECT_NE(session_key(kSecret, nonce_of(1), nonce_of(2), 4), key);
}

TEST(SeenNonces, takes_each_once) {
  SeenNonces seen;
  EXPECT_TRUE(seen.take(nonce_of(1)));
  EXPECT_TRUE(seen.take(nonce_of(2)));
  EXPECT_FALSE(seen.take(nonce_of(1)));
}

TEST(SeenNonces, forgets_the_oldest_beyond_its_size) {
  SeenNonces seen(2);
  EXPECT_TRUE(seen.take(nonce_of(1)));
  EXPECT_TRUE(seen.take(nonce_of(2)));
  EXPECT_TRUE(seen.take(nonce_of(3)));
  EXPECT_FALSE(seen.take(nonce_of(2)));
  EXPECT_FALSE(seen.take(nonce_of(3)));
  EXPECT_TRUE(seen.take(nonce_of(1)));
}

}  // namespace
}  // namespace roceready::probes
