// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/pcie/pcie_link.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const auto link = pcie_ends(seen, out, &PciFunction::current_width, &PciFunction::max_width);
  if (!link) return;
  if (link->current >= link->expected) return out.pass();
  const double now = link->current, wanted = link->expected;
  std::string sentence = "PCI function " + seen.pci()->address + " of " + netdev_name(seen) + " runs on " +
                         std::to_string(link->current) + " of " + std::to_string(link->expected) + " PCIe lanes.";
  if (!link->slot_known) sentence += " What the slot supports could not be read.";
  Judgement& entry =
      out.fail(now <= seen.limit("crit_share") * wanted ? Severity::Critical : Severity::Warning, sentence,
               {seen.item("PCIe link width", now, "lanes", "<", wanted, pci_source(seen, "current_link_width"))});
  entry.confidence = pcie_confidence(seen, link->slot_known);
}

}  // namespace

extern const Rule kPcieWidthDegraded;
constinit const Rule kPcieWidthDegraded{
    .id = "pcie-width-degraded",
    .family = "pcie",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "NIC runs on fewer PCIe lanes than it supports",
    .what =
        "Compares the current PCIe width of the NIC with the smaller maximum of the NIC and of the bridge above it. "
        "Critical at half or less, else warning.",
    .why = "The host cannot take in what the wire delivers, so the NIC pauses the fabric or drops.",
    .next = "Reseat the card, check riser and slot, then the firmware's bifurcation setting.",
    .likely_causes = {"card not seated well", "riser or cable", "dirt on the contacts", "bifurcation set in firmware"},
    .fix = {Recipe::Pcie},
    .traps = {"Only the NIC's own link is judged: pcie-tree-bottleneck looks at those further up.",
              "A slot that is wired narrower than its connector has a bridge that says so: no finding here.",
              "Multi-host cards split sixteen lanes into two times eight by design.",
              "Some platforms narrow an idle link to save power: look again under load."},
    .limits = {Limit{.name = "crit_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "at or below this share of the expected lanes it is critical"}},
    .facts = {"kernel-pci-link-files"},
    .judge = judge,
};

}  // namespace roceready::rules
