// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inner header of export/: includes nlohmann's, so only .cpp files of daemon/ include it.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "rules/report.h"

namespace roceready::daemon {

/// Keeps the order in which keys were set, so that a reader finds the verdict at the top.
using Json = nlohmann::ordered_json;

/// Text made safe: whatever is not UTF-8, and control characters, become \xNN.
[[nodiscard]] Json json_text(const std::string& text);
[[nodiscard]] Json json_text_or_null(const std::string& text);  ///< "" is null
[[nodiscard]] Json json_number(double value);                   ///< not finite is null; whole numbers without fraction
[[nodiscard]] Json json_time(std::int64_t wall_ns);             ///< RFC 3339; 0 is null
[[nodiscard]] inline Json json_reading(const Reading<std::string>& r) {
  return r ? json_text(*r) : Json();
}
[[nodiscard]] inline Json json_reading(const Reading<double>& r) {
  return r ? json_number(*r) : Json();
}
template <class T>
[[nodiscard]] Json json_reading(const Reading<T>& r) {
  return r ? Json(*r) : Json();
}

[[nodiscard]] Json json_subject(const Subject& subject);
[[nodiscard]] Json json_evidence(const rules::EvidenceItem& item);
[[nodiscard]] Json json_coverage(const rules::Coverage& coverage);
[[nodiscard]] Json json_penalties(const std::vector<rules::Penalty>& penalties);
[[nodiscard]] Json json_ports(const rules::Report& report);
/// Two blanks of indentation and a newline at the end; never throws.
[[nodiscard]] std::string json_dump(const Json& json);

}  // namespace roceready::daemon
