// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (seen.vendor() != "nvidia") return out.not_applicable("adaptive retransmission is a feature of NVIDIA NICs");
  constexpr CounterId kUsed = CounterId::RoceAdpRetrans, kPlain = CounterId::PacketSeqErr;
  const Reading<double> used = seen.counter(kUsed);
  if (used && *used > 0) return out.pass();
  if (used)
    return out.not_looked_at("never_shown",
                             "the kernel does not show whether adaptive retransmission is on, and it was not used yet",
                             "mlxreg --reg_name ROCE_ACCL --get, and an attestation in the configuration");
  const Reading<double> plain = seen.counter(kPlain);
  if (!plain || used.absent().why != Why::NotPresent) return out.unknown(used.absent());
  out.fail(Severity::Warning,
           port_name(seen) +
               " shows the counters of its queue pairs but none of adaptive retransmission: this NIC, its "
               "firmware or its driver does not have it, and the profile counts on it.",
           {seen.word("counters of adaptive retransmission", "none", "!=", "shown", seen.source_of(kPlain))})
      .confidence = 0.7;
}

}  // namespace

extern const Rule kTransportLossyAccelOff;
constinit const Rule kTransportLossyAccelOff{
    .id = "transport-lossy-accel-off",
    .family = "transport",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kLossy,
    .scope = Scope::Port,
    .title = "Adaptive retransmission is not there although the design is lossy",
    .what =
        "Looks for ConnectX's counters of adaptive retransmission. Warning when the NIC shows its other queue pair "
        "counters and not these; passes once they have counted something.",
    .why =
        "Without it a lost packet costs a full timeout and a window: a lossy design is then slow under the least "
        "congestion.",
    .next =
        "Read the ROCE_ACCL register with the vendor's tool, switch adaptive retransmission on, or update the "
        "firmware.",
    .likely_causes = {"NIC older than ConnectX-5", "old firmware or kernel", "switched off in the ROCE_ACCL register"},
    .fix = {Recipe::RoceAccelerations, Recipe::Firmware},
    .traps = {"The register itself needs the vendor's tool: counters that are there and still 0 prove nothing, and "
              "nothing is said.",
              "Other vendors' NICs recover in other ways: not applicable."},
    .needs = {CounterId::RoceAdpRetrans},
    .facts = {"mlx5-roce-accl"},
    .judge = judge,
};

}  // namespace roceready::rules
