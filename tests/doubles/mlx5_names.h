// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roceready::doubles {

/// Names of `ethtool -S` of an mlx5 port, in the driver's order. Pause names of a priority exist only while its PFC is
/// on,
/// *_global_pause* only while link-level pause is. A real port has one channel a CPU, and with it thousands of names.
[[nodiscard]] std::vector<std::string> mlx5_statistics_names(std::uint8_t pfc, bool global_pause, unsigned channels);
/// Names of hw_counters of an mlx5 port.
[[nodiscard]] std::vector<std::string> mlx5_hardware_counter_names();

}  // namespace roceready::doubles
