// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"

namespace roceready {

/// Applies a patch of the form that read_snapshots documents to a snapshot's JSON. After a failure `state` is
/// unspecified.
[[nodiscard]] Result<void> patch_snapshot(nlohmann::json& state, const nlohmann::json& patch);

}  // namespace roceready
