// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/look_up.h"

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace roceready::daemon::http {
namespace {

using Addresses = std::vector<std::string>;

/// A name server that says nothing until the test ends.
struct Silence {
  std::promise<void> over;
  std::shared_future<void> wait = over.get_future().share();
  Resolver resolver = [wait = wait](const std::string&) -> Result<Addresses> {
    wait.wait();
    return Addresses{"192.0.2.1"};
  };
  ~Silence() { over.set_value(); }
};

TEST(LookUp, of_an_address_asks_nobody) {
  const Resolver nobody = [](const std::string&) -> Result<Addresses> {
    ADD_FAILURE();
    return Addresses{};
  };
  EXPECT_EQ(*addresses_of("192.0.2.7", 10, nobody), Addresses{"192.0.2.7"});
  EXPECT_EQ(*addresses_of("2001:db8::7", 10, nobody), Addresses{"2001:db8::7"});
}

TEST(LookUp, gives_all_addresses_of_a_name) {
  const auto found = addresses_of("localhost", 10'000);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_FALSE(found->empty());
  EXPECT_EQ(addresses_of("no-such-host.invalid", 60'000).error().code, ErrorCode::NotFound);
}

TEST(LookUp, ends_in_time_where_the_name_servers_are_silent) {
  Silence silence;
  const auto begin = std::chrono::steady_clock::now();
  const auto found = addresses_of("peer", 50, silence.resolver);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::TimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(LookUp, leaves_no_more_than_a_few_threads_behind) {
  {
    Silence silence;
    int refused = 0;
    for (int i = 0; i < 40; ++i) {
      const auto found = addresses_of("peer", 1, silence.resolver);
      ASSERT_FALSE(found);
      refused += found.error().what.find("too many") != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(refused, 24);
  }
  for (int i = 0; i < 1000; ++i) {
    if (addresses_of("peer", 1000, [](const std::string&) -> Result<Addresses> { return Addresses{"::1"}; })) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL() << "they ended, and still names are refused";
}

}  // namespace
}  // namespace roceready::daemon::http
