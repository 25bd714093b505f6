// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene balancing(Reading<std::uint32_t> value) {
  Scene scene;
  scene.now().host.numa_balancing = std::move(value);
  return scene;
}

TEST(HostNumaBalancingOn, is_info_where_the_kernel_moves_pages) {
  expect_fail(balancing(1U).ask(kHostNumaBalancingOn), Severity::Info, "numa_balancing is 1");
  expect_fail(balancing(3U).ask(kHostNumaBalancingOn), Severity::Info, "numa_balancing is 3");
}

TEST(HostNumaBalancingOn, is_quiet_when_it_is_off_when_it_is_tiering_or_when_the_kernel_has_none) {
  expect_pass(balancing(0U).ask(kHostNumaBalancingOn));
  expect_pass(balancing(2U).ask(kHostNumaBalancingOn));
  expect_pass(balancing(not_present()).ask(kHostNumaBalancingOn));
}

TEST(HostNumaBalancingOn, depends_on_the_role) {
  for (const Role role : {Role::StorageTarget, Role::VmHost}) {
    Scene scene = balancing(1U);
    scene.profile().role = role;
    expect_not_applicable(scene.ask(kHostNumaBalancingOn));
  }
  Scene gpu = balancing(1U);
  gpu.profile().role = Role::Gpu;
  expect_fail(gpu.ask(kHostNumaBalancingOn), Severity::Info);
  expect_not_looked_at(balancing(1U).profile("").ask(kHostNumaBalancingOn), "no_profile");
}

TEST(HostNumaBalancingOn, is_unknown_when_it_cannot_be_read) {
  expect_unknown(balancing(denied()).ask(kHostNumaBalancingOn), Why::Denied);
  expect_unknown(balancing({}).ask(kHostNumaBalancingOn), Why::NotRecorded);
}

}  // namespace
}  // namespace roceready::rules_test
