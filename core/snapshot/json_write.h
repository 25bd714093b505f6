// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/snapshot/snapshot.h"

namespace roceready {

/// Everything that Snapshot::each_field reaches; the times are not among it. Form: snapshot_json.h.
[[nodiscard]] nlohmann::json write_json(const Snapshot& snapshot);
/// What a node tells its peers, in the form that it has in a snapshot.
[[nodiscard]] nlohmann::json write_json(const NodeDigest& digest);

[[nodiscard]] nlohmann::json write_json(const ProbeFacts& facts);
[[nodiscard]] nlohmann::json write_json(const NodeDigest& digest);

}  // namespace roceready
