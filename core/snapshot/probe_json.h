// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/snapshot/probe.h"

namespace roceready {

inline constexpr std::size_t kMaxProbeBytes = std::size_t{12} * 1024 * 1024;
inline constexpr std::size_t kMaxProbedPeers = 20'000;  ///< entries of ProbeFacts::peers and of ::digests
inline constexpr std::size_t kMaxPathsOfPeer = 256;
inline constexpr std::size_t kMaxPortsOfDigest = 256;
inline constexpr std::size_t kMaxBandwidthRuns = 1024;
inline constexpr std::size_t kMaxProbeProblems = 64;
inline constexpr std::size_t kMaxDigestBytes = std::size_t{64} * 1024;

/// JSON of what the probes know, in the form of snapshot_json.h. Text that is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string probe_facts_json(const ProbeFacts& facts);
/// The same back, from anybody. Malformed, with the path of the first fault, where it is too long, no JSON, holds an
/// unknown member, or says what cannot be: more lost than sent, negative or disordered times, a DSCP above 63.
[[nodiscard]] Result<ProbeFacts> probe_facts_from_json(std::string_view text);
/// Whether the facts can be, as above.
[[nodiscard]] Result<void> check(const ProbeFacts& facts);

/// One node's digest, as sessions carry it: compact, the same bytes for equal digests.
[[nodiscard]] std::string node_digest_json(const NodeDigest& digest);
[[nodiscard]] Result<void> check(const NodeDigest& digest);
/// Malformed as above, and beyond kMaxDigestBytes.
[[nodiscard]] Result<NodeDigest> node_digest_from_json(std::string_view text);

}  // namespace roceready
