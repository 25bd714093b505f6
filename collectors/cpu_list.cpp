// SPDX-License-Identifier: Apache-2.0
#include "collectors/cpu_list.h"

#include "core/base/text.h"

namespace roceready {

std::optional<CpuSet> parse_cpu_list(std::string_view text) {
  CpuSet out;
  text = trim(text);
  if (text.empty()) return out;
  for (const std::string_view range : split(text, ',')) {
    const auto dash = range.find('-');
    const auto first = parse_u64(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_u64(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= out.size()) return std::nullopt;
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) out.set(cpu);
  }
  return out;
}

}  // namespace roceready
