// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence_test {
namespace {

const std::string kOneLine =
    "link mlx5_1/1 rx_write_requests 0 out_of_buffer 0 rnr_nak_retry_err 1543 local_ack_timeout_err 15 "
    "req_transport_retries_exceeded 19\n";

TEST(RdmaStatistic, one_long_line_a_port) {
  const evidence::Draft draft = read_text(kOneLine + "link mlx5_0/1 out_of_buffer 1543 packet_seq_err\n");
  const auto& sets = draft.counters().hw_counters;
  EXPECT_EQ(sets.at("mlx5_1/1").at("rnr_nak_retry_err"), 1543U);
  EXPECT_EQ(sets.at("mlx5_1/1").at("rx_write_requests"), 0U);
  EXPECT_EQ(sets.at("mlx5_0/1").at("out_of_buffer"), 1543U);
  EXPECT_FALSE(sets.at("mlx5_0/1").contains("packet_seq_err")) << "its value was cut off";
  EXPECT_EQ(draft.snapshot().ports.at(0).driver, "mlx5_ib");
}

TEST(RdmaStatistic, wrapped_anywhere_and_pretty) {
  for (const char* text :
       {"link mlx5_0/1 rx_write_requests 0 out_of_buffer\n1543 out_of_sequence 7\nduplicate_request 0\n",
        "link mlx5_0/1 \n    rx_write_requests 0 \n    out_of_buffer 1543 \n    out_of_sequence 7 \n"}) {
    const auto sets = read_text(text).counters().hw_counters;
    EXPECT_EQ(sets.at("mlx5_0/1").at("out_of_buffer"), 1543U) << text;
    EXPECT_EQ(sets.at("mlx5_0/1").at("out_of_sequence"), 7U) << text;
  }
}

TEST(RdmaStatistic, counters_of_single_queue_pairs_are_not_the_ports) {
  EXPECT_TRUE(read_text("link mlx5_0/1 cntn 4 type auto qp-type RC rx_write_requests 5 lqpn 178\n")
                  .counters()
                  .hw_counters.empty());
}

TEST(RdmaStatistic, every_cut_is_lived_with) {
  cut_everywhere(kOneLine + kOneLine);
}

TEST(RdmaLink, names_state_and_netdev) {
  const evidence::Draft draft = read_text(
      "link bnxt_re0/1 state ACTIVE physical_state LINK_UP netdev eth0\n"
      "link bnxt_re1/1 state DOWN physical_state DISABLED netdev eth1 \n"
      "1/1: mlx5_0/1: state ACTIVE physical_state LINK_UP netdev eth2 netdev_index 5\n"
      "link mlx5_3/1 state ACTIVE physical_state LINK_UP \n");
  const auto& ports = draft.snapshot().ports;
  ASSERT_EQ(ports.size(), 4U);
  EXPECT_EQ(ports[0].state.value_or(""), "ACTIVE");
  EXPECT_EQ(ports[0].physical_state.value_or(""), "LinkUp");
  EXPECT_EQ(ports[0].netdev.value_or(""), "eth0");
  EXPECT_EQ(ports[0].driver, "bnxt_re");
  EXPECT_EQ(ports[1].state.value_or(""), "DOWN");
  EXPECT_EQ(ports[1].physical_state.value_or(""), "Disabled");
  EXPECT_EQ(ports[2].netdev.value_or(""), "eth2");
  EXPECT_EQ(ports[3].netdev.absent().why, Why::OtherNamespace);
}

TEST(RdmaLink, a_cut_line_does_not_say_that_there_is_no_netdev) {
  const evidence::Draft draft = read_text("link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev\n");
  EXPECT_EQ(draft.snapshot().ports.at(0).netdev.absent().why, Why::NotRecorded);
}

TEST(RdmaLink, devices_with_firmware_and_protocol) {
  const evidence::Draft draft = read_text(
      "$ rdma dev\n0: mlx5_0: node_type ca protocol roce fw 20.31.1014 node_guid 0c42:a103:00d6:b2a8 sys_image_guid "
      "0c42:a103:00d6:b2a8 \n1: siw0: node_type rnic node_guid 1:2:3:4\n");
  EXPECT_EQ(draft.snapshot().ports.at(0).firmware.value_or(""), "20.31.1014");
  EXPECT_EQ(draft.snapshot().ports.at(0).protocol.value_or(""), "roce");
  EXPECT_EQ(draft.snapshot().ports.at(1).protocol.value_or(""), "iw");
  EXPECT_EQ(draft.snapshot().ports.at(1).function, FunctionKind::Software);
}

TEST(RdmaLink, every_cut_is_lived_with) {
  cut_everywhere("link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n0: mlx5_0: node_type ca fw 1\n");
}

TEST(RdmaResource, counts_objects_by_device) {
  const evidence::Draft draft = read_text(
      "0: mlx5_0: pd 2 cq 3 qp 1 cm_id 0 mr 0 ctx 1 srq 2\n"
      "2: mlx5_2: pd 8056 cq 4030 qp 8053 cm_id 12079 mr 16159 ctx 4027 srq 2\n");
  ASSERT_EQ(draft.snapshot().log.size(), 2U);
  EXPECT_EQ(draft.snapshot().log[1].subject, "mlx5_2");
  EXPECT_EQ(draft.snapshot().log[1].says.at("ctx"), "4027");
  EXPECT_EQ(draft.snapshot().log[1].place, "sent.txt:2");
  EXPECT_EQ(formats_of("netns shared copy-on-fork on\n"), "rdma resource");
}

}  // namespace
}  // namespace roceready::evidence_test
