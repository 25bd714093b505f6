// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rules/evidence.h"
#include "rules/report.h"
#include "rules/waivers.h"

namespace roceready::rules {

/// Takes somebody's word for a mandatory check of a port that could not be read: then `said` is Attested, and listed in
/// `taken`. An attestation that ended is named in the sentence. Never against what was read.
void attest(const std::vector<Attestation>& attestations, const Rule& rule, const RdmaPort& port,
            const Profile* profile, std::int64_t now_wall_ns, Judgement& said, std::vector<Attested>& taken);

/// Moves waived findings from `findings` to the report, which also lists the waivers that ended.
void waive(const std::vector<Waiver>& waivers, std::vector<Finding>& findings, Report& report);

}  // namespace roceready::rules
