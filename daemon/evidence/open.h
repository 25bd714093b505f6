// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/evidence/bundle.h"
#include "core/base/result.h"

namespace roceready::daemon {

/// How much of what somebody sent is read. Sizes in bytes, unpacked.
struct OpenLimits {
  std::uint64_t total_bytes = std::uint64_t{4} << 30;
  std::uint64_t file_bytes = std::uint64_t{1} << 30;
  std::uint64_t files = 200'000;
  std::uint32_t nesting = 3;          ///< archives within archives
  std::uint64_t archive_ratio = 500;  ///< unpacked to packed, beyond the first 64 MiB: more is a bomb
};

/// Reads files, folders (links in them are not followed), archives (tar and zip, packed or not, one in another) and "-"
/// (standard input) into `bundle`. Nothing is written, nothing is unpacked to a file, and names within archives are
/// labels only. What is not read (binary, too large, a link, a device, a name that leads out, a damaged archive) is
/// skipped with its reason in the bundle. An error: a path that was named cannot be read at all.
[[nodiscard]] Result<void> open_evidence(const std::vector<std::string>& paths, const OpenLimits& limits,
                                         evidence::Bundle& bundle);

}  // namespace roceready::daemon
