// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr const char* kOpen = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15";
constexpr const char* kClosed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03";

/// A GPU node with one GPU of this PCI id and these modules beside those of RDMA.
Scene gpu_node(const std::string& id, std::vector<std::string> modules, Reading<std::string> driver = not_present(),
               const std::string& kernel = "6.1.0-18-amd64") {
  Scene scene;
  scene.profile().role = Role::Gpu;
  scene.now().gpus = std::vector<Gpu>{{"0000:1b:00.0", id, {}, ""}};
  scene.now().host.modules->insert(scene.now().host.modules->end(), modules.begin(), modules.end());
  scene.now().host.nvidia_driver = std::move(driver);
  scene.now().node.kernel = kernel;
  return scene;
}

TEST(HostGpudirectMissing, warns_without_peermem_and_without_dma_buf) {
  expect_fail(gpu_node("10de:2330", {"nvidia"}, std::string(kClosed)).ask(kHostGpudirectMissing), Severity::Warning,
              "nvidia_peermem is not loaded");
  expect_fail(gpu_node("10de:2330", {"nvidia"}, std::string(kOpen), "5.10.0-28").ask(kHostGpudirectMissing),
              Severity::Warning, "1 NVIDIA GPU");
  expect_fail(gpu_node("1002:74a1", {}).ask(kHostGpudirectMissing), Severity::Warning, "amdgpu is not loaded");
}

TEST(HostGpudirectMissing, is_quiet_with_peermem) {
  for (const char* module : {"nvidia_peermem", "nv_peer_mem"})
    expect_pass(gpu_node("10de:2330", {"nvidia", module}, std::string(kClosed), "5.4.0").ask(kHostGpudirectMissing));
}

TEST(HostGpudirectMissing, needs_no_peermem_where_dma_buf_is_there) {
  expect_pass(gpu_node("10de:2330", {"nvidia"}, std::string(kOpen)).ask(kHostGpudirectMissing));
  expect_pass(gpu_node("10de:2330", {"nvidia"}, std::string(kOpen), "5.12.0").ask(kHostGpudirectMissing));
  expect_pass(gpu_node("1002:74a1", {"amdgpu"}).ask(kHostGpudirectMissing));
}

TEST(HostGpudirectMissing, applies_to_gpu_nodes_only) {
  Scene other = gpu_node("10de:2330", {"nvidia"}, std::string(kClosed));
  other.profile().role = Role::Any;
  expect_not_applicable(other.ask(kHostGpudirectMissing));
  other.profile().gpudirect_required = true;
  expect_fail(other.ask(kHostGpudirectMissing), Severity::Warning);
  expect_not_looked_at(other.profile("").ask(kHostGpudirectMissing), "no_profile");
  Scene bare = gpu_node("10de:2330", {});
  bare.now().gpus = std::vector<Gpu>{};
  expect_not_applicable(bare.ask(kHostGpudirectMissing));
}

TEST(HostGpudirectMissing, is_unknown_when_the_machine_does_not_say) {
  Scene gpus = gpu_node("10de:2330", {"nvidia"});
  gpus.now().gpus = denied();
  expect_unknown(gpus.ask(kHostGpudirectMissing), Why::Denied);
  Scene modules = gpu_node("10de:2330", {});
  modules.now().host.modules = denied();
  expect_unknown(modules.ask(kHostGpudirectMissing), Why::Denied);
  expect_unknown(gpu_node("10de:2330", {"nvidia"}, denied()).ask(kHostGpudirectMissing), Why::Denied);
  expect_unknown(gpu_node("10de:2330", {"nvidia"}, std::string(kOpen), "linux").ask(kHostGpudirectMissing),
                 Why::Malformed);
}

}  // namespace
}  // namespace roceready::rules_test
