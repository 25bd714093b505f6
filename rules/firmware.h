// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// Numbers of a version, most significant first, without zeros at the end.
using FirmwareVersion = std::vector<std::uint64_t>;
/// The numbers at the beginning of "22.39.2048 (MT_0000000359)" or "229.0.154.0/pkg 229.1.123.0". Nothing where it does
/// not begin with one.
[[nodiscard]] std::optional<FirmwareVersion> firmware_version(std::string_view firmware);
/// Versions of those entries "MATCH VERSION" (HostDemands) that mean this NIC: by its driver, its PSID or its PCI id.
[[nodiscard]] std::vector<std::string> versions_for(const Evidence& seen, const std::string& driver,
                                                    const std::string& firmware,
                                                    const std::vector<std::string>& entries);
/// A version of HostDemands::firmware_min that this NIC's is older than.
[[nodiscard]] std::optional<std::string> least_firmware_missed(const Evidence& seen, const std::string& driver,
                                                               const std::string& firmware);

}  // namespace roceready::rules
