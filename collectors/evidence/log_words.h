// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roceready::evidence {

/// The number behind `name` in a line, decimal or "0x…" hexadecimal, blanks, '=' and ':' between; nothing where there
/// is none.
[[nodiscard]] std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view name);
/// The word behind `name`, up to a blank, ',', ';', ')' or ']'.
[[nodiscard]] std::string word_behind(std::string_view line, std::string_view name);
/// The first word of a line that is an RDMA device's usual name ("mlx5_0" of "on mlx5_0:1/RoCE"); "" for none.
[[nodiscard]] std::string device_in(std::string_view line);
/// The first or last PCI address of a line in the long form; "" for none.
[[nodiscard]] std::string pci_in(std::string_view line, bool last = false);
/// Kind of the log fact that a work completion's status (enum ibv_wc_status) makes; "" for what is no status.
[[nodiscard]] const char* kind_of_status(std::uint64_t status);
/// The word in front of position `at`, without its colon and brackets, where it can be a netdev; "" else.
[[nodiscard]] std::string netdev_before(std::string_view line, std::size_t at);

}  // namespace roceready::evidence
