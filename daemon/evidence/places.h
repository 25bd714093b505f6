// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "collectors/evidence/draft.h"
#include "core/base/result.h"
#include "rules/report.h"

namespace roceready::daemon {

/// In a recorded host that was made of files: where in them its facts stand (docs/recorded-hosts.md).
inline constexpr char kPlacesFile[] = "places.json";

[[nodiscard]] std::string places_json(const evidence::Draft& draft);

/// A draft that knows the places of a recorded host and nothing else; one that knows none where the host has no such
/// file. Damaged or larger than 32 MiB: an error that names the file.
[[nodiscard]] Result<evidence::Draft> read_places(const std::filesystem::path& directory);

/// The report on a recorded host; what it rests on is cited by the files that the host was made of, if it was.
/// Errors: as read_places().
[[nodiscard]] Result<rules::ReportPtr> with_places(rules::ReportPtr report, const std::filesystem::path& directory);

}  // namespace roceready::daemon
