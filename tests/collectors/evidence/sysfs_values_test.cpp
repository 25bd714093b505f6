// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence_test {
namespace {

const std::string kGrep =
    "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err:2705\n"
    "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan:12\n"
    "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent:1333\n"
    "/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data:42\n"
    "/sys/class/infiniband/mlx5_1/ports/1/hw_counters/np_cnp_sent:7\n";

TEST(SysfsValues, grep_names_the_port_in_each_line) {
  const evidence::Draft draft = read_text(kGrep);
  const auto& sets = draft.counters();
  EXPECT_EQ(sets.hw_counters.at("mlx5_0/1").at("local_ack_timeout_err"), 2705U);
  EXPECT_EQ(sets.hw_counters.at("mlx5_0/1").size(), 2U) << "lifespan is a setting";
  EXPECT_EQ(sets.hw_counters.at("mlx5_1/1").at("np_cnp_sent"), 7U);
  EXPECT_EQ(sets.port_counters.at("mlx5_0/1").at("port_rcv_data"), 42U);
  EXPECT_EQ(draft.snapshot().ports.at(0).driver, "mlx5_ib");
  EXPECT_EQ(draft.unread_count(), 0U);
}

TEST(SysfsValues, a_list_of_names_that_drivers_know_is_recognised_alone) {
  for (const char* text : {"duplicate_request: 0\nlifespan: 10\nlocal_ack_timeout_err: 91316\nnp_cnp_sent: 17269947\n",
                           "duplicate_request 0\nlifespan 10\nlocal_ack_timeout_err 91316\nnp_cnp_sent 17269947\n",
                           "duplicate_request:0\nlifespan:10\nlocal_ack_timeout_err:91316\nnp_cnp_sent:17269947\n",
                           "duplicate_request = 0\nlocal_ack_timeout_err\t= 91316\nnp_cnp_sent =17269947\n"}) {
    const evidence::Draft draft = read_text(text);
    ASSERT_TRUE(draft.counters().hw_counters.contains("/1")) << text;
    EXPECT_EQ(draft.counters().hw_counters.at("/1").at("local_ack_timeout_err"), 91316U);
    EXPECT_EQ(draft.counters().hw_counters.at("/1").at("duplicate_request"), 0U);
    EXPECT_FALSE(draft.counters().hw_counters.at("/1").contains("lifespan"));
  }
}

TEST(SysfsValues, a_loop_is_about_the_port_of_its_pattern) {
  const evidence::Draft draft = read_text(
      "[root@node1 ~]# for f in /sys/class/infiniband/mlx5_2/ports/1/hw_counters/*; do echo $(basename $f): $(cat $f); "
      "done\n"
      "out_of_sequence: 5\nsome_new_counter: 6\n");
  EXPECT_EQ(draft.counters().hw_counters.at("mlx5_2/1").at("out_of_sequence"), 5U);
  EXPECT_EQ(draft.counters().hw_counters.at("mlx5_2/1").at("some_new_counter"), 6U);
}

TEST(SysfsValues, tail_has_a_heading_a_file) {
  const evidence::Draft draft = read_text(
      "==> /sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_buffer <==\n1543\n\n"
      "==> /sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence <==\n0\n"
      "==> /sys/class/net/eth0/mtu <==\n9000\n");
  EXPECT_EQ(draft.counters().hw_counters.at("mlx5_0/1").at("out_of_buffer"), 1543U);
  EXPECT_EQ(draft.counters().hw_counters.at("mlx5_0/1").at("out_of_sequence"), 0U);
  EXPECT_EQ(draft.snapshot().netdev("eth0")->link.mtu.value_or(0), 9000U);
}

TEST(SysfsValues, cat_of_one_file) {
  const evidence::Draft draft = read_text(
      "$ cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class\nGlobal tclass=106\n"
      "+ cat /sys/class/infiniband/mlx5_0/ports/1/state\n4: ACTIVE\n");
  const RdmaPort& port = draft.snapshot().ports.at(0);
  EXPECT_EQ(port.forced_traffic_class.value_or(0), 106U);
  EXPECT_EQ(port.vendor_files.at("tc/1/traffic_class").value_or(""), "Global tclass=106");
  EXPECT_EQ(port.state.value_or(""), "ACTIVE");
}

TEST(SysfsValues, no_pma_is_not_supported_and_never_zero) {
  const evidence::Draft draft = read_text("link_downed: N/A (no PMA)\nport_rcv_data: N/A (no PMA)\n");
  ASSERT_EQ(draft.snapshot().ports.size(), 1U);
  const auto& counters = draft.snapshot().ports[0].port_counters;
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.absent().why, Why::NotSupported);
  EXPECT_TRUE(draft.counters().port_counters.empty());
}

TEST(SysfsValues, a_gid_table_is_put_together_from_three_directories) {
  const evidence::Draft draft = read_text(
      "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3:eth0\n"
      "grep: /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/4: Invalid argument\n"
      "gid_attrs/types/0: EINVAL\n"
      "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/2:IB/RoCE v1\n"
      "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3:RoCE v2\n"
      "/sys/class/infiniband/mlx5_0/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:c000:0206\n"
      "/sys/class/infiniband/mlx5_0/ports/1/gids/4:0000:0000:0000:0000:0000:0000:0000:0000\n");
  const auto& gids = draft.snapshot().ports.back().gids;
  ASSERT_TRUE(gids);
  ASSERT_EQ(gids->size(), 1U) << "an entry without its GID is none";
  EXPECT_EQ(gids->at(0).gid, "::ffff:192.0.2.6");
  EXPECT_EQ(gids->at(0).type, "RoCE v2");
  EXPECT_EQ(gids->at(0).netdev.value_or(""), "eth0");
}

TEST(SysfsValues, facts_of_netdevs_and_functions) {
  const evidence::Draft draft = read_text(
      "/sys/class/net/eth0/mtu:1500\n/sys/class/net/eth0/operstate:up\n/sys/class/net/eth0/carrier:1\n"
      "/sys/class/net/eth0/speed:100000\n/sys/class/net/eth1/speed:-1\n/sys/class/net/eth0/qos/trust:pcp\n"
      "/sys/class/net/eth0/ecn/roce_np/enable/3:1\n"
      "/sys/bus/pci/devices/0000:3b:00.0/current_link_speed:16.0 GT/s PCIe\n"
      "/sys/bus/pci/devices/0000:3b:00.0/current_link_width:8\n"
      "/sys/bus/pci/devices/0000:3b:00.0/numa_node:-1\n"
      "/sys/bus/pci/devices/0000:3b:00.0/vendor:0x15b3\n/sys/bus/pci/devices/0000:3b:00.0/device:0x101d\n"
      "/sys/bus/pci/devices/0000:3b:00.0/aer_dev_correctable:RxErr 3\n"
      "/sys/bus/pci/devices/0000:3b:00.0/aer_dev_correctable:TOTAL_ERR_COR 3\n"
      "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/max_link_width:16\n"
      "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/net/eth0/carrier_down_count:2\n");
  const Netdev& netdev = *draft.snapshot().netdev("eth0");
  EXPECT_EQ(netdev.link.mtu.value_or(0), 1500U);
  EXPECT_EQ(netdev.link.oper_state.value_or(""), "up");
  EXPECT_TRUE(netdev.link.carrier.value_or(false));
  EXPECT_EQ(netdev.link.carrier_down_count.value_or(0), 2U);
  EXPECT_EQ(netdev.link.parent_device.value_or(""), "0000:3b:00.0");
  EXPECT_EQ(netdev.ethtool.link_modes->speed_bits_per_second.value_or(0), 100'000'000'000U);
  EXPECT_EQ(draft.snapshot().netdev("eth1")->ethtool.link_modes->speed_bits_per_second.absent().why, Why::NotPresent);
  EXPECT_EQ(netdev.dcb.trust.value_or(""), "pcp");
  EXPECT_EQ(netdev.vendor_files.at("ecn/roce_np/enable/3").value_or(""), "1");
  const PciFunction& function = *draft.snapshot().function("0000:3b:00.0");
  EXPECT_EQ(function.current_speed.value_or(0), 16'000'000'000U);
  EXPECT_EQ(function.current_width.value_or(0), 8U);
  EXPECT_EQ(function.max_width.value_or(0), 16U);
  EXPECT_EQ(function.numa_node.value_or(7), -1);
  EXPECT_EQ(function.vendor_device.value_or(""), "15b3:101d");
  EXPECT_EQ(function.aer->at("correctable"), 3U);
  EXPECT_EQ(function.parent, "0000:3a:00.0");
  EXPECT_EQ(draft.place_of("/sys/bus/pci/devices/0000:3b:00.0/current_link_width"), "sent.txt:9");
}

TEST(SysfsValues, rdma_cm_and_congestion_control) {
  const evidence::Draft draft = read_text(
      "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos:106\n"
      "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode:RoCE v2\n"
      "/sys/class/infiniband/mlx5_0/device/infiniband/mlx5_0/fw_ver:20.31.1014\n"
      "cat: /sys/class/infiniband/mlx5_0/tc/1/traffic_class: No such file or directory\n"
      "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp:48\n");
  const RdmaPort& port = draft.snapshot().ports.back();
  EXPECT_EQ(port.cma_default_tos.value_or(0), 106U);
  EXPECT_EQ(port.cma_default_mode.value_or(""), "RoCE v2");
  EXPECT_EQ(port.firmware.value_or(""), "20.31.1014");
  EXPECT_EQ(port.forced_traffic_class.absent().why, Why::NotPresent);
  EXPECT_EQ(draft.snapshot().ports.front().vendor_files.at("cc_params/np_cnp_dscp").value_or(""), "48");
}

TEST(SysfsValues, what_makes_no_sense_is_unread_and_never_a_number) {
  const evidence::Draft draft = read_text(
      "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent:12x\n"
      "/sys/class/net/eth0/mtu:big\n/sys/class/infiniband/mlx5_0/ports/1/state:9: JOLLY\n"
      "/sys/class/infiniband/mlx5_0/ports/1/gids/99999999:fe80::1\n");
  EXPECT_TRUE(draft.counters().hw_counters.empty());
  EXPECT_EQ(draft.snapshot().netdev("eth0")->link.mtu.absent().why, Why::Malformed);
  EXPECT_EQ(draft.snapshot().ports.at(0).state.absent().why, Why::Malformed);
  EXPECT_EQ(draft.unread_count(), 2U);
}

TEST(SysfsValues, every_cut_is_lived_with) {
  cut_everywhere(kGrep + "==> /sys/class/net/eth0/mtu <==\n9000\n");
}

}  // namespace
}  // namespace roceready::evidence_test
