// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "rules/pcie/pcie_link.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return;
  const Reading<std::uint32_t>& size = nic->max_read_request_bytes;
  if (!size && size.absent().why == Why::NotPresent) return out.not_applicable(size.absent().detail);
  if (!size) return out.unknown(size.absent());
  const bool tiny = *size < seen.limit("warn_bytes");
  // Only a fast port gains from large requests. One that is down or does not tell its speed is taken for a slow one.
  const bool fast = static_cast<double>(seen.link_speed().value_or(0)) >= seen.limit("fast_bits_per_second");
  if (!tiny && !(fast && *size < seen.limit("min_bytes"))) return out.pass();
  // What a guest reads is the hypervisor's doing, and hardly ever what the hardware does.
  const bool guest = seen.now().host.virtual_machine.value_or(false);
  const double wanted = seen.limit(tiny ? "warn_bytes" : "min_bytes");
  out.fail(tiny && !guest ? Severity::Warning : Severity::Info,
           "PCI function " + nic->address + " of " + netdev_name(seen) + " reads at most " + std::to_string(*size) +
               " bytes at once from the host (MaxReadReq); " + short_number(seen.limit("min_bytes"), 6) +
               " are recommended for a fast port.",
           {seen.item("MaxReadReq", *size, "bytes", "<", wanted, pci_source(seen, "config"))})
      .derived_threshold = tiny && seen.limit_is_derived("warn_bytes");
}

}  // namespace

extern const Rule kPcieMrrsLow;
constinit const Rule kPcieMrrsLow{
    .id = "pcie-mrrs-low",
    .family = "pcie",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe read requests are small",
    .what =
        "Reads MaxReadReq of the NIC's PCIe Device Control. Info below 4096 bytes on a port of 100 Gbit/s or more, a "
        "warning below 512.",
    .why = "Small read requests cost sending rate, most of all with small packets or where the IOMMU translates.",
    .next = "Set it in the BIOS if there is such an option, else with setpci, and measure both.",
    .likely_causes = {"BIOS or hypervisor default", "kernel option pci=pcie_bus_perf or pcie_bus_peer2peer"},
    .fix = {Recipe::Mrrs},
    .traps = {"Some platforms are fastest at 512 or 1024 bytes: below 4096 it is info only.",
              "In a virtual machine the hypervisor chooses: info only.",
              "Without CAP_SYS_ADMIN it cannot be read: unknown."},
    .limits = {Limit{.name = "min_bytes",
                     .value = 4096,
                     .unit = "bytes",
                     .min = 128,
                     .max = 4096,
                     .evidence = 'V',
                     .help = "MaxReadReq below which a fast port is told of"},
               Limit{.name = "warn_bytes",
                     .value = 512,
                     .unit = "bytes",
                     .min = 128,
                     .max = 4096,
                     .evidence = 'D',
                     .help = "MaxReadReq below which it is a warning on any port"},
               Limit{.name = "fast_bits_per_second",
                     .value = 1e11,
                     .unit = "bits/s",
                     .min = 0,
                     .max = 1e13,
                     .evidence = 'V',
                     .help = "speed from which a port counts as fast"}},
    .facts = {"pcie-device-control", "max-read-request-advice"},
    .judge = judge,
};

}  // namespace roceready::rules
