// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectors/evidence/draft.h"
#include "core/base/text.h"

namespace roceready::evidence {

/// What a tool says instead of an answer, as the reason that the fact is absent: "netlink error: Operation not
/// supported", "Cannot get device pause settings: Operation not permitted", "RTNETLINK answers: …", "no stats
/// available". That the tool is not installed is no fact of the host.
[[nodiscard]] std::optional<Absent> refusal_of(std::string_view line);

/// NAME of "Settings for NAME:", where it can name a netdev.
[[nodiscard]] std::optional<std::string> netdev_between(std::string_view line, std::string_view before,
                                                        std::string_view after);

/// Whether the words are ethtool with one of these options; `about` gets the netdev.
[[nodiscard]] bool ethtool_asks(std::span<const std::string> words, std::initializer_list<std::string_view> options,
                                About& about);

/// "on", "yes", "true" and "off", "no", "false" in any case.
[[nodiscard]] std::optional<bool> yes_or_no(std::string_view word);

/// Number of at most 32 bits.
[[nodiscard]] std::optional<std::uint32_t> parse_u32(std::string_view text);

/// Hands every line that is not empty to `take`, which says whether it understood it. What it did not is the tool's
/// refusal, the first of which is returned, or else unread.
template <class Take>
std::optional<Absent> take_lines(const Section& section, Draft& draft, Take&& take) {
  std::optional<Absent> refused;
  for (const Line& line : section.lines) {
    if (trim(line.text).empty() || take(line)) continue;
    auto why = refusal_of(line.text);
    if (!why)
      draft.unread(section, line);
    else if (!refused)
      refused = std::move(why);
  }
  return refused;
}

}  // namespace roceready::evidence
