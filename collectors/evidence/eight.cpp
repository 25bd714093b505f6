// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/eight.h"

#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {

std::optional<Eight<std::string_view>> keyed_eight(std::string_view text) {
  Eight<std::string_view> out;
  std::size_t found = 0;
  for (const std::string_view word : words_of(text)) {
    const auto colon = word.find(':');
    const auto index = parse_u32(word.substr(0, colon));
    if (colon == std::string_view::npos || colon + 1 == word.size() || !index || *index >= kPriorities ||
        !out[*index].empty())
      return std::nullopt;
    out[*index] = word.substr(colon + 1);
    ++found;
  }
  if (found != kPriorities) return std::nullopt;
  return out;
}

std::optional<Eight<std::string_view>> listed_eight(std::string_view text) {
  Eight<std::string_view> out;
  std::size_t found = 0;
  while (!text.empty()) {
    const auto begin = text.find_first_not_of(" \t,");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const auto end = text.find_first_of(" \t,");
    if (found == kPriorities) return std::nullopt;
    out[found++] = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  if (found != kPriorities) return std::nullopt;
  return out;
}

std::optional<Eight<std::uint32_t>> numbers_of(const std::optional<Eight<std::string_view>>& texts,
                                               std::uint32_t most) {
  if (!texts) return std::nullopt;
  Eight<std::uint32_t> out{};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const auto number = parse_u32((*texts)[i]);
    if (!number || *number > most) return std::nullopt;
    out[i] = *number;
  }
  return out;
}

std::optional<std::uint32_t> mask_of(const std::optional<Eight<std::string_view>>& texts) {
  if (!texts) return std::nullopt;
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const std::string_view text = (*texts)[i];
    const auto on = text == "1" ? true : text == "0" ? false : yes_or_no(text);
    if (!on) return std::nullopt;
    if (*on) out |= 1U << i;
  }
  return out;
}

std::optional<std::uint32_t> algorithm_of(std::string_view word) {
  constexpr std::uint32_t kCreditBased = 1;
  if (word == "strict") return kAlgorithmStrict;
  if (word == "cbs" || word == "cb_shaper") return kCreditBased;
  if (word == "ets") return kAlgorithmEts;
  if (word == "vendor") return kAlgorithmVendor;
  return std::nullopt;
}

}  // namespace roceready::evidence
