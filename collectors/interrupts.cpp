// SPDX-License-Identifier: Apache-2.0
#include "collectors/interrupts.h"

#include <algorithm>
#include <set>
#include <string>

#include "collectors/cpu_list.h"
#include "collectors/pci_parse.h"
#include "collectors/rdma_devices.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::size_t kMostInterrupts = 32;

/// CPUs that handle the interrupt; where the kernel does not keep that, those that may.
Reading<CpuSet> handled_by(Files& files, const std::string& number) {
  const std::string base = "/proc/irq/" + number + "/";
  auto text = files.read(base + "effective_affinity_list");
  if (!text && text.error().code == ErrorCode::NotFound) text = files.read(base + "smp_affinity_list");
  if (!text) return text.error();
  const auto cpus = parse_cpu_list(*text);
  if (!cpus) return Absent{Why::Malformed, base + " names no CPUs"};
  return *cpus;
}

Reading<InterruptPlacement> placement(Files& files, const PciFunction& function) {
  if (!function.numa_node) return function.numa_node.absent();
  if (*function.numa_node < 0) return Absent{Why::NotSupported, "the platform names no NUMA node for it"};
  const std::string base = kPciDevices + function.address + "/";
  const auto list = files.read(base + "local_cpulist");
  if (!list) return list.error();
  const auto local = parse_cpu_list(*list);
  if (!local) return Absent{Why::Malformed, base + "local_cpulist names no CPUs"};
  const auto numbers = files.list(base + "msi_irqs");
  if (!numbers) return numbers.error();
  InterruptPlacement out;
  Absent why{Why::NotPresent, "it has no interrupts"};
  const std::size_t step = (numbers->size() + kMostInterrupts - 1) / kMostInterrupts;
  for (std::size_t i = 0; i < numbers->size(); i += step) {
    if (!parse_u64((*numbers)[i])) continue;
    const Reading<CpuSet> cpus = handled_by(files, (*numbers)[i]);
    if (!cpus) {
      why = cpus.absent();
      continue;
    }
    const bool here = (*cpus & *local).any(), elsewhere = (*cpus & ~*local).any();
    if (here == elsewhere) continue;  // nowhere, or anywhere
    ++out.looked_at;
    if (here) ++out.local;
  }
  if (out.looked_at == 0) return why;
  return out;
}

std::set<std::string> functions_in_scope(const Snapshot& snapshot) {
  std::set<std::string> out;
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.in_scope) continue;
    if (port.pci_address) out.insert(*port.pci_address);
    for (const std::string& name : port.members) {
      const Netdev* member = snapshot.netdev(name);
      if (member != nullptr && member->link.parent_device) out.insert(*member->link.parent_device);
    }
  }
  return out;
}

}  // namespace

std::vector<NicInterrupts> read_interrupts(Files& files, const Snapshot& snapshot) {
  std::vector<NicInterrupts> out;
  for (const std::string& address : functions_in_scope(snapshot)) {
    const PciFunction* function = snapshot.function(address);
    if (function != nullptr && is_pci_address(address)) out.push_back({address, placement(files, *function)});
  }
  return out;
}

}  // namespace roceready
