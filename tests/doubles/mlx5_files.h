// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/doubles/mlx5_host.h"

/// The part of a made-up host that is files: /proc, /sys, unit files. Paths are absolute.
namespace roceready::doubles {

[[nodiscard]] std::map<std::string, std::string> files_of(const Mlx5Host& host, std::size_t sample);
[[nodiscard]] std::map<std::string, std::string> symbolic_links_of(const Mlx5Host& host);
[[nodiscard]] std::map<std::string, std::vector<std::string>> directories_of(const Mlx5Host& host);

/// "0000:3b:00.0" and 0 → "0000:3b:00.1": virtual functions follow the port, eight functions a device number.
[[nodiscard]] std::string virtual_pci(const std::string& physical, std::uint32_t number);
[[nodiscard]] std::string virtual_device(const Mlx5Host& host, std::uint32_t number);

}  // namespace roceready::doubles
