// SPDX-License-Identifier: Apache-2.0
// Small outputs about the host: uname, /proc/cmdline, lscpu, lsmod, NVIDIA's driver, /etc/nccl.conf, limits; and logs.
#include <algorithm>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {

void node(Terminal& terminal, const Snapshot& snapshot) {
  const HostFacts& host = snapshot.host;
  if (snapshot.node.kernel)
    terminal.run("uname -a", "Linux " + snapshot.node.hostname.value_or("node") + " " + *snapshot.node.kernel +
                                 " #1 SMP PREEMPT_DYNAMIC Thu Jan 1 00:00:00 UTC 2026 x86_64 GNU/Linux\n");
  if (host.kernel_command_line) terminal.run("cat /proc/cmdline", *host.kernel_command_line + "\n");
  if (host.cpu_vendor || host.virtual_machine) {
    std::string out = "Architecture:        x86_64\n";
    if (host.cpu_vendor) out += "Vendor ID:           " + *host.cpu_vendor + "\n";
    if (host.virtual_machine) {
      if (*host.virtual_machine) out += "Hypervisor vendor:   KVM\nVirtualization type: full\n";
      out += std::string("Flags:               fpu vme de pse") + (*host.virtual_machine ? " hypervisor" : "") +
             " lahf_lm\nNUMA node0 CPU(s):   0-63\n";
    }
    terminal.run("lscpu", out);
  }
  if (host.modules) {
    std::string out = "Module                  Size  Used by\n";
    for (const std::string& module : *host.modules) out += module + "              397312  0\n";
    terminal.run("lsmod", out);
  }
  if (host.nvidia_driver) terminal.run("cat /proc/driver/nvidia/version", *host.nvidia_driver + "\n");
  if (host.nccl_gid_index)
    terminal.run("cat /etc/nccl.conf", "NCCL_IB_GID_INDEX=" + std::to_string(*host.nccl_gid_index) + "\n");
}

std::vector<std::string> limits(const Snapshot& snapshot) {
  std::vector<std::string> out;
  if (!snapshot.host.memlock) return out;
  for (const MemlockLimit& unit : *snapshot.host.memlock) {
    if (!unit.bytes) continue;
    const std::string value = *unit.bytes == UINT64_MAX ? "unlimited" : std::to_string(*unit.bytes);
    // The command names the program: of a bare PID nobody knows that it uses RDMA.
    out.push_back(
        "$ cat /proc/$(pgrep -o slurmd)/limits\n"
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max open files            1024                 524288               files     \n"
        "Max locked memory         " +
        value + "                " + value + "                bytes     \n");
  }
  return out;
}

std::string log_lines(const Snapshot& snapshot) {
  std::string out;
  for (const LogFact& fact : snapshot.log) out += fact.text + "\n";
  return out;
}

}  // namespace roceready::round_trip
