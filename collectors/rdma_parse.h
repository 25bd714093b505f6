// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/attributes.h"
#include "core/base/result.h"
#include "core/snapshot/rdma.h"

namespace roceready {

/// One device of the NLDEV dump.
struct RdmaDevice {
  std::string name;
  std::uint32_t ports = 1;  ///< at most 255
  Reading<std::string> firmware, protocol;
  std::optional<std::uint8_t> node_type;  ///< 1 CA, 4 RNIC
};
/// Malformed without a usable name (it becomes part of paths: no '/', not "..").
[[nodiscard]] Result<RdmaDevice> parse_rdma_device(ByteSpan attributes);

/// Reply to PORT_GET. `netdev` is empty where the kernel names none.
struct RdmaPortState {
  Reading<std::string> state, physical_state;
  std::string netdev;
};
[[nodiscard]] Result<RdmaPortState> parse_rdma_port(ByteSpan attributes);
/// "4: ACTIVE" of sysfs → "ACTIVE".
[[nodiscard]] std::string word_behind_number(std::string_view text);

/// One counter of STAT_GET. The name is a view into the reply, raw.
struct RdmaCounter {
  std::string_view name;
  std::uint64_t value = 0;
};
/// Malformed when the reply holds no counter nest at all. An entry without name or value is left out.
[[nodiscard]] Result<std::vector<RdmaCounter>> parse_rdma_counters(ByteSpan attributes);

/// Answer of VerbsFacts::gid_table as entries of one port, sorted by index; netdev as index (0: none).
struct RawGid {
  GidEntry entry;
  std::uint32_t netdev_index = 0;
};
[[nodiscard]] std::vector<RawGid> parse_gid_table(ByteSpan entries, std::uint32_t port);
/// IPv6 notation of a GID as sysfs prints it, the kernel's way ("::ffff:10.0.0.1"); nothing for an empty slot or no
/// GID.
[[nodiscard]] std::optional<std::string> gid_from_sysfs(std::string_view text);
/// "IB/RoCE v1" → "RoCE v1" where the link layer is Ethernet.
[[nodiscard]] std::string gid_type_from_sysfs(std::string_view text);

/// active_mtu and max_mtu of VerbsFacts::port_attributes in bytes (enum ibv_mtu 1–5).
struct VerbsMtu {
  Reading<std::uint32_t> active, max;
};
[[nodiscard]] VerbsMtu parse_port_attributes(ByteSpan bytes);

}  // namespace roceready
