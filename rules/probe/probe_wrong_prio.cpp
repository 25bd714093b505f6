// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kProbeWrongPrio;
constinit const Rule kProbeWrongPrio{
    .id = "probe-wrong-prio",
    .family = "probe",
    .action = Action::FixConfig,
    .severities = {Severity::Critical},
    .judged = kProbe,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Port,
    .title = "Probe traffic arrives on another priority",
    .what =
        "During a burst of at least 10 MB compares the receiver's bytes of each priority. Critical when they rise on "
        "another one than the RoCE priority.",
    .why = "The receiver puts RoCE into a class that is not lossless.",
    .next = "Compare trust and DSCP map of the receiver, then the DSCP that arrives (probe-dscp-rewritten).",
    .likely_causes = {"receiver trusts PCP", "wrong DSCP map at the receiver", "DSCP rewritten on the path"},
    .fix = {Recipe::Trust, Recipe::DscpMap, Recipe::Switch},
    .traps = {"Other traffic runs at the same time: the rise is compared with the size of the burst."},
    .limits = {Limit{.name = "burst_bytes",
                     .value = 10000000,
                     .unit = "bytes",
                     .min = 1000,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "size of the burst"}},
    .facts = {"pause-direction"},
    .status = Status::Planned,
};

}  // namespace roceready::rules
