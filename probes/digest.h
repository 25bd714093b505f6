// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/snapshot/probe.h"

namespace roceready::probes {

inline constexpr std::size_t kDigestPorts = 64;
inline constexpr std::size_t kDigestBytes = 32 * 1024;  ///< of canonical JSON

/// Makes a digest fit to be sent: details of absent readings go (they hold paths and change the hash for nothing),
/// ports are sorted, and those beyond the limits are left out. False where a port had to be left out.
[[nodiscard]] bool make_sendable(NodeDigest& digest);

/// The digest as JSON in the form of a snapshot (core/snapshot/snapshot_json.h).
[[nodiscard]] nlohmann::json digest_json(const NodeDigest& digest);
/// Inverse, of a peer's: members that we do not know are skipped, since a newer peer may say more; wrong types and more
/// than the limits are Malformed with the path of the member.
[[nodiscard]] Result<NodeDigest> digest_from_json(const nlohmann::json& from);

/// Canonical text: members sorted by name, no blanks.
[[nodiscard]] std::string digest_text(const NodeDigest& digest);
[[nodiscard]] Result<NodeDigest> digest_from_text(std::string_view text);

/// First 8 bytes of the SHA-256 of the canonical text, never 0.
[[nodiscard]] std::uint64_t digest_hash(const NodeDigest& digest);
/// What replies carry: another number where the digest has another hash, or replies leave in another service level.
/// That of the digest alone where the level is not told, and never 0.
[[nodiscard]] std::uint64_t told_hash(std::uint64_t digest_hash, std::optional<std::uint32_t> service_level);

}  // namespace roceready::probes
