// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace roceready::daemon {

/// The ports that were used, which a process that goes on in the same boot needs to know: RdmaPort::key of each.
struct KeptPorts {
  std::string boot;  ///< NodeFacts::boot_id_hash; "" where it could not be read
  std::set<std::string> used;
  bool operator==(const KeptPorts&) const = default;
};

inline constexpr std::size_t kMostKeptPorts = 1024;

/// As JSON and back; nothing where it makes no sense in any part.
[[nodiscard]] std::string kept_ports_text(const KeptPorts& ports);
[[nodiscard]] std::optional<KeptPorts> kept_ports_from(const std::string& text);

}  // namespace roceready::daemon
