// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {

/// The page "Module Info" of mlxlink -m, line by line: "Rx Power Current [dBm] : 1.886,1.989 [-10.41..6]" has a value
/// for each lane and one pair of limits. Whether mlxlink prints the module's alarm or its warning limits is documented
/// nowhere: they are taken as warning limits, and kNoAlarm stands for the alarm limits.
class MlxlinkModule {
 public:
  /// Takes what is of this page.
  void take(const KeyValue& pair, std::uint32_t line);
  /// Puts what was taken where `ethtool -m` puts its own, which tells more and stays.
  void put(Draft& draft, const Section& section) const;

 private:
  struct Value {
    ModuleMonitor monitor;
    std::uint32_t line = 0;
  };
  void measure(const KeyValue& pair, std::uint32_t line);
  [[nodiscard]] ModuleFacts facts() const;
  [[nodiscard]] Reading<std::vector<ModuleMonitor>> monitors() const;

  std::uint32_t first_line_ = 0, state_line_ = 0;  ///< 0: there is none
  std::string form_, state_;
  std::optional<bool> copper_, measures_;
  std::optional<double> metres_;
  std::vector<Value> values_;
  bool without_limits_ = false;  ///< some values came with limits that are none: "0 [0..0]"
};

}  // namespace roceready::evidence
