// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// A snapshot as JSON, both ways. Form of a Reading: its value, or {"absent": "denied", "detail": "…"}; a member that
/// is left out or null is NotRecorded. Unsigned 64-bit numbers are decimal strings; plain numbers are read as well.
/// `before`/`after` are {"monotonic_ns": "…", "wall": "…"}; without `after` it is equal to `before`.
/// Raw counters: {"names": […], "values": ["…"]}. Canonical counters: {"values": [{"id": "cnp_sent", "raw": "7"},
/// {"id": "pfc_rx_pause_duration", "lane": 3, "raw": "9", "scale": 1e-06}], "offered": […], "driver_known": true,
/// "why_absent": {…}} with `width` 64 and `scale` 1 where they are left out.
[[nodiscard]] nlohmann::json to_json(const Snapshot& snapshot);
/// Errors name the path of the first member that makes no sense ("ports[0].gids[2].index: …"). Unknown members are
/// refused.
[[nodiscard]] Result<Snapshot> snapshot_from_json(const nlohmann::json& json);

/// A directory of layout `snapshot`: host.json and snapshots.json (an array). A snapshot after the first may hold only
/// {"after_seconds": N, "patch": {…}}: a JSON merge patch (RFC 7396) over the one before, where arrays "ports",
/// "netdevs" and "pci" are patched by element name: {"netdevs": {"eth0": {…}}, "ports": {"mlx5_0/1": {…}}} (null
/// removes one), and the values of canonical counters by name and lane: {"counters": {"values": {"cnp_sent": "8",
/// "rx_bytes_priority:3": "9"}}}. A patch over or with {"absent": …} replaces.
[[nodiscard]] Result<std::vector<Snapshot>> read_snapshots(const std::filesystem::path& directory);

}  // namespace roceready
