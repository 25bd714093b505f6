// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/bundle.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

#include "collectors/evidence/time_names.h"

namespace roceready::evidence {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::string statistics(int pauses) {
  return "NIC statistics:\n     rx_prio3_pause: " + std::to_string(pauses) + "\n     rx_prio3_bytes: 1000\n";
}

bool assumes(const HostEvidence& host, const std::string& part) {
  return std::any_of(host.assumptions.begin(), host.assumptions.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

TEST(Bundle, assumes_one_port_where_no_file_names_it_and_says_so) {
  Bundle bundle;
  bundle.add("statistics.txt", statistics(7), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  const Snapshot& seen = hosts[0].snapshots.back();
  ASSERT_EQ(seen.ports.size(), 1U);
  EXPECT_EQ(seen.ports[0].device, "DEVICE");
  EXPECT_TRUE(seen.ports[0].in_scope);
  EXPECT_TRUE(assumes(hosts[0], "one port is assumed"));
  EXPECT_TRUE(assumes(hosts[0], "mlx5_core"));
  EXPECT_EQ(seen.netdevs[0].counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 7U);
}

TEST(Bundle, gives_nameless_outputs_to_the_only_port_that_is_named) {
  Bundle bundle;
  bundle.add("link.txt", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth4\n", 0);
  bundle.add("statistics.txt", statistics(7), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  const Snapshot& seen = hosts[0].snapshots.back();
  ASSERT_EQ(seen.ports.size(), 1U);
  EXPECT_EQ(seen.ports[0].device, "mlx5_0");
  ASSERT_NE(seen.netdev("eth4"), nullptr);
  EXPECT_TRUE(seen.netdev("eth4")->ethtool.statistics);
  EXPECT_TRUE(assumes(hosts[0], "mlx5_0, netdev eth4"));
}

std::string gid_row(int index, const std::string& gid, const std::string& address, const std::string& netdev) {
  return "mlx5_0\t1\t" + std::to_string(index) + "\t" + gid + "\t" + address + "\tv2\t" + netdev + "\n";
}
const std::string kLocalGid = "fe80:0000:0000:0000:0000:5eff:fe00:5301";

TEST(Bundle, takes_the_netdev_that_a_gid_table_begins_with) {
  Bundle bundle;
  bundle.add("gids.txt",
             gid_row(1, kLocalGid, "\t", "eth2") +
                 gid_row(3, "0000:0000:0000:0000:0000:ffff:c000:0201", "192.0.2.1", "eth2") +
                 gid_row(5, "0000:0000:0000:0000:0000:ffff:cb00:7101", "203.0.113.1", "eth2.1"),
             0);
  bundle.add("statistics.txt", statistics(7), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  const Snapshot& seen = hosts[0].snapshots.back();
  ASSERT_EQ(seen.ports.size(), 1U);
  EXPECT_EQ(seen.ports[0].netdev.value_or(""), "eth2");
  EXPECT_EQ(seen.ports[0].uppers, std::vector<std::string>{"eth2.1"});
  ASSERT_NE(seen.netdev("eth2"), nullptr);
  EXPECT_EQ(seen.netdev("eth2")->link.addresses, (std::vector<IpAddress>{{"192.0.2.1", 32, false}}));
  EXPECT_TRUE(seen.netdev("eth2")->ethtool.statistics) << "statistics that name nobody are its own";
  ASSERT_NE(seen.netdev("eth2.1"), nullptr);
  EXPECT_EQ(seen.netdev("eth2.1")->link.addresses, (std::vector<IpAddress>{{"203.0.113.1", 32, false}}));
  EXPECT_TRUE(assumes(hosts[0], "mlx5_0, by its GIDs"));
}

TEST(Bundle, takes_the_netdev_that_has_the_address_of_a_gid) {
  Bundle bundle;
  bundle.add("devinfo.txt",
             "hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tlink_layer:\t\tEthernet\n"
             "\t\t\tGID[  1]:\t\tfe80::5eff:fe00:5301, RoCE v2\n\t\t\tGID[  3]:\t\t::ffff:192.0.2.132, RoCE v2\n"
             "\t\t\tGID[  5]:\t\t::ffff:203.0.113.9, RoCE v2\n",
             0);
  bundle.add("addresses.txt",
             "3: eth0    inet 198.51.100.132/24 brd 198.51.100.255 scope global eth0\n"
             "5: net1    inet 192.0.2.132/24 brd 192.0.2.255 scope global net1\n",
             0);
  bundle.add("statistics.txt", statistics(7), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  const Snapshot& seen = hosts[0].snapshots.back();
  ASSERT_EQ(seen.ports.size(), 1U);
  EXPECT_EQ(seen.ports[0].netdev.value_or(""), "net1");
  EXPECT_TRUE(seen.netdev("net1")->ethtool.statistics) << "statistics that name nobody are its own";
  EXPECT_EQ(seen.netdev("net1")->link.addresses, (std::vector<IpAddress>{{"192.0.2.132", 24, false}}))
      << "an output lists its addresses";
  EXPECT_TRUE(assumes(hosts[0], "net1 is taken as that of RDMA device mlx5_0, by its GIDs"));
}

TEST(Bundle, takes_no_netdev_of_another_port_by_gids) {
  Bundle bundle;
  bundle.add("gids.txt", gid_row(1, kLocalGid, "\t", "eth2"), 0);
  bundle.add("link.txt", "link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev eth2\n", 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  for (const RdmaPort& port : hosts[0].snapshots.back().ports)
    EXPECT_EQ(port.netdev.value_or("") == "eth2", port.device == "mlx5_1") << port.device;
}

TEST(Bundle, knows_that_a_kernel_without_iommu_has_no_groups) {
  const auto type_with = [](const std::string& word, const std::string& vendor) {
    Bundle bundle;
    bundle.add("host.txt", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro " + word + "\nVendor ID:     " + vendor + "\n", 0);
    bundle.add("lspci.txt", "3b:00.0 Ethernet controller [0200]: Mellanox Technologies MT2892 [15b3:101d]\n", 0);
    return bundle.finish({}).at(0).snapshots.back().pci.at(0).iommu_group_type;
  };
  EXPECT_EQ(type_with("intel_iommu=off", "GenuineIntel").absent().why, Why::NotPresent);
  EXPECT_EQ(type_with("amd_iommu=off", "AuthenticAMD").absent().why, Why::NotPresent);
  EXPECT_EQ(type_with("iommu=off", "GenuineIntel").absent().why, Why::NotPresent);
  EXPECT_EQ(type_with("intel_iommu=off", "AuthenticAMD").absent().why, Why::NotRecorded) << "not its IOMMU";
  EXPECT_EQ(type_with("intel_iommu=on", "GenuineIntel").absent().why, Why::NotRecorded);
}

TEST(Bundle, says_that_it_takes_the_only_pci_function_as_the_ports) {
  Bundle bundle;
  bundle.add("lspci.txt", "LnkCap: Port #8, Speed 8GT/s, Width x4\nLnkSta: Speed 5GT/s, Width x1\n", 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_TRUE(assumes(hosts[0], "the only PCI function"));
}

TEST(Bundle, makes_moments_of_t0_and_t1_when_it_is_told_how_far_they_lie_apart) {
  for (const std::int64_t interval : {std::int64_t{0}, 10 * kSecond}) {
    Bundle bundle;
    bundle.add("t0_statistics.txt", statistics(7), 0);
    bundle.add("t1_statistics.txt", statistics(9), 0);
    bundle.add("driver.txt", "driver: mlx5_core\nfirmware-version: 22.41.1000\n", 0);
    const auto hosts = bundle.finish({.interval_ns = interval, .device = ""});
    ASSERT_EQ(hosts.size(), 1U);
    EXPECT_EQ(hosts[0].interval_unknown, interval == 0);
    ASSERT_EQ(hosts[0].snapshots.size(), interval == 0 ? 1U : 2U);
    const Snapshot& last = hosts[0].snapshots.back();
    EXPECT_EQ(last.netdevs[0].counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 9U);
    EXPECT_EQ(last.netdevs[0].ethtool.driver->firmware, "22.41.1000");
    EXPECT_EQ(last.before.monotonic_ns - hosts[0].snapshots[0].before.monotonic_ns, interval);
  }
}

TEST(Bundle, believes_times_of_files_only_where_they_lie_a_second_apart) {
  for (const std::int64_t between : {kSecond / 1000, 60 * kSecond}) {
    Bundle bundle;
    bundle.add("stats_1.txt", statistics(7), 1'796'049'415 * kSecond);
    bundle.add("stats_2.txt", statistics(9), 1'796'049'415 * kSecond + between);
    const auto hosts = bundle.finish({});
    ASSERT_EQ(hosts.size(), 1U);
    EXPECT_EQ(hosts[0].snapshots.size(), between < kSecond ? 1U : 2U) << between;
    EXPECT_EQ(hosts[0].interval_unknown, between < kSecond) << between;
  }
}

TEST(Bundle, takes_the_interval_from_the_output_that_comes_again) {
  Bundle bundle;
  bundle.add("a_rdma.txt", "link mlx5_0/1 rx_write_requests 0 out_of_sequence 7\n", 1'796'049'500 * kSecond);
  bundle.add("statistics.txt", "1796049415.25\n" + statistics(7) + "1796049420.25\n" + statistics(9),
             1'796'049'500 * kSecond);
  bundle.add("b_driver.txt", "driver: mlx5_core\n", 1'796'049'490 * kSecond);
  bundle.add("c_driver.txt", "driver: mlx5_core\n", 1'796'049'501 * kSecond);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  ASSERT_EQ(hosts[0].snapshots.size(), 2U);
  EXPECT_EQ(hosts[0].snapshots[1].before.monotonic_ns - hosts[0].snapshots[0].before.monotonic_ns, 5 * kSecond);
}

TEST(Bundle, times_no_moment_by_files_that_tell_of_none) {
  Bundle bundle;
  bundle.add("t0_statistics.txt", "Tue Oct  8 09:31:02 UTC 2019\n" + statistics(7), 0);
  bundle.add("t1_statistics.txt", "Tue Oct  8 09:32:02 UTC 2019\n" + statistics(9), 0);
  bundle.add("counters.txt", "link mlx5_0/1 rx_write_requests 0 out_of_sequence 7\n", 1'796'049'500 * kSecond);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  ASSERT_EQ(hosts[0].snapshots.size(), 2U);
  EXPECT_EQ(hosts[0].snapshots[1].before.monotonic_ns - hosts[0].snapshots[0].before.monotonic_ns, 60 * kSecond);
}

TEST(Bundle, tells_hosts_apart_by_prompts_roles_and_folders) {
  Bundle prompts;
  prompts.add("both.txt",
              "root@node1:~# ethtool -S eth0\n" + statistics(1) + "root@node2:~# ethtool -S eth0\n" + statistics(2), 0);
  const auto by_prompt = prompts.finish({});
  ASSERT_EQ(by_prompt.size(), 2U);
  EXPECT_EQ(by_prompt[0].name, "node1");
  EXPECT_EQ(by_prompt[1].snapshots.back().netdevs[0].counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 2U);
  Bundle folders;
  folders.add("a/statistics.txt", statistics(1), 0);
  folders.add("b/statistics.txt", statistics(2), 0);
  EXPECT_EQ(folders.finish({}).size(), 2U);
}

std::string qos(const std::string& trust) {
  return "DCBX mode: OS controlled\nPriority trust state: " + trust + "\n";
}
std::vector<std::string> names_of(const std::vector<HostEvidence>& hosts) {
  std::vector<std::string> out;
  for (const HostEvidence& host : hosts) out.push_back(host.name);
  return out;
}
using Names = std::vector<std::string>;

TEST(Bundle, takes_loose_files_that_tell_settings_differently_for_two_hosts) {
  for (const char* form : {"gpu0#_eth0.txt", "qos_#.txt"}) {
    const std::string text = form;
    const auto named = [&](const char* number) { return std::string(text).replace(text.find('#'), 1, number); };
    Bundle bundle;
    bundle.add(named("1"), qos("pcp") + statistics(7), 1'796'049'415 * kSecond);
    bundle.add(named("2"), qos("dscp") + statistics(9'000), 1'796'049'475 * kSecond);
    const auto hosts = bundle.finish({});
    EXPECT_EQ(names_of(hosts), (text[0] == 'g' ? Names{"gpu01", "gpu02"} : Names{"qos_1", "qos_2"})) << form;
    for (const HostEvidence& host : hosts) EXPECT_EQ(host.snapshots.size(), 1U) << form;
  }
  Bundle moments;
  moments.add("t0_eth0.txt", qos("pcp"), 0);
  moments.add("t1_eth0.txt", qos("dscp"), 0);
  EXPECT_EQ(moments.finish({}).size(), 1U);
}

TEST(Bundle, makes_no_moments_of_files_whose_names_tell_of_no_time) {
  const std::string old_text = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth2\n$ ethtool -S eth2\n" +
                               statistics(100) + "     rx_prio3_discards: 0\n";
  const std::string new_text = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth2\n$ ethtool -S eth2\n" +
                               statistics(900) + "     rx_prio0_pause: 4\n";
  for (const char* names : {"alpha.txt beta.txt", "nicA.txt nicB.txt", "nic_1.txt nic_2.txt", "port1.txt port2.txt"}) {
    const std::string both = names;
    Bundle bundle;
    bundle.add(both.substr(0, both.find(' ')), old_text, 1'796'049'415 * kSecond);
    bundle.add(both.substr(both.find(' ') + 1), new_text, 1'796'049'455 * kSecond);
    const auto hosts = bundle.finish({});
    ASSERT_EQ(hosts.size(), 1U) << names;
    ASSERT_EQ(hosts[0].snapshots.size(), 1U) << names;
    EXPECT_TRUE(assumes(hosts[0], "nothing says whether they are of two hosts, of two ports or of two times")) << names;
    EXPECT_FALSE(assumes(hosts[0], "apart")) << names;
    const CounterReadings& counters = hosts[0].snapshots[0].netdev("eth2")->counters;
    EXPECT_EQ(counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 900U) << names;
    EXPECT_EQ(counters.find(CounterId::RxDiscardsPriority, 3), nullptr) << "of the other file: " << names;
    EXPECT_EQ(hosts[0].draft.place_of("ethtool statistics of eth2").substr(0, 5), both.substr(both.find(' ') + 1, 5));
  }
}

TEST(Bundle, makes_no_moments_of_headless_outputs_of_two_files) {
  Bundle bundle;
  bundle.add("nicA.txt", statistics(100), 1'796'049'415 * kSecond);
  bundle.add("nicB.txt", statistics(900), 1'796'049'425 * kSecond);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].snapshots.size(), 1U);
  EXPECT_TRUE(assumes(hosts[0], "nicA.txt and nicB.txt hold outputs of one command"));
  Bundle told;
  told.add("nicA.txt", statistics(100), 0);
  told.add("nicB.txt", statistics(900), 0);
  EXPECT_EQ(told.finish({.interval_ns = 10 * kSecond, .device = ""}).at(0).snapshots.size(), 2U);
}

TEST(Bundle, makes_moments_of_files_that_tell_one_host_and_port_or_times) {
  const std::string told = "[root@n1 ~]# ethtool -S eth2\n", untold = "$ ethtool -S eth2\n";
  for (const auto& [names, command] : std::initializer_list<std::pair<std::string, std::string>>{
           {"alpha.txt beta.txt", told}, {"stats.txt stats_new.txt", untold}, {"run1.txt run2.txt", untold}}) {
    Bundle bundle;
    bundle.add(names.substr(0, names.find(' ')), command + statistics(7), 1'796'049'415 * kSecond);
    bundle.add(names.substr(names.find(' ') + 1), command + statistics(9), 1'796'049'455 * kSecond);
    const auto hosts = bundle.finish({});
    ASSERT_EQ(hosts.size(), 1U) << names;
    EXPECT_EQ(hosts[0].snapshots.size(), 2U) << names;
    EXPECT_TRUE(assumes(hosts[0], "40 s apart")) << names;
  }
}

TEST(Bundle, says_that_one_file_tells_a_setting_in_two_ways) {
  const auto seen_with = [](const std::string& first, const std::string& between, const std::string& second) {
    Bundle bundle;
    bundle.add("sep.txt", "$ mlnx_qos -i eth2\n" + qos(first) + between + "$ mlnx_qos -i eth2\n" + qos(second), 0);
    return bundle.finish({});
  };
  const auto differ = seen_with("pcp", "", "dscp");
  ASSERT_EQ(differ.size(), 1U);
  EXPECT_TRUE(assumes(differ[0], "sep.txt:2 and sep.txt:5: two outputs of mlnx_qos for eth2 differ"));
  EXPECT_EQ(differ[0].snapshots.back().netdev("eth2")->dcb.trust.value_or(""), "dscp");
  EXPECT_FALSE(assumes(seen_with("pcp", "", "pcp").at(0), "two outputs"));
  EXPECT_FALSE(assumes(seen_with("pcp", "Tue Nov 25 10:00:00 CET 2025\n", "dscp").at(0), "two outputs"));
}

TEST(Bundle, takes_files_called_like_hosts_for_hosts) {
  Bundle bundle;
  bundle.add("nodeA.txt", "$ ethtool -S eth2\n" + statistics(100), 1'796'049'415 * kSecond);
  bundle.add("nodeB.txt", "$ ethtool -S eth2\n" + statistics(900), 1'796'049'455 * kSecond);
  const auto hosts = bundle.finish({});
  EXPECT_EQ(names_of(hosts), (Names{"nodeA", "nodeB"}));
  for (const HostEvidence& host : hosts) EXPECT_EQ(host.snapshots.size(), 1U);
}

TEST(DifferByTime, knows_numbers_of_readings_from_those_of_owners) {
  for (const auto& [a, b] :
       std::initializer_list<std::pair<const char*, const char*>>{{"1.txt", "2.txt"},
                                                                  {"stats_1.txt", "stats_2.txt"},
                                                                  {"stats.txt", "stats.txt.1"},
                                                                  {"old/stats.txt", "new/stats.txt"},
                                                                  {"S-2025.12.01.txt", "s-2025.12.02.txt"},
                                                                  {"t0_x.txt", "t1_x.txt"}})
    EXPECT_TRUE(differ_by_time(a, b)) << a;
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{{"a.txt", "b.txt"},
                                                                                       {"node_1.txt", "node_2.txt"},
                                                                                       {"eth2.txt", "eth3.txt"},
                                                                                       {"mlx5_0.txt", "mlx5_1.txt"},
                                                                                       {"10.0.0.1.txt", "10.0.0.2.txt"},
                                                                                       {"n1.txt", "n2.txt"},
                                                                                       {"a_old.txt", "b_new.txt"},
                                                                                       {"x.txt", "x.txt"}})
    EXPECT_FALSE(differ_by_time(a, b)) << a;
}

TEST(Bundle, takes_no_folder_of_a_host_for_a_host) {
  Bundle bundle;
  const std::string log = "mlx5_core 0000:3b:00.0: Port module event[error]: module 0, Cable error, x\n";
  bundle.add("sos/sos_commands/kernel/dmesg", log, 0);
  bundle.add("sos/var/log/messages", log, 0);
  bundle.add("sos/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro\n", 0);
  EXPECT_EQ(bundle.finish({}).size(), 1U);
}

TEST(Bundle, leaves_out_what_another_network_namespace_shows) {
  const std::string root = "sosreport-node17-2026-11-30-abc/sos_commands/networking/";
  Bundle bundle;
  bundle.add(root + "ethtool_-S_eth0", statistics(7), 0);
  bundle.add(root + "namespaces/blue/ip_netns_exec_blue_ethtool_-S_eth0", statistics(9'000), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].snapshots.back().netdev("eth0")->counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 7U);
  ASSERT_EQ(bundle.skipped().size(), 1U);
  EXPECT_NE(bundle.skipped()[0].why.find("namespace"), std::string::npos);
}

TEST(Bundle, judges_the_netdev_of_a_pod_beside_that_of_its_host) {
  const auto address = [](const std::string& flags, const std::string& mtu, const std::string& state) {
    return "4: eth0: <" + flags + "> mtu " + mtu + " qdisc mq state " + state +
           " group default qlen 1000\n    link/ether 02:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n";
  };
  const std::string prompt = "[root@gpu01 ~]# ";
  Bundle bundle;
  bundle.add("sent.txt",
             prompt + "rdma link\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n" + prompt +
                 "ip addr show eth0\n" + address("BROADCAST,MULTICAST,UP,LOWER_UP", "9000", "UP") + prompt +
                 "kubectl exec -n ml trainer-0 -- ip addr show eth0\n" +
                 address("NO-CARRIER,BROADCAST,MULTICAST,UP", "1450", "DOWN"),
             0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].name, "gpu01");
  EXPECT_EQ(hosts[0].snapshots.back().netdev("eth0")->link.mtu, 9000U);
  EXPECT_TRUE(hosts[0].snapshots.back().netdev("eth0")->link.carrier.value_or(false));
  EXPECT_EQ(hosts[1].name, "pod ml/trainer-0");
  EXPECT_TRUE(assumes(hosts[1], "judged by itself"));
}

TEST(Bundle, gives_what_names_no_host_to_no_pod) {
  Bundle bundle;
  bundle.add("sent.txt",
             "$ kubectl exec a -- ethtool -S eth0\n" + statistics(7) + "$ ethtool -S eth0\n" + statistics(8), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].name, "");
  EXPECT_EQ(hosts[1].name, "pod a");
}

TEST(Bundle, believes_no_two_outputs_of_one_file_that_name_nobody_and_no_time) {
  Bundle bundle;
  bundle.add("both.txt", qos("pcp") + qos("dscp"), kSecond);
  EXPECT_TRUE(bundle.finish({}).empty());
  EXPECT_EQ(bundle.unread_count(), 4U);
  EXPECT_EQ(bundle.read_count(), 0U);
  EXPECT_EQ(bundle.skipped().size(), 2U);
  Bundle alike;
  alike.add("both.txt", qos("pcp") + qos("pcp"), kSecond);
  EXPECT_EQ(alike.finish({}).size(), 1U);
  Bundle told;
  told.add("both.txt", statistics(1) + statistics(2), kSecond);
  const auto hosts = told.finish({.interval_ns = kSecond, .device = ""});
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].snapshots.size(), 2U);
}

TEST(Bundle, compares_no_times_of_two_clocks) {
  const std::string cet = "Tue Nov 25 10:00:00 CET 2025\n", later = "Tue Nov 25 10:01:00 CET 2025\n",
                    utc = "Tue Nov 25 18:01:00 UTC 2025\n";
  Bundle mixed;
  mixed.add("a.txt", cet + statistics(7), 1'764'064'800 * kSecond);
  mixed.add("b.txt", statistics(9), 1'764'064'860 * kSecond);
  Bundle zones;
  zones.add("a.txt", cet + statistics(7) + utc + statistics(9), 0);
  for (Bundle* bundle : {&mixed, &zones}) {
    const auto hosts = bundle->finish({});
    ASSERT_EQ(hosts.size(), 1U);
    EXPECT_EQ(hosts[0].snapshots.size(), 1U);
    EXPECT_TRUE(hosts[0].interval_unknown);
  }
  Bundle one;
  one.add("a.txt", cet + statistics(7) + later + statistics(9), 1'764'064'800 * kSecond);
  const auto hosts = one.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  ASSERT_EQ(hosts[0].snapshots.size(), 2U);
  EXPECT_EQ(hosts[0].snapshots[1].before.monotonic_ns - hosts[0].snapshots[0].before.monotonic_ns, 60 * kSecond);
}

TEST(Bundle, thins_out_more_moments_than_it_keeps_and_says_so) {
  std::string text;
  for (int i = 0; i < 1199; ++i) text += std::to_string(1'796'049'415 + i) + "\n" + statistics(10 * i);
  Bundle bundle;
  bundle.add("watch.txt", text, 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  const auto& seen = hosts[0].snapshots;
  ASSERT_EQ(seen.size(), Bundle::kMostMoments);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].before.monotonic_ns - seen[i - 1].before.monotonic_ns, 2 * kSecond) << i;
    ASSERT_EQ(seen[i].netdevs[0].counters.find(CounterId::PfcRxPauseFrames, 3)->raw -
                  seen[i - 1].netdevs[0].counters.find(CounterId::PfcRxPauseFrames, 3)->raw,
              20U);
  }
  EXPECT_EQ(seen.back().netdevs[0].counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 11'980U);
  EXPECT_TRUE(assumes(hosts[0], "of every 2 in a row the last is read"));
}

TEST(Bundle, says_that_counters_are_of_no_port) {
  Bundle bundle;
  bundle.add("link.txt",
             "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n"
             "link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev eth1\n",
             0);
  bundle.add("statistics.txt", statistics(7), 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_TRUE(assumes(hosts[0], "they are of no port"));
}

TEST(Bundle, reads_small_files_behind_one_that_is_too_large) {
  std::string text = "# ethtool -S eth0\nNIC statistics:\n";
  for (int i = 0; i < 100'000; ++i) text += "     rx_queue_" + std::to_string(i) + std::string(200, 'x') + ": 1\n";
  Bundle bundle;
  bundle.add("a_statistics.txt", text, 0);
  bundle.add("link.txt", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth4\n", 0);
  EXPECT_LT(bundle.read_count(), 90'000U);
  EXPECT_EQ(bundle.read_count() + bundle.unread_count(), 100'003U);
  ASSERT_EQ(bundle.skipped().size(), 1U);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].snapshots.back().ports.size(), 1U);
}

TEST(Bundle, takes_what_a_list_does_not_hold_as_not_recorded) {
  Bundle bundle;
  bundle.add("filtered.txt", "rx_prio3_pause: 7\n", 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  const CounterReadings& counters = hosts[0].snapshots.back().netdevs[0].counters;
  EXPECT_EQ(counters.find(CounterId::RxDiscardsPhy), nullptr);
  EXPECT_TRUE(counters.can_show(CounterId::RxDiscardsPhy));
  EXPECT_EQ(counters.why(CounterId::RxDiscardsPhy).why, Why::NotRecorded);
}

TEST(Bundle, is_empty_where_nothing_is_known) {
  Bundle bundle;
  bundle.add("letter.txt", "Dear all,\n\nthe network is slow.\n", 0);
  bundle.add("empty.txt", "", 0);
  EXPECT_TRUE(bundle.finish({}).empty());
  EXPECT_EQ(bundle.unread_count(), 2U);
  EXPECT_EQ(bundle.files(), 2U);
}

TEST(Bundle, takes_files_below_sys_that_were_printed_together_as_one_moment) {
  const std::string base = "/sys/class/infiniband/mlx5_0/ports/1/";
  const auto counters = [&](int value) {
    return "$ grep . " + base + "hw_counters/*\n" + base + "hw_counters/out_of_sequence:" + std::to_string(value) +
           "\n$ grep . " + base + "counters/*\n" + base + "counters/port_rcv_errors:0\n$ cat " + base +
           "gid_attrs/types/3\nRoCE v2\n";
  };
  Bundle together;
  together.add("sent.txt", counters(7), 0);
  const auto one = together.finish({.interval_ns = 10 * kSecond, .device = ""});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].snapshots.size(), 1U);
  EXPECT_FALSE(one[0].interval_unknown);
  Bundle again;
  again.add("sent.txt", counters(7) + counters(9), 0);
  const auto two = again.finish({.interval_ns = 10 * kSecond, .device = ""});
  ASSERT_EQ(two.size(), 1U);
  ASSERT_EQ(two[0].snapshots.size(), 2U);
  EXPECT_EQ(two[0].snapshots[1].ports.at(0).counters.find(CounterId::OutOfSequence)->raw, 9U);
}

TEST(Bundle, loses_no_port_that_a_later_output_names) {
  Bundle bundle;
  bundle.add("t0_statistics.txt", statistics(7), 0);
  bundle.add("t1_statistics.txt", statistics(9), 0);
  bundle.add("t1_link.txt", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth4\n", 0);
  const auto hosts = bundle.finish({.interval_ns = 10 * kSecond, .device = ""});
  ASSERT_EQ(hosts.size(), 1U);
  ASSERT_EQ(hosts[0].snapshots.size(), 2U);
  for (const Snapshot& snapshot : hosts[0].snapshots) {
    ASSERT_EQ(snapshot.ports.size(), 1U);
    EXPECT_EQ(snapshot.ports[0].device, "mlx5_0");
    EXPECT_EQ(snapshot.ports[0].key, hosts[0].snapshots[1].ports[0].key);
  }
}

TEST(Bundle, says_nothing_of_verbs_where_no_file_names_a_port) {
  const std::string refused = "$ ibv_devinfo\nFailed to get IB devices list: Function not implemented\n";
  const auto verbs_with = [&](const std::string& more) {
    Bundle bundle;
    bundle.add("sent.txt", refused + more, 0);
    return bundle.finish({}).at(0).snapshots.back().host.user_verbs;
  };
  EXPECT_EQ(verbs_with("").absent().why, Why::NotRecorded);
  EXPECT_FALSE(verbs_with("link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth4\n").value_or(true));
}

TEST(Bundle, believes_stated_times_however_close) {
  Bundle bundle;
  bundle.add("sent.txt",
             "1767225600.500000000\n[root@n1 ~]# ethtool -S eth0\n" + statistics(7) +
                 "1767225600.518000000\n[root@n1 ~]# ethtool -S eth0\n" + statistics(9),
             0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  ASSERT_EQ(hosts[0].snapshots.size(), 2U);
  EXPECT_EQ(hosts[0].snapshots[1].before.monotonic_ns - hosts[0].snapshots[0].before.monotonic_ns, 18'000'000);
}

const std::string kNicctlQos =
    "NIC  : 42424650-4c32-3432-3130-333800000000 (0000:26:00.0)\n\nPort : 0490814a-6c40-4242-4242-000011010000\n\n"
    "  Classification type         : DSCP\n\n  PFC :\n    PFC priority bitmap       : 0x2\n"
    "    PFC no-drop priorities    : 1\n";

TEST(Bundle, gives_nicctls_settings_to_no_netdev_of_another_function) {
  const auto seen_with = [](const std::string& bus_info) {
    Bundle bundle;
    bundle.add("sent.txt",
               "root@g1:~# ethtool -i eth2\ndriver: ionic\nversion: 5.14\nbus-info: " + bus_info +
                   "\nroot@g1:~# nicctl show qos\n" + kNicctlQos,
               0);
    return bundle.finish({});
  };
  const auto other = seen_with("0000:3b:00.0");
  ASSERT_EQ(other.size(), 1U);
  for (const Netdev& netdev : other[0].snapshots.back().netdevs) {
    EXPECT_FALSE(netdev.dcb.pfc) << netdev.link.name;
    EXPECT_FALSE(netdev.dcb.trust) << netdev.link.name;
  }
  EXPECT_TRUE(assumes(other[0], "sent.txt:6: nicctl shows 0000:26:00.0, of which no file names the netdev"));
  const auto own = seen_with("0000:26:00.0");
  ASSERT_EQ(own.size(), 1U);
  ASSERT_NE(own[0].snapshots.back().netdev("eth2"), nullptr);
  EXPECT_EQ(own[0].snapshots.back().netdev("eth2")->dcb.pfc->enabled, 2U);
  EXPECT_FALSE(assumes(own[0], "nicctl shows"));
}

TEST(Bundle, takes_nicctls_settings_as_those_of_the_only_netdev_and_says_so) {
  Bundle bundle;
  bundle.add("link.txt", "link ionic_0/1 state ACTIVE physical_state LINK_UP netdev eth2\n", 0);
  bundle.add("qos.txt", "# nicctl show qos\n" + kNicctlQos, 0);
  const auto hosts = bundle.finish({});
  ASSERT_EQ(hosts.size(), 1U);
  ASSERT_NE(hosts[0].snapshots.back().netdev("eth2"), nullptr);
  EXPECT_EQ(hosts[0].snapshots.back().netdev("eth2")->dcb.pfc->enabled, 2U);
  EXPECT_TRUE(assumes(hosts[0], "netdev eth2"));
}

}  // namespace
}  // namespace roceready::evidence
