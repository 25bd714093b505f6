// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene sharing() {
  Scene scene;
  scene.eth0().dcb.buffers->priority_to_buffer = {1, 0, 0, 1, 0, 0, 0, 0};
  return scene;
}

TEST(QosBufferShared, is_quiet_while_the_lossless_class_has_its_own) {
  expect_pass(Scene().after(1).ask(kQosBufferShared));
  Scene two;
  two.profile().pfc_priorities = 1U << 3 | 1U << 4;
  two.eth0().dcb.pfc->enabled = 1U << 3 | 1U << 4;
  two.eth0().dcb.buffers->priority_to_buffer = {0, 0, 0, 1, 1, 0, 0, 0};
  for (const Judgement& one : two.judge(kQosBufferShared)) expect_pass(one);
}

TEST(QosBufferShared, is_a_warning_when_the_lossy_neighbour_receives) {
  Scene scene = sharing();
  scene.after(1, {{Id::RxBytesPriority, 1e6, 0}});
  expect_fail(scene.ask(kQosBufferShared), Severity::Warning,
              "shares receive buffer 1 with lossy priority 0, and priority 0 received traffic");
}

TEST(QosBufferShared, is_info_when_it_is_idle) {
  expect_fail(sharing().after(1).ask(kQosBufferShared), Severity::Info, "received nothing");
}

TEST(QosBufferShared, accuses_nobody_where_bytes_are_not_counted) {
  const Judgement said = sharing().never_shows({Id::RxBytesPriority}).after(1).ask(kQosBufferShared);
  expect_fail(said, Severity::Info, "what these carry is not known");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(QosBufferShared, is_unknown_when_refused_and_not_looked_at_when_never_shown) {
  Scene scene;
  scene.eth0().dcb.buffers = denied();
  expect_unknown(scene.ask(kQosBufferShared), Why::Denied);
  scene.eth0().dcb.buffers = not_supported();
  expect_not_looked_at(scene.ask(kQosBufferShared), "never_shown");
}

TEST(QosBufferShared, shows_a_map_with_room_in_each_buffer_that_it_uses) {
  const auto in_one_buffer = [](std::uint32_t bytes) {
    Scene scene;
    scene.eth0().dcb.buffers->priority_to_buffer.fill(1);
    scene.eth0().dcb.buffers->size_bytes = {0, bytes, 0, 0, 0, 0, 0, 0};
    scene.eth0().dcb.buffers->total_bytes = bytes;
    scene.every(1, 2, {{CounterId::RxBytesPriority, 1e6, 0}});
    expect_fail(scene.ask(kQosBufferShared), Severity::Warning);
    return scene.fix().at(0).command;
  };
  EXPECT_EQ(in_one_buffer(300'000),
            "mlnx_qos -i eth0 --prio2buffer 0,0,0,1,0,0,0,0 --buffer_size 234464,65536,0,0,0,0,0,0");
  EXPECT_EQ(in_one_buffer(70'000), "mlnx_qos -i eth0 --cable_len METRES") << "no room for both";
}

}  // namespace
}  // namespace roceready::rules_test
