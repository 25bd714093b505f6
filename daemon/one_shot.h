// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "daemon/source.h"
#include "rules/engine.h"

namespace roceready::daemon {

/// Samples for `window_ns` and judges once. Samples lie on a fixed rate from the first one; the last lies at the end of
/// the window. `each` sees every snapshot after it was remembered and may end the window (true).
[[nodiscard]] rules::ReportPtr judge_live(SampleSource& source, rules::JudgeOptions options, std::int64_t window_ns,
                                          std::int64_t interval_ns, const std::function<bool()>& each = {});

/// Judges a recorded host as a one-shot: all its samples, or those of its last `window_ns`. One that was made of files
/// names file and line of what a finding rests on.
[[nodiscard]] Result<rules::ReportPtr> judge_recorded_host(const std::string& directory,
                                                           const std::optional<std::string>& config_file,
                                                           const std::map<std::string, std::string>& overrides,
                                                           std::optional<std::int64_t> window_ns);

}  // namespace roceready::daemon
