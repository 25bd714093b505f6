// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/snapshot/probe.h"
#include "probes/grh.h"
#include "probes/wire.h"

namespace roceready::probes {

/// Body of POST /api/v1/probe/session and of its answer: JSON, `schema` "roceready.probe-session/1". Names on the wire
/// are those of the fields; GIDs and nonces are hexadecimal, 64-bit numbers decimal strings.
inline constexpr std::size_t kExchangeBytes = 64 * 1024;
inline constexpr std::size_t kNameBytes = 64;
inline constexpr std::size_t kEndpoints = 16, kQueuePairs = 16;

using Nonce = std::array<std::byte, 16>;  ///< from the system's random source, new for each request and each answer

enum class ProbeKind { Ud, RcWrite, RcRead, RcSend, Bandwidth };
/// What a mesh may ask this version for, and one that does not say: the latter keeps no room for more.
inline constexpr std::array kMeshKinds{ProbeKind::Ud, ProbeKind::RcWrite, ProbeKind::RcRead, ProbeKind::RcSend};
inline constexpr std::array kMeshKindsUnsaid{ProbeKind::Ud, ProbeKind::RcWrite, ProbeKind::RcRead};
[[nodiscard]] const char* name_of(ProbeKind kind);  ///< "ud", "rc-write", "rc-read", "rc-send", "bandwidth"
[[nodiscard]] std::optional<ProbeKind> probe_kind_from_name(std::string_view name);

struct QueuePair {
  std::uint32_t number = 0;  ///< 24 bits, at least 2
  std::uint32_t psn = 0;     ///< first packet sequence number, 24 bits; 0 for UD
  bool operator==(const QueuePair&) const = default;
};
/// Of a measurement of bandwidth: bytes of a message, connections, seconds that it may last.
inline constexpr std::uint32_t kLeastBandwidthBytes = 1 << 16, kMostBandwidthBytes = 1 << 20;
inline constexpr std::uint32_t kLeastBandwidthPairs = 4, kMostBandwidthSeconds = 10;
/// Memory that an RC peer may write to or read from: a scratch buffer of this session, nothing else.
struct ScratchBuffer {
  std::uint64_t address = 0;
  std::uint32_t rkey = 0, bytes = 0;
  bool operator==(const ScratchBuffer&) const = default;
};
/// A port that probes or answers.
struct Endpoint {
  std::string device;
  std::uint32_t port = 1;                ///< 1 to 255
  GidBytes gid{};                        ///< RoCE v2, routable: neither zero, loopback nor multicast
  std::uint32_t qkey = 0;                ///< UD; bit 31 is clear
  std::uint32_t mtu = 0;                 ///< active MTU, bytes: 256, 512, 1024, 2048 or 4096
  std::string rail, label;               ///< of the configuration, "" where there is none
  std::vector<QueuePair> queue_pairs;    ///< by path, at least 1; a reply goes to that of the probe's path
  std::optional<ScratchBuffer> scratch;  ///< rc-write and rc-read need the responder's
  bool operator==(const Endpoint&) const = default;
};

struct SessionRequest {
  Nonce nonce{};
  std::string node;  ///< how the prober calls itself
  ProbeKind kind = ProbeKind::Ud;
  bool on_demand = false;           ///< by a person: both ends poll busily for `seconds`; else the mesh
  std::uint32_t seconds = 0;        ///< asked for, 1 to 86400; the answer says what was granted
  std::uint8_t traffic_class = 0;   ///< of the replies too: DSCP << 2 | ECN
  std::string want_device;          ///< port of the responder, "": the one on our rail
  std::uint32_t want_port = 0;      ///< 0: any
  std::uint32_t largest = 0;        ///< payload bytes of the largest datagram to come, 0: as the MTU allows
  std::uint32_t message_bytes = 0;  ///< kind bandwidth alone, and left out of others: of a write, 65536 to 1 MiB
  std::uint64_t replaces = 0;       ///< session that ends once this one is in use, 0: none; left out then
  Endpoint endpoint;                ///< the prober's; replies go here and nowhere else
  NodeDigest digest;
  bool authenticated = false;  ///< decoding: the MAC was checked against the shared secret. Not on the wire
};
struct SessionAnswer {
  Nonce request_nonce{}, nonce{};  ///< the prober's and the responder's
  std::uint64_t session = 0;       ///< random, not 0
  std::string node;
  std::uint32_t seconds = 0;        ///< lifetime from now, 1 to 86400
  double probes_per_second = 0;     ///< more than these are not answered; above 0
  std::vector<Endpoint> endpoints;  ///< at least 1: where this session is answered; the first is the best match
  std::optional<std::uint32_t> service_level;  ///< in which its replies leave, 0 to 15; older versions do not say
  /// Port number (RDMA_PS_TCP, 1 to 65535) at which the first endpoint's address takes connections of this session by
  /// the RDMA connection manager; absent: it takes none.
  std::optional<std::uint16_t> cm_service;
  std::uint64_t instance =
      0;  ///< of the port that answers: random, another after each opening; 0: older versions do not say
  /// Of the sessions that it grants to a mesh, without kinds that we do not know. Older versions do not say.
  std::vector<ProbeKind> kinds{kMeshKindsUnsaid.begin(), kMeshKindsUnsaid.end()};
  NodeDigest digest;
  bool authenticated = false;  ///< as above
};

/// The body, signed where there is a secret. Both nonces are under the answer's MAC; what is signed is the canonical
/// JSON (members sorted, no blanks) of all but the MAC. Digests are made sendable (digest.h).
[[nodiscard]] std::string encode_request(const SessionRequest& request, ByteSpan secret);
[[nodiscard]] std::string encode_answer(const SessionAnswer& answer, ByteSpan secret);

/// With a secret: Denied where the MAC is missing or wrong, and nothing else of the body was looked at. Without one any
/// MAC is ignored, and `authenticated` is false: such a session is for on-demand probes only. NotSupported: another
/// schema. Malformed: the path of the member and what is wrong. Members that we do not know are skipped.
[[nodiscard]] Result<SessionRequest> decode_request(std::string_view body, ByteSpan secret);
/// `asked` is what this is the answer to: another nonce than ours is Denied.
[[nodiscard]] Result<SessionAnswer> decode_answer(std::string_view body, ByteSpan secret, const SessionRequest& asked);

/// Key of the session's messages: HKDF (RFC 5869) with SHA-256 of the secret, salt both nonces, bound to the session
/// id. With an empty secret whoever saw the exchange knows the key: it keeps out strays, not attackers.
[[nodiscard]] SessionKey session_key(ByteSpan secret, const Nonce& request, const Nonce& answer, std::uint64_t session);

/// Nonces of requests seen, so that a recorded request opens no second session. Keeps the newest; one that was
/// forgotten and is replayed opens a session whose key the replayer cannot know. So: let a new session end no older one
/// before it carried a message; connections, which tell us of none, are the exception. Threads: one. Memory: about 100
/// bytes a nonce.
class SeenNonces {
 public:
  explicit SeenNonces(std::size_t most = 4096) : most_(most) {}
  /// True for one that is not known; it is known from then on. Only nonces of authenticated requests belong here, lest
  /// strangers push them out.
  [[nodiscard]] bool take(const Nonce& nonce);

 private:
  std::size_t most_;
  std::set<Nonce> known_;
  std::deque<Nonce> order_;
};

}  // namespace roceready::probes
