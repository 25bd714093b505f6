// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Whether "6.1.0-18-amd64" is 5.12 or later, where NICs can register DMA buffers of other devices. Absent where it is
/// no version.
Reading<bool> kernel_has_dma_buf(const Reading<std::string>& kernel) {
  if (!kernel) return kernel.absent();
  const std::vector<std::string_view> parts = split(*kernel, '.');
  const auto number = [&](std::size_t i) {
    const std::string_view part = i < parts.size() ? parts[i] : std::string_view();
    return parse_u64(part.substr(0, part.find_first_not_of("0123456789")));
  };
  const auto major = number(0), minor = number(1);
  if (!major || !minor) return Absent{Why::Malformed, "the kernel calls itself \"" + *kernel + "\""};
  return *major > 5 || (*major == 5 && *minor >= 12);
}

/// NVIDIA's GPUs: nvidia_peermem, or DMA-BUF by the open kernel modules.
Reading<bool> nvidia_supported(const Evidence& seen, const std::vector<std::string>& modules) {
  const auto loaded = [&](const char* name) {
    return std::find(modules.begin(), modules.end(), name) != modules.end();
  };
  if (loaded("nvidia_peermem") || loaded("nv_peer_mem")) return true;
  const Reading<std::string>& driver = seen.now().host.nvidia_driver;
  if (!driver) return driver.absent();
  if (driver->find("Open Kernel Module") == std::string::npos) return false;
  return kernel_has_dma_buf(seen.now().node.kernel);
}

/// AMD's GPUs: the driver that has bound them brings both ways.
Reading<bool> amd_supported(const std::vector<std::string>& modules) {
  return std::find(modules.begin(), modules.end(), "amdgpu") != modules.end();
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->role != Role::Gpu && !profile->gpudirect_required)
    return out.not_applicable("the profile does not call this a GPU node");
  const Reading<std::vector<Gpu>>& gpus = seen.now().gpus;
  if (!gpus) return out.unknown(gpus.absent());
  const Reading<std::vector<std::string>>& modules = seen.now().host.modules;
  if (!modules) return out.unknown(modules.absent());
  std::size_t nvidia = 0, amd = 0;
  for (const Gpu& gpu : *gpus) {
    if (!gpu.vendor_device) return out.unknown(gpu.vendor_device.absent());
    nvidia += gpu.vendor_device->starts_with("10de:") ? 1U : 0U;
    amd += gpu.vendor_device->starts_with("1002:") ? 1U : 0U;
  }
  if (nvidia + amd == 0) return out.not_applicable("no driver of NVIDIA or AMD has a GPU");
  const Reading<bool> of_nvidia = nvidia > 0 ? nvidia_supported(seen, *modules) : Reading<bool>(true);
  const Reading<bool> of_amd = amd > 0 ? amd_supported(*modules) : Reading<bool>(true);
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  if (of_nvidia && !*of_nvidia) {
    words.push_back(counted(static_cast<double>(nvidia), "NVIDIA GPU") +
                    ": nvidia_peermem is not loaded, and the driver brings no DMA-BUF");
    evidence.push_back(seen.word("nvidia_peermem", "not loaded", "/sys/module"));
    evidence.push_back(seen.word("NVIDIA driver", *seen.now().host.nvidia_driver, "/proc/driver/nvidia/version"));
  }
  if (of_amd && !*of_amd) {
    words.push_back(counted(static_cast<double>(amd), "AMD GPU") + ": amdgpu is not loaded");
    evidence.push_back(seen.word("amdgpu", "not loaded", "/sys/module"));
  }
  if (!words.empty())
    return (void)out.fail(Severity::Warning, "The NICs cannot reach the memory of the GPUs: " + joined(words) + ".",
                          std::move(evidence));
  if (!of_nvidia) return out.unknown(of_nvidia.absent());
  out.pass();
}

}  // namespace

extern const Rule kHostGpudirectMissing;
constinit const Rule kHostGpudirectMissing{
    .id = "host-gpudirect-missing",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "NICs cannot reach the memory of the GPUs",
    .what =
        "On GPU nodes: looks for nvidia_peermem, for NVIDIA's open kernel modules on a kernel with DMA-BUF (5.12), and "
        "for amdgpu. Fires when the GPUs at hand have none of these.",
    .why = "Data between GPU and network is copied through the host's memory: a fraction of the bandwidth.",
    .next = "Load nvidia_peermem, or install the driver with its open kernel modules.",
    .likely_causes = {"the module is not loaded at boot", "the GPU driver was updated or built without RDMA support"},
    .fix = {Recipe::GpuDirect},
    .traps = {"With DMA-BUF, nvidia_peermem is not needed.",
              "Whether the NIC's own driver can register DMA buffers is not looked at.",
              "A GPU that no driver has bound is not seen."},
    .facts = {"nvidia-gpudirect-modules"},
    .judge = judge,
};

}  // namespace roceready::rules
