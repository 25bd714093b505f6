// SPDX-License-Identifier: Apache-2.0
#include "core/base/subject.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(Subject, key_is_what_follows_the_at_sign_of_a_finding) {
  EXPECT_EQ(Subject{}.key(), "node");
  Subject port;
  port.device = "mlx5_0";
  port.port = 1;
  port.netdev = "eth0";
  EXPECT_EQ(port.key(), "mlx5_0/1");
  port.member = "eth2";
  port.priority = std::uint8_t{3};
  EXPECT_EQ(port.key(), "mlx5_0/1+eth2:3");
  port.peer = "node7";
  EXPECT_EQ(port.key(), "mlx5_0/1+eth2:3#node7");
  Subject netdev;
  netdev.netdev = "eth5";
  EXPECT_EQ(netdev.key(), "eth5");
}

}  // namespace
}  // namespace roceready
