// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "rules/pcie/gpu_paths.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Nearest {
  std::string netdev;
  GpuDistance distance = GpuDistance::OtherNode;
};

/// The nearest NIC of a port in scope; absent where a distance is not known. Nothing: no such NIC is on the PCI bus.
Reading<std::optional<Nearest>> nearest_nic(const Evidence& seen, const Gpu& gpu) {
  std::optional<Nearest> best;
  for (const RdmaPort& port : seen.now().ports) {
    for (const std::string& name : port.members) {
      const Netdev* netdev = port.in_scope ? seen.now().netdev(name) : nullptr;
      const PciFunction* nic =
          netdev != nullptr ? seen.now().function(netdev->link.parent_device.value_or("")) : nullptr;
      if (nic == nullptr) continue;
      const Reading<GpuDistance> distance = distance_of(seen, gpu, *nic);
      if (!distance) return distance.absent();
      if (!best || *distance < best->distance) best = Nearest{name, *distance};
    }
  }
  return best;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (seen.profile() == nullptr || seen.profile()->role != Role::Gpu)
    return out.not_applicable("the profile does not say that this is a GPU node (role=gpu)");
  const Reading<std::vector<Gpu>>& gpus = seen.now().gpus;
  if (!gpus) return out.unknown(gpus.absent());
  if (gpus->empty()) return out.not_applicable("no GPU driver has a GPU");
  std::vector<std::string> sentences;
  std::vector<EvidenceItem> evidence;
  for (const Gpu& gpu : *gpus) {
    const Reading<std::optional<Nearest>> found = nearest_nic(seen, gpu);
    if (!found) return out.unknown(found.absent());
    if (!*found) return out.not_applicable("no NIC in use is on the PCI bus");
    const Nearest& nearest = **found;
    if (nearest.distance != GpuDistance::OtherNode) continue;
    sentences.push_back("The nearest NIC in use of GPU " + gpu.address + " is " + nearest.netdev +
                        ", on another NUMA node.");
    evidence.push_back(seen.word("NUMA node of GPU " + gpu.address, std::to_string(gpu.numa_node.value_or(-1)),
                                 "/sys/bus/pci/devices/" + gpu.address + "/numa_node"));
  }
  if (sentences.empty()) return out.pass();
  constexpr std::size_t kSaid = 4;
  std::string text = sentences[0];
  for (std::size_t k = 1; k < std::min(sentences.size(), kSaid); ++k) text += " " + sentences[k];
  if (sentences.size() > kSaid)
    text += " " + counted(static_cast<double>(sentences.size() - kSaid), "more GPU") + " likewise.";
  out.fail(Severity::Warning, text, std::move(evidence));
}

}  // namespace

extern const Rule kPcieGpuNicDistance;
constinit const Rule kPcieGpuNicDistance{
    .id = "pcie-gpu-nic-distance",
    .family = "pcie",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "A GPU is far from its NIC",
    .what =
        "Finds for each GPU the nearest NIC in use, by PCIe bridges and NUMA nodes. Fires on GPU nodes when that NIC "
        "is "
        "on another NUMA node than the GPU.",
    .why = "GPUDirect between sockets crosses the link of the CPUs, at a fraction of the rate and with more delay.",
    .next = "Give each GPU the NIC of its own switch or socket: rail order in the fabric, NCCL_IB_HCA in the jobs.",
    .likely_causes = {"port of the near NIC is not configured", "NIC in the wrong slot", "NIC or port has failed"},
    .fix = {Recipe::Topology},
    .traps = {"Nodes with one NIC for each socket by design are quiet: sharing a NUMA node is near enough.",
              "Only nodes with role=gpu in their profile are judged.",
              "Where the platform does not name NUMA nodes it is unknown.",
              "Ports out of scope are not looked at, so a nearer NIC that is not used is not named."},
    .facts = {"gpu-driver-directories", "kernel-pci-link-files"},
    .judge = judge,
};

}  // namespace roceready::rules
