// SPDX-License-Identifier: Apache-2.0
// Single surfaces of odd machines, through the whole sampler.
#include <cerrno>

#include <gtest/gtest.h>

#include "collectors/counter_files.h"
#include "collectors/link_topology.h"
#include "collectors/memlock.h"
#include "collectors/sampler.h"
#include "tests/collectors/mlx5_pair.h"

namespace roceready {
namespace {

using doubles::Attrs;

Snapshot sample(doubles::FakeHost& machine, SamplerOptions options = {}) {
  Sampler sampler(std::move(options));
  Host host = machine.host();
  return sampler.sample(host);
}

Attrs bond_member(std::uint8_t backup, std::uint8_t mii) {
  return Attrs()
      .number(uapi::kIflaMaster, std::uint32_t{9})
      .nest(uapi::kIflaLinkInfo,
            Attrs()
                .text(uapi::kIflaInfoSlaveKind, "bond")
                .nest(uapi::kIflaInfoSlaveData,
                      Attrs().number(uapi::kIflaBondSlaveState, backup).number(uapi::kIflaBondSlaveMiiStatus, mii)));
}

std::string bond_link() {
  return doubles::link_bytes("bond0", 9, Attrs().nest(uapi::kIflaLinkInfo, Attrs().text(uapi::kIflaInfoKind, "bond")));
}

std::string vlan_link() {
  return doubles::link_bytes("bond0.7", 10,
                             Attrs()
                                 .number(uapi::kIflaLink, std::uint32_t{9})
                                 .nest(uapi::kIflaLinkInfo, Attrs().text(uapi::kIflaInfoKind, "vlan")));
}

/// Two functions of one card under a bond whose address is on a VLAN; RDMA on the first function only.
doubles::FakeHost lag(const std::string& port_netdev) {
  doubles::FakeHost machine;
  add_mlx5_function(machine, "mlx5_bond_0", port_netdev, "0000:3b:00.0");
  machine.link("/sys/bus/pci/devices/0000:3b:00.1", "../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1");
  machine.link("/sys/bus/pci/devices/0000:3b:00.1/driver", "../../../../bus/pci/drivers/mlx5_core");
  add_netdev(machine, "eth0", 2, "0000:3b:00.0", bond_member(0, 0));
  add_netdev(machine, "eth1", 3, "0000:3b:00.1", bond_member(1, 2));
  machine.answers[answer_key::kLinks].items.push_back(bond_link());
  machine.answers[answer_key::kLinks].items.push_back(vlan_link());
  add_address(machine, 10);
  return machine;
}

TEST(Lag, both_members_are_judged_whatever_the_kernel_calls_the_netdev) {
  for (const char* netdev : {"bond0", "eth0"}) {
    doubles::FakeHost machine = lag(netdev);
    const Snapshot snapshot = sample(machine);
    ASSERT_EQ(snapshot.ports.size(), 1U) << netdev;
    const RdmaPort& port = snapshot.ports[0];
    EXPECT_EQ(*port.netdev, "bond0") << netdev;
    EXPECT_EQ(port.members, (std::vector<std::string>{"eth0", "eth1"})) << netdev;
    EXPECT_EQ(port.uppers, (std::vector<std::string>{"bond0", "bond0.7"})) << netdev;
    EXPECT_TRUE(port.in_scope) << port.why_not;
    EXPECT_FALSE(snapshot.netdev("eth1")->link.bond_member->mii_up);
    EXPECT_TRUE(snapshot.netdev("eth1")->dcb.pfc);
    EXPECT_EQ(snapshot.netdev("bond0")->dcb.pfc.absent().why, Why::NotPresent);
    EXPECT_TRUE(snapshot.nics_without_rdma.empty());
  }
}

TEST(Lag, a_bond_of_two_rdma_devices_is_no_lag) {
  doubles::FakeHost machine = lag("eth0");
  add_mlx5_function(machine, "mlx5_1", "eth1", "0000:3b:00.1");
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.ports.size(), 2U);
  EXPECT_EQ(snapshot.ports[1].members, (std::vector<std::string>{"eth0"}));
  EXPECT_EQ(snapshot.ports[0].members, (std::vector<std::string>{"eth1"}));
}

TEST(Scope, unused_representors_and_other_namespaces_stay_out) {
  doubles::FakeHost machine = one_port();
  add_mlx5_function(machine, "mlx5_1", "eth1", "0000:3b:00.1");
  add_netdev(machine, "eth1", 3, "0000:3b:00.1");
  add_mlx5_function(machine, "mlx5_2", "eth2", "0000:3b:00.2");
  add_netdev(machine, "eth2", 4, "0000:3b:00.2", Attrs().text(uapi::kIflaPhysPortName, "pf0vf1"));
  add_mlx5_function(machine, "mlx5_3", "", "0000:3b:00.3");
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.ports.size(), 4U);
  EXPECT_TRUE(snapshot.ports[0].in_scope);
  EXPECT_NE(snapshot.ports[1].why_not.find("unused"), std::string::npos);
  EXPECT_EQ(snapshot.ports[2].function, FunctionKind::Representor);
  EXPECT_FALSE(snapshot.ports[2].in_scope);
  EXPECT_EQ(snapshot.ports[3].netdev.absent().why, Why::OtherNamespace);
  EXPECT_FALSE(snapshot.ports[3].in_scope);
  EXPECT_FALSE(machine.asked_about("statistics_values/eth1"));
}

TEST(Scope, include_brings_a_port_in_and_infiniband_is_out) {
  doubles::FakeHost machine = one_port();
  add_mlx5_function(machine, "mlx5_1", "eth1", "0000:3b:00.1");
  add_netdev(machine, "eth1", 3, "0000:3b:00.1");
  machine.answers[answer_key::kRdmaDevices].items.push_back(doubles::rdma_device_bytes("ib_0", 1, 1, "ib"));
  machine.file("/sys/class/infiniband/ib_0/ports/1/link_layer", "InfiniBand\n");
  machine.link("/sys/class/infiniband/ib_0", "../../devices/pci0000:3a/0000:5e:00.0/infiniband/ib_0");
  machine.data(answer_key::rdma_port("ib_0", 1), doubles::rdma_port_bytes(""));
  SamplerOptions options;
  options.selection.include = {"eth1"};
  const Snapshot snapshot = sample(machine, options);
  ASSERT_EQ(snapshot.ports.size(), 3U);
  EXPECT_EQ(snapshot.ports[0].why_not, "link layer is InfiniBand");
  EXPECT_TRUE(snapshot.ports[2].in_scope);
}

TEST(Scope, an_included_virtual_function_is_asked_everything) {
  doubles::FakeHost machine = one_port();
  add_mlx5_function(machine, "mlx5_4", "eth4", "0000:3b:01.0");
  machine.link("/sys/bus/pci/devices/0000:3b:01.0/physfn", "../0000:3b:00.0");
  add_netdev(machine, "eth4", 4, "0000:3b:01.0");
  SamplerOptions options;
  options.selection.include = {"mlx5_4"};
  const Snapshot snapshot = sample(machine, options);
  ASSERT_EQ(snapshot.ports.size(), 2U);
  EXPECT_TRUE(snapshot.ports[1].in_scope);
  EXPECT_EQ(snapshot.ports[1].driver, "mlx5_ib");
  EXPECT_EQ(snapshot.ports[1].counters.find(CounterId::CnpSent)->raw, 5U);
  EXPECT_EQ(*snapshot.function("0000:3b:01.0")->physical_function, "0000:3b:00.0");
}

TEST(LinkTopology, names_of_representors) {
  for (const char* yes : {"pf0vf1", "c1pf0vf12", "pf0sf3"}) EXPECT_TRUE(is_representor_name(yes)) << yes;
  for (const char* no : {"p0", "pf0", "pf0vf", "vf1", "cpf0vf1", "pf0vf1x", ""})
    EXPECT_FALSE(is_representor_name(no)) << no;
}

/// The lab: a test NIC that calls itself mlx5_core, with rxe on it; the RDMA side is not mlx5.
TEST(Rxe, its_rdma_side_is_its_own_and_sysfs_serves_without_netlink) {
  doubles::FakeHost machine;
  const std::string base = "/sys/class/infiniband/rxe0";
  machine.entry("/sys/class/infiniband", "rxe0");
  machine.link(base, "../../devices/virtual/infiniband/rxe0");
  machine.refuse(answer_key::kRdmaDevices, EPERM);
  machine.refuse(answer_key::rdma_port("rxe0", 1), EPERM);
  machine.refuse(answer_key::rdma_statistics("rxe0", 1), EPERM);
  machine.entry(base + "/ports", "1");
  machine.file(base + "/node_type", "1: CA\n");
  machine.file(base + "/fw_ver", "\n");
  machine.file(base + "/parent", "tn0\n");
  machine.file(base + "/ports/1/state", "4: ACTIVE\n");
  machine.file(base + "/ports/1/phys_state", "5: LinkUp\n");
  machine.file(base + "/ports/1/link_layer", "Ethernet\n");
  machine.file(base + "/ports/1/hw_counters/sent_pkts", "12\n");
  machine.file(base + "/ports/1/hw_counters/lifespan", "10\n");
  machine.file(base + "/hw_counters/sent_pkts", "99\n");
  machine.file(base + "/hw_counters/rcvd_pkts", "34\n");
  const std::string gids = base + "/ports/1/";
  machine.file(gids + "gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001\n");
  machine.file(gids + "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000\n");
  machine.file(gids + "gids/10", "0000:0000:0000:0000:0000:ffff:0a00:0001\n");
  machine.file(gids + "gids/2", "0000:0000:0000:0000:0000:ffff:0a00:0002\n");
  machine.file(gids + "gid_attrs/types/0", "RoCE v2\n");
  machine.file(gids + "gid_attrs/types/10", "RoCE v2\n");
  machine.refuse(answer_key::file(gids + "gid_attrs/types/1"), EINVAL);
  machine.refuse(answer_key::file(gids + "gid_attrs/types/2"), EINVAL);
  machine.file(gids + "gid_attrs/ndevs/0", "tn0\n");
  machine.file(gids + "gid_attrs/ndevs/10", "elsewhere\n");
  add_netdev(machine, "tn0", 2, "0000:00:05.0");
  add_address(machine, 2);
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.ports.size(), 1U);
  const RdmaPort& port = snapshot.ports[0];
  EXPECT_EQ(port.driver, "rdma_rxe");
  EXPECT_EQ(port.key, "rxe0/1");
  EXPECT_EQ(port.function, FunctionKind::Software);
  EXPECT_TRUE(port.in_scope) << port.why_not;
  EXPECT_EQ(*port.state, "ACTIVE");
  EXPECT_EQ(*port.netdev, "tn0");
  EXPECT_EQ(port.firmware.absent().why, Why::NotPresent);
  EXPECT_EQ(port.hw_counters->size(), 2U);
  EXPECT_EQ(port.counters.find(CounterId::RdmaTxPackets)->raw, 12U) << "the port's own, not the device's";
  EXPECT_EQ(port.counters.find(CounterId::RdmaRxPackets)->raw, 34U) << "only the device counts it";
  EXPECT_FALSE(port.counters.can_show(CounterId::CnpSent));
  EXPECT_TRUE(snapshot.netdev("tn0")->counters.can_show(CounterId::PfcRxPauseDuration));
  ASSERT_EQ(port.gids->size(), 3U) << "an empty slot is no entry; one whose type is refused is another namespace's";
  EXPECT_EQ((*port.gids)[1].index, 2U);
  EXPECT_EQ((*port.gids)[1].type, "");
  EXPECT_EQ((*port.gids)[1].netdev.absent().why, Why::OtherNamespace);
  EXPECT_EQ((*port.gids)[2].index, 10U);
  EXPECT_EQ((*port.gids)[2].netdev.absent().why, Why::OtherNamespace);
}

TEST(CounterFiles, one_bad_file_costs_one_counter) {
  doubles::FakeHost machine;
  machine.file("/d/port_rcv_data", "5\n");
  machine.file("/d/port_rcv_errors", "N/A (no PMA)\n");
  machine.file("/d/symbol_error", "1\n");
  machine.refuse("d/symbol_error", EINVAL);
  machine.file("/d/VL15_dropped", "-1\n");
  Host host = machine.host();
  const auto files = read_counter_files(host.files, "/d");
  ASSERT_TRUE(files);
  EXPECT_EQ(files->names, (std::vector<std::string>{"port_rcv_data"}));
  EXPECT_NE(files->note.detail.find("no PMA"), std::string::npos);
  EXPECT_NE(files->note.detail.find("symbol_error"), std::string::npos);
  EXPECT_EQ(files->note.why, Why::Malformed);
  EXPECT_FALSE(read_counter_files(host.files, "/nowhere"));
  machine.refuse("d/port_rcv_data", EINVAL);
  EXPECT_FALSE(read_counter_files(host.files, "/d"));
}

TEST(PortCounters, between_full_reads_only_traffic_is_read) {
  doubles::FakeHost machine = one_port();
  const std::string directory = "/sys/class/infiniband/mlx5_0/ports/1/counters/";
  machine.file(directory + "port_rcv_data", "10");
  machine.file(directory + "port_rcv_errors", "1");
  Sampler sampler({});
  Host host = machine.host();
  EXPECT_EQ(sampler.sample(host).ports[0].counters.find(CounterId::RdmaRxBytes)->value(), 40);
  machine.file(directory + "port_rcv_data", "20");
  machine.file(directory + "port_rcv_errors", "2");
  machine.asked.clear();
  machine.advance(1'000'000'000);
  const Snapshot second = sampler.sample(host);
  EXPECT_EQ(second.ports[0].counters.find(CounterId::RdmaRxBytes)->value(), 80);
  EXPECT_EQ(second.ports[0].counters.find(CounterId::PortRcvErrors)->raw, 1U);
  EXPECT_FALSE(machine.asked_about("port_rcv_errors"));
}

TEST(Pci, an_iommu_group_of_no_known_type_is_absent) {
  for (const char* type : {"identity\n", "DMA-FQ\n", "unknown\n", "\n"}) {
    doubles::FakeHost machine = one_port();
    machine.link("/sys/bus/pci/devices/0000:3b:00.0/iommu_group", "../../../../kernel/iommu_groups/7");
    machine.file("/sys/kernel/iommu_groups/7/type", type);
    const Snapshot snapshot = sample(machine);
    const Reading<std::string>& read = snapshot.function("0000:3b:00.0")->iommu_group_type;
    const bool known = std::string(type).size() > 1 && std::string(type) != "unknown\n";
    EXPECT_EQ(read.has_value(), known) << type;
    if (!read) {
      EXPECT_EQ(read.absent().why, Why::Malformed);
    }
  }
}

TEST(RdmaCm, a_view_that_nobody_made_is_absent_and_a_locked_one_denied) {
  doubles::FakeHost machine = one_port();
  machine.entry("/sys/kernel/config", "rdma_cm");
  machine.refuse("list/sys/kernel/config/rdma_cm", EACCES);
  EXPECT_EQ(sample(machine).ports[0].cma_default_tos.absent().why, Why::Denied);
  machine.list("list/sys/kernel/config/rdma_cm", {});
  EXPECT_EQ(sample(machine).ports[0].cma_default_tos.absent().why, Why::NotPresent);
  const std::string base = "/sys/kernel/config/rdma_cm/mlx5_0/ports";
  machine.entry(base, "1");
  machine.file(base + "/1/default_roce_tos", "106\n");
  machine.file(base + "/1/default_roce_mode", "RoCE v2\n");
  const Snapshot seen = sample(machine);
  EXPECT_EQ(*seen.ports[0].cma_default_tos, 106U);
  EXPECT_EQ(*seen.ports[0].cma_default_mode, "RoCE v2");
}

TEST(VendorFiles, ecn_trust_and_forced_traffic_class) {
  doubles::FakeHost machine = one_port();
  machine.entry("/sys/class/net/eth0/ecn", "roce_np");
  machine.file("/sys/class/net/eth0/ecn/roce_np/enable/3", "1\n");
  machine.file("/sys/class/net/eth0/ecn/roce_np/cnp_dscp", "48\n");
  machine.file("/sys/class/net/eth0/ecn/roce_rp/enable/3", "0\n");
  machine.file("/sys/class/net/eth0/qos/trust", "pcp\n");
  machine.file("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=106\nsrc ip 1.2.3.4\n");
  const Snapshot snapshot = sample(machine);
  const auto& files = snapshot.netdev("eth0")->vendor_files;
  EXPECT_EQ(*files.at("ecn/roce_np/enable/3"), "1");
  EXPECT_EQ(*files.at("ecn/roce_rp/enable/3"), "0");
  EXPECT_EQ(*files.at("ecn/roce_np/cnp_dscp"), "48");
  EXPECT_EQ(*snapshot.netdev("eth0")->dcb.trust, "pcp");
  EXPECT_EQ(*snapshot.ports[0].forced_traffic_class, 106U);
}

TEST(VendorFiles, a_refused_file_or_directory_keeps_its_reason_and_a_missing_one_leaves_none) {
  doubles::FakeHost machine = one_port();
  EXPECT_TRUE(sample(machine).netdev("eth0")->vendor_files.empty());
  machine.refuse("list/sys/class/net/eth0/ecn", EACCES);
  machine.refuse("list/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params", EACCES);
  Snapshot snapshot = sample(machine);
  EXPECT_EQ(snapshot.netdev("eth0")->vendor_files.at("ecn").absent().why, Why::Denied);
  EXPECT_EQ(snapshot.ports[0].vendor_files.at("cc_params").absent().why, Why::Denied);
  machine.list("list/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params", {"np_cnp_dscp", "np_cnp_prio", "rp_max_rate"});
  machine.data("sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp", "48\n");
  machine.refuse("sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_prio", EIO);
  snapshot = sample(machine);
  const auto& files = snapshot.ports[0].vendor_files;
  EXPECT_EQ(*files.at("cc_params/np_cnp_dscp"), "48");
  EXPECT_EQ(files.at("cc_params/np_cnp_prio").absent().why, Why::Malformed);
  EXPECT_FALSE(files.contains("cc_params/rp_max_rate")) << "not judged, so not read";
}

TEST(StallLimit, is_read_or_says_why_not) {
  doubles::FakeHost machine = one_port();
  machine.data(answer_key::ethtool("pfc_prevention_timeout", "eth0"), std::string("\x64\0", 2));
  EXPECT_EQ(*sample(machine).netdev("eth0")->ethtool.pfc_stall_limit_ms, 100U);
  machine.refuse(answer_key::ethtool("pfc_prevention_timeout", "eth0"), EOPNOTSUPP);
  EXPECT_EQ(sample(machine).netdev("eth0")->ethtool.pfc_stall_limit_ms.absent().why, Why::NotSupported);
}

TEST(NicsWithoutRdma, are_found_by_their_driver) {
  doubles::FakeHost machine = one_port();
  add_netdev(machine, "eth5", 5, "0000:5e:00.0");
  machine.link("/sys/bus/pci/devices/0000:5e:00.0/driver", "../../../../bus/pci/drivers/ice");
  machine.file("/sys/bus/pci/devices/0000:5e:00.0/vendor", "0x8086\n");
  machine.file("/sys/bus/pci/devices/0000:5e:00.0/device", "0x1592\n");
  add_netdev(machine, "eth6", 6, "0000:5f:00.0");
  machine.link("/sys/bus/pci/devices/0000:5f:00.0/driver", "../../../../bus/pci/drivers/e1000e");
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.nics_without_rdma.size(), 1U);
  EXPECT_EQ(snapshot.nics_without_rdma[0].pci_address, "0000:5e:00.0");
  EXPECT_EQ(snapshot.nics_without_rdma[0].driver, "ice");
  EXPECT_EQ(snapshot.nics_without_rdma[0].netdev, "eth5");
  ASSERT_NE(snapshot.function("0000:5e:00.0"), nullptr);
  EXPECT_EQ(*snapshot.function("0000:5e:00.0")->vendor_device, "8086:1592") << "tells whether others of it have RDMA";
}

TEST(Memlock, comes_from_the_process_then_the_unit_then_systemd) {
  doubles::FakeHost machine;
  machine.file("/sys/fs/cgroup/system.slice/slurmd.service/cgroup.procs", "42\n43\n");
  machine.file("/proc/42/limits", "Max locked memory         unlimited            unlimited            bytes\n");
  machine.file("/lib/systemd/system/kubelet.service", "[Service]\nLimitMEMLOCK=8M\n");
  machine.file("/etc/systemd/system/kubelet.service.d/10.conf", "[Service]\nLimitMEMLOCK=64M\n");
  machine.file("/usr/lib/systemd/system/containerd.service", "[Service]\n");
  machine.file("/etc/systemd/system.conf", "[Manager]\nDefaultLimitMEMLOCK=1G:infinity\n");
  Host host = machine.host();
  const auto limits = read_memlock_limits(host.files, {"slurmd", "kubelet", "containerd.service", "absent"});
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_EQ(*limits[0].bytes, UINT64_MAX);
  EXPECT_EQ(limits[0].source, "/proc/42/limits");
  EXPECT_EQ(*limits[1].bytes, 67108864U);
  EXPECT_EQ(limits[1].source, "/etc/systemd/system/kubelet.service.d/10.conf");
  EXPECT_EQ(*limits[2].bytes, 1073741824U);
  EXPECT_EQ(*read_default_memlock(host.files), 1073741824U);
}

}  // namespace
}  // namespace roceready
