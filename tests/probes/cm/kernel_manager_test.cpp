// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/kernel_manager.h"

#include <endian.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "probes/cm/calling.h"
#include "tests/doubles/fake_kernel.h"

namespace roceready::probes::cm {
namespace {

using Kind = Outcome::Kind;
const verbs::KernelPort kPort{0x0001020304050607, 1, 4};

Reply refuse(ByteSpan /*told*/, bool /*has_room*/) {
  return Refusal{};
}

/// A kernel whose peer accepts at once.
struct KernelManagerTest : testing::Test {
  KernelManagerTest() {
    kernel.bound.node_guid = htobe64(kPort.node_guid);
    kernel.bound.port_num = 1;
    kernel.bound.ibdev_index = 4;
    sockaddr_in6 own{};
    own.sin6_port = htons(45'000);
    std::memcpy(&kernel.bound.src_addr, &own, sizeof own);
    answers(RDMA_USER_CM_CMD_RESOLVE_ADDR, EventKind::AddressResolved);
    answers(RDMA_USER_CM_CMD_RESOLVE_ROUTE, EventKind::RouteResolved);
    kernel.then[RDMA_USER_CM_CMD_CONNECT] = [this] { kernel.tell(EventKind::ConnectResponse, 0, 1, "hello"); };
    answers(RDMA_USER_CM_CMD_DISCONNECT, EventKind::Disconnected);
  }
  void answers(std::uint32_t command, EventKind event, int status = 0) {
    kernel.then[command] = [this, event, status] { kernel.tell(event, status); };
  }
  Outcome call(const std::stop_token& stop = {}) {
    Call what;
    what.from = *verbs::parse_address("10.0.0.1");
    what.to = *verbs::parse_address("10.0.0.2");
    what.service = 4791;
    what.told = {std::byte{1}, std::byte{2}};
    what.through = kPort;
    what.queue_pair = 0x1357;
    return manager->call(what, stop);
  }
  Result<std::unique_ptr<Listener>> listen() { return manager->listen(*verbs::parse_address("10.0.0.1"), 0, kPort); }
  doubles::FakeKernel kernel;
  std::unique_ptr<Manager> manager = make_kernel_manager(kernel.opener());
};

TEST_F(KernelManagerTest, connects_confirms_and_disconnects) {
  const Outcome out = call();
  ASSERT_EQ(out.kind, Kind::Connected) << out.why << out.why_not.detail;
  EXPECT_EQ(out.told.size(), 5U);
  ASSERT_EQ(kernel.parameters.size(), 2U);
  EXPECT_EQ(kernel.parameters[0].qp_num, 0x1357U);
  EXPECT_EQ(kernel.parameters[0].private_data_len, 2);
  EXPECT_EQ(kernel.parameters[1].valid, 0) << "what says that the connection is ready to use";
  EXPECT_TRUE(kernel.got(RDMA_USER_CM_CMD_DISCONNECT));
  EXPECT_EQ(kernel.commands.back(), RDMA_USER_CM_CMD_DESTROY_ID);
  EXPECT_EQ(kernel.open_now, 0);
}

TEST_F(KernelManagerTest, does_not_connect_through_another_port) {
  kernel.bound.ibdev_index = 5;
  const Outcome out = call();
  EXPECT_EQ(out.kind, Kind::NotTried);
  EXPECT_NE(out.why_not.detail.find("another RDMA port"), std::string::npos);
  EXPECT_FALSE(kernel.got(RDMA_USER_CM_CMD_CONNECT));
}

TEST_F(KernelManagerTest, takes_what_this_host_cannot_do_for_no_failure_of_the_path) {
  for (const int own : {EADDRNOTAVAIL, ENODEV, EACCES, EPERM, ENOMEM, EMFILE, ENOSYS, EINVAL, EBUSY, EADDRINUSE})
    for (const std::uint32_t command :
         {RDMA_USER_CM_CMD_CREATE_ID, RDMA_USER_CM_CMD_RESOLVE_ADDR, RDMA_USER_CM_CMD_QUERY,
          RDMA_USER_CM_CMD_RESOLVE_ROUTE, RDMA_USER_CM_CMD_CONNECT, RDMA_USER_CM_CMD_ACCEPT}) {
      kernel.refuses = {{command, own}};
      kernel.events.clear();
      const Outcome out = call();
      EXPECT_EQ(out.kind, Kind::NotTried) << command << " " << own;
      EXPECT_FALSE(out.why_not.detail.empty());
    }
}

TEST_F(KernelManagerTest, takes_an_event_of_such_a_want_for_no_failure_either) {
  for (const int own : {1, EADDRNOTAVAIL, ENODEV, EACCES, ENOMEM, EINVAL, ETIMEDOUT, EHOSTUNREACH}) {
    // No RoCE port asks anybody for a route.
    answers(RDMA_USER_CM_CMD_RESOLVE_ROUTE, EventKind::RouteError, -own);
    EXPECT_EQ(call().kind, Kind::NotTried) << own;
    answers(RDMA_USER_CM_CMD_RESOLVE_ROUTE, EventKind::RouteResolved);
  }
  for (const int own : {1, EADDRNOTAVAIL, ENODEV, EACCES, ENOMEM, EINVAL}) {
    answers(RDMA_USER_CM_CMD_RESOLVE_ADDR, EventKind::AddressError, -own);
    EXPECT_EQ(call().kind, Kind::NotTried) << own;
    answers(RDMA_USER_CM_CMD_RESOLVE_ADDR, EventKind::AddressResolved);
    answers(RDMA_USER_CM_CMD_CONNECT, EventKind::Unreachable, -own);
    EXPECT_EQ(call().kind, Kind::NotTried) << own;
  }
}

TEST_F(KernelManagerTest, tells_the_stage_that_failed) {
  answers(RDMA_USER_CM_CMD_RESOLVE_ADDR, EventKind::AddressError, -ETIMEDOUT);
  Outcome out = call();
  EXPECT_EQ(out.kind, Kind::Failed);
  EXPECT_EQ(out.stage, Stage::AddressResolution);
  EXPECT_EQ(out.why, "no answer from 10.0.0.2 in time");
  answers(RDMA_USER_CM_CMD_RESOLVE_ADDR, EventKind::AddressResolved);
  answers(RDMA_USER_CM_CMD_CONNECT, EventKind::Unreachable, -ETIMEDOUT);
  out = call();
  EXPECT_EQ(out.stage, Stage::Connect);
  EXPECT_EQ(out.kind, Kind::Failed);
  answers(RDMA_USER_CM_CMD_CONNECT, EventKind::Rejected, 12);
  out = call();
  EXPECT_EQ(out.kind, Kind::Failed);
  EXPECT_EQ(out.why, "rejected: invalid GID (12)");
  for (const int anybodys : {8, 28}) {
    kernel.then[RDMA_USER_CM_CMD_CONNECT] = [&] { kernel.tell(EventKind::Rejected, anybodys, 1, "proof"); };
    out = call();
    EXPECT_EQ(out.kind, Kind::Failed) << anybodys;
    EXPECT_EQ(out.told.size(), 5U) << "by which a program's own word is known";
  }
  answers(RDMA_USER_CM_CMD_CONNECT, EventKind::Rejected, 3);
  EXPECT_EQ(call().kind, Kind::Refused);
}

TEST_F(KernelManagerTest, takes_a_route_that_takes_too_long_for_a_want_of_this_host) {
  kernel.then[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = [] {};  // and no event follows
  const Outcome out = call();
  EXPECT_EQ(out.kind, Kind::NotTried);
  EXPECT_NE(out.why_not.detail.find("route resolution"), std::string::npos) << out.why_not.detail;
}

TEST_F(KernelManagerTest, ends_a_call_whose_device_is_removed_or_that_nobody_wants_any_more) {
  answers(RDMA_USER_CM_CMD_CONNECT, EventKind::DeviceRemoval);
  EXPECT_EQ(call().kind, Kind::NotTried);
  std::stop_source stop;
  kernel.then[RDMA_USER_CM_CMD_CONNECT] = [&] { stop.request_stop(); };
  const auto begin = std::chrono::steady_clock::now();
  const Outcome out = call(stop.get_token());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(out.why_not.why, Why::TimedOut);
  EXPECT_TRUE(kernel.ids.empty());
}

TEST_F(KernelManagerTest, survives_events_that_make_no_sense) {
  for (std::uint32_t event = 0; event < 40; ++event) {
    kernel.then[RDMA_USER_CM_CMD_CONNECT] = [&] { kernel.tell(static_cast<EventKind>(event), 17); };
    std::stop_source stop;
    if (event >= 14 && event <= 15) stop.request_stop();  // those are waited through
    const Outcome out = call(stop.get_token());
    EXPECT_NE(out.kind, Kind::Connected) << event;
    EXPECT_TRUE(out.kind != Kind::Failed || event == static_cast<std::uint32_t>(EventKind::Rejected)) << event;
  }
}

TEST_F(KernelManagerTest, says_why_there_is_no_connection_manager) {
  kernel.cannot_open = Error{ErrorCode::NotSupported, "rdma_ucm is not loaded", "", 0};
  EXPECT_EQ(call().why_not.why, Why::NotSupported);
  kernel.cannot_open = os_error(EACCES, "cannot open", "/dev/infiniband/rdma_cm");
  EXPECT_EQ(call().why_not.why, Why::Denied);
  EXPECT_FALSE(listen());
}

TEST_F(KernelManagerTest, accepts_with_the_queue_pair_that_it_is_given) {
  auto listener = listen();
  ASSERT_TRUE(listener) << listener.error().text();
  EXPECT_EQ((*listener)->service(), 45'000);
  kernel.tell(EventKind::ConnectRequest, 0, 1, "who", 77);
  auto owner = std::make_shared<int>(1);
  std::size_t told = 0;
  ASSERT_TRUE((*listener)->step([&](ByteSpan said, bool has_room) {
    told = said.size();
    EXPECT_TRUE(has_room);
    return Acceptance{{std::byte{9}}, 0x2468, owner};
  }));
  EXPECT_EQ(told, 3U);
  ASSERT_EQ(kernel.parameters.size(), 1U);
  EXPECT_EQ(kernel.parameters[0].qp_num, 0x2468U);
  EXPECT_EQ(kernel.parameters[0].valid, 1);
  EXPECT_TRUE((*listener)->holds_any());
  EXPECT_EQ(owner.use_count(), 2);
  kernel.tell(EventKind::Established, 0, 2);
  kernel.tell(EventKind::Disconnected, 0, 2);
  ASSERT_TRUE((*listener)->step(refuse));
  EXPECT_TRUE(kernel.got(RDMA_USER_CM_CMD_DISCONNECT));
  EXPECT_FALSE(kernel.ids.contains(77));
  EXPECT_EQ(owner.use_count(), 2) << "its number is not for another connection at once";
  listener->reset();
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(kernel.open_now, 0);
}

TEST_F(KernelManagerTest, refuses_and_forgets_whom_nobody_knows) {
  auto listener = listen();
  ASSERT_TRUE(listener);
  kernel.tell(EventKind::ConnectRequest, 0, 1, "stranger", 77);
  ASSERT_TRUE((*listener)->step(refuse));
  EXPECT_TRUE(kernel.got(RDMA_USER_CM_CMD_REJECT));
  EXPECT_FALSE(kernel.ids.contains(77));
  EXPECT_FALSE((*listener)->holds_any());
}

TEST_F(KernelManagerTest, says_with_a_rejection_what_it_is_told_to_say) {
  auto listener = listen();
  ASSERT_TRUE(listener);
  kernel.tell(EventKind::ConnectRequest, 0, 1, "who", 77);
  ASSERT_TRUE((*listener)->step([](ByteSpan, bool) { return Refusal{{std::byte{4}, std::byte{2}}}; }));
  ASSERT_EQ(kernel.rejections.size(), 1U);
  const rdma_ucm_reject& said = kernel.rejections[0];
  EXPECT_EQ(said.id, 77U);
  EXPECT_EQ(said.private_data_len, 2);
  EXPECT_EQ(said.private_data[0], 4);
  EXPECT_EQ(said.private_data[1], 2);
  EXPECT_EQ(said.reason, 0) << "any other is refused by older kernels";
}

TEST_F(KernelManagerTest, lets_hundreds_of_calls_wait) {
  auto listener = listen();
  ASSERT_TRUE(listener);
  EXPECT_GE(kernel.backlog, 256U) << "the kernel drops a call that finds it full, without a word";
  EXPECT_LE(kernel.backlog, 1024U);
}

TEST_F(KernelManagerTest, has_room_for_64_connections_and_asks_how_to_refuse_the_next) {
  auto listener = listen();
  ASSERT_TRUE(listener);
  std::size_t accepted = 0;
  const auto answer = [&](ByteSpan, bool has_room) -> Reply {
    if (!has_room) return Refusal{{std::byte{7}}};
    ++accepted;
    return Acceptance{{}, 1, nullptr};
  };
  for (std::uint32_t k = 0; k < 65; ++k) kernel.tell(EventKind::ConnectRequest, 0, 1, "who", 100 + k);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE((*listener)->step(answer));
  EXPECT_TRUE(kernel.events.empty());
  EXPECT_EQ(accepted, 64U);
  ASSERT_EQ(kernel.rejections.size(), 1U);
  EXPECT_EQ(kernel.rejections[0].id, 164U);
  EXPECT_EQ(kernel.rejections[0].private_data[0], 7);
  EXPECT_FALSE(kernel.ids.contains(164));
  kernel.tell(EventKind::ConnectRequest, 0, 1, "who", 200);
  ASSERT_TRUE((*listener)->step([](ByteSpan, bool) { return Acceptance{{}, 1, nullptr}; })) << "against what was asked";
  ASSERT_EQ(kernel.rejections.size(), 2U);
  EXPECT_EQ(kernel.rejections[1].private_data_len, 0);
}

TEST_F(KernelManagerTest, does_not_listen_at_another_port_and_ends_with_its_device) {
  auto listener = listen();
  ASSERT_TRUE(listener);
  kernel.tell(EventKind::DeviceRemoval, 0, 1);
  EXPECT_FALSE((*listener)->step(refuse));
  kernel.bound.port_num = 2;
  EXPECT_FALSE(listen());
  kernel.bound.port_num = 1;
  kernel.refuses = {{RDMA_USER_CM_CMD_BIND, EADDRNOTAVAIL}};
  EXPECT_FALSE(listen());
}

TEST(PathErrors, are_few) {
  EXPECT_TRUE(is_of_the_path(ETIMEDOUT));
  EXPECT_TRUE(is_of_the_path(ENETUNREACH));
  for (const int own : {0, EPERM, EADDRNOTAVAIL, ENODEV, EINVAL, ECONNRESET, 4000}) EXPECT_FALSE(is_of_the_path(own));
}

}  // namespace
}  // namespace roceready::probes::cm
