// SPDX-License-Identifier: Apache-2.0
#include "rules/burst_evidence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "rules/rule.h"

namespace roceready::rules {

void add_bursts(const Evidence& seen, std::vector<EvidenceItem>& evidence) {
  constexpr std::size_t kMost = 4;
  std::size_t added = 0;
  for (const BurstFact& burst : seen.now().bursts) {
    if (added == kMost) return;
    if (burst.device != seen.port().device || burst.port != seen.port().port || burst.peak <= 0) continue;
    const auto& needs = seen.rule().needs;
    const bool read =
        std::any_of(needs.begin(), needs.end(), [&](CounterId id) { return burst.counter == info_of(id).name; });
    if (!read) continue;
    const std::string step = std::to_string(std::lround(burst.step_seconds * 1000)) + " ms";
    evidence.push_back(seen.item(burst.counter + ", most in " + step + " (it grew in " +
                                     std::to_string(burst.busy_steps) + " of " + std::to_string(burst.steps) + ")",
                                 burst.peak, "count",
                                 "RDMA netlink, fast polling of " + burst.device + "/" + std::to_string(burst.port)));
    ++added;
  }
}

}  // namespace roceready::rules
