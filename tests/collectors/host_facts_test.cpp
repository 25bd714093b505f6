// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "collectors/cpu_list.h"
#include "collectors/host_tuning.h"
#include "collectors/interrupts.h"
#include "collectors/node_parse.h"
#include "collectors/sampler.h"
#include "collectors/source_routing.h"
#include "tests/collectors/mlx5_pair.h"
#include "tests/doubles/attribute_writer.h"

namespace roceready {
namespace {

Snapshot sample(doubles::FakeHost& machine) {
  Host host = machine.host();
  return Sampler(SamplerOptions{}).sample(host);
}

TEST(CpuList, is_read_as_the_kernel_writes_it) {
  EXPECT_EQ(parse_cpu_list("0-2,8\n")->to_string().substr(8192 - 10), "0100000111");
  EXPECT_EQ(parse_cpu_list("0-8191")->count(), 8192U);
  EXPECT_TRUE(parse_cpu_list("\n")->none());
  for (const char* bad : {"a", "3-1", "0-8192", "1,", "-1", "0-99999999999999999999"})
    EXPECT_FALSE(parse_cpu_list(bad)) << bad;
}

TEST(Assignments, are_found_by_key_and_the_last_one_holds) {
  EXPECT_EQ(parse_assignment("NCCL_DEBUG=WARN\n#K=1\nK = 3\n", "K"), "3");
  EXPECT_EQ(parse_assignment("K=1\nK=2", "K"), "2");
  EXPECT_EQ(parse_assignment("KK=1\nK", "K"), std::nullopt);
}

TEST(HostFacts, nccl_states_a_number_or_nothing) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> index;
    Why why;
  };
  for (const Case& one :
       {Case{"NCCL_IB_GID_INDEX=3\n", 3, {}}, Case{"NCCL_IB_GID_INDEX=-1\n", -1, {}},
        Case{"NCCL_DEBUG=WARN\n", {}, Why::NotPresent}, Case{"NCCL_IB_GID_INDEX=three\n", {}, Why::Malformed}}) {
    doubles::FakeHost machine;
    machine.file("/etc/nccl.conf", one.text);
    const auto index = read_nccl_gid_index(machine.host().files);
    EXPECT_EQ(index.has_value(), one.index.has_value()) << one.text;
    if (index) {
      EXPECT_EQ(*index, *one.index);
    } else {
      EXPECT_EQ(index.absent().why, one.why) << one.text;
    }
  }
  doubles::FakeHost machine;
  EXPECT_EQ(read_nccl_gid_index(machine.host().files).absent().why, Why::NotPresent);
}

TEST(HostFacts, modules_say_where_they_come_from) {
  doubles::FakeHost machine;
  machine.file("/sys/module/mlx5_core/taint", "OE\n");
  machine.file("/sys/module/mlx5_core/version", "24.10-1.1.4\n");
  machine.file("/sys/module/mlx5_ib/taint", "\n");
  machine.refuse("sys/module/rdma_cm/taint", EACCES);
  const auto builds = read_module_builds(machine.host().files, {"ib_core", "igb", "mlx5_core", "mlx5_ib", "rdma_cm"});
  ASSERT_EQ(builds.size(), 4U);
  EXPECT_FALSE(*builds[0].out_of_tree) << "built into the kernel";
  EXPECT_TRUE(*builds[1].out_of_tree);
  EXPECT_EQ(*builds[1].version, "24.10-1.1.4");
  EXPECT_FALSE(*builds[2].out_of_tree);
  EXPECT_EQ(builds[3].out_of_tree.absent().why, Why::Denied);
}

TEST(HostFacts, the_nvidia_driver_is_named_by_its_first_line) {
  doubles::FakeHost machine;
  EXPECT_EQ(read_nvidia_driver(machine.host().files).absent().why, Why::NotPresent);
  machine.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86\nGCC\n");
  EXPECT_EQ(*read_nvidia_driver(machine.host().files),
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86");
}

/// A machine whose NIC sits on node 0, CPUs 0 to 3, with one interrupt for each list of CPUs.
doubles::FakeHost with_interrupts(const std::vector<std::string>& handled_by) {
  doubles::FakeHost machine = one_port();
  const std::string base = "/sys/bus/pci/devices/0000:3b:00.0/";
  machine.file(base + "numa_node", "0\n");
  machine.file(base + "local_cpulist", "0-3\n");
  machine.list("list" + base + "msi_irqs", {});
  for (std::size_t i = 0; i < handled_by.size(); ++i) {
    const std::string number = std::to_string(100 + i);
    machine.entry(base + "msi_irqs", number);
    machine.file("/proc/irq/" + number + "/effective_affinity_list", handled_by[i] + "\n");
  }
  return machine;
}

TEST(Interrupts, are_counted_by_the_node_that_handles_them) {
  doubles::FakeHost machine = with_interrupts({"0", "3", "4", "0-7", ""});
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.host.interrupts.size(), 1U);
  EXPECT_EQ(snapshot.host.interrupts[0].pci_address, "0000:3b:00.0");
  EXPECT_EQ(snapshot.host.interrupts[0].placement->looked_at, 3U) << "one may run anywhere, one nowhere";
  EXPECT_EQ(snapshot.host.interrupts[0].placement->local, 2U);
}

TEST(Interrupts, fall_back_to_the_cpus_that_may_handle_them) {
  doubles::FakeHost machine = with_interrupts({"9"});
  machine.answers.erase("proc/irq/100/effective_affinity_list");
  machine.file("/proc/irq/100/smp_affinity_list", "1\n");
  EXPECT_EQ(sample(machine).host.interrupts[0].placement->local, 1U);
}

TEST(Interrupts, are_looked_at_thirty_two_at_most) {
  doubles::FakeHost machine = with_interrupts(std::vector<std::string>(257, "1"));
  const Snapshot snapshot = sample(machine);
  EXPECT_LE(snapshot.host.interrupts[0].placement->looked_at, 32U);
  EXPECT_GE(snapshot.host.interrupts[0].placement->looked_at, 28U);
}

TEST(Interrupts, are_not_read_where_the_platform_names_no_node) {
  doubles::FakeHost machine = with_interrupts({"0"});
  machine.file("/sys/bus/pci/devices/0000:3b:00.0/numa_node", "-1\n");
  EXPECT_EQ(sample(machine).host.interrupts[0].placement.absent().why, Why::NotSupported);
  EXPECT_FALSE(machine.asked_about("proc/irq"));
}

TEST(Interrupts, that_make_no_sense_leave_a_reason) {
  doubles::FakeHost machine = with_interrupts({"zero"});
  EXPECT_EQ(sample(machine).host.interrupts[0].placement.absent().why, Why::Malformed);
  doubles::FakeHost none = with_interrupts({});
  EXPECT_EQ(sample(none).host.interrupts[0].placement.absent().why, Why::NotPresent);
}

std::string rule(std::uint8_t source_length, std::uint8_t table, std::uint8_t action,
                 const doubles::AttributeWriter& attributes = {}) {
  std::string header(12, '\0');
  header[0] = 2;
  header[2] = static_cast<char>(source_length);
  header[4] = static_cast<char>(table);
  header[7] = static_cast<char>(action);
  return header + attributes.bytes();
}

TEST(PolicyRules, are_kept_where_they_look_at_the_source_or_the_netdev) {
  doubles::FakeHost machine = one_port();
  const std::string from("\x0a\x00\x00\x01", 4);
  machine.list(
      answer_key::kRules,
      {rule(0, 255, 1), rule(32, 0, 1, doubles::AttributeWriter().raw(2, from).number<std::uint32_t>(15, 1001)),
       rule(0, 101, 1, doubles::AttributeWriter().text(17, "eth0")),
       rule(32, 254, 7, doubles::AttributeWriter().raw(2, from)), "short",
       rule(40, 102, 1, doubles::AttributeWriter().raw(2, from))});
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.host.policy_rules->size(), 2U);
  EXPECT_EQ((*snapshot.host.policy_rules)[0].source, "10.0.0.1");
  EXPECT_EQ((*snapshot.host.policy_rules)[0].source_prefix, 32U);
  EXPECT_EQ((*snapshot.host.policy_rules)[0].table, 1001U);
  EXPECT_EQ((*snapshot.host.policy_rules)[1].out_netdev, "eth0");
  EXPECT_EQ((*snapshot.host.policy_rules)[1].table, 101U);
}

doubles::FakeHost two_ports() {
  doubles::FakeHost machine = one_port();
  add_mlx5_function(machine, "mlx5_1", "eth1", "0000:5e:00.0");
  add_netdev(machine, "eth1", 3, "0000:5e:00.0");
  add_address(machine, 3);
  return machine;
}

TEST(Ipv4Settings, are_the_greater_of_the_netdevs_own_and_those_of_all) {
  doubles::FakeHost machine = two_ports();
  const std::string base = "/proc/sys/net/ipv4/conf/";
  machine.file(base + "all/arp_ignore", "1\n");
  machine.file(base + "all/arp_announce", "0\n");
  machine.file(base + "eth0/arp_ignore", "0\n");
  machine.file(base + "eth0/arp_announce", "2\n");
  const Snapshot snapshot = sample(machine);
  ASSERT_EQ(snapshot.host.ipv4_settings->size(), 2U);
  const Ipv4Settings& eth0 = snapshot.host.ipv4_settings->front();
  EXPECT_EQ(eth0.netdev, "eth0");
  EXPECT_EQ(*eth0.arp_ignore, 1U);
  EXPECT_EQ(*eth0.arp_announce, 2U);
  EXPECT_EQ(eth0.rp_filter.absent().why, Why::NotPresent);
}

TEST(Ipv4Settings, are_not_read_for_a_single_port) {
  doubles::FakeHost machine = one_port();
  EXPECT_TRUE(sample(machine).host.ipv4_settings->empty());
  EXPECT_FALSE(machine.asked_about("net/ipv4/conf"));
}

TEST(HostFacts, tuning_is_read_from_the_first_cpu) {
  doubles::FakeHost machine;
  machine.file("/proc/sys/kernel/numa_balancing", "1\n");
  machine.file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  machine.file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n");
  machine.entry("/sys/class/infiniband_verbs", "uverbs0");
  const Snapshot snapshot = sample(machine);
  EXPECT_EQ(*snapshot.host.numa_balancing, 1U);
  EXPECT_EQ(*snapshot.host.cpu_governor, "powersave");
  EXPECT_EQ(*snapshot.host.cpu_frequency_driver, "acpi-cpufreq");
  EXPECT_TRUE(*snapshot.host.user_verbs);
  doubles::FakeHost bare;
  const Snapshot nothing = sample(bare);
  EXPECT_EQ(nothing.host.numa_balancing.absent().why, Why::NotPresent);
  EXPECT_FALSE(*nothing.host.user_verbs);
}

}  // namespace
}  // namespace roceready
