// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/reading.h"
#include "core/snapshot/pci.h"

namespace roceready {

/// "0000:3b:00.0": domain of 4 to 8 hexadecimal digits, bus, device, function.
[[nodiscard]] bool is_pci_address(std::string_view text);
/// The same slot: all but the function is equal.
[[nodiscard]] bool same_pci_slot(std::string_view a, std::string_view b);

/// A device's place by the target of its symbolic link ("../../devices/pci0000:00/0000:00:01.0/0000:3b:00.0/…").
struct SysfsPlace {
  std::vector<std::string> pci;  ///< from the root port down to the function; at most 32
  bool is_virtual = false;       ///< below devices/virtual
  bool sub_function = false;     ///< below an auxiliary sub-function device
};
[[nodiscard]] SysfsPlace parse_sysfs_place(std::string_view link_target);
/// Last component of a path.
[[nodiscard]] std::string base_name(std::string_view path);

/// "16.0 GT/s PCIe" → 16e9 transfers per second; absent for "Unknown".
[[nodiscard]] Reading<std::uint64_t> parse_pci_speed(std::string_view text);
/// Lanes; absent for 0 and 255, which say that there is no link.
[[nodiscard]] Reading<std::uint32_t> parse_pci_width(std::string_view text);
/// The TOTAL_ERR_* line of an aer_dev_* file.
[[nodiscard]] std::optional<std::uint64_t> parse_aer_total(std::string_view text);

/// What configuration space says: bytes as the `config` file gave them.
struct PciConfiguration {
  Reading<std::uint32_t> max_read_request_bytes, max_payload_bytes, max_payload_supported_bytes, acs_control;
  Reading<bool> relaxed_ordering;
};
/// 64 bytes only: Denied, needs CAP_SYS_ADMIN. Lists of capabilities are followed for at most 48 steps.
[[nodiscard]] PciConfiguration parse_pci_configuration(std::string_view config);

}  // namespace roceready
