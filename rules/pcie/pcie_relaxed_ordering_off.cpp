// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/pcie/pcie_link.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return;
  const Reading<bool>& ordering = nic->relaxed_ordering;
  if (!ordering && ordering.absent().why == Why::NotPresent) return out.not_applicable(ordering.absent().detail);
  if (!ordering) return out.unknown(ordering.absent());
  const Reading<std::uint64_t> speed = seen.link_speed();
  if (!speed && speed.absent().why == Why::NotPresent) return out.not_applicable("the link is down");
  if (!speed) return out.unknown(speed.absent());
  if (static_cast<double>(*speed) < seen.limit("fast_bits_per_second"))
    return out.not_applicable("slower ports gain nothing");
  const Reading<std::string>& cpu = seen.now().host.cpu_vendor;
  if (!cpu) return out.unknown(cpu.absent());
  if (*cpu != "AuthenticAMD" && *cpu != "HygonGenuine")
    return out.not_applicable("this processor's root complex does not need it");
  if (*ordering) return out.pass();
  out.fail(Severity::Info,
           "PCI function " + nic->address + " of " + netdev_name(seen) +
               " may not reorder its writes (relaxed ordering is off), on a processor of several dies and a port of " +
               bit_rate(static_cast<double>(*speed)) + ".",
           {seen.word("relaxed ordering", "off", "!=", "on", pci_source(seen, "config"))});
}

}  // namespace

extern const Rule kPcieRelaxedOrderingOff;
constinit const Rule kPcieRelaxedOrderingOff{
    .id = "pcie-relaxed-ordering-off",
    .family = "pcie",
    .action = Action::FixConfig,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe relaxed ordering is off",
    .what =
        "Reads the relaxed-ordering bit of the NIC's PCIe Device Control. Info when it is off on a port of 200 Gbit/s "
        "or "
        "more and a processor of AMD's Zen kind.",
    .why = "Strictly ordered writes to memory behind several dies limit what the NIC can deliver at full load.",
    .next = "Allow it on the NIC and in the BIOS, then measure.",
    .likely_causes = {"BIOS setting", "NIC firmware setting PCI_WR_ORDERING", "kernel quirk for a broken root port"},
    .fix = {Recipe::RelaxedOrdering},
    .traps = {"The kernel switches it off below root ports that cannot do it.",
              "mlx5 also asks for it by memory region, which this bit permits and does not show.",
              "Without CAP_SYS_ADMIN it cannot be read: unknown."},
    .limits = {Limit{.name = "fast_bits_per_second",
                     .value = 2e11,
                     .unit = "bits/s",
                     .min = 0,
                     .max = 1e13,
                     .evidence = 'D',
                     .help = "speed from which a port gains from relaxed ordering"}},
    .facts = {"pcie-device-control", "relaxed-ordering-advice"},
    .judge = judge,
};

}  // namespace roceready::rules
