// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "collectors/evidence/draft.h"

namespace roceready::evidence {

/// Which set a counter of an RDMA port belongs to, by its name.
enum class CounterSet : std::uint8_t { Unknown, Hardware, Port };
/// By the vendors' tables; cost: one look into a hash table.
[[nodiscard]] CounterSet counter_set_of(std::string_view name);
/// Whether a name is made as drivers make them: letters, digits, '_', '.', '-' from a letter on, at most 80.
[[nodiscard]] bool is_counter_name(std::string_view name);
/// Keeps one counter of a port, or why it has none ("N/A (no PMA)"). False: the value makes no sense.
bool keep_counter(Draft& draft, const About& about, CounterSet set, std::string_view name, std::string_view value,
                  const Section& section, std::uint32_t line);

}  // namespace roceready::evidence
