// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/evidence/draft.h"

namespace roceready::evidence {

/// State of a port in the snapshot's words, by any tool's: "PORT_ACTIVE (4)", "4: ACTIVE", "Active", "ACTIVE" are
/// "ACTIVE"; nothing for a word that no tool prints.
[[nodiscard]] std::optional<std::string> port_state_word(std::string_view text);
/// The same of the physical state: "LINK_UP (5)", "5: LinkUp", "LinkUp", "LINK_UP" are "LinkUp".
[[nodiscard]] std::optional<std::string> physical_state_word(std::string_view text);
/// "4096 (5)" or "4096" in bytes: an MTU of verbs, else Malformed.
[[nodiscard]] Reading<std::uint32_t> verbs_mtu(std::string_view text);
/// "RoCE v2", "v2", "IB/RoCE v1", "v1", "RoCEv2" in the snapshot's words; "" where it is none.
[[nodiscard]] std::string gid_type_word(std::string_view text);
/// A port, with what its device's name says of its driver ("mlx5_0", "bnxt_re1", "rxe0").
RdmaPort& named_port(Draft& draft, const std::string& device, std::uint32_t number);
/// Whether a name begins as RDMA drivers name their devices and ends in a digit: "mlx5_bond_0", "rocep65s0f0".
[[nodiscard]] bool is_usual_device_name(std::string_view text);
/// The RDMA driver that names its devices so, as its vendor's table calls it; "" where the name does not tell.
[[nodiscard]] std::string driver_of_device(std::string_view device);
/// The first device within a file's name ("t0_mlx5_bond_0_counters.txt") whose name tells its driver; "" for none.
[[nodiscard]] std::string device_within(std::string_view name);
/// Keeps what a source says of one slot of a GID table; parts that it does not say ("" and nothing) stay as they are.
/// The entry is incomplete until its GID and its type are known: see complete_gid_tables().
struct GidPart {
  std::uint32_t index = 0;
  std::string gid, type;
  Reading<std::string> netdev;
};
void merge_gid(RdmaPort& port, GidPart part);
/// An address as the kernel writes GIDs: "0000:…:ffff:c000:0206" and "::ffff:192.0.2.6" are "::ffff:192.0.2.6"; nothing
/// for an empty slot or no GID.
[[nodiscard]] std::optional<std::string> gid_text(std::string_view text);

/// The address that a GID was made of; a host's prefix, since a GID has none.
[[nodiscard]] IpAddress address_of_gid(const std::string& gid);
/// The netdev that some output says has this address; null where none does.
[[nodiscard]] const Netdev* netdev_with(const Snapshot& snapshot, const std::string& address);
/// The netdev of a port by its GID table: the one that its first entries name, which are those of its own netdev; else
/// the one that has the address of an entry. "" where nothing tells.
[[nodiscard]] std::string netdev_by_gids(const Snapshot& snapshot, const RdmaPort& port);

/// To be called once when all sections are read: entries of GID tables that lack the GID or its type go (the kernel
/// shows the type of a valid entry), and where `show_gids` found none, the ports that it was asked about have an empty
/// table if they have no other. A table that may have been cut shows what it has: where that is no RoCE v2 GID of a
/// routable address, it is NotRecorded, since one may stand behind the cut.
void complete_gid_tables(Snapshot& snapshot, const Draft& draft);

}  // namespace roceready::evidence
