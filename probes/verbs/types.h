// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "probes/verbs/status.h"

namespace roceready::probes::verbs {

/// 128-bit address of a port: an IPv6 address, or an IPv4 one mapped into it (::ffff:a.b.c.d). Network byte order.
using Gid = std::array<std::uint8_t, 16>;
[[nodiscard]] bool is_ipv4(const Gid& gid);
[[nodiscard]] bool is_link_local(const Gid& gid);
/// "10.0.0.7" or "fd00::7".
[[nodiscard]] std::string address_text(const Gid& gid);
/// Inverse of address_text; nothing for any other text.
[[nodiscard]] std::optional<Gid> parse_address(const std::string& text);

enum class GidType { InfiniBand, RoceV1, RoceV2 };
struct GidEntry {
  std::uint32_t index = 0;  ///< in the port's table
  Gid gid{};
  GidType type = GidType::InfiniBand;
  std::uint8_t subnet_bits = 0;  ///< leading bits of `gid` that name its subnet, of 128; 0: not known
};

enum class LinkLayer { Unknown, InfiniBand, Ethernet };

/// An RDMA port by name.
struct PortName {
  std::string device;      ///< "mlx5_0"
  std::uint32_t port = 1;  ///< from 1
  bool operator==(const PortName&) const = default;
  [[nodiscard]] std::string text() const { return device + "/" + std::to_string(port); }
};

/// How the kernel knows a port, whatever its device is called.
struct KernelPort {
  std::uint64_t node_guid = 0;                ///< as a number in host order, 0: not known
  std::uint32_t port = 0;                     ///< from 1
  std::optional<std::uint32_t> device_index;  ///< RDMA_NLDEV_ATTR_DEV_INDEX; a device that comes back has another
};

/// Facts of a port at the moment of asking.
struct PortFacts {
  bool active = false;  ///< the port can carry traffic
  LinkLayer link_layer = LinkLayer::Unknown;
  bool iwarp = false;                  ///< no datagrams, no RoCE
  std::uint32_t active_mtu_bytes = 0;  ///< 256…4096: most payload of one packet
  std::vector<GidEntry> gids;          ///< filled entries only
  std::string driver;                  ///< "mlx5_core"; "" where unknown
  bool nic_clock = false;              ///< the NIC offers a time stamp with each completion
  std::uint32_t max_send_requests = 0, max_sge = 0, max_completions = 0;
  /// Whether a datagram's flow label decides its UDP source port (else only the queue pair does, or nobody knows).
  bool flow_label_sets_path = false;
  KernelPort kernel = {};
};

/// Where to send: from which own GID to which GID, in which class.
struct Address {
  Gid gid{};                        ///< of the peer; same address family as our own
  std::uint32_t own_gid_index = 0;  ///< 0–255
  std::uint8_t traffic_class = 0;   ///< DSCP << 2 | ECN
  std::uint8_t service_level = 0;   ///< 0–7: the priority
  std::uint32_t flow_label = 0;     ///< 20 bits
  std::uint8_t hop_limit = 64;      ///< some drivers take the route's instead
};

struct UdOptions {
  std::uint32_t queue_pairs = 1;       ///< 1–64: each has its own UDP source port on most drivers
  std::uint32_t receive_slots = 64;    ///< per queue pair, 1–4096
  std::uint32_t send_slots = 64;       ///< in all: sends that have not completed, 1–4096
  std::uint32_t payload_bytes = 4096;  ///< most payload of a datagram either way, 1–4096
  std::uint32_t qkey = 0;              ///< bit 31 clear: others need a capability
};

/// A buffer of 0 bytes and no receive slots: only the queue pairs, which pin no memory and can carry nothing.
struct RcOptions {
  std::uint32_t queue_pairs = 1;      ///< 1–16
  std::uint32_t buffer_bytes = 4096;  ///< what the peer may read and write, and what we send from; up to 1 MiB
  std::uint32_t receive_slots = 0;    ///< per queue pair: receives kept posted for the peer's sends, 0–256
  std::uint32_t requests = 1;         ///< in flight at a time per queue pair, 1–64
  bool remote_access = false;         ///< whether the peer may read and write the buffer
  bool patient = false;               ///< as applications: 67 ms for an acknowledgement, seven times; for full lines
};

/// The other end of a connection.
struct RcPeer {
  Address address;
  std::uint32_t queue_pair = 0;    ///< 24 bits
  std::uint32_t first_packet = 0;  ///< 24 bits: the packet sequence number that the peer begins with
  std::uint32_t mtu_bytes = 1024;  ///< 256…4096, not above either port's
  std::uint64_t buffer = 0;        ///< address of the peer's buffer, for read and write
  std::uint32_t buffer_key = 0;
};

enum class Operation { UdSend, Receive, RcWrite, RcRead, RcSend };

/// One finished send or receive. The spans are valid until the next poll of the same queue.
struct Completion {
  Status status = Status::Success;
  Operation operation = Operation::Receive;  ///< unspecified if the status is not Success
  std::uint64_t id = 0;                      ///< as given to send; unspecified for receives
  std::uint32_t queue_pair = 0;              ///< our queue pair's number
  std::uint32_t source_queue_pair = 0;       ///< of the sender, for datagrams received
  std::uint32_t vendor_error = 0;
  std::span<const std::byte> grh;      ///< 40 bytes if the NIC wrote a header there, else empty
  std::span<const std::byte> payload;  ///< of a datagram received
  std::optional<std::int64_t> nic_ns;  ///< NIC's time in ns; only differences within one port mean anything
};

enum class EventKind { PortActive, PortError, DeviceFatal, GidChange, LidChange, QueueError, Other };
struct Event {
  EventKind kind = EventKind::Other;
  std::uint32_t port = 0;  ///< 0: the whole device
  std::string name;        ///< the kernel's word, for a person
  /// A device tells whoever has one of its ports open of all of them.
  [[nodiscard]] bool is_about(const PortName& one) const { return port == 0 || port == one.port; }
};

}  // namespace roceready::probes::verbs
