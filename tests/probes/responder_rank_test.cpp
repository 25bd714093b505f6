// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "probes/verbs/prefixes.h"
#include "tests/probes/asking.h"
#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

constexpr std::uint8_t kMapped = 96;

/// A node with rails, of which each is asked by one of the prober's.
struct Rails {
  doubles::FakeFabric fabric;
  std::vector<std::byte> secret = secret_of("one secret of the fabric, long enough");
  std::unique_ptr<Responder> responder;

  void add(const std::string& device, const std::string& address, std::uint8_t subnet = 0) {
    doubles::FakePortSetup setup;
    setup.device = device;
    setup.addresses = {address};
    setup.subnet_bits = subnet;
    fabric.add_port("b", setup);
  }
  /// The port that answers.
  std::string asked_from(const std::string& device, const char* address) {
    if (!responder) {
      ResponderOptions options;
      options.secret = secret;
      responder = std::make_unique<Responder>(fabric.node("b"), options);
    }
    SessionRequest request = asked_by(address);
    request.endpoint.device = device;
    const auto said = responder->answer(encode_request(request, secret), "");
    if (!std::holds_alternative<SessionReply>(said)) return std::get<SessionRefusal>(said).why;
    return decode_answer(std::get<SessionReply>(said).body, secret, request)->endpoints.front().device;
  }
};

TEST(ResponderRank, pairs_eight_rails_in_one_subnet_by_their_names) {
  for (const std::uint8_t subnet : {std::uint8_t{0}, std::uint8_t(kMapped + 24), std::uint8_t(kMapped + 16)}) {
    Rails rails;
    for (int i = 0; i < 8; ++i) rails.add("mlx5_" + std::to_string(i), "10.0.0." + std::to_string(11 + i), subnet);
    for (int i = 0; i < 8; ++i) {
      const std::string address = "10.0.0." + std::to_string(1 + i), device = "mlx5_" + std::to_string(i);
      EXPECT_EQ(rails.asked_from(device, address.c_str()), device);
    }
  }
}

TEST(ResponderRank, pairs_rails_of_other_names_by_their_numbers) {
  Rails rails;
  for (int i = 0; i < 4; ++i) rails.add("mlx5_" + std::to_string(i), "10.0.0." + std::to_string(11 + i));
  EXPECT_EQ(rails.asked_from("roce3", "10.0.0.1"), "mlx5_3");
  EXPECT_EQ(rails.asked_from("bnxt_re2", "10.0.0.2"), "mlx5_2");
}

TEST(ResponderRank, prefers_the_subnet_to_the_name) {
  Rails rails;
  rails.add("mlx5_0", "10.0.0.11", kMapped + 26);
  rails.add("mlx5_1", "10.0.0.75", kMapped + 26);  // the next 64 addresses
  EXPECT_EQ(rails.asked_from("mlx5_0", "10.0.0.70"), "mlx5_1");
  EXPECT_EQ(rails.asked_from("mlx5_1", "10.0.0.20"), "mlx5_0");
}

TEST(ResponderRank, of_routed_rails_takes_the_network_that_is_most_like_the_probers) {
  Rails rails;
  rails.add("mlx5_0", "10.1.7.1", kMapped + 31);
  rails.add("mlx5_1", "10.2.7.1", kMapped + 31);
  EXPECT_EQ(rails.asked_from("mlx5_0", "10.2.9.1"), "mlx5_1");
  Rails six;
  six.add("mlx5_0", "fd00:0:0:1::1", 64);
  six.add("mlx5_1", "fd00:0:0:2::1", 64);
  EXPECT_EQ(six.asked_from("mlx5_0", "fd00:0:0:2::2"), "mlx5_1");
}

TEST(SubnetBits, are_those_of_the_netdevs) {
  const auto known = verbs::subnet_bits();
  const auto loopback = known.find(*verbs::parse_address("127.0.0.1"));
  if (loopback == known.end()) GTEST_SKIP() << "the loopback is down";
  EXPECT_EQ(loopback->second, kMapped + 8);
}

}  // namespace
}  // namespace roceready::probes
