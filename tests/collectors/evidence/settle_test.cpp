// SPDX-License-Identifier: Apache-2.0
// What the files of a host make of it together: tables that may be cut, ports that may be unused, outputs that name
// another device, switches.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "collectors/evidence/ask.h"
#include "tests/collectors/evidence/host_of.h"

namespace roceready::evidence {
namespace {

bool assumes(const HostEvidence& host, const std::string& part) {
  return std::any_of(host.assumptions.begin(), host.assumptions.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

const std::string kDevinfoV1 =
    "hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tlink_layer:\t\tEthernet\n"
    "\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:ba3f:d2ff:fe00:0001, RoCE v1\n";
const std::string kGidHead = "DEV\tPORT\tINDEX\tGID\tIPv4\tVER\tDEV\n---\t----\t-----\t---\t------------\t---\t---\n";

TEST(GidTable, without_a_routable_v2_gid_is_one_only_where_something_follows) {
  EXPECT_FALSE(port_of(host_of(kDevinfoV1), "mlx5_0")->gids) << "it may be cut";
  EXPECT_FALSE(port_of(host_of(kDevinfoV1 + "\n"), "mlx5_0")->gids) << "an empty line ends many a text";
  EXPECT_TRUE(port_of(host_of(kDevinfoV1 + "\nhca_id:\tmlx5_1\n\t\tport:\t1\n"), "mlx5_0")->gids);
  EXPECT_TRUE(port_of(host_of(kDevinfoV1 + "\n[root@n1 ~]# ethtool -i eth0\ndriver: mlx5_core\n"), "mlx5_0")->gids);
  EXPECT_FALSE(port_of(host_of(kDevinfoV1 + "[root@n1 ~]# ethtool -i eth0\ndriver: mlx5_core\n"), "mlx5_0")->gids)
      << "head(1) may have cut it";
  const HostEvidence two_ports = host_of(kDevinfoV1 + "\n\t\tport:\t2\n\t\t\tstate:\t\t\tPORT_DOWN (1)\n");
  EXPECT_TRUE(port_of(two_ports, "mlx5_0")->gids);
  EXPECT_EQ(port_of(host_of(kDevinfoV1), "mlx5_0")->gids.absent().why, Why::NotRecorded);
}

TEST(GidTable, with_one_is_a_table_wherever_it_is_cut) {
  const HostEvidence host = host_of(kDevinfoV1 + "\t\t\tGID[  3]:\t\t::ffff:192.0.2.6, RoCE v2\n");
  ASSERT_TRUE(port_of(host, "mlx5_0")->gids);
  EXPECT_EQ(port_of(host, "mlx5_0")->gids->size(), 2U);
}

TEST(GidTable, tells_the_addresses_that_a_filtered_list_left_out) {
  const std::string gids =
      kGidHead + "mlx5_0\t1\t0\t0000:0000:0000:0000:0000:ffff:c000:0206\t192.0.2.6\tv2\teth0\n" + "n_gids_found=1\n";
  const std::string local =
      "[root@n1 ~]# ip addr show dev eth0 | grep -A1 inet6\n"
      "    inet6 fe80::ba3f:d2ff:fe00:1/64 scope link\n       valid_lft forever preferred_lft forever\n";
  const HostEvidence host = host_of(gids + local);
  ASSERT_FALSE(host.snapshots.empty());
  const Netdev* const netdev = host.snapshots.back().netdev("eth0");
  ASSERT_NE(netdev, nullptr);
  const auto& addresses = netdev->link.addresses;
  EXPECT_TRUE(std::any_of(addresses.begin(), addresses.end(), [](const IpAddress& one) { return one.is_routable(); }));
  EXPECT_TRUE(port_of(host, "mlx5_0")->in_scope) << port_of(host, "mlx5_0")->why_not;
}

TEST(GidTable, of_show_gids_ends_with_the_number_of_its_rows) {
  const std::string row = "mlx5_0\t1\t0\tfe80:0000:0000:0000:ba3f:d2ff:fe00:0001\t\tv2\teth0\n";
  EXPECT_FALSE(port_of(host_of(kGidHead + row), "mlx5_0")->gids);
  EXPECT_FALSE(port_of(host_of(kGidHead + row + "n_gids_found=2\n"), "mlx5_0")->gids) << "a row is missing";
  EXPECT_TRUE(port_of(host_of(kGidHead + row + "n_gids_found=1\n"), "mlx5_0")->gids);
}

TEST(GidTable, is_empty_for_the_device_alone_that_show_gids_was_asked_about) {
  const std::string pairs = "[root@n1 ~]# ibdev2netdev\nmlx5_0 port 1 ==> eth0 (Up)\nmlx5_1 port 1 ==> eth1 (Down)\n";
  const HostEvidence one = host_of(pairs + "[root@n1 ~]# show_gids mlx5_1\n" + kGidHead + "n_gids_found=0\n");
  EXPECT_FALSE(port_of(one, "mlx5_0")->gids);
  ASSERT_TRUE(port_of(one, "mlx5_1")->gids);
  EXPECT_TRUE(port_of(one, "mlx5_1")->gids->empty());
  const HostEvidence all = host_of(pairs + "[root@n1 ~]# show_gids\n" + kGidHead + "n_gids_found=0\n");
  EXPECT_TRUE(port_of(all, "mlx5_0")->gids && port_of(all, "mlx5_1")->gids);
  const HostEvidence nobody = host_of(pairs + "\n" + kGidHead + "n_gids_found=0\n");
  EXPECT_FALSE(port_of(nobody, "mlx5_0")->gids || port_of(nobody, "mlx5_1")->gids) << "nobody knows who was meant";
}

TEST(GidTable, of_the_kernels_files_is_whole_with_every_slot_up_to_a_free_one) {
  const std::string base = "/sys/class/infiniband/mlx5_0/ports/1/";
  const auto slot = [&](int index, const std::string& gid) {
    return base + "gids/" + std::to_string(index) + ":" + gid + "\n";
  };
  const std::string used = "fe80:0000:0000:0000:ba3f:d2ff:fe00:0001", free = "0000:0000:0000:0000:0000:0000:0000:0000";
  const std::string first = slot(0, used) + base + "gid_attrs/types/0:RoCE v2\n";
  EXPECT_FALSE(port_of(host_of(first), "mlx5_0")->gids);
  EXPECT_TRUE(port_of(host_of(first + slot(1, free)), "mlx5_0")->gids);
  EXPECT_FALSE(port_of(host_of(first + slot(1, free) + slot(10, free)), "mlx5_0")->gids) << "cut before 2";
}

const std::string kAddresses =
    "4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP group default qlen 1000\n"
    "    link/ether b8:ce:f6:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
    "    inet6 fe80::ba3f:d2ff:fe00:1/64 scope link\n       valid_lft forever preferred_lft forever\n";
const std::string kLink = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n";

TEST(Scope, link_local_addresses_alone_leave_a_port_in_scope) {
  const HostEvidence host = host_of("[root@n1 ~]# ip addr\n" + kAddresses + "[root@n1 ~]# rdma link\n" + kLink);
  EXPECT_TRUE(port_of(host, "mlx5_0")->in_scope) << "its inet line may be missing";
}

TEST(Scope, a_whole_gid_table_without_routable_addresses_shows_that_a_port_is_unused) {
  const std::string gids =
      kGidHead + "mlx5_0\t1\t0\tfe80:0000:0000:0000:ba3f:d2ff:fe00:0001\t\tv2\teth0\nn_gids_found=1\n";
  const HostEvidence host = host_of("[root@n1 ~]# ip addr\n" + kAddresses + "[root@n1 ~]# rdma link\n" + kLink +
                                    "[root@n1 ~]# show_gids\n" + gids);
  EXPECT_FALSE(port_of(host, "mlx5_0")->in_scope);
}

TEST(Scope, leaves_out_a_port_that_neither_its_gid_table_nor_a_list_of_all_ipv4_addresses_knows) {
  const std::string links = "[root@n1 ~]# ibdev2netdev\nmlx5_0 port 1 ==> eth0 (Up)\nmlx5_1 port 1 ==> eth1 (Up)\n";
  const std::string gids = "[root@n1 ~]# show_gids\n" + kGidHead +
                           "mlx5_0\t1\t0\t0000:0000:0000:0000:0000:ffff:0a00:0001\t10.0.0.1\tv2\teth0\n"
                           "mlx5_1\t1\t0\tfe80:0000:0000:0000:ba3f:d2ff:fe00:0002\t\tv2\teth1\nn_gids_found=2\n";
  const std::string lo = "lo               UNKNOWN        127.0.0.1/8 \n";
  const std::string eth0 = "eth0             UP             10.0.0.1/24 \n";
  const std::string list = "[root@n1 ~]# ip -4 -br addr\n";
  const HostEvidence host = host_of(links + gids + list + lo + eth0);
  EXPECT_TRUE(port_of(host, "mlx5_0")->in_scope);
  EXPECT_FALSE(port_of(host, "mlx5_1")->in_scope);
  for (const std::string& other :
       {links + gids + "[root@n1 ~]# ip -4 -br addr show eth0\n" + eth0, links + list + lo + eth0,
        links + gids + list + lo + eth0 + "eth1.100         UP             10.1.0.1/24 \n",
        links + gids + list + lo + eth0 + "bond0            UP             10.1.0.1/24 \n"})
    EXPECT_TRUE(port_of(host_of(other), "mlx5_1")->in_scope) << other;
}

TEST(Carrier, of_a_port_that_is_called_down_and_that_nothing_uses_is_said_and_no_fault) {
  const HostEvidence host = host_of(
      "$ ibv_devinfo -v -d mlx5_1\nhca_id:\tmlx5_1\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_DOWN (1)\n"
      "\t\t\tlink_layer:\t\tEthernet\n\t\t\tGID[  0]:\t\tfe80::ba3f:d2ff:fe00:0002, RoCE v2\n");
  const Netdev* const netdev = host.snapshots.back().netdev("NETDEV");
  ASSERT_NE(netdev, nullptr);
  EXPECT_FALSE(netdev->link.carrier);
  ASSERT_FALSE(netdev->link.oper_state);
  EXPECT_NE(netdev->link.oper_state.absent().detail.find("calls RDMA port mlx5_1/1 DOWN"), std::string::npos);
}

const std::string kMlxlink =
    "\nOperational Info\n----------------\nState                              : Active\n"
    "Physical state                     : LinkUp\nSpeed                              : 10G\n";

TEST(Subjects, an_output_about_another_device_is_not_the_only_netdevs) {
  const HostEvidence host = host_of("[root@n1 ~]# rdma link\n" + kLink + "[root@n1 ~]# mlxlink -d mlx5_1\n" + kMlxlink);
  const Netdev* eth0 = host.snapshots.back().netdev("eth0");
  ASSERT_NE(eth0, nullptr);
  EXPECT_FALSE(eth0->ethtool.link_modes);
  ASSERT_NE(port_of(host, "mlx5_1"), nullptr);
  EXPECT_EQ(port_of(host, "mlx5_1")->netdev.value_or(""), "NETDEV-mlx5_1");
  ASSERT_NE(host.snapshots.back().netdev("NETDEV-mlx5_1"), nullptr);
  EXPECT_TRUE(host.snapshots.back().netdev("NETDEV-mlx5_1")->ethtool.link_modes);
}

TEST(Subjects, an_output_about_a_device_is_its_netdevs) {
  const HostEvidence paired =
      host_of("[root@n1 ~]# rdma link\n" + kLink + "[root@n1 ~]# mlxlink -d mlx5_0\n" + kMlxlink);
  EXPECT_EQ(paired.snapshots.back().netdev("eth0")->ethtool.link_modes->speed_bits_per_second.value_or(0),
            10'000'000'000U);
  const HostEvidence function = host_of("[root@n1 ~]# ethtool -i eth0\ndriver: mlx5_core\nbus-info: 0000:3b:00.0\n" +
                                        std::string("[root@n1 ~]# mlxlink -d 3b:00.1\n") + kMlxlink);
  EXPECT_FALSE(function.snapshots.back().netdev("eth0")->ethtool.link_modes) << "a function of another netdev";
}

TEST(Subjects, a_piece_without_its_heading_is_not_a_netdevs_that_has_its_own) {
  const HostEvidence host = host_of(
      "\tSpeed: 25000Mb/s\n\tDuplex: Full\n\tAuto-negotiation: on\n\tPort: FIBRE\n\tLink detected: yes\n"
      "Settings for eth1:\n\tSupported ports: [ FIBRE ]\n\tSupported link modes:   100000baseCR4/Full\n");
  const Netdev* eth1 = host.snapshots.back().netdev("eth1");
  ASSERT_NE(eth1, nullptr);
  EXPECT_FALSE(eth1->ethtool.link_modes && eth1->ethtool.link_modes->speed_bits_per_second);
  EXPECT_TRUE(assumes(host, "it is not taken as eth1's"));
}

TEST(Subjects, the_device_that_the_person_names_is_the_only_ports) {
  const HostEvidence host =
      host_of("[root@n1 ~]# mlnx_qos -i eth0\nDCBX mode: OS controlled\nPriority trust state: dscp\n", "mlx5_3");
  ASSERT_NE(port_of(host, "mlx5_3"), nullptr);
  EXPECT_EQ(port_of(host, "mlx5_3")->netdev.value_or(""), "eth0");
}

const std::string kWatchdog =
    "       QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP\n"
    "Ethernet0:3      stormed                        2/1       100/300       100/300\n";

TEST(Switches, are_no_hosts_and_have_no_ports) {
  const HostEvidence alone = host_of("admin@leaf1:~$ show pfcwd stats\n" + kWatchdog);
  EXPECT_TRUE(alone.snapshots.back().ports.empty());
  EXPECT_TRUE(assumes(alone, "of a switch"));
  ASSERT_EQ(alone.snapshots.back().log.size(), 1U);
  EXPECT_EQ(alone.snapshots.back().log[0].says.at("switch"), "leaf1");
}

TEST(Switches, are_the_peers_of_the_only_node) {
  const HostEvidence host =
      host_of("[root@n1 ~]# rdma link\n" + kLink + "admin@leaf1:~$ show pfcwd stats\n" + kWatchdog);
  EXPECT_EQ(host.name, "n1");
  EXPECT_EQ(host.snapshots.back().ports.size(), 1U);
  EXPECT_EQ(host.snapshots.back().log.size(), 1U);
}

TEST(Switches, give_no_name_to_a_node_without_one) {
  const HostEvidence host = host_of(kLink + "admin@leaf1:~$ show pfcwd stats\n" + kWatchdog);
  EXPECT_EQ(host.name, "");
  EXPECT_EQ(host.snapshots.back().ports.size(), 1U);
}

TEST(Perftest, names_its_port) {
  const HostEvidence host = host_of(
      "[root@n1 ~]# ib_write_bw -d mlx5_0 --report_gbits 192.0.2.2\n"
      " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
      " 65536      5000             92.39              23.11              0.044081\n"
      "[root@n1 ~]# ethtool eth0\n\tSpeed: 100000Mb/s\n");
  ASSERT_NE(port_of(host, "mlx5_0"), nullptr);
  EXPECT_EQ(port_of(host, "mlx5_0")->netdev.value_or(""), "eth0");
  EXPECT_EQ(port_of(host, "DEVICE"), nullptr);
}

TEST(VendorFiles, that_nobody_printed_are_not_recorded) {
  const std::string link = kLink, driver = "[root@n1 ~]# ethtool -i eth0\ndriver: mlx5_core\nbus-info: 0000:3b:00.0\n";
  const HostEvidence silent = host_of("[root@n1 ~]# rdma link\n" + link + driver);
  const Absent& ecn = silent.snapshots.back().netdev("eth0")->vendor_files.at("ecn").absent();
  EXPECT_EQ(ecn.why, Why::NotRecorded);
  EXPECT_EQ(command_in_reason(ecn.detail), "grep -r . /sys/class/net/eth0/ecn");
  EXPECT_EQ(command_in_reason(port_of(silent, "mlx5_0")->vendor_files.at("cc_params").absent().detail),
            "grep -r . /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params");
  const HostEvidence none = host_of(
      "[root@n1 ~]# rdma link\n" + link + driver +
      "[root@n1 ~]# grep -r . /sys/class/net/eth0/ecn\ngrep: /sys/class/net/eth0/ecn: No such file or directory\n"
      "[root@n1 ~]# grep -r . /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params\n"
      "grep: /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params: Permission denied\n");
  EXPECT_EQ(none.snapshots.back().netdev("eth0")->vendor_files.at("ecn").absent().why, Why::NotSupported);
  EXPECT_EQ(port_of(none, "mlx5_0")->vendor_files.at("cc_params").absent().why, Why::Denied);
}

TEST(VendorFiles, of_a_function_are_its_ports) {
  const std::string file = "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp:48\n";
  const std::string rest = kLink + "[root@n1 ~]# ethtool -i eth0\ndriver: mlx5_core\nbus-info: 0000:3b:00.0\n";
  for (const std::string& text : {file + rest, "[root@n1 ~]# rdma link\n" + rest + file}) {
    const HostEvidence host = host_of(text);
    EXPECT_EQ(host.snapshots.back().ports.size(), 1U) << text;
    ASSERT_NE(port_of(host, "mlx5_0"), nullptr);
    const auto& files = port_of(host, "mlx5_0")->vendor_files;
    ASSERT_TRUE(files.contains("cc_params/np_cnp_dscp")) << text;
    EXPECT_EQ(files.at("cc_params/np_cnp_dscp").value_or(""), "48");
  }
}

const std::string kDriver = "[root@n1 ~]# ethtool -i eth0\ndriver: mlx5_core\nbus-info: 0000:3b:00.0\n";

TEST(NicsWithoutRdma, are_those_of_a_host_where_verbs_know_no_device) {
  const HostEvidence host = host_of(kDriver + "[root@n1 ~]# ibv_devinfo\nNo IB devices found\n");
  EXPECT_TRUE(host.snapshots.back().ports.empty());
  ASSERT_EQ(host.snapshots.back().nics_without_rdma.size(), 1U);
  EXPECT_EQ(host.snapshots.back().nics_without_rdma[0].netdev, "eth0");
  EXPECT_EQ(host.snapshots.back().nics_without_rdma[0].pci_address, "0000:3b:00.0");
  EXPECT_TRUE(host_of(kDriver).snapshots.back().nics_without_rdma.empty()) << "nobody asked";
  const HostEvidence bare = host_of(kDriver +
                                    "[root@n1 ~]# ls /sys/class/infiniband\n"
                                    "ls: cannot access '/sys/class/infiniband': No such file or directory\n");
  EXPECT_EQ(bare.snapshots.back().nics_without_rdma.size(), 1U);
}

TEST(Scope, leaves_out_what_lspci_calls_a_virtual_function) {
  const HostEvidence host =
      host_of(kDriver + "[root@n1 ~]# rdma link\n" + kLink +
              "[root@n1 ~]# lspci -D -nn\n0000:3b:00.0 Ethernet controller [0200]: Mellanox Technologies ConnectX "
              "Family mlx5Gen Virtual Function [15b3:101e]\n");
  ASSERT_NE(port_of(host, "mlx5_0"), nullptr);
  EXPECT_FALSE(port_of(host, "mlx5_0")->in_scope);
  EXPECT_EQ(port_of(host, "mlx5_0")->why_not, "a virtual function");
}

TEST(Scope, leaves_out_a_port_whose_netdev_is_elsewhere) {
  const HostEvidence host = host_of("link mlx5_0/1 state ACTIVE physical_state LINK_UP\n");
  ASSERT_NE(port_of(host, "mlx5_0"), nullptr);
  EXPECT_FALSE(port_of(host, "mlx5_0")->in_scope);
}

const std::string kPair = "[root@n1 ~]# ibdev2netdev\nmlx5_0 port 1 ==> eth0 (Up)\nmlx5_1 port 1 ==> eth1 (Down)\n";
const std::string kLo =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n"
    "       valid_lft forever preferred_lft forever\n";
const std::string kUsed =
    "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP group default qlen 1000\n"
    "    link/ether b8:ce:f6:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.1/24 scope global eth0\n"
    "       valid_lft forever preferred_lft forever\n    inet6 fe80::ba3f:d2ff:fe00:1/64 scope link\n"
    "       valid_lft forever preferred_lft forever\n";
const std::string kIdle =
    "3: eth1: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group default qlen 1000\n"
    "    link/ether b8:ce:f6:00:00:02 brd ff:ff:ff:ff:ff:ff\n";
const std::string kOther =
    "4: docker0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state DOWN group default\n"
    "    link/ether 02:42:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 172.17.0.1/16 scope global docker0\n";

TEST(Carrier, by_ibdev2netdev_is_missed_where_the_port_is_used) {
  const auto link_of = [](const std::string& text) {
    const HostEvidence host = host_of(text);
    const Netdev* const netdev = host.snapshots.empty() ? nullptr : host.snapshots.back().netdev("eth1");
    EXPECT_NE(netdev, nullptr);
    return netdev != nullptr ? netdev->link : NetLink{};
  };
  const std::string used = kGidHead +
                           "mlx5_1\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:0206\t192.0.2.6\tv2\teth1\n"
                           "n_gids_found=1\n";
  const NetLink down = link_of(kPair + "[root@n1 ~]# show_gids mlx5_1\n" + used);
  EXPECT_FALSE(down.carrier.value_or(true));
  EXPECT_EQ(down.oper_state.value_or(""), "down");
  const NetLink active =
      link_of(kPair + "[root@n1 ~]# show_gids mlx5_1\n" + used +
              "[root@n1 ~]# rdma link\nlink mlx5_1/1 state ACTIVE physical_state LINK_UP netdev eth1\n");
  EXPECT_FALSE(active.carrier) << "an ACTIVE port has a link";
  ASSERT_FALSE(active.oper_state);
  EXPECT_NE(active.oper_state.absent().detail.find("ACTIVE"), std::string::npos);
  const NetLink up = link_of(kPair + "[root@n1 ~]# show_gids mlx5_1\n" + used +
                             "[root@n1 ~]# ip link show dev eth1\n3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 "
                             "qdisc mq state UP mode DEFAULT group default qlen 1000\n");
  EXPECT_TRUE(up.carrier.value_or(false)) << "rtnetlink knows better";
}

TEST(Carrier, by_ibdev2netdev_alone_is_said_and_no_fault) {
  const HostEvidence host = host_of(kPair);
  const NetLink& link = host.snapshots.back().netdev("eth1")->link;
  EXPECT_FALSE(link.carrier);
  ASSERT_FALSE(link.oper_state);
  EXPECT_NE(link.oper_state.absent().detail.find("calls eth1 down"), std::string::npos);
  EXPECT_EQ(command_in_reason(link.oper_state.absent().detail), "ip addr show dev eth1");
}

TEST(Scope, leaves_out_a_port_that_is_down_and_without_a_row_of_addresses) {
  const HostEvidence host = host_of(kPair + "[root@n1 ~]# ip addr\n" + kLo + kUsed + kIdle + kOther);
  EXPECT_TRUE(port_of(host, "mlx5_0")->in_scope);
  EXPECT_FALSE(port_of(host, "mlx5_1")->in_scope);
  const HostEvidence cut = host_of(kPair + "[root@n1 ~]# ip addr\n" + kLo + kUsed + kIdle);
  EXPECT_TRUE(port_of(cut, "mlx5_1")->in_scope) << "its addresses may be cut off";
  const HostEvidence filtered = host_of(kPair + "[root@n1 ~]# ip addr\n" + kUsed + kIdle + kOther);
  EXPECT_TRUE(port_of(filtered, "mlx5_1")->in_scope) << "without lo it may be filtered";
  const HostEvidence one = host_of(kPair + "[root@n1 ~]# ip addr show lo\n" + kLo + "[root@n1 ~]# ip addr show eth0\n" +
                                   kUsed + "[root@n1 ~]# ip -o link\n" + kIdle);
  EXPECT_TRUE(port_of(one, "mlx5_1")->in_scope) << "nobody listed all addresses";
  const HostEvidence member =
      host_of(kPair + "[root@n1 ~]# ip addr\n" + kLo + kUsed +
              "3: eth1: <NO-CARRIER,BROADCAST,MULTICAST,SLAVE,UP> mtu 1500 qdisc mq master bond0 state DOWN group\n"
              "    link/ether b8:ce:f6:00:00:02 brd ff:ff:ff:ff:ff:ff\n" +
              kOther);
  EXPECT_TRUE(port_of(member, "mlx5_1")->in_scope) << "a bond has the address";
  const HostEvidence vlan = host_of(kPair + "[root@n1 ~]# ip addr\n" + kLo + kUsed + kIdle +
                                    "5: eth1.100@eth1: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN\n"
                                    "    link/ether b8:ce:f6:00:00:02 brd ff:ff:ff:ff:ff:ff\n"
                                    "    inet 10.1.0.1/24 scope global eth1.100\n" +
                                    kOther);
  EXPECT_TRUE(port_of(vlan, "mlx5_1")->in_scope) << "its VLAN has an address";
}

TEST(Scope, leaves_out_a_port_whose_brief_row_of_addresses_is_empty) {
  const std::string brief =
      "[root@n1 ~]# ip -br addr\nlo               UNKNOWN        127.0.0.1/8 ::1/128 \n"
      "eth0             UP             10.0.0.1/24 fe80::ba3f:d2ff:fe00:1/64 \neth1             DOWN           \n";
  EXPECT_FALSE(port_of(host_of(kPair + brief), "mlx5_1")->in_scope);
  EXPECT_TRUE(port_of(host_of(kPair + brief), "mlx5_0")->in_scope);
  const std::string used = "[root@n1 ~]# show_gids\n" + kGidHead +
                           "mlx5_1\t1\t0\t0000:0000:0000:0000:0000:ffff:c000:0206\t192.0.2.6\tv2\teth1\n";
  EXPECT_TRUE(port_of(host_of(kPair + brief + used), "mlx5_1")->in_scope);
  const std::string bond = "bond0            UP             10.2.0.1/24 \n";
  EXPECT_TRUE(port_of(host_of(kPair + brief + bond), "mlx5_1")->in_scope) << "it may be the bond's member";
}

TEST(Scope, leaves_out_a_port_that_a_list_in_single_lines_goes_past) {
  const std::string links =
      "[root@n1 ~]# ip -d link\n"
      "3: eth1: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\n"
      "    link/ether b8:ce:f6:00:00:02 brd ff:ff:ff:ff:ff:ff promiscuity 0\n";
  const std::string list =
      "[root@n1 ~]# ip -o addr\n1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever\n"
      "2: eth0    inet 10.0.0.1/24 scope global eth0\\       valid_lft forever\n"
      "2: eth0    inet6 fe80::ba3f:d2ff:fe00:1/64 scope link \\       valid_lft forever\n";
  const std::string last = "4: eno1    inet 192.168.0.1/24 scope global eno1\\       valid_lft forever\n";
  EXPECT_FALSE(port_of(host_of(kPair + links + list + last), "mlx5_1")->in_scope);
  EXPECT_TRUE(port_of(host_of(kPair + links + list), "mlx5_1")->in_scope) << "it may be cut before eth1";
  const std::string own = "3: eth1    inet 10.1.0.1/24 scope global eth1\\       valid_lft forever\n";
  EXPECT_TRUE(port_of(host_of(kPair + list + own + last + links), "mlx5_1")->in_scope)
      << "the links, which tell no addresses, came later";
}

const NetLink& link_of(const HostEvidence& host, const std::string& netdev) {
  static const NetLink kNone;
  const Netdev* found = host.snapshots.empty() ? nullptr : host.snapshots.back().netdev(netdev);
  return found == nullptr ? kNone : found->link;
}

TEST(Carrier, is_not_missed_where_only_ibdev2netdev_calls_a_port_down_that_nothing_uses) {
  EXPECT_FALSE(link_of(host_of(kPair), "eth1").oper_state);
  EXPECT_FALSE(link_of(host_of(kPair), "eth1").carrier);
  const HostEvidence used = host_of(kPair + "[root@n1 ~]# show_gids\n" + kGidHead +
                                    "mlx5_1\t1\t0\t0000:0000:0000:0000:0000:ffff:c000:0206\t192.0.2.6\tv2\teth1\n");
  EXPECT_EQ(link_of(used, "eth1").oper_state.value_or(""), "down");
}

TEST(Carrier, is_off_where_the_driver_tells_no_link) {
  const std::string settings = "[root@n1 ~]# ethtool eth0\nSettings for eth0:\n\tLink detected: no (No cable)\n";
  const std::string down = "link mlx5_0/1 state DOWN physical_state DISABLED netdev eth0\n";
  const HostEvidence host = host_of("[root@n1 ~]# rdma link\n" + down + settings);
  ASSERT_TRUE(link_of(host, "eth0").carrier);
  EXPECT_FALSE(*link_of(host, "eth0").carrier);
  EXPECT_EQ(host.snapshots.back().netdev("eth0")->ethtool.link_state->extended_state.value_or(""), "No cable");
  const HostEvidence up =
      host_of("[root@n1 ~]# ip addr\n" + kAddresses + "[root@n1 ~]# rdma link\n" + kLink + settings);
  EXPECT_TRUE(link_of(up, "eth0").carrier.value_or(false)) << "never against rtnetlink";
  EXPECT_FALSE(link_of(host_of("[root@n1 ~]# rdma link\n" + kLink + settings), "eth0").carrier)
      << "the RDMA port is active: two moments, and nobody knows which is now";
}

TEST(Carrier, is_missed_of_no_netdev_that_may_be_the_managements) {
  const HostEvidence host = host_of(
      "[root@n1 ~]# ethtool eno1\nSettings for eno1:\n\tSupported link modes:   1000baseT/Full\n\tSpeed: Unknown!\n"
      "\tLink detected: no\n");
  EXPECT_FALSE(link_of(host, "eno1").carrier);
}

TEST(Carrier, is_off_where_mlxlink_polls) {
  const HostEvidence host = host_of(
      "[root@n1 ~]# mlxlink -d mlx5_0 -c\n\nOperational Info\n----------------\n"
      "State                              : Polling\nPhysical state                     : ETH_AN_FSM_ENABLE\n"
      "Speed                              : N/A\n\nTroubleshooting Info\n--------------------\n"
      "Status Opcode                      : 2\n"
      "Recommendation                     : Negotiation failure. Force mode or partner does not support AN.\n");
  ASSERT_NE(port_of(host, "mlx5_0"), nullptr);
  const std::string netdev = port_of(host, "mlx5_0")->netdev.value_or("");
  ASSERT_NE(host.snapshots.back().netdev(netdev), nullptr) << netdev;
  EXPECT_FALSE(link_of(host, netdev).carrier.value_or(true));
  EXPECT_EQ(host.snapshots.back().netdev(netdev)->ethtool.link_state->extended_state.value_or(""),
            "Negotiation failure");
}

/// One NIC of `nicctl show port`.
std::string nicctl_port(const std::string& function, const std::string& status, const std::string& phase) {
  return "NIC  : 42424650-4c32-3533-3330-323934000000 (" + function +
         ")\n\nPort : 0490814a-6c40-4242-4242-000011010000 (eth1/1)\n  Spec:\n"
         "    Ifindex                                  : 0x11010000\n"
         "    speed                                    : 400G\n"
         "    Admin state                              : UP\n"
         "  Status:\n"
         "    Physical port                            : 1\n"
         "    Operational status                       : " +
         status + "\n    Link FSM state                           : " + phase + "\n";
}

TEST(Carrier, is_off_where_nicctl_calls_the_port_down) {
  const auto host = [](const std::string& state, const std::string& status) {
    return host_of("[root@n1 ~]# rdma link\nlink ionic_0/1 state " + state + " netdev eth2\n" +
                   "[root@n1 ~]# nicctl show port\n" + nicctl_port("0000:06:00.0", status, "SIGNAL_DETECT"));
  };
  const HostEvidence down = host("DOWN physical_state DISABLED", "DOWN");
  EXPECT_FALSE(link_of(down, "eth2").carrier.value_or(true));
  EXPECT_NE(down.snapshots.back().netdev("eth2")->ethtool.link_state->extended_state.value_or("").find("SIGNAL_DETECT"),
            std::string::npos);
  EXPECT_FALSE(link_of(host("DOWN physical_state DISABLED", "UP"), "eth2").carrier) << "up is no word of its carrier";
  EXPECT_FALSE(link_of(host("DOWN physical_state DISABLED", "N/A"), "eth2").carrier);
  EXPECT_FALSE(link_of(host("ACTIVE physical_state LINK_UP", "DOWN"), "eth2").carrier) << "two moments";
}

TEST(Carrier, of_several_nics_in_nicctl_is_that_of_the_function) {
  const HostEvidence host = host_of(
      "[root@n1 ~]# rdma link\nlink ionic_0/1 state DOWN physical_state DISABLED netdev eth2\n"
      "link ionic_1/1 state DOWN physical_state DISABLED netdev eth3\n"
      "[root@n1 ~]# ethtool -i eth2\ndriver: ionic\nversion: 5.14\nbus-info: 0000:06:00.0\n"
      "[root@n1 ~]# ethtool -i eth3\ndriver: ionic\nversion: 5.14\nbus-info: 0000:16:00.0\n"
      "[root@n1 ~]# nicctl show port\n" +
      nicctl_port("0000:06:00.0", "DOWN", "SIGNAL_DETECT") + nicctl_port("0000:16:00.0", "UP", "UP") +
      nicctl_port("0000:26:00.0", "DOWN", "SIGNAL_DETECT"));
  EXPECT_FALSE(link_of(host, "eth2").carrier.value_or(true));
  EXPECT_FALSE(link_of(host, "eth3").carrier) << "nicctl calls it up";
}

TEST(Carrier, is_off_where_the_bond_calls_a_member_down) {
  const std::string bond =
      "[root@n1 ~]# ibdev2netdev\nmlx5_bond_0 port 1 ==> bond0 (Up)\n[root@n1 ~]# cat /proc/net/bonding/bond0\n"
      "Ethernet Channel Bonding Driver: v5.15.0\n\nBonding Mode: IEEE 802.3ad Dynamic link aggregation\n"
      "MII Status: up\n\nSlave Interface: eth0\nMII Status: up\n\nSlave Interface: eth1\nMII Status: ";
  EXPECT_FALSE(link_of(host_of(bond + "down\n"), "eth1").carrier.value_or(true));
  EXPECT_FALSE(link_of(host_of(bond + "down\n"), "eth0").carrier) << "up is no word of its carrier";
  EXPECT_FALSE(link_of(host_of(bond + "going back\n"), "eth1").carrier) << "it waits for a delay";
}

TEST(Carrier, is_off_where_the_port_of_a_used_netdev_is_down) {
  const std::string down = "[root@n1 ~]# rdma link\nlink mlx5_0/1 state DOWN physical_state DISABLED netdev eth0\n";
  EXPECT_FALSE(link_of(host_of(down), "eth0").carrier) << "it may be unused";
  const HostEvidence used = host_of(down + "[root@n1 ~]# ip -o addr\n2: eth0    inet 10.0.0.1/24 scope global eth0\n");
  EXPECT_FALSE(link_of(used, "eth0").carrier.value_or(true));
}

TEST(Ports, are_assumed_of_netdevs_that_a_command_names) {
  const std::string fec =
      "[root@n1 ~]# ethtool --show-fec eth0\nFEC parameters for eth0:\nConfigured FEC encodings: Off\n"
      "Active FEC encoding: Off\n";
  const std::string module =
      "[root@n1 ~]# ethtool -m eth0\n\tIdentifier                                : 0x11 (QSFP28)\n"
      "\tModule temperature                        : 88.21 degrees C / 190.78 degrees F\n"
      "\tModule temperature high alarm threshold   : 80.00 degrees C / 176.00 degrees F\n";
  const std::string link =
      "[root@n1 ~]# ip link show eth0\n"
      "2: eth0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN mode DEFAULT group default qlen 1000\n"
      "    link/ether b8:ce:f6:00:00:01 brd ff:ff:ff:ff:ff:ff\n";
  for (const std::string& text : {fec, module}) {
    const HostEvidence host = host_of(text);
    ASSERT_EQ(host.snapshots.back().ports.size(), 1U) << text;
    EXPECT_EQ(host.snapshots.back().ports[0].netdev.value_or(""), "eth0") << text;
  }
  const HostEvidence alone = host_of(link);
  ASSERT_EQ(alone.snapshots.back().ports.size(), 1U);
  EXPECT_EQ(alone.snapshots.back().ports[0].netdev.value_or(""), "NETDEV") << "it may be the management's";
  const HostEvidence all = host_of("[root@n1 ~]# ip addr\n" + kLo + kUsed);
  ASSERT_EQ(all.snapshots.back().ports.size(), 1U);
  EXPECT_EQ(all.snapshots.back().ports[0].netdev.value_or(""), "NETDEV") << "a host with one NIC is not asked about it";
}

TEST(Functions, are_told_by_links_of_the_kernel) {
  const std::string link = "lrwxrwxrwx. 1 root root 0 Dec  1 09:00 ";
  const HostEvidence device =
      host_of("[root@n1 ~]# rdma link\n" + kLink + "[root@n1 ~]# ls -l /sys/class/infiniband/mlx5_0/device\n" + link +
              "/sys/class/infiniband/mlx5_0/device -> ../../../0000:3b:00.0\n");
  EXPECT_EQ(port_of(device, "mlx5_0")->pci_address.value_or(""), "0000:3b:00.0");
  const HostEvidence netdev =
      host_of("[root@n1 ~]# rdma link\n" + kLink + "[root@n1 ~]# ls -l /sys/class/net/eth0/device\n" + link +
              "/sys/class/net/eth0/device -> ../../../0000:3b:00.0\n");
  EXPECT_EQ(port_of(netdev, "mlx5_0")->pci_address.value_or(""), "0000:3b:00.0");
  const HostEvidence folder =
      host_of("[root@n1 ~]# rdma link\n" + kLink + "[root@n1 ~]# ls -l /sys/class/infiniband/\ntotal 0\n" + link +
              "mlx5_0 -> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0\n" + link +
              "mlx5_1 -> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1/infiniband/mlx5_1\n");
  EXPECT_EQ(port_of(folder, "mlx5_0")->pci_address.value_or(""), "0000:3b:00.0");
  EXPECT_EQ(port_of(folder, "mlx5_1"), nullptr) << "a link says where a device is, not that it is a port to judge";
  const HostEvidence driver =
      host_of("[root@n1 ~]# rdma link\n" + kLink + link + "/sys/class/net/eth0/device/driver -> ../../mlx5_core\n");
  EXPECT_FALSE(port_of(driver, "mlx5_0")->pci_address);
}

TEST(Ask, names_no_device_that_was_made_up) {
  const HostEvidence host = host_of(
      "[root@n1 ~]# mlnx_qos -i eth0\nPriority trust state: dscp\n[root@n1 ~]# mlnx_qos -i eth1\n"
      "Priority trust state: dscp\n");
  ASSERT_NE(port_of(host, "DEVICE-eth1"), nullptr);
  EXPECT_EQ(command_in_reason(port_of(host, "DEVICE-eth1")->active_mtu.absent().detail), "rdma link");
  EXPECT_EQ(command_in_reason(port_of(host, "DEVICE-eth1")->pci_address.absent().detail), "ethtool -i eth1");
}

TEST(Ask, asks_who_is_who_where_no_file_names_the_device) {
  const HostEvidence host = host_of("[root@n1 ~]# uname -r\n5.14.0\n");
  ASSERT_NE(port_of(host, "DEVICE"), nullptr);
  EXPECT_EQ(command_in_reason(port_of(host, "DEVICE")->pci_address.absent().detail), "rdma link");
  const HostEvidence pause = host_of("[root@n1 ~]# ethtool -a eth1\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\ton\n");
  ASSERT_NE(port_of(pause, "DEVICE"), nullptr);
  EXPECT_EQ(command_in_reason(port_of(pause, "DEVICE")->pci_address.absent().detail), "ethtool -i eth1");
}

TEST(Ask, asks_for_no_output_again_that_would_not_tell) {
  const HostEvidence host = host_of(
      "# lspci -vvv -s 3b:00.0\n3b:00.0 Ethernet controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
      "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
      "\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)\n");
  ASSERT_EQ(host.snapshots.back().pci.size(), 1U);
  const PciFunction& function = host.snapshots.back().pci[0];
  EXPECT_EQ(command_in_reason(function.aer.absent().detail), "grep . /sys/bus/pci/devices/0000:3b:00.0/aer_dev_*");
  EXPECT_EQ(command_in_reason(function.iommu_group_type.absent().detail),
            "cat /sys/bus/pci/devices/0000:3b:00.0/iommu_group/type");
}

TEST(Ports, are_assumed_by_the_names_in_logs_where_nothing_else_names_one) {
  const std::string gid = "Nov 30 10:00:21 n1 kernel: infiniband mlx5_0: GID add failed port=1 index=3\n";
  const HostEvidence host = host_of(gid);
  ASSERT_EQ(host.snapshots.back().ports.size(), 1U);
  EXPECT_NE(port_of(host, "mlx5_0"), nullptr);
  EXPECT_TRUE(assumes(host, "no file but logs speaks of a port"));
  const std::string down = "[86401.1] mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n";
  const HostEvidence link = host_of(down);
  ASSERT_NE(port_of(link, "DEVICE"), nullptr);
  EXPECT_EQ(port_of(link, "DEVICE")->netdev.value_or(""), "ens1f0np0");
  EXPECT_EQ(port_of(link, "DEVICE")->pci_address.value_or(""), "0000:3b:00.0");
  const HostEvidence both = host_of(gid + down);
  ASSERT_NE(port_of(both, "mlx5_0"), nullptr);
  EXPECT_EQ(port_of(both, "mlx5_0")->netdev.value_or(""), "NETDEV") << "it may be another NIC's";
  for (const std::string& other : {down + "[86402.1] mlx5_core 0000:3b:00.1 ens1f1np1: Link down\n",
                                   std::string("[91234.1] igb 0000:04:00.0 eno1: igb: eno1 NIC Link is Down\n"),
                                   std::string("[   20.1] mlx5_core 0000:3b:00.0 ens1f0np0: Link down\n")}) {
    const HostEvidence none = host_of(other);
    ASSERT_NE(port_of(none, "DEVICE"), nullptr) << other;
    EXPECT_EQ(port_of(none, "DEVICE")->netdev.value_or(""), "NETDEV") << other;
  }
}

const std::string kVeth = "[root@pod ~]# ethtool -i eth0\ndriver: veth\nversion: 1.0\n";
const std::string kDevices = "[root@pod ~]# ibv_devices\nmlx5_0\nmlx5_1\n";

TEST(Namespace, of_a_pod_with_a_veth_and_no_gid_has_none_of_the_devices_netdevs) {
  const HostEvidence host = host_of(kDevices + kVeth + "[root@pod ~]# show_gids\n" + kGidHead + "n_gids_found=0\n");
  for (const char* name : {"mlx5_0", "mlx5_1"}) {
    const RdmaPort* port = port_of(host, name);
    ASSERT_NE(port, nullptr);
    EXPECT_FALSE(port->in_scope) << name;
    EXPECT_EQ(port->netdev.absent().why, Why::OtherNamespace);
    EXPECT_TRUE(port->members.empty()) << "a veth is no RoCE port";
  }
}

TEST(Namespace, is_not_told_by_a_veth_alone_nor_by_missing_gids_alone) {
  EXPECT_TRUE(port_of(host_of(kDevices + kVeth), "mlx5_0")->in_scope);
  const HostEvidence no_gids = host_of(kDevices + "[root@pod ~]# show_gids\n" + kGidHead + "n_gids_found=0\n");
  EXPECT_TRUE(port_of(no_gids, "mlx5_0")->in_scope);
  const HostEvidence both = host_of(kDevices + kVeth + "[root@pod ~]# ethtool -i net1\ndriver: macvlan\n" +
                                    "[root@pod ~]# show_gids\n" + kGidHead + "n_gids_found=0\n");
  EXPECT_TRUE(port_of(both, "mlx5_0")->in_scope) << "another netdev may be the NIC's";
}

TEST(Namespace, gives_the_only_device_no_veth_that_no_output_names) {
  const HostEvidence host = host_of("mlx5_0\n\ndriver: veth\nversion: 1.0\n\nSpeed: 10000Mb/s\nLink detected: yes\n");
  ASSERT_NE(port_of(host, "mlx5_0"), nullptr);
  for (const std::string& member : port_of(host, "mlx5_0")->members)
    EXPECT_FALSE(host.snapshots.back().netdev(member)->ethtool.link_modes) << "10 Gbit/s are the veth's";
}

std::string types_of(std::initializer_list<const char*> words) {
  std::string out;
  int index = 0;
  for (const char* word : words) {
    const std::string path = "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/" + std::to_string(index++);
    out += std::string(word).empty() ? "grep: " + path + ": Invalid argument\n" : path + ":" + word + "\n";
  }
  return out;
}
const std::string kGids2And3 =
    "/sys/class/infiniband/mlx5_0/ports/1/gids/2:0000:0000:0000:0000:0000:ffff:c000:0284\n"
    "/sys/class/infiniband/mlx5_0/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:c000:0284\n";

TEST(GidTable, begins_with_the_entries_whose_types_are_refused) {
  const HostEvidence host = host_of(types_of({"", "", "IB/RoCE v1", "RoCE v2", "", ""}) + kGids2And3);
  const RdmaPort* port = port_of(host, "mlx5_0");
  ASSERT_TRUE(port->gids);
  ASSERT_EQ(port->gids->size(), 4U) << "those behind are empty ones, as of every table";
  EXPECT_EQ((*port->gids)[0].netdev.absent().why, Why::OtherNamespace);
  EXPECT_EQ((*port->gids)[1].type, "");
  EXPECT_EQ((*port->gids)[3].type, "RoCE v2");
}

TEST(GidTable, that_is_refused_as_a_whole_is_none) {
  const RdmaPort* port = nullptr;
  const HostEvidence host = host_of(types_of({"", "", "", ""}));
  port = port_of(host, "mlx5_0");
  EXPECT_TRUE(port == nullptr || !port->gids);
}

TEST(GidTable, of_types_alone_leaves_the_refused_ones_as_facts) {
  const HostEvidence host = host_of(types_of({"", "IB/RoCE v1", "RoCE v2"}));
  EXPECT_FALSE(port_of(host, "mlx5_0")->gids);
  const auto& log = host.snapshots.back().log;
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].kind, "gid_refused");
  EXPECT_EQ(log[0].subject, "mlx5_0/1");
  EXPECT_EQ(log[0].place, "sent.txt:1");
  EXPECT_EQ(log[0].says, (std::map<std::string, std::string>{{"first_v2", "2"}, {"gid_index", "0"}}));
}

std::uint64_t counted(const Snapshot& snapshot, CounterId id, std::uint8_t lane = kNoLane) {
  const Netdev* netdev = snapshot.netdev("eth0");
  const CounterValue* value = netdev == nullptr ? nullptr : netdev->counters.find(id, lane);
  return value == nullptr ? UINT64_MAX : value->raw;
}

TEST(KernelsCounts, are_counters_without_a_driver) {
  const auto at = [](const std::string& clock, const std::string& blocks, const std::string& frames) {
    return "Mon Nov 30 " + clock +
           " UTC 2026\n[root@n1 ~]# ethtool -I --show-fec eth0\nFEC parameters for eth0:\n"
           "Supported/Configured FEC encodings: Auto RS\nActive FEC encoding: RS\nStatistics:\n"
           "  corrected_blocks: 1000\n  uncorrectable_blocks: " +
           blocks +
           "\n[root@n1 ~]# ethtool -I -a eth0\nPause parameters for eth0:\nAutonegotiate:\toff\nRX:\t\ton\n"
           "TX:\t\ton\nStatistics:\n  tx_pause_frames: " +
           frames + "\n  rx_pause_frames: 20\n";
  };
  const HostEvidence host = host_of(at("10:00:00", "5", "10") + at("10:01:00", "95", "9000010"));
  ASSERT_EQ(host.snapshots.size(), 2U);
  EXPECT_EQ(counted(host.snapshots[0], CounterId::FecUncorrectableBlocks), 5U);
  EXPECT_EQ(counted(host.snapshots[1], CounterId::FecUncorrectableBlocks), 95U);
  EXPECT_EQ(counted(host.snapshots[1], CounterId::FecCorrectedBlocks), 1000U);
  EXPECT_EQ(counted(host.snapshots[1], CounterId::FecCorrectedBits), UINT64_MAX);
  EXPECT_EQ(counted(host.snapshots[0], CounterId::MacPauseTxFrames), 10U);
  EXPECT_EQ(counted(host.snapshots[1], CounterId::MacPauseTxFrames), 9000010U);
}

TEST(KernelsCounts, of_dcb_are_pfc_frames_of_two_moments) {
  const auto at = [](const std::string& clock, const std::string& requests) {
    return "Mon Nov 30 " + clock +
           " UTC 2026\n[root@n1 ~]# dcb -s pfc show dev eth0\npfc-cap 8 macsec-bypass off delay 0\n"
           "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\nrequests 0:0 1:0 2:0 3:" +
           requests + " 4:0 5:0 6:0 7:0\nindications 0:0 1:0 2:0 3:50 4:0 5:0 6:0 7:0\n";
  };
  const HostEvidence host = host_of(at("10:00:00", "100") + at("10:01:00", "90000100"));
  ASSERT_EQ(host.snapshots.size(), 2U);
  EXPECT_EQ(counted(host.snapshots[0], CounterId::PfcTxPauseFrames, 3), 100U);
  EXPECT_EQ(counted(host.snapshots[1], CounterId::PfcTxPauseFrames, 3), 90000100U);
  EXPECT_EQ(counted(host.snapshots[1], CounterId::PfcRxPauseFrames, 3), 50U);
}

}  // namespace
}  // namespace roceready::evidence
