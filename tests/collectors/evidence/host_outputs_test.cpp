// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence_test {
namespace {

TEST(HostOutputs, by_their_own_words) {
  const evidence::Draft draft = read_text(
      "Linux node1.example 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 x86_64 x86_64 "
      "GNU/Linux\n"
      " 15:04:17 up 3 days,  4:05,  2 users,  load average: 0.10, 0.20, 0.30\n"
      "BOOT_IMAGE=/vmlinuz-5.15.0-91-generic root=/dev/sda1 ro intel_iommu=on iommu=pt\n"
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
      "Vendor ID:                       GenuineIntel\nHypervisor vendor:               KVM\n");
  EXPECT_EQ(draft.snapshot().node.hostname.value_or(""), "node1");
  EXPECT_EQ(draft.snapshot().node.kernel.value_or(""), "5.15.0-91-generic");
  EXPECT_EQ(draft.snapshot().node.uptime_seconds.value_or(0), 3 * 86400 + 4 * 3600 + 5 * 60);
  EXPECT_NE(draft.snapshot().host.kernel_command_line.value_or("").find("iommu=pt"), std::string::npos);
  EXPECT_TRUE(draft.snapshot().host.nvidia_driver.value_or("").starts_with("NVRM version: NVIDIA"));
  EXPECT_EQ(draft.snapshot().host.cpu_vendor.value_or(""), "GenuineIntel");
  EXPECT_TRUE(draft.snapshot().host.virtual_machine.value_or(false));
}

TEST(HostOutputs, processors_as_lscpu_prints_them) {
  std::string flags = "fpu vme de pse";
  for (int i = 0; i < 200; ++i) flags += " flag" + std::to_string(i);
  const std::string head =
      "$ lscpu\nArchitecture:                    x86_64\nVendor ID:                       AuthenticAMD\n"
      "NUMA node0 CPU(s):               0-15\n";
  for (const char* name : {"Flags:                           ", "  Flags:                         "}) {
    const evidence::Draft bare = read_text(head + name + flags + "\nL1d cache:  32 KiB\n");
    EXPECT_FALSE(read_text(head + name + flags + "\n").snapshot().host.virtual_machine) << "it may be cut";
    EXPECT_EQ(bare.snapshot().host.cpu_vendor.value_or(""), "AuthenticAMD");
    ASSERT_TRUE(bare.snapshot().host.virtual_machine) << name;
    EXPECT_FALSE(*bare.snapshot().host.virtual_machine);
    EXPECT_TRUE(read_text(head + name + flags + " hypervisor arat\n").snapshot().host.virtual_machine.value_or(false));
  }
}

TEST(HostOutputs, by_their_command) {
  const evidence::Draft draft = read_text(
      "$ hostname\nnode7\n$ uname -r\n6.8.0\n$ cat /proc/cmdline\nquiet amd_iommu=off\n"
      "$ cat /proc/cpuinfo\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu vme hypervisor\n");
  EXPECT_EQ(draft.snapshot().node.hostname.value_or(""), "node7");
  EXPECT_EQ(draft.snapshot().node.kernel.value_or(""), "6.8.0");
  EXPECT_EQ(draft.place_of("/proc/sys/kernel/osrelease"), "sent.txt:4");
  EXPECT_EQ(draft.snapshot().host.kernel_command_line.value_or(""), "quiet amd_iommu=off");
  EXPECT_EQ(draft.snapshot().host.cpu_vendor.value_or(""), "AuthenticAMD");
  EXPECT_TRUE(draft.snapshot().host.virtual_machine.value_or(false));
}

TEST(HostOutputs, modules_count_with_their_heading_alone) {
  const evidence::Draft draft = read_text(
      "Module                  Size  Used by\nmlx5_ib               397312  0\nxfs                  1556480  1\n"
      "ib_uverbs             163840  2 mlx5_ib,rdma_ucm\n");
  ASSERT_TRUE(draft.snapshot().host.modules);
  EXPECT_EQ(*draft.snapshot().host.modules, (std::vector<std::string>{"ib_uverbs", "mlx5_ib"}));
  EXPECT_FALSE(read_text("$ lsmod | grep mlx\nmlx5_ib               397312  0\n").snapshot().host.modules)
      << "what grep left out may be loaded";
}

TEST(Limits, of_processes_and_shells) {
  const evidence::Draft process = read_text(
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max locked memory         65536                65536                bytes     \n");
  ASSERT_TRUE(process.snapshot().host.memlock);
  EXPECT_EQ(process.snapshot().host.memlock->at(0).bytes.value_or(0), 65536U);
  EXPECT_EQ(process.snapshot().host.memlock->at(0).source, "sent.txt:2");
  EXPECT_EQ(process.snapshot().host.memlock->at(0).unit, "process of sent.txt") << "nobody says which program it is";
  for (const char* text : {"max locked memory (kbytes, -l) 65536\n", "max locked memory           (kbytes, -l) 65536\n",
                           "$ ulimit -l\n65536\n"}) {
    const evidence::Draft shell = read_text(text);
    ASSERT_TRUE(shell.snapshot().host.memlock) << text;
    EXPECT_EQ(shell.snapshot().host.memlock->at(0).bytes.value_or(0), 65536U * 1024U) << text;
    EXPECT_TRUE(shell.snapshot().host.memlock->at(0).unit.starts_with("the shell of ")) << text;
  }
  EXPECT_EQ(read_text("$ ulimit -l\nunlimited\n").snapshot().host.memlock->at(0).bytes.value_or(0), UINT64_MAX);
  EXPECT_EQ(read_text("Max locked memory  lots  lots  bytes\n").snapshot().host.memlock->at(0).bytes.absent().why,
            Why::Malformed);
}

TEST(Limits, of_a_shell_and_of_logins_are_no_rdma_programs) {
  const std::string line = "Max locked memory         65536                65536                bytes     \n";
  for (const char* command : {"cat /proc/self/limits", "cat /proc/$$/limits", "cat /proc/$(pgrep -o sshd)/limits",
                              "grep -i locked /proc/self/limits"}) {
    const evidence::Draft draft = read_text(std::string("root@n1:~# ") + command + "\n" + line);
    ASSERT_TRUE(draft.snapshot().host.memlock) << command;
    EXPECT_TRUE(draft.snapshot().host.memlock->at(0).unit.starts_with("the shell of ")) << command;
    EXPECT_EQ(draft.snapshot().host.memlock->at(0).bytes.value_or(0), 65536U) << command;
  }
  const auto unit_of = [&](const std::string& command) {
    const evidence::Draft draft = read_text("root@n1:~# " + command + "\n" + line);
    EXPECT_TRUE(draft.snapshot().host.memlock) << command;
    return draft.snapshot().host.memlock ? draft.snapshot().host.memlock->at(0).unit : "";
  };
  EXPECT_EQ(unit_of("cat /proc/$(pgrep -o slurmd)/limits"), "the process of sent.txt") << "the command names it";
  EXPECT_EQ(unit_of("cat /proc/4242/limits"), "process 4242 of sent.txt");
  EXPECT_EQ(unit_of("cat /proc/1/limits"), "process 1 of sent.txt") << "of a container it is the application";
  EXPECT_EQ(unit_of("cat /proc/PID/limits"), "process of sent.txt");
  const evidence::Draft tree = read_text("/proc/self/limits:" + line);
  ASSERT_TRUE(tree.snapshot().host.memlock);
  EXPECT_TRUE(tree.snapshot().host.memlock->at(0).unit.starts_with("the shell of "));
}

TEST(RdmaSettings, of_nccl_and_of_rdma_cm) {
  const evidence::Draft nccl = read_text("$ cat /etc/nccl.conf\n# ours\nNCCL_IB_GID_INDEX=3\nNCCL_IB_TC=106\n");
  EXPECT_EQ(nccl.snapshot().host.nccl_gid_index.value_or(0), 3);
  ASSERT_EQ(nccl.snapshot().log.size(), 2U);
  EXPECT_EQ(nccl.snapshot().log[1].says.at("value"), "106");
  const evidence::Draft environment = read_text("export NCCL_IB_GID_INDEX=1\nUCX_IB_TRAFFIC_CLASS=106\n");
  EXPECT_FALSE(environment.snapshot().host.nccl_gid_index) << "a job's environment is not the file of the host";
  EXPECT_EQ(environment.snapshot().log.size(), 2U);
  const evidence::Draft cma = read_text("$ cma_roce_tos -d mlx5_0 -p 1\n106\n$ cma_roce_mode -d mlx5_0\nRoCE v2\n");
  EXPECT_EQ(cma.snapshot().ports.at(0).cma_default_tos.value_or(0), 106U);
  EXPECT_EQ(cma.snapshot().ports.at(0).cma_default_mode.value_or(""), "RoCE v2");
}

}  // namespace
}  // namespace roceready::evidence_test
