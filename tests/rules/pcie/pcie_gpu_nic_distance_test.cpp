// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// A GPU node whose NIC is on NUMA node 0, with GPUs on these nodes that share no bridge with it.
Scene gpus_on(std::initializer_list<std::int64_t> nodes) {
  Scene scene;
  scene.profile().role = Role::Gpu;
  std::vector<Gpu> gpus;
  for (const std::int64_t node : nodes)
    gpus.push_back({"0000:a" + std::to_string(gpus.size()) + ":00.0", std::string("10de:2330"), node, ""});
  scene.now().gpus = gpus;
  return scene;
}

TEST(PcieGpuNicDistance, wants_a_nic_on_the_node_of_each_gpu) {
  expect_pass(gpus_on({0, 0}).ask(kPcieGpuNicDistance));
  expect_fail(gpus_on({0, 1}).ask(kPcieGpuNicDistance), Severity::Warning,
              "The nearest NIC in use of GPU 0000:a1:00.0 is eth0, on another NUMA node.");
  expect_fail(gpus_on({1, 1, 1, 1, 1, 1}).ask(kPcieGpuNicDistance), Severity::Warning, "2 more GPUs likewise");
}

TEST(PcieGpuNicDistance, takes_a_shared_bridge_for_near_whatever_the_nodes) {
  Scene scene = gpus_on({-1});
  scene.now().gpus->at(0).parent = "0000:3a:00.0";
  expect_pass(scene.ask(kPcieGpuNicDistance));
}

TEST(PcieGpuNicDistance, finds_a_second_nic_that_is_near) {
  Scene scene = gpus_on({0, 1});
  PciFunction nic = scene.nic();
  nic.address = "0000:b0:00.0";
  nic.parent = "";
  nic.numa_node = std::int64_t{1};
  scene.now().pci.push_back(nic);
  Netdev netdev = scene.eth0();
  netdev.link.name = "eth1";
  netdev.link.parent_device = nic.address;
  scene.now().netdevs.push_back(netdev);
  RdmaPort port = scene.port();
  port.device = "mlx5_1";
  port.members = {"eth1"};
  scene.now().ports.push_back(port);
  expect_pass(scene.ask(kPcieGpuNicDistance));
  scene.now().ports[1].in_scope = false;
  expect_fail(scene.ask(kPcieGpuNicDistance), Severity::Warning, "0000:a1:00.0");
}

TEST(PcieGpuNicDistance, does_not_apply_without_the_role_or_gpus) {
  Scene scene = gpus_on({1});
  scene.profile().role = Role::Any;
  expect_not_applicable(scene.ask(kPcieGpuNicDistance));
  expect_not_applicable(gpus_on({}).ask(kPcieGpuNicDistance));
}

TEST(PcieGpuNicDistance, is_unknown_where_nodes_are_not_named_or_denied) {
  expect_unknown(gpus_on({-1}).ask(kPcieGpuNicDistance), Why::NotPresent);
  Scene scene = gpus_on({1});
  scene.now().gpus->at(0).numa_node = denied();
  expect_unknown(scene.ask(kPcieGpuNicDistance), Why::Denied);
  scene.now().gpus = denied();
  expect_unknown(scene.ask(kPcieGpuNicDistance), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
