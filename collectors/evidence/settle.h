// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/moments.h"
#include "core/snapshot/snapshot.h"

namespace roceready::evidence {

/// The snapshot that a draft makes at a moment, with what follows from the facts as collectors derive it: ports of
/// devices and of RDMA-capable netdevs, members and uppers, drivers, scope, trust and DSCP map, canonical counters.
/// Nothing that no file says gets a value; what is taken for granted is added to `assumptions`, each sentence once.
/// The draft learns the canonical names of the statistics that it cites. `device` is the RDMA device that the person
/// named: the only port is its, if no file says otherwise.
[[nodiscard]] Snapshot settled(Draft& draft, const Moment& moment, const std::string& host, const std::string& device,
                               std::vector<std::string>& assumptions);

}  // namespace roceready::evidence
