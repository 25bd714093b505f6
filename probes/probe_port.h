// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "probes/exchange.h"
#include "probes/verbs/verbs.h"

namespace roceready::probes {

/// What the configuration says of this node.
struct NodeLabels {
  std::string node;                          ///< how we call ourselves
  std::string label;                         ///< top-of-rack label, "" for none
  std::map<std::string, std::string> rails;  ///< "mlx5_0/1" → rail
};

/// In which class probes leave and their replies come back.
struct TravelClass {
  std::uint8_t dscp = 26, service_level = 3;  ///< NVIDIA's usual ones
  bool operator==(const TravelClass&) const = default;
  [[nodiscard]] std::uint8_t traffic_class() const { return static_cast<std::uint8_t>(dscp << 2 | 2); }  ///< ECT(0)
};

/// A port that can probe: open, active, with the GID that it probes from.
struct ProbePort {
  std::unique_ptr<verbs::Port> port;
  verbs::PortFacts facts;
  verbs::GidEntry gid;
};

/// The GID to probe from: RoCE v2, not link-local, index at most 255; of the address family of `like` where that is
/// given, else IPv4 before IPv6; the lowest index. NotFound: none, in words.
[[nodiscard]] Result<verbs::GidEntry> choose_gid(const verbs::PortFacts& facts, const std::optional<verbs::Gid>& like);

/// Opens `name` and checks that it can probe; the error says why not: down, InfiniBand, iWARP, no GID.
[[nodiscard]] Result<ProbePort> open_probe_port(verbs::Verbs& verbs, const verbs::PortName& name,
                                                const std::optional<verbs::Gid>& like);
/// The first port that can probe, `device` and `port` where they are given ("" and 0: any). The error is that of the
/// last port tried.
[[nodiscard]] Result<ProbePort> first_probe_port(verbs::Verbs& verbs, const std::string& device, std::uint32_t port,
                                                 const std::optional<verbs::Gid>& like);

/// The same among those that `may_use` (empty: every port) allows, from the address family that the peer is called by:
/// that of `host` where it is an address and the port has a GID of it; else its address is one for HTTP alone.
[[nodiscard]] Result<ProbePort> port_towards(verbs::Verbs& verbs, const std::string& device, std::uint32_t port,
                                             const std::function<bool(const verbs::PortName&)>& may_use,
                                             const std::string& host);

/// What a session exchange says of the port; queue pairs and scratch are the caller's to add.
[[nodiscard]] Endpoint endpoint_of(const ProbePort& port, const NodeLabels& labels);

/// Bits that two addresses have in common from the front; 0 for different families.
[[nodiscard]] unsigned common_bits(const verbs::Gid& a, const verbs::Gid& b);

/// Flow label of a path: never 0, different for each, spread over the 14 bits that become the UDP source port.
[[nodiscard]] std::uint32_t flow_label_of_path(std::uint32_t path);

/// Address handles to a peer, dropped with the object.
class AddressSet {
 public:
  AddressSet() = default;
  /// One for each path where flow labels decide the path, else one for all. May wait for the neighbour. Any thread.
  static Result<AddressSet> create(verbs::Ud& ud, const ProbePort& port, const verbs::Gid& to,
                                   std::uint8_t traffic_class, std::uint8_t service_level, std::uint32_t paths);
  ~AddressSet();
  AddressSet(AddressSet&& other) noexcept;
  AddressSet& operator=(AddressSet&& other) noexcept;
  [[nodiscard]] const std::vector<verbs::AddressHandle>& handles() const { return handles_; }

 private:
  verbs::Ud* ud_ = nullptr;
  std::vector<verbs::AddressHandle> handles_;
};

/// Random 31-bit QKey: the other half of them needs a capability.
[[nodiscard]] std::uint32_t random_qkey();
[[nodiscard]] Nonce random_nonce();
[[nodiscard]] std::uint64_t random_session();  ///< never 0

}  // namespace roceready::probes
