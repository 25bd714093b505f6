// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rules/probe/bandwidth_runs.h"
#include "rules/probe/measured.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<const BandwidthRun*> runs = newest_runs(seen, out, true);
  if (runs.empty()) return;
  const BandwidthRun& run = *runs.front();
  if (const auto why = why_no_line(seen); why && limits_are_defaults(seen)) return out.not_applicable(*why);
  if (!run.bits_per_second) return out.unknown(run.bits_per_second.absent());
  const Reading<double> own = line_of(seen);
  if (!own) return out.unknown(own.absent());
  const double line = *own;
  const Reading<double> slot = slot_of(seen.now(), seen.port());
  const bool knows_slot = slot && *slot > 0;
  const double got = *run.bits_per_second, share = seen.limit("share");
  if (got >= share * (knows_slot ? std::min(line, *slot) : line)) return out.pass();
  if (const auto why = why_own_end_explains(run, line)) return out.unknown(*why);
  if (!knows_slot)
    return out.unknown({Why::NotPresent, "what its PCIe link carries is not known, and it may be less than the line" +
                                             (slot ? std::string() : ": " + slot.absent().detail)});
  const std::string source = "RDMA writes of " + port_name(seen) + " to itself";
  out.fail(Severity::Warning,
           "RDMA writes of " + port_name(seen) + " to its own port got " + bit_rate(got) + ", where a link of " +
               bit_rate(line) + " and a slot of " + bit_rate(*slot) + " could carry more.",
           {seen.item("bandwidth of RDMA writes to itself", got, "bits/s", "<", share * std::min(line, *slot), source),
            seen.item("line rate", line, "bits/s", source), seen.item("PCIe link", *slot, "bits/s", source)})
      .derived_threshold = seen.limit_is_derived("share");
}

}  // namespace

extern const Rule kProbeLoopbackLow;
constinit const Rule kProbeLoopbackLow{
    .id = "probe-loopback-low",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The NIC is slow even to itself: a bottleneck inside the host",
    .what =
        "Judges what `roceready probe --kind loopback` measured: RDMA writes of a port to itself, through this host's "
        "memory. Warning below 85 % of the line rate, or of the PCIe link where that is slower.",
    .why = "No network can make up for a host that cannot feed its NIC.",
    .next = "Look at PCIe, IOMMU, ACS and NUMA placement of this NIC.",
    .likely_causes = {"degraded PCIe link", "IOMMU translation", "ACS sends GPU traffic through the root",
                      "wrong NUMA node"},
    .fix = {Recipe::Pcie, Recipe::Iommu},
    .traps = {"Loopback takes PCIe twice, so it must never run during jobs; nobody but a person starts it.",
              "It is not judged where the port carried 5 % of its line rate or more before.",
              "It goes through the host's memory, a small buffer of it: GPU memory, and what large buffers cost an "
              "IOMMU, are not seen.",
              "Latency is not compared with a sibling NIC.",
              "Software RDMA and virtual machines are judged only where the limit was set."},
    .limits = {Limit{.name = "share",
                     .value = 0.85,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of line rate and PCIe below which it is a warning"}},
    .facts = {"hostping", "kernel-pci-link-files"},
    .on_demand = true,
    .judge = judge,
};

}  // namespace roceready::rules
