// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rules/engine.h"
#include "tests/hosts/pipeline.h"

namespace roceready::round_trip {

/// How the files' judgement differs from the node's on one finding.
enum class Differs {
  Lacks,    ///< the node shows a fault, and the files leave the rule unknown, not looked at or not applicable
  Softens,  ///< both show it, the files less grave
  Passes,   ///< the node shows a fault, and the files let it pass: false green
  Invents,  ///< the files alone show a fault, or a graver one
};
[[nodiscard]] const char* name_of(Differs how);
struct Difference {
  Differs how = Differs::Lacks;
  std::string rule;
  std::string text;  ///< key, severities, why
};

/// Every difference in findings of a host as it is judged on the node, and by the outputs of tools on it.
[[nodiscard]] std::vector<Difference> differences(const std::vector<Snapshot>& snapshots,
                                                  const rules::JudgeOptions& options);

/// What these tools cannot show: why a rule may differ so.
struct Limit {
  const char* rule;  ///< id; "fabric-" stands for all of that family
  Differs how;
  const char* reason;
};
[[nodiscard]] const std::vector<Limit>& limits_of_tools();

/// Stories of rules (tests/hosts/rules) that tell what stands together on no host, so that no tool prints it.
struct Contradiction {
  const char* rule;
  const char* part;  ///< "fires", "quiet", "unknown"
  const char* reason;
};
[[nodiscard]] const std::vector<Contradiction>& contradictions();

}  // namespace roceready::round_trip
