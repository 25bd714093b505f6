// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// A GPU node: below root port 0000:00:01.0 the switch 0000:38:00.0, and below that 0000:3a:00.0 with the NIC and
/// 0000:3c:00.0 with the GPU.
Scene gpu_node() {
  Scene scene;
  scene.profile().role = Role::Gpu;
  PciFunction root = scene.bridge(), uplink = scene.bridge(), of_gpu = scene.bridge();
  root.address = "0000:00:01.0";
  uplink.address = "0000:38:00.0";
  uplink.parent = root.address;
  of_gpu.address = "0000:3c:00.0";
  scene.bridge().parent = of_gpu.parent = uplink.address;
  for (PciFunction* one : {&root, &uplink, &of_gpu, &scene.bridge()}) one->acs_control = 0x01U;
  uplink.acs_control = root.acs_control = not_present();
  scene.now().pci.insert(scene.now().pci.end(), {root, uplink, of_gpu});
  scene.now().gpus = std::vector<Gpu>{{"0000:3d:00.0", {}, std::int64_t{0}, "0000:3c:00.0"}};
  return scene;
}
PciFunction& of_gpu(Scene& scene) {
  return scene.now().pci.back();
}

TEST(PcieAcsRedirect, fires_for_each_kind_of_redirect_on_either_branch) {
  Scene clean = gpu_node();
  expect_pass(clean.ask(kPcieAcsRedirect));
  for (const std::uint32_t bits : {0x04U, 0x08U, 0x1fU}) {
    Scene scene = gpu_node();
    of_gpu(scene).acs_control = bits;
    expect_fail(scene.ask(kPcieAcsRedirect), Severity::Warning, "ACS on bridge 0000:3c:00.0 sends traffic");
    scene.bridge().acs_control = bits;
    expect_fail(scene.ask(kPcieAcsRedirect), Severity::Warning, "bridges 0000:3a:00.0 and 0000:3c:00.0");
  }
}

TEST(PcieAcsRedirect, is_critical_where_gpudirect_is_required) {
  Scene scene = gpu_node();
  of_gpu(scene).acs_control = 0x1dU;
  scene.profile().gpudirect_required = true;
  expect_fail(scene.ask(kPcieAcsRedirect), Severity::Critical, "1 GPU near it");
}

TEST(PcieAcsRedirect, leaves_hosts_of_virtual_machines_alone_even_where_gpudirect_is_required) {
  Scene scene = gpu_node();
  of_gpu(scene).acs_control = 0x1dU;
  scene.profile().gpudirect_required = true;
  scene.profile().role = Role::VmHost;
  expect_not_applicable(scene.ask(kPcieAcsRedirect));
}

TEST(PcieAcsRedirect, offers_to_clear_these_bridges_alone) {
  Scene scene = gpu_node();
  of_gpu(scene).acs_control = 0x1dU;
  (void)scene.ask(kPcieAcsRedirect);
  ASSERT_EQ(scene.fix().size(), 2U);
  EXPECT_EQ(scene.fix()[0].command, "setpci -s 0000:3c:00.0 ECAP_ACS+6.w=0:1c");
  EXPECT_NE(scene.fix()[1].command.find("disable_acs_redir=0000:3c:00.0"), std::string::npos);
}

TEST(PcieAcsRedirect, does_not_apply_to_virtual_machines_cpu_nodes_and_far_gpus) {
  Scene scene = gpu_node();
  of_gpu(scene).acs_control = 0x1dU;
  scene.now().host.virtual_machine = true;
  expect_not_applicable(scene.ask(kPcieAcsRedirect));
  scene.now().host.virtual_machine = false;
  for (const Role role : {Role::Any, Role::StorageTarget, Role::VmHost}) {
    scene.profile().role = role;
    expect_not_applicable(scene.ask(kPcieAcsRedirect));
  }
  expect_not_applicable(gpu_node().profile("").ask(kPcieAcsRedirect));
  Scene far = gpu_node();
  of_gpu(far).acs_control = 0x1dU;
  of_gpu(far).parent = "";
  expect_not_applicable(far.ask(kPcieAcsRedirect));
}

TEST(PcieAcsRedirect, is_unknown_when_a_bridge_is_denied) {
  Scene scene = gpu_node();
  scene.bridge().acs_control = denied();
  expect_unknown(scene.ask(kPcieAcsRedirect), Why::Denied);
  of_gpu(scene).acs_control = 0x04U;
  expect_fail(scene.ask(kPcieAcsRedirect), Severity::Warning);
  Scene unread = gpu_node();
  unread.now().gpus = denied();
  expect_unknown(unread.ask(kPcieAcsRedirect), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
