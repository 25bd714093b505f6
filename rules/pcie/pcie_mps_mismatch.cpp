// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "rules/pcie/pcie_link.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return;
  for (const Reading<std::uint32_t>* size : {&nic->max_payload_bytes, &nic->max_payload_supported_bytes}) {
    if (*size) continue;
    if (size->absent().why == Why::NotPresent) return out.not_applicable(size->absent().detail);
    return out.unknown(size->absent());
  }
  std::uint32_t possible = *nic->max_payload_supported_bytes;
  for (const PciFunction* bridge : bridges_above(seen, nic->parent)) {
    const Reading<std::uint32_t>& supported = bridge->max_payload_supported_bytes;
    if (supported)
      possible = std::min(possible, *supported);
    else if (supported.absent().why != Why::NotPresent)
      return out.unknown(supported.absent());
  }
  const std::uint32_t size = *nic->max_payload_bytes;
  if (size >= possible || size > seen.limit("small_bytes")) return out.pass();
  out.fail(Severity::Info,
           "PCI function " + nic->address + " of " + netdev_name(seen) + " sends at most " + std::to_string(size) +
               " bytes of payload in a PCIe packet (MaxPayload); the whole path supports " + std::to_string(possible) +
               ".",
           {seen.item("MaxPayload", size, "bytes", "<", possible, pci_source(seen, "config"))});
}

}  // namespace

extern const Rule kPcieMpsMismatch;
constinit const Rule kPcieMpsMismatch{
    .id = "pcie-mps-mismatch",
    .family = "pcie",
    .action = Action::FixConfig,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe payload is smaller than the path allows",
    .what =
        "Compares MaxPayload of the NIC with what it and every bridge up to the root support. Info when it is 128 "
        "bytes "
        "or less and the path allows more.",
    .why = "Headers take a fifth of the PCIe link at 128 bytes of payload, and the receive side drains slower.",
    .next = "Let the BIOS set MaxPayload, or boot with pci=pcie_bus_perf.",
    .likely_causes = {"BIOS setting", "card was added after boot", "kernel option pci=pcie_bus_safe"},
    .fix = {Recipe::Mps},
    .traps = {"256 bytes and more are never told of: the gain is small.",
              "Devices that talk to each other directly need the same payload: with GPUs change all or none.",
              "Without CAP_SYS_ADMIN it cannot be read: unknown."},
    .limits = {Limit{.name = "small_bytes",
                     .value = 128,
                     .unit = "bytes",
                     .min = 128,
                     .max = 4096,
                     .evidence = 'D',
                     .help = "MaxPayload up to which it is told of"}},
    .facts = {"pcie-device-control"},
    .judge = judge,
};

}  // namespace roceready::rules
