// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "rules/pcie/gpu_paths.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// True when the rule has something to judge; else the reason was written.
bool applies(const Evidence& seen, Outcomes& out) {
  const Profile* profile = seen.profile();
  if (profile == nullptr || (profile->role != Role::Gpu && !profile->gpudirect_required)) {
    out.not_applicable("the profile does not say that this is a GPU node (role=gpu)");
    return false;
  }
  if (profile->role == Role::VmHost) {
    out.not_applicable("a host of virtual machines needs ACS to keep them apart; GPUDirect takes ATS there");
    return false;
  }
  const Reading<bool>& virtual_machine = seen.now().host.virtual_machine;
  if (!virtual_machine) {
    out.unknown(virtual_machine.absent());
    return false;
  }
  if (*virtual_machine) {
    out.not_applicable("in a virtual machine the hypervisor rules over ACS");
    return false;
  }
  return true;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (!applies(seen, out)) return;
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return;
  const Reading<std::vector<Gpu>>& gpus = seen.now().gpus;
  if (!gpus) return out.unknown(gpus.absent());
  std::set<std::string> reached;
  Absent unread;
  for (const Gpu& gpu : *gpus) {
    for (const PciFunction* bridge : bridges_between(seen, gpu, *nic)) {
      reached.insert(gpu.address);
      const Reading<std::uint32_t>& control = bridge->acs_control;
      if (!control && control.absent().why != Why::NotPresent) unread = control.absent();
    }
  }
  if (reached.empty()) return out.not_applicable("no GPU shares a PCIe switch or root port with " + nic->address);
  const std::vector<std::string> bridges = bridges_that_redirect(seen);
  if (bridges.empty()) return unread.detail.empty() ? out.pass() : out.unknown(unread);

  std::vector<EvidenceItem> evidence;
  for (const std::string& address : bridges)
    evidence.push_back(seen.item("ACS redirect bits of bridge " + address,
                                 seen.now().function(address)->acs_control.value_or(0) & kAcsRedirects, "", "!=", 0,
                                 "/sys/bus/pci/devices/" + address + "/config"));
  const bool required = seen.profile()->gpudirect_required;
  out.fail(required ? Severity::Critical : Severity::Warning,
           "ACS on " + std::string(bridges.size() == 1 ? "bridge " : "bridges ") + joined(bridges) +
               " sends traffic between " + netdev_name(seen) + " and " +
               counted(static_cast<double>(reached.size()), "GPU") + " near it through the root of the CPU.",
           std::move(evidence));
}

}  // namespace

extern const Rule kPcieAcsRedirect;
constinit const Rule kPcieAcsRedirect{
    .id = "pcie-acs-redirect",
    .family = "pcie",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "ACS sends GPU traffic through the root",
    .what =
        "Reads the ACS control of the bridges between the NIC and each GPU that shares a PCIe switch or root port with "
        "it. "
        "Fires on bare-metal GPU nodes when one of them redirects requests, completions or upstream traffic; critical "
        "where the profile requires GPUDirect.",
    .why = "GPUDirect RDMA falls to a fraction of its rate or hangs, and the host pauses the fabric.",
    .next = "Clear the redirect bits on the bridges named here alone; on a host with virtual machines use ATS instead.",
    .likely_causes = {"BIOS default", "virtualisation (VT-d, AMD-Vi) switched on", "kernel default with IOMMU on"},
    .fix = {Recipe::Acs},
    .traps = {"Hosts of virtual machines need ACS: inside a virtual machine this does not apply, and with role=vm-host "
              "neither.",
              "Nodes without role=gpu in their profile are not judged.",
              "Only bridges between a GPU and this NIC count: others must keep their ACS.",
              "Without CAP_SYS_ADMIN the registers cannot be read: unknown."},
    .facts = {"pcie-acs-and-peer-traffic", "gpu-driver-directories"},
    .judge = judge,
};

}  // namespace roceready::rules
