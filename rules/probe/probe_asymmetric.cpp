// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kProbeAsymmetric;
constinit const Rule kProbeAsymmetric{
    .id = "probe-asymmetric",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kProbe | kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "One direction of a path is worse than the other",
    .what =
        "Compares both directions between two nodes. Warning when one is healthy and the other loses probes or "
        "bandwidth.",
    .why = "It halves the search: one transmitter or one receiver is at fault.",
    .next = "Look at the transmit side of the sender and the receive side of the receiver: optics, then drops.",
    .likely_causes = {"weak transmitter or receiver of an optic", "one-sided PFC", "different path for each direction"},
    .fix = {Recipe::Optic, Recipe::Switch},
    .traps = {"Both directions may take different paths through the fabric."},
    .facts = {"rpingmesh"},
    .status = Status::Planned,
};

}  // namespace roceready::rules
