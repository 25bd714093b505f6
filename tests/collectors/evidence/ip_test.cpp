// SPDX-License-Identifier: Apache-2.0
// ip link, ip addr, ip rule, /proc/net/bonding, sysctl.
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

const std::string kLinks =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 minmtu 0 maxmtu 0\n"
    "    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n"
    "4: ens6f0np0: <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP mode DEFAULT group "
    "default qlen 1000\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 9978 \n"
    "    bond_slave state ACTIVE mii_status UP link_failure_count 0 perm_hwaddr 02:00:00:00:00:01 queue_id 0 "
    "numtxqueues 504 portname p0 switchid 5a12 parentbus pci parentdev 0000:3b:00.0 \n"
    "    altname enp59s0f0np0\n"
    "    RX:  bytes packets errors dropped  missed   mcast           \n      46283286    1696      0       0       0   "
    "    0 \n"
    "7: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP mode DEFAULT group default\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0\n"
    "    bond mode 802.3ad miimon 100 updelay 0 xmit_hash_policy layer3+4 resend_igmp 1 \n"
    "    inet 10.0.0.1/24 brd 10.0.0.255 scope global bond0\n       valid_lft forever preferred_lft forever\n"
    "    inet6 fd00::1/64 scope global tentative dadfailed \n       valid_lft forever preferred_lft forever\n"
    "9: bond0.100@bond0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state LOWERLAYERDOWN\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0\n"
    "    vlan protocol 802.1Q id 100 <REORDER_HDR> \n      egress-qos-map { 0:3 4:5 } addrgenmode eui64 \n";

TEST(IpLink, reads_links_with_details_and_addresses) {
  const Parsed out = parsed("# ip -d -s addr\n" + kLinks);
  EXPECT_TRUE(out.unread.empty()) << out.unread[0];
  const NetLink& member = out.netdev("ens6f0np0")->link;
  EXPECT_EQ(member.index, 4U);
  EXPECT_EQ(*member.mtu, 9000U);
  EXPECT_EQ(member.master, "bond0");
  EXPECT_EQ(*member.oper_state, "up");
  EXPECT_TRUE(*member.carrier);
  EXPECT_TRUE(*member.admin_up);
  EXPECT_FALSE(member.bond_member->backup);
  EXPECT_TRUE(member.bond_member->mii_up);
  EXPECT_EQ(member.vlan.absent().why, Why::NotPresent);
  const NetLink& bond = out.netdev("bond0")->link;
  EXPECT_EQ(bond.kind, "bond");
  EXPECT_EQ(bond.bond->mode, 4U);
  EXPECT_EQ(bond.bond->xmit_hash_policy, 1U);
  EXPECT_EQ(bond.addresses, (std::vector<IpAddress>{{"10.0.0.1", 24, false}, {"fd00::1", 64, true}}));
  const NetLink& vlan = out.netdev("bond0.100")->link;
  EXPECT_EQ(vlan.lower, "bond0");
  EXPECT_EQ(vlan.vlan->id, 100U);
  EXPECT_EQ(vlan.vlan->egress_qos.at("0"), 3U);
  EXPECT_FALSE(*vlan.carrier);
  EXPECT_EQ(*vlan.oper_state, "lowerlayerdown");
  EXPECT_EQ(out.draft.place_of("rtnetlink ens6f0np0"), "a.txt:6");
}

TEST(IpLink, reads_where_a_netdev_belongs) {
  const Parsed out = parsed(
      "4: eth0: <BROADCAST,UP,LOWER_UP> mtu 9000 state UP\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff "
      "promiscuity 0 portname p0 switchid 5a12 parentbus pci parentdev 0000:3b:00.0\n");
  EXPECT_EQ(*out.netdev("eth0")->link.parent_device, "0000:3b:00.0");
  EXPECT_EQ(*out.netdev("eth0")->link.phys_port_name, "p0");
  EXPECT_EQ(*out.netdev("eth0")->link.phys_switch_id, "5a12");
  const Parsed one =
      parsed("4: eth0: <UP> mtu 4200 state DOWN \\    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n");
  EXPECT_EQ(*one.netdev("eth0")->link.mtu, 4200U);
}

TEST(IpLink, reads_short_layouts) {
  const Parsed out = parsed("eth0 mtu 1500\n");
  EXPECT_EQ(*out.netdev("eth0")->link.mtu, 1500U);
  EXPECT_FALSE(out.netdev("eth0")->link.admin_up);
  const Parsed mac = parsed("link/ether 03:00:00:00:00:01\n");
  ASSERT_EQ(mac.draft.snapshot().log.size(), 1U);
  EXPECT_EQ(mac.draft.snapshot().log[0].kind, "multicast_mac");
  EXPECT_EQ(mac.draft.snapshot().log[0].place, "a.txt:1");
  EXPECT_TRUE(parsed("link/ether 02:00:00:00:00:01\n").draft.snapshot().log.empty());
}

TEST(IpLink, reads_an_address_a_line) {
  const Parsed out = parsed(
      "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n"
      "4: eth0    inet 192.0.2.72/24 brd 192.0.2.255 scope global eth0\\       valid_lft forever preferred_lft "
      "forever\n"
      "4: eth0    inet6 fd00:db8::1/64 scope global \\       valid_lft forever preferred_lft forever\n"
      "5: eth1    inet6 fd00:db8::2/64 scope global tentative \\       valid_lft forever preferred_lft forever\n");
  EXPECT_TRUE(out.unread.empty()) << out.unread[0];
  EXPECT_EQ(out.formats, std::vector<std::string>{"ip link"});
  EXPECT_EQ(out.netdev("eth0")->link.index, 4U);
  EXPECT_EQ(out.netdev("eth0")->link.addresses,
            (std::vector<IpAddress>{{"192.0.2.72", 24, false}, {"fd00:db8::1", 64, false}}));
  EXPECT_EQ(out.netdev("eth1")->link.addresses, (std::vector<IpAddress>{{"fd00:db8::2", 64, true}}));
  EXPECT_FALSE(out.netdev("eth0")->link.carrier);
  EXPECT_EQ(out.draft.place_of("rtnetlink eth1"), "a.txt:4");
  EXPECT_EQ(parsed("4: eth0    inet 192.0.2.72/99 scope global eth0\n").unread.size(), 1U);
}

TEST(IpLink, takes_an_address_whose_head_is_cut_off) {
  const Parsed out = parsed("    inet 10.0.0.7/24 brd 10.0.0.255 scope global eth3\n");
  EXPECT_EQ(out.netdev("eth3")->link.addresses[0].address, "10.0.0.7");
}

TEST(IpLink, refuses_numbers_that_make_no_sense) {
  EXPECT_EQ(parsed("4: eth0: <UP> mtu many state UP\n").netdev("eth0")->link.mtu.absent().why, Why::Malformed);
  EXPECT_EQ(parsed("4: eth0: <UP> mtu 9000\n    inet 10.0.0.1/99 scope global eth0\n").unread.size(), 1U);
}

TEST(IpLink, invents_nothing_when_lines_are_lost) {
  expect_no_invention(kLinks);
}

TEST(IpRule, reads_rules_by_source) {
  const Parsed out = parsed(
      "0:\tfrom all lookup local\n32764:\tfrom 10.1.0.0/24 lookup 101\n32765:\tfrom all oif eth1 lookup rail1\n"
      "32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n");
  ASSERT_EQ(out.draft.snapshot().host.policy_rules->size(), 2U);
  EXPECT_EQ((*out.draft.snapshot().host.policy_rules)[0].source, "10.1.0.0");
  EXPECT_EQ((*out.draft.snapshot().host.policy_rules)[0].table, 101U);
  EXPECT_EQ((*out.draft.snapshot().host.policy_rules)[1].out_netdev, "eth1");
  const Parsed none = parsed("0:\tfrom all lookup local\n32766:\tfrom all lookup main\n");
  EXPECT_TRUE(none.draft.snapshot().host.policy_rules->empty());
  EXPECT_FALSE(parsed("32766:\tfrom all lookup main\n").draft.snapshot().host.policy_rules) << "its begin is cut off";
  const Parsed routes =
      parsed("default via 192.0.2.1 dev eth0 \n192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.2 \n");
  EXPECT_EQ(routes.formats, std::vector<std::string>{"ip route"});
  EXPECT_TRUE(routes.unread.empty());
}

TEST(Bonding, reads_mode_and_members) {
  const Parsed out = parsed(
      "# cat /proc/net/bonding/bond0\nEthernet Channel Bonding Driver: v5.15.0\n\n"
      "Bonding Mode: fault-tolerance (active-backup)\nPrimary Slave: None\nCurrently Active Slave: eth0\nMII Status: "
      "up\n"
      "MII Polling Interval (ms): 100\n\nSlave Interface: eth0\nMII Status: up\nSpeed: 100000 Mbps\nDuplex: full\n"
      "Link Failure Count: 2\nPermanent HW addr: 02:00:00:00:00:01\nSlave queue ID: 0\n\n"
      "Slave Interface: eth1\nMII Status: down\nSpeed: Unknown\nDuplex: Unknown\n");
  EXPECT_EQ(out.netdev("bond0")->link.bond->mode, 1U);
  EXPECT_EQ(out.netdev("bond0")->link.bond->active_member, "eth0");
  EXPECT_FALSE(out.netdev("eth0")->link.bond_member->backup);
  EXPECT_TRUE(out.netdev("eth1")->link.bond_member->backup);
  EXPECT_FALSE(out.netdev("eth1")->link.bond_member->mii_up);
  EXPECT_EQ(out.netdev("eth1")->link.master, "bond0");
  EXPECT_FALSE(out.netdev("eth0")->ethtool.link_modes);
}

TEST(Sysctl, gives_what_is_in_force) {
  const Parsed out = parsed(
      "kernel.numa_balancing = 1\nnet.ipv4.conf.all.arp_ignore = 1\nnet.ipv4.conf.all.rp_filter = 0\n"
      "net.ipv4.conf.eth0.arp_ignore = 0\nnet.ipv4.conf.eth0.rp_filter = 2\nnet.ipv4.conf.eth0/100.arp_ignore = 2\n"
      "vm.swappiness = 60\nsysctl: permission denied on key 'fs.protected_fifos'\n");
  EXPECT_TRUE(out.unread.empty());
  EXPECT_EQ(*out.draft.snapshot().host.numa_balancing, 1U);
  const auto& all = *out.draft.snapshot().host.ipv4_settings;
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].netdev, "eth0");
  EXPECT_EQ(*all[1].arp_ignore, 1U);
  EXPECT_EQ(*all[1].rp_filter, 2U);
  EXPECT_FALSE(all[1].arp_announce);
  EXPECT_EQ(all[2].netdev, "eth0.100");
  EXPECT_EQ(*all[2].arp_ignore, 2U);
  const Parsed files =
      parsed("/proc/sys/net/ipv4/conf/all/arp_ignore:0\n/proc/sys/net/ipv4/conf/eth1.5/arp_ignore:1\n");
  EXPECT_EQ((*files.draft.snapshot().host.ipv4_settings)[1].netdev, "eth1.5");
  EXPECT_EQ(files.draft.place_of("/proc/sys/net/ipv4/conf/eth1.5/arp_ignore"), "a.txt:2");
}

TEST(IpLink, reads_addresses_that_stand_on_one_line_each) {
  const Parsed out = parsed(
      "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n"
      "4: eth0    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0\\       valid_lft forever preferred_lft forever\n"
      "4: eth0    inet6 fd00::2/64 scope global nodad \\       valid_lft forever preferred_lft forever\n"
      "5: eth1    inet 198.51.100.7/31 scope global eth1\\       valid_lft forever preferred_lft forever\n");
  ASSERT_NE(out.netdev("eth0"), nullptr);
  EXPECT_EQ(out.netdev("eth0")->link.addresses,
            (std::vector<IpAddress>{{"192.0.2.2", 24, false}, {"fd00::2", 64, false}}));
  ASSERT_NE(out.netdev("eth1"), nullptr);
  EXPECT_EQ(out.netdev("eth1")->link.addresses, (std::vector<IpAddress>{{"198.51.100.7", 31, false}}));
  EXPECT_TRUE(out.unread.empty());
}

TEST(IpLink, reads_the_brief_layout) {
  const Parsed out = parsed(
      "$ ip -br addr\nlo               UNKNOWN        127.0.0.1/8 ::1/128\n"
      "eth0             UP             10.1.2.3/24 fe80::ba3f:d2ff:fe00:1/64\neth1             DOWN\n"
      "$ ip -br link\neth2@eth0        UP             b8:3f:d2:00:00:01 <BROADCAST,MULTICAST,UP,LOWER_UP>\n");
  ASSERT_NE(out.netdev("eth0"), nullptr);
  EXPECT_EQ(out.netdev("eth0")->link.addresses,
            (std::vector<IpAddress>{{"10.1.2.3", 24, false}, {"fe80::ba3f:d2ff:fe00:1", 64, false}}));
  EXPECT_EQ(*out.netdev("eth0")->link.oper_state, "up");
  ASSERT_NE(out.netdev("eth1"), nullptr);
  EXPECT_EQ(*out.netdev("eth1")->link.oper_state, "down");
  EXPECT_TRUE(out.netdev("eth1")->link.addresses.empty());
  ASSERT_NE(out.netdev("eth2"), nullptr);
  EXPECT_TRUE(out.netdev("eth2")->link.carrier && *out.netdev("eth2")->link.carrier);
  EXPECT_EQ(out.netdev("eth2")->link.lower, "eth0");
  EXPECT_TRUE(out.unread.empty());
}

TEST(IpLink, gives_filtered_addresses_to_the_netdevs_that_they_name) {
  const Parsed out = parsed(
      "    inet 127.0.0.1/8 scope host lo\n    inet 10.0.1.1/24 brd 10.0.1.255 scope global noprefixroute eth1\n"
      "    inet6 fe80::1/64 scope link\n    inet 10.0.2.1/24 scope global eth2\n");
  for (const char* name : {"eth1", "eth2"}) {
    ASSERT_NE(out.netdev(name), nullptr) << name;
    ASSERT_EQ(out.netdev(name)->link.addresses.size(), 1U) << name;
  }
  EXPECT_EQ(out.netdev("eth1")->link.addresses[0].address, "10.0.1.1");
  EXPECT_EQ(out.netdev("eth2")->link.addresses[0].address, "10.0.2.1");
  ASSERT_EQ(out.unread.size(), 1U) << "an IPv6 address does not say whose it is";
  EXPECT_NE(out.unread[0].find("fe80::1"), std::string::npos);
}

TEST(IpNeigh, keeps_the_macs_of_addresses) {
  const std::string text =
      "192.0.2.50 dev ens2f0 lladdr 02:00:5e:00:53:11 REACHABLE\n192.0.2.51 dev ens2f0  FAILED\n"
      "fe80::1 dev ens2f0 lladdr 02:00:5e:00:53:01 router STALE\n";
  const Parsed out = parsed(text);
  const auto& log = out.draft.snapshot().log;
  ASSERT_EQ(log.size(), 2U) << "nobody answers for one";
  EXPECT_EQ(log[0].kind, "neighbour");
  EXPECT_EQ(log[0].subject, "ens2f0");
  EXPECT_EQ(log[0].says, (std::map<std::string, std::string>{{"address", "192.0.2.50"}, {"mac", "02:00:5e:00:53:11"}}));
  EXPECT_TRUE(out.unread.empty());
  EXPECT_TRUE(out.draft.snapshot().netdevs.empty()) << "a neighbour's netdev is not said to carry RDMA";
  expect_no_invention(text);
}

TEST(IpNeigh, keeps_the_first_of_thousands) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250) +
            " dev eth0 lladdr 02:00:5e:00:53:11 STALE\n";
  EXPECT_EQ(parsed(text).draft.snapshot().log.size(), 256U);
}

TEST(IpNeigh, takes_no_other_lines) {
  for (const char* line :
       {"192.0.2.50 dev ens2f0 lladdr 02:00:5e:00:53 REACHABLE", "192.0.2.50 dev ens2f0 lladdr REACHABLE",
        "10.0.0.0/24 dev eth0 proto kernel scope link", "node1 dev eth0 REACHABLE"})
    EXPECT_TRUE(parsed(std::string(line) + "\n").draft.snapshot().log.empty()) << line;
}

}  // namespace
}  // namespace roceready::evidence
