// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collectors/collector.h"
#include "collectors/host_tuning.h"
#include "collectors/interrupts.h"
#include "collectors/memlock.h"
#include "collectors/node_parse.h"
#include "collectors/qos_setters.h"
#include "collectors/rdma_devices.h"
#include "collectors/source_routing.h"

namespace roceready {
namespace {

constexpr std::size_t kMaxCpuInfo = std::size_t{1024} * 1024;
constexpr char kFrequency[] = "/sys/devices/system/cpu/cpu0/cpufreq/";
constexpr std::string_view kModules[] = {
    "amdgpu",    "bnxt_en",   "bnxt_re",   "hns_roce_hw_v2", "i40e",        "ib_cm",  "ib_core",
    "ib_umad",   "ib_uverbs", "ice",       "ionic",          "ionic_rdma",  "irdma",  "iw_cm",
    "mlx4_core", "mlx4_ib",   "mlx5_core", "mlx5_ib",        "nv_peer_mem", "nvidia", "nvidia_peermem",
    "qede",      "qedr",      "rdma_cm",   "rdma_rxe",       "rdma_ucm",    "siw"};

Reading<bool> exists(const Result<std::vector<std::string>>& list, bool (*is_there)(const std::vector<std::string>&)) {
  if (list) return is_there(*list);
  if (list.error().code == ErrorCode::NotFound) return false;
  return list.error();
}

Reading<std::vector<std::string>> loaded_modules(Files& files) {
  const auto names = files.list("/sys/module");
  if (!names) return names.error();
  std::vector<std::string> out;
  for (const std::string& name : *names) {
    if (is_rdma_module(name)) out.push_back(name);
  }
  return out;
}

void read_processor(Files& files, HostFacts& facts) {
  const auto text = files.read("/proc/cpuinfo", kMaxCpuInfo);
  if (!text) {
    facts.virtual_machine = text.error();
    facts.cpu_vendor = text.error();
    return;
  }
  facts.virtual_machine = Absent{Why::NotSupported, "this processor has no flag for it"};
  if (const auto hypervisor = parse_hypervisor(*text)) facts.virtual_machine = *hypervisor;
  facts.cpu_vendor = Absent{Why::NotPresent, "this processor names no vendor"};
  if (auto vendor = parse_cpu_vendor(*text)) facts.cpu_vendor = std::move(*vendor);
}

/// What the machine was tuned to, and which software it runs.
void read_tuning(Host& host, const Snapshot& snapshot, HostFacts& facts) {
  Files& files = host.files;
  facts.numa_balancing = read_u32(files, "/proc/sys/kernel/numa_balancing");
  facts.cpu_governor = read_text(files, std::string(kFrequency) + "scaling_governor");
  facts.cpu_frequency_driver = read_text(files, std::string(kFrequency) + "scaling_driver");
  facts.module_builds = facts.modules ? Reading<std::vector<ModuleBuild>>(read_module_builds(files, *facts.modules))
                                      : facts.modules.absent();
  facts.nvidia_driver = read_nvidia_driver(files);
  facts.nccl_gid_index = read_nccl_gid_index(files);
  facts.interrupts = read_interrupts(files, snapshot);
  facts.ipv4_settings = read_ipv4_settings(files, snapshot);
  facts.policy_rules = read_policy_rules(host);
  facts.qos_setters = read_qos_setters(files);
}

Result<void> collect(Host& host, const Selection& selection, Context&, Snapshot& out) {
  HostFacts& facts = out.host;
  facts.kernel_command_line = read_text(host.files, "/proc/cmdline");
  facts.iommu_present =
      exists(host.files.list("/sys/kernel/iommu_groups"), [](const auto& groups) { return !groups.empty(); });
  facts.memlock = read_memlock_limits(host.files, selection.rdma_units);
  facts.default_memlock_bytes = read_default_memlock(host.files);
  facts.modules = loaded_modules(host.files);
  read_processor(host.files, facts);
  facts.rdma_subsystem = exists(host.files.list(kInfiniBandClass), [](const auto&) { return true; });
  facts.user_verbs = exists(host.files.list("/sys/class/infiniband_verbs"), [](const auto&) { return true; });
  read_tuning(host, out, facts);
  return {};
}

}  // namespace

bool is_rdma_module(std::string_view name) {
  return std::find(std::begin(kModules), std::end(kModules), name) != std::end(kModules);
}

extern const Collector kHost;
constinit const Collector kHost{"host", Cadence::Machine, false, collect};

}  // namespace roceready
