// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;

Scene with(std::vector<MemlockLimit> units) {
  Scene scene;
  scene.now().host.memlock = std::move(units);
  return scene;
}

TEST(HostMemlockLow, is_quiet_when_the_unit_has_no_limit) {
  expect_pass(Scene().ask(kHostMemlockLow));
}

TEST(HostMemlockLow, judges_the_units_by_size) {
  expect_fail(with({{"slurmd.service", 8 * kMebibyte, "unit file"}}).ask(kHostMemlockLow), Severity::Critical,
              "slurmd.service (8 MiB)");
  const Scene warned = with({{"kubelet.service", 512 * kMebibyte, "unit file"}});
  expect_fail(warned.ask(kHostMemlockLow), Severity::Warning);
  ASSERT_FALSE(warned.fix().empty());
  EXPECT_NE(warned.fix()[0].command.find("/etc/systemd/system/kubelet.service.d/memlock.conf"), std::string::npos);
}

TEST(HostMemlockLow, warns_of_the_kubelet_alone) {
  const MemlockLimit kubelet{"kubelet.service", 8 * kMebibyte, "unit file"};
  expect_fail(with({kubelet}).ask(kHostMemlockLow), Severity::Warning, "kubelet.service (8 MiB)");
  expect_fail(with({{"containerd.service", 8 * kMebibyte, "unit file"}, kubelet}).ask(kHostMemlockLow),
              Severity::Critical, "containerd.service (8 MiB) and kubelet.service (8 MiB)");
  expect_fail(with({{"containerd.service", 512 * kMebibyte, "unit file"}, kubelet}).ask(kHostMemlockLow),
              Severity::Warning);
}

TEST(HostMemlockLow, asks_little_of_its_own_unit_and_warns_at_most) {
  Scene scene =
      with({{"slurmd.service", UINT64_MAX, "unit file"}, {"roceready.service", 64 * kMebibyte, "/proc/7/limits"}});
  expect_pass(scene.ask(kHostMemlockLow));
  scene = with({{"slurmd.service", UINT64_MAX, "unit file"}, {"roceready.service", 64 * 1024, "/proc/7/limits"}});
  const Judgement said = scene.ask(kHostMemlockLow);
  expect_fail(said, Severity::Warning, "roceready.service (0.0625 MiB)");
}

TEST(HostMemlockLow, leaves_units_alone_that_run_no_rdma) {
  Scene scene = with({{"sshd.service", 8 * kMebibyte, "unit file"}, {"slurmd.service", UINT64_MAX, "unit file"}});
  expect_pass(scene.ask(kHostMemlockLow));
}

TEST(HostMemlockLow, is_info_for_the_default_of_the_system) {
  expect_fail(with({}).ask(kHostMemlockLow), Severity::Info, "8 MiB");
}

TEST(HostMemlockLow, takes_a_shells_limit_as_a_shells) {
  const MemlockLimit low{"the shell of sent.txt", 64 * 1024, "sent.txt:2"};
  expect_fail(with({low}).ask(kHostMemlockLow), Severity::Warning, "started from this shell may lock 0.0625 MiB");
  expect_unknown(with({{"the shell of sent.txt", UINT64_MAX, "sent.txt:2"}}).ask(kHostMemlockLow), Why::NotRecorded);
  expect_pass(with({low, {"the process of limits", UINT64_MAX, "limits:1"}}).ask(kHostMemlockLow));
}

TEST(HostMemlockLow, convicts_no_node_by_a_process_that_nobody_names) {
  const MemlockLimit low{"process 4711 of sent.txt", 64 * 1024, "sent.txt:2"};
  const Judgement said = with({low}).ask(kHostMemlockLow);
  expect_fail(said, Severity::Warning, "process 4711 of sent.txt (0.0625 MiB), taken for an RDMA program because");
  EXPECT_LT(said.confidence, 0.7);
  expect_pass(with({low, {"the process of train (pid 9)", UINT64_MAX, "sent.txt:4"}}).ask(kHostMemlockLow));
  expect_pass(with({{"process 4711 of sent.txt", UINT64_MAX, "sent.txt:2"}}).ask(kHostMemlockLow));
  expect_unknown(with({{"process of sent.txt", denied(), "sent.txt:2"}}).ask(kHostMemlockLow), Why::Denied);
  const MemlockLimit named{"the process of ib_write_bw (pid 4711)", 64 * 1024, "sent.txt:2"};
  expect_fail(with({named}).ask(kHostMemlockLow), Severity::Critical,
              "may be locked by the process of ib_write_bw (pid 4711) (0.0625 MiB)");
}

TEST(HostMemlockLow, suspects_a_low_limit_where_memory_was_not_registered_and_no_file_tells_it) {
  Scene scene;
  scene.now().host.memlock = Absent{Why::NotRecorded, ""};
  scene.now().log = {
      log_line("memory_not_registered", "mlx5_0", "ibv_reg_mr failed with error Cannot allocate memory")};
  const Judgement said = scene.ask(kHostMemlockLow);
  expect_fail(said, Severity::Warning, "could not register memory on mlx5_0");
  EXPECT_LT(said.confidence, 0.7);
  scene.now().host.memlock = std::vector<MemlockLimit>{{"the process of train (pid 9)", UINT64_MAX, "sent.txt:4"}};
  expect_pass(scene.ask(kHostMemlockLow));
}

TEST(HostMemlockLow, types_a_command_for_what_is_no_unit) {
  const auto command_for = [](const char* unit) {
    const Scene scene = with({{unit, 64 * 1024, "sent.txt:2"}});
    static_cast<void>(scene.ask(kHostMemlockLow));
    return scene.fix().empty() ? std::string() : scene.fix()[0].command;
  };
  EXPECT_EQ(command_for("process 4711 of sent.txt"), "systemctl status 4711");
  EXPECT_EQ(command_for("the process of ib_write_bw (pid 4711)"), "systemctl status 4711");
  EXPECT_EQ(command_for("process of sent.txt"), "systemctl status PID");
  EXPECT_NE(command_for("the shell of sent.txt").find("/etc/security/limits.d/"), std::string::npos);
}

TEST(HostMemlockLow, is_unknown_when_a_unit_cannot_be_read) {
  expect_unknown(with({{"slurmd.service", denied(), ""}}).ask(kHostMemlockLow), Why::Denied);
  Scene scene;
  scene.now().host.memlock = denied();
  expect_unknown(scene.ask(kHostMemlockLow), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
