// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/channel.h"

#include <gtest/gtest.h>
#include <rdma/rdma_user_cm.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "probes/cm_message.h"

namespace roceready::probes::cm {
namespace {

std::vector<std::byte> bytes_of(const rdma_ucm_event_resp& event) {
  std::vector<std::byte> out(sizeof event);
  std::memcpy(out.data(), &event, sizeof event);
  return out;
}

TEST(KernelEvent, is_read_as_the_kernel_lays_it_out) {
  rdma_ucm_event_resp raw{};
  raw.uid = 7;
  raw.id = 12;
  raw.event = 8;
  raw.status = 28;
  raw.param.conn.private_data[0] = 5;
  raw.param.conn.private_data_len = 148;
  const auto event = decode_event(bytes_of(raw));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->what, EventKind::Rejected);
  EXPECT_EQ(event->status, 28);
  EXPECT_EQ(event->id, 12U);
  EXPECT_EQ(event->uid, 7U);
  ASSERT_EQ(event->told.size(), 148U);
  EXPECT_EQ(event->told[0], std::byte{5});
  raw.status = static_cast<std::uint32_t>(-110);
  EXPECT_EQ(decode_event(bytes_of(raw))->status, -110);
}

TEST(KernelEvent, of_an_older_kernel_is_shorter) {
  rdma_ucm_event_resp raw{};
  raw.event = 9;
  auto bytes = bytes_of(raw);
  bytes.resize(offsetof(rdma_ucm_event_resp, reserved));
  ASSERT_TRUE(decode_event(bytes));
  EXPECT_EQ(decode_event(bytes)->what, EventKind::Established);
  bytes.pop_back();
  EXPECT_FALSE(decode_event(bytes));
  EXPECT_FALSE(decode_event({}));
}

TEST(KernelEvent, of_any_bytes_is_an_event_within_its_bounds) {
  std::mt19937 random(20250101);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes(random() % (sizeof(rdma_ucm_event_resp) + 8));
    for (std::byte& each : bytes) each = static_cast<std::byte>(random() & 0xff);
    const auto event = decode_event(bytes);
    EXPECT_EQ(event.has_value(), bytes.size() >= offsetof(rdma_ucm_event_resp, reserved));
    if (!event) continue;
    EXPECT_LE(event->told.size(), 255U);
    EXPECT_FALSE(decode_cm(event->told, SessionKey{})) << "nor is it a message of a session";
  }
}

TEST(BoundPort, is_the_one_that_is_wanted_only_where_all_is_known) {
  const verbs::KernelPort wanted{0x1234, 1, 3};
  EXPECT_TRUE(is_port({0x1234, 1, 3}, wanted));
  EXPECT_TRUE(is_port({0x1234, 1, std::nullopt}, wanted)) << "an older kernel";
  EXPECT_FALSE(is_port({0x1234, 2, 3}, wanted));
  EXPECT_FALSE(is_port({0x9999, 1, 3}, wanted));
  EXPECT_FALSE(is_port({0x1234, 1, 4}, wanted)) << "two devices of one GUID";
  EXPECT_FALSE(is_port({0, 0, std::nullopt}, wanted)) << "bound to none";
  EXPECT_FALSE(is_port({0, 1, 3}, {0, 1, 3})) << "nobody knows";
}

}  // namespace
}  // namespace roceready::probes::cm
