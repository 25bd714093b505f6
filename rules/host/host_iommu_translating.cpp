// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr const char* kAmd = "AuthenticAMD";

bool is_rewritten(const std::string& kernel) {
  return kernel.starts_with("5.5.") || kernel.starts_with("5.6.0-rc");
}

/// The kernel, where its driver of AMD's IOMMU is known to stop RDMA; "" where it is not that. Absent: one of both
/// facts fits and the other is not known.
Reading<std::string> stalling_kernel(const Snapshot& now) {
  const Reading<std::string>&kernel = now.node.kernel, &vendor = now.host.cpu_vendor;
  if (!kernel && vendor && *vendor == kAmd) return kernel.absent();
  if (!vendor && kernel && is_rewritten(*kernel)) return vendor.absent();
  return kernel && vendor && *vendor == kAmd && is_rewritten(*kernel) ? *kernel : std::string();
}

void judge(const Evidence& seen, Outcomes& out) {
  if (seen.now().host.virtual_machine.value_or(false))
    return out.not_applicable("in a virtual machine the translation is the host's matter");
  if (seen.profile() != nullptr && seen.profile()->role == Role::VmHost)
    return out.not_applicable("a host of virtual machines needs the translation");
  const PciFunction* nic = seen.pci();
  if (nic == nullptr) {
    const Reading<std::string>& address = seen.port().pci_address;
    if (!address && address.absent().why == Why::NotPresent) return out.not_applicable("no PCI function behind it");
    return out.unknown(address ? Absent{Why::NotPresent, "no PCI function " + *address} : address.absent());
  }
  const Reading<std::string>& type = nic->iommu_group_type;
  if (!type && type.absent().why == Why::NotPresent) return out.pass();  // no IOMMU in the way
  if (!type) return out.unknown(type.absent());
  if (type->empty() || *type == "unknown")
    return out.unknown(Absent{Why::NotPresent, "the kernel names no type for the IOMMU group of " + nic->address});
  if (!type->starts_with("DMA")) return out.pass();
  if (!seen.now().host.virtual_machine) return out.unknown(seen.now().host.virtual_machine.absent());

  const EvidenceItem group = seen.word("IOMMU group type", *type, "!=", "identity",
                                       "/sys/bus/pci/devices/" + nic->address + "/iommu_group/type");
  const Reading<std::string> kernel = stalling_kernel(seen.now());
  if (kernel && !kernel->empty())
    return (void)out.fail(Severity::Warning,
                          "The IOMMU translates every DMA access of " + netdev_name(seen) + " (group type " + *type +
                              "), and Linux " + *kernel +
                              " drives AMD's IOMMU in a way that stalls RDMA without a word in the log.",
                          {group, seen.word("kernel", *kernel, "/proc/sys/kernel/osrelease")});

  if (seen.profile() != nullptr && seen.profile()->role == Role::StorageTarget)
    return out.not_applicable("role storage-target: what the translation costs matters to computing nodes");
  Reading<std::uint64_t> speed = seen.link_speed();
  if (!speed) speed = field(seen.member().ethtool.link_modes, &LinkModes::max_supported_bits_per_second);
  if (!speed) return out.unknown(speed.absent());
  const bool slow = static_cast<double>(*speed) < seen.limit("min_speed");
  if (slow && !kernel) return out.unknown(kernel.absent());
  if (slow)
    return out.not_applicable("at " + bit_rate(static_cast<double>(*speed)) + " translation does not limit the port");
  out.fail(Severity::Warning,
           "The IOMMU translates every DMA access of " + netdev_name(seen) + " (group type " + *type + "), a port of " +
               bit_rate(static_cast<double>(*speed)) + ".",
           {group});
}

}  // namespace

extern const Rule kHostIommuTranslating;
constinit const Rule kHostIommuTranslating{
    .id = "host-iommu-translating",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "IOMMU translates the NIC's DMA",
    .what =
        "Reads the type of the NIC's IOMMU group. Fires when it is DMA or DMA-FQ on a bare-metal host with a port of "
        "100 Gbit/s or more, and at any speed on AMD under Linux 5.5 and candidates of 5.6.",
    .why = "Misses in the translation cache stall the NIC, which then pauses the fabric or drops.",
    .next = "Boot with iommu=pt, unless virtual machines or a security policy need the translation.",
    .likely_causes = {"the distribution's kernel translates by default", "intel_iommu=on without iommu=pt"},
    .fix = {Recipe::Iommu},
    .traps = {"Hosts of virtual machines need it, as their role in the profile says; confidential computing does too: "
              "waive the rule there.",
              "NICs and GPUs with ATS lose less.", "Inside a virtual machine it is not judged."},
    .limits = {Limit{.name = "min_speed",
                     .value = 100e9,
                     .unit = "bits/s",
                     .min = 0,
                     .max = 1e13,
                     .evidence = 'D',
                     .help = "slower ports are not judged"}},
    .facts = {"kernel-iommu-group-type", "amd-iommu-stalls-rdma"},
    .judge = judge,
};

}  // namespace roceready::rules
