// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/pcie/pcie_link.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const auto link = pcie_ends(seen, out, &PciFunction::current_speed, &PciFunction::max_speed);
  if (!link) return;
  if (link->current >= link->expected) return out.pass();
  const double now = static_cast<double>(link->current), wanted = static_cast<double>(link->expected);
  std::string sentence = "PCI function " + seen.pci()->address + " of " + netdev_name(seen) + " runs at " +
                         transfer_rate(now) + " although " + transfer_rate(wanted) + " are possible.";
  Severity severity = Severity::Warning;
  const Reading<std::uint64_t> port_speed = seen.link_speed();
  if (port_speed && seen.pci()->current_width) {
    const double capacity = link_capacity(now, *seen.pci()->current_width);
    if (capacity < static_cast<double>(*port_speed)) {
      severity = Severity::Critical;
      sentence += " That carries " + bit_rate(capacity) + ", less than the port's " +
                  bit_rate(static_cast<double>(*port_speed)) + ".";
    }
  }
  if (!link->slot_known) sentence += " What the slot supports could not be read.";
  Judgement& entry =
      out.fail(severity, sentence,
               {seen.item("PCIe link speed", now, "transfers/s", "<", wanted, pci_source(seen, "current_link_speed"))});
  entry.confidence = pcie_confidence(seen, link->slot_known);
}

}  // namespace

extern const Rule kPcieSpeedDegraded;
constinit const Rule kPcieSpeedDegraded{
    .id = "pcie-speed-degraded",
    .family = "pcie",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "NIC runs at a lower PCIe generation than it supports",
    .what =
        "Compares the current PCIe speed of the NIC with the smaller maximum of the NIC and of the bridge above it. "
        "Warning; critical when the link cannot carry the port.",
    .why = "The host cannot take in what the wire delivers, so the NIC pauses the fabric or drops.",
    .next = "Look again under load; then reseat the card, check riser and the firmware's link speed setting.",
    .likely_causes = {"signal quality of riser or slot", "link speed limited in firmware", "card not seated well",
                      "NIC firmware"},
    .fix = {Recipe::Pcie, Recipe::Firmware},
    .traps = {"Only the NIC's own link is judged: pcie-tree-bottleneck looks at those further up.",
              "Some platforms lower the speed of an idle link to save power: look again under load.",
              "An older slot limits a newer card: the bridge says so, no finding here.",
              "Packet headers are not taken off, so a link that is said to be too slow really is."},
    .facts = {"kernel-pci-link-files", "pcie-line-codes"},
    .judge = judge,
};

}  // namespace roceready::rules
