// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roceready {

/// FNV-1a, 64 bits, as 16 hexadecimal digits: tells boots apart without giving the id away.
[[nodiscard]] std::string hash_text(std::string_view text);
/// First number of /proc/uptime, seconds.
[[nodiscard]] std::optional<double> parse_uptime(std::string_view text);
/// Whether the flags of /proc/cpuinfo hold "hypervisor"; nothing where there are no flags (not x86).
[[nodiscard]] std::optional<bool> parse_hypervisor(std::string_view cpuinfo);
/// The first vendor_id of /proc/cpuinfo; nothing where there is none (not x86).
[[nodiscard]] std::optional<std::string> parse_cpu_vendor(std::string_view cpuinfo);
/// Soft "Max locked memory" of /proc/PID/limits in bytes; unlimited is UINT64_MAX.
[[nodiscard]] std::optional<std::uint64_t> parse_max_locked_memory(std::string_view limits);
/// Last value of KEY= in a unit or systemd configuration file (soft part of "soft:hard"), as bytes: suffixes K M G T P
/// E are powers of 1024, "infinity" is UINT64_MAX. An empty assignment takes an earlier one back.
[[nodiscard]] std::optional<std::uint64_t> parse_unit_limit(std::string_view file, std::string_view key);

/// Value of KEY= in a file of such lines, comments (#) left out; the last one holds. Nothing where it is not set.
[[nodiscard]] std::optional<std::string> parse_assignment(std::string_view file, std::string_view key);
/// Whether a module's taint flags say that it was built outside of the kernel that runs.
[[nodiscard]] bool is_out_of_tree(std::string_view taint);

}  // namespace roceready
