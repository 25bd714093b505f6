// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/pcie/pcie_link.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// The port of another NIC in scope that runs below one of our bridges, or our own.
struct Share {
  double bits_per_second = 0;
  std::vector<std::string> netdevs;
};

bool below(const Evidence& seen, const std::string& parent, const PciFunction& bridge) {
  const auto above = bridges_above(seen, parent);
  return std::find(above.begin(), above.end(), &bridge) != above.end();
}

/// Ports in use below a bridge, by speed.
Share ports_below(const Evidence& seen, const PciFunction& bridge) {
  Share out;
  for (const RdmaPort& port : seen.now().ports) {
    if (!port.in_scope) continue;
    for (const std::string& name : port.members) {
      const Netdev* netdev = seen.now().netdev(name);
      if (netdev == nullptr || !netdev->link.carrier.value_or(false)) continue;
      const PciFunction* nic = seen.now().function(netdev->link.parent_device.value_or(""));
      const auto speed = field(netdev->ethtool.link_modes, &LinkModes::speed_bits_per_second);
      if (nic == nullptr || !speed || !below(seen, nic->parent, bridge)) continue;
      out.bits_per_second += static_cast<double>(*speed);
      out.netdevs.push_back(name);
    }
  }
  return out;
}

bool gpu_below(const Evidence& seen, const PciFunction& bridge) {
  if (!seen.now().gpus) return false;
  return std::any_of(seen.now().gpus->begin(), seen.now().gpus->end(),
                     [&](const Gpu& gpu) { return below(seen, gpu.parent, bridge); });
}

void judge(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return;
  const Reading<double> own = capacity_of(*nic);
  if (!own) return out.unknown(own.absent());
  const std::vector<const PciFunction*> above = bridges_above(seen, nic->parent);
  // The nearest bridge is the other end of the NIC's own link, which other rules judge.
  const PciFunction* narrow = nullptr;
  const PciFunction* shared = nullptr;
  double narrowest = 0;
  Share share;
  Absent unread;
  for (std::size_t k = 1; k < above.size(); ++k) {
    const PciFunction& bridge = *above[k];
    const Reading<double> capacity = capacity_of(bridge);
    if (!capacity) {
      if (capacity.absent().why != Why::NotPresent) unread = capacity.absent();
      continue;
    }
    if (*capacity < 0.99 * *own && (narrow == nullptr || *capacity < narrowest)) {
      narrow = &bridge;
      narrowest = *capacity;
    }
    const Share all = ports_below(seen, bridge);
    if (all.netdevs.size() > 1 && all.bits_per_second > *capacity && shared == nullptr) {
      shared = &bridge;
      share = all;
    }
  }
  const std::string name = "PCI function " + nic->address + " of " + netdev_name(seen);
  if (narrow != nullptr) {
    out.fail(Severity::Warning,
             name + " runs at " + link_words(*nic) + " (" + bit_rate(*own) + "), but bridge " + narrow->address +
                 " above it runs at " + link_words(*narrow) + " (" + bit_rate(narrowest) + ").",
             {seen.item("PCIe link of a bridge above", narrowest, "bits/s", "<", *own,
                        "/sys/bus/pci/devices/" + narrow->address + "/current_link_width")})
        .confidence = pcie_confidence(seen, true);
    return;
  }
  if (shared != nullptr) {
    const Reading<double> capacity = capacity_of(*shared);
    const bool direct = gpu_below(seen, *shared);
    std::string sentence = "Bridge " + shared->address + " carries " + bit_rate(*capacity) + " for " +
                           joined(share.netdevs) + ", whose ports run at " + bit_rate(share.bits_per_second) +
                           " together.";
    if (direct) sentence += " Traffic with a GPU below the same switch does not pass it.";
    out.fail(direct ? Severity::Info : Severity::Warning, sentence,
             {seen.item("PCIe link that ports share", *capacity, "bits/s", "<", share.bits_per_second,
                        "/sys/bus/pci/devices/" + shared->address + "/current_link_width")})
        .confidence = pcie_confidence(seen, true);
    return;
  }
  if (!unread.detail.empty()) return out.unknown(unread);
  out.pass();
}

}  // namespace

extern const Rule kPcieTreeBottleneck;
constinit const Rule kPcieTreeBottleneck{
    .id = "pcie-tree-bottleneck",
    .family = "pcie",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "A PCIe link further up is the narrow point",
    .what =
        "Walks the bridges from the NIC to the root. Fires when one of them runs with less speed times width than the "
        "NIC's own link, or when the ports in use below one are faster together than it.",
    .why = "The host cannot take in what the wire delivers although the NIC's own link looks perfect.",
    .next = "Check cabling and switch of the PCIe path that the sentence names; spread NICs over root ports.",
    .likely_causes = {"uplink of a PCIe switch degraded", "several NICs behind one uplink",
                      "riser or cable of the uplink"},
    .fix = {Recipe::Pcie},
    .traps = {"Traffic between a GPU and a NIC below the same switch does not pass the shared uplink: info there.",
              "The NIC's own link, and the bridge at its other end, are the matter of other rules.",
              "Ports without carrier or out of scope do not count.",
              "Bridges that have no PCIe link of their own are passed over."},
    .facts = {"kernel-pci-link-files", "pcie-line-codes"},
    .judge = judge,
};

}  // namespace roceready::rules
