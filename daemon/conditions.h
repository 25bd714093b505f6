// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/report.h"

namespace roceready::daemon {

/// A lasting condition as it is logged: once when it begins, when its text changes, and when it ends.
struct ConditionChange {
  enum class Kind { Begins, Changes, Ends };
  Kind kind = Kind::Begins;
  std::string name, text;  ///< text of an end: what it was last
  bool operator==(const ConditionChange&) const = default;
};

class Conditions {
 public:
  /// What holds now (name → text); returns what is different from the last call, by name.
  [[nodiscard]] std::vector<ConditionChange> update(std::map<std::string, std::string> now);

 private:
  std::map<std::string, std::string> last_;
};

/// Conditions of a report that deserve a line in the log: the verdict, critical findings, failing collectors.
[[nodiscard]] std::map<std::string, std::string> conditions_of(const rules::Report& report);

}  // namespace roceready::daemon
