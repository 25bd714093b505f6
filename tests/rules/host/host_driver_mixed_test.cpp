// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr bool kForeign = true, kOwn = false;

ModuleBuild module(const char* name, Reading<bool> foreign, Reading<std::string> version = not_present()) {
  return {name, std::move(foreign), std::move(version)};
}

Scene loaded(std::vector<ModuleBuild> modules) {
  Scene scene;
  scene.now().host.module_builds = std::move(modules);
  return scene;
}

TEST(HostDriverMixed, is_quiet_where_all_is_of_one_origin) {
  expect_pass(Scene().ask(kHostDriverMixed));
  const Reading<std::string> version = std::string("24.10-1.1.4");
  expect_pass(loaded({module("ib_core", kForeign), module("ib_uverbs", kForeign),
                      module("mlx5_core", kForeign, version), module("mlx5_ib", kForeign, version)})
                  .ask(kHostDriverMixed));
}

TEST(HostDriverMixed, warns_where_the_halves_of_a_driver_differ) {
  for (const auto& [lower, upper] : std::vector<std::pair<const char*, const char*>>{
           {"bnxt_en", "bnxt_re"}, {"ice", "irdma"}, {"ionic", "ionic_rdma"}}) {
    expect_fail(loaded({module("ib_core", kOwn), module(lower, kOwn), module(upper, kForeign)}).ask(kHostDriverMixed),
                Severity::Warning, std::string(upper) + " was built outside of the kernel");
    expect_fail(loaded({module("ib_core", kOwn), module(lower, kForeign), module(upper, kOwn)}).ask(kHostDriverMixed),
                Severity::Warning, std::string(upper) + " is the kernel's own");
  }
}

TEST(HostDriverMixed, warns_where_nvidias_modules_do_not_belong_together) {
  expect_fail(loaded({module("ib_core", kOwn), module("mlx5_core", kForeign), module("mlx5_ib", kForeign)})
                  .ask(kHostDriverMixed),
              Severity::Warning, "ib_core is the kernel's own and mlx5_ib was built outside");
  expect_fail(loaded({module("ib_core", kForeign), module("ib_uverbs", kOwn)}).ask(kHostDriverMixed), Severity::Warning,
              "ib_uverbs is the kernel's own");
  expect_fail(loaded({module("ib_core", kForeign), module("mlx5_core", kForeign, std::string("24.10")),
                      module("mlx5_ib", kForeign, std::string("23.04"))})
                  .ask(kHostDriverMixed),
              Severity::Warning, "mlx5_core is of version 24.10 and mlx5_ib of 23.04");
}

TEST(HostDriverMixed, takes_other_vendors_modules_on_the_kernels_own_core_as_they_are_meant) {
  expect_pass(
      loaded({module("bnxt_en", kForeign, std::string("1.10.3")), module("bnxt_re", kForeign, std::string("232")),
              module("ib_core", kOwn), module("ib_uverbs", kOwn)})
          .ask(kHostDriverMixed));
}

TEST(HostDriverMixed, does_not_apply_without_any_such_module) {
  expect_not_applicable(loaded({}).ask(kHostDriverMixed));
}

TEST(HostDriverMixed, is_unknown_when_a_modules_origin_cannot_be_read) {
  expect_unknown(loaded({module("ib_core", denied())}).ask(kHostDriverMixed), Why::Denied);
  Scene scene;
  scene.now().host.module_builds = denied();
  expect_unknown(scene.ask(kHostDriverMixed), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
