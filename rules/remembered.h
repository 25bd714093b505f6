// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/subject.h"
#include "core/base/time.h"
#include "rules/report.h"

namespace roceready::rules {

// What is kept over a restart, as JSON. What is read back is foreign: every reader checks type, range and length, and
// gives nothing where a member is missing or makes no sense.

inline constexpr std::size_t kMostText = 8192;  ///< bytes of one text
inline constexpr std::size_t kMostItems = 256;  ///< of one list of evidence or commands

[[nodiscard]] nlohmann::json remembered(const Subject& subject);
[[nodiscard]] nlohmann::json remembered(const Instant& at);
[[nodiscard]] nlohmann::json remembered(const std::vector<EvidenceItem>& evidence);
/// `cause_of` and `symptom_of` are not kept: they are found anew in each report.
[[nodiscard]] nlohmann::json remembered(const Finding& finding);

/// Members of an object that somebody else wrote. The first that is missing or wrong makes the whole bad.
class Recalled {
 public:
  explicit Recalled(const nlohmann::json& from);
  [[nodiscard]] bool good() const { return good_; }
  void fail() { good_ = false; }
  std::string text(const char* member);
  std::int64_t integer(const char* member, std::int64_t least, std::int64_t most);
  /// Finite.
  double number(const char* member);
  bool flag(const char* member);
  Instant instant(const char* member);
  Subject subject(const char* member);
  std::vector<EvidenceItem> evidence(const char* member);
  /// Null, with the whole bad, when the member is not there.
  const nlohmann::json* member(const char* name);
  [[nodiscard]] bool has(const char* name) const;

 private:
  const nlohmann::json& from_;
  bool good_ = true;
};

/// Nothing also where this version does not know the rule.
[[nodiscard]] std::optional<Finding> finding_from(const nlohmann::json& json);
/// The text as JSON; a discarded value where it is none. Text that is not UTF-8 never leaves as_text.
[[nodiscard]] nlohmann::json parsed(const std::string& text);
[[nodiscard]] std::string as_text(const nlohmann::json& json);

[[nodiscard]] std::optional<Severity> severity_from(const std::string& name);

}  // namespace roceready::rules
