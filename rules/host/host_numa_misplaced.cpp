// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 10;

/// Seconds of the last ten in which the NIC could not write to memory for more than 30 % of the time.
double stalled_seconds(const Evidence& seen) {
  const Reading<Increase> stalled = seen.increase(CounterId::PcieStalledWriteSeconds, kWindowSeconds);
  return stalled ? stalled->amount : 0;
}

void judge(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = seen.pci();
  if (nic == nullptr) {
    const Reading<std::string>& address = seen.port().pci_address;
    if (!address && address.absent().why == Why::NotPresent) return out.not_applicable("no PCI function behind it");
    return out.unknown(address ? Absent{Why::NotPresent, "no PCI function " + *address} : address.absent());
  }
  const std::vector<NicInterrupts>& all = seen.now().host.interrupts;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const NicInterrupts& one) { return one.pci_address == nic->address; });
  if (found == all.end())
    return out.unknown({Why::NotRecorded, "where the interrupts of " + nic->address + " are handled"});
  const Reading<InterruptPlacement>& placement = found->placement;
  if (!placement && placement.absent().why == Why::NotSupported)
    return out.not_looked_at("never_shown", placement.absent().detail + " (numa_node is -1)", "");
  if (!placement) return out.unknown(placement.absent());
  if (placement->looked_at == 0) return out.unknown({Why::NotPresent, nic->address + " has no interrupts"});
  const double away = placement->looked_at - placement->local;
  const double share = away / placement->looked_at;
  if (share <= seen.limit("away_share")) return out.pass();

  const double stalled = stalled_seconds(seen);
  const bool suffers = stalled >= seen.limit("stalled_seconds");
  std::string sentence = short_number(away) + " of " + counted(placement->looked_at, "interrupt") + " looked at of " +
                         netdev_name(seen) + " are handled by CPUs of another NUMA node than its " + "own, node " +
                         std::to_string(nic->numa_node.value_or(-1)) + ".";
  std::vector<EvidenceItem> evidence = {seen.item("share of interrupts handled on another NUMA node", share, "share",
                                                  ">", seen.limit("away_share"),
                                                  "/proc/irq/*/effective_affinity_list")};
  if (suffers) {
    sentence += " In the last 10 s the NIC waited for memory in " + counted(stalled, "second") + ".";
    evidence.push_back(seen.item("seconds in which the NIC waited for memory", stalled, "seconds", ">=",
                                 seen.limit("stalled_seconds"), seen.source_of(CounterId::PcieStalledWriteSeconds)));
  }
  out.fail(suffers ? Severity::Warning : Severity::Info, sentence, std::move(evidence)).derived_threshold =
      seen.limit_is_derived("away_share");
}

}  // namespace

extern const Rule kHostNumaMisplaced;
constinit const Rule kHostNumaMisplaced{
    .id = "host-numa-misplaced",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic | kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "The NIC's interrupts are handled on another NUMA node",
    .what =
        "Compares the CPUs that handle the NIC's interrupts with those of its own NUMA node. Fires when more than half "
        "are elsewhere: info, and a warning while the NIC waits for memory.",
    .why = "Completions and data cross the link between the sockets: higher latency, and a NIC that drains slowly.",
    .next = "Bind the interrupts to the NIC's node, and start the RDMA programs there.",
    .likely_causes = {"irqbalance moved them", "affinity lost at reboot or at a reload of the driver",
                      "the program runs on the other socket and asked for its own CPUs"},
    .fix = {Recipe::NumaAffinity},
    .traps = {"Where the platform names no node for the NIC (numa_node -1), nothing is said.",
              "No more than 32 interrupts of a NIC are looked at, evenly chosen.",
              "Who owns the queue pairs is not looked at: a program on the other socket is not seen.",
              "Programs that poll do not care where interrupts go: info while nothing else shows."},
    .needs = {CounterId::PcieStalledWriteSeconds},
    .limits = {Limit{.name = "away_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the interrupts on another node above which it fires"},
               Limit{.name = "stalled_seconds",
                     .value = 3,
                     .unit = "seconds",
                     .min = 1,
                     .max = 10,
                     .evidence = 'K',
                     .help = "seconds of the last ten in which the NIC waited for memory that make it a warning"}},
    .facts = {"kernel-irq-affinity", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
