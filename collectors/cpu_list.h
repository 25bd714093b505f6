// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace roceready {

/// CPUs that a kernel may know (CONFIG_NR_CPUS at most).
using CpuSet = std::bitset<8192>;

/// "0-15,32" as the kernel writes sets of CPUs; "" is none. Nothing where it is something else.
[[nodiscard]] std::optional<CpuSet> parse_cpu_list(std::string_view text);

}  // namespace roceready
