// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roceready::evidence {

/// Pieces between blanks and tabs.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);
/// "  name: value" as its trimmed halves at the first ": " or the colon at the line's end; nothing without either or
/// without a name. A name may hold colons ("rx:0: 5" is "rx:0" and "5").
struct KeyValue {
  std::string_view key, value;
};
[[nodiscard]] std::optional<KeyValue> key_value(std::string_view line);
/// Blanks (a tab counts as 8) before the first other character.
[[nodiscard]] std::size_t indent_of(std::string_view line);
/// The word after an option in a command's words: ("-S" in "ethtool -S eth0") is "eth0". Options may be written with
/// one or two dashes; nothing where the option is not there or ends the line.
[[nodiscard]] std::optional<std::string> word_after(std::span<const std::string> words, std::string_view option);
[[nodiscard]] bool has_word(std::span<const std::string> words, std::string_view word);
/// What Linux takes as the name of a netdev and people use: 1–15 characters, no blank, '/', ':' and no leading '-'.
[[nodiscard]] bool is_netdev_name(std::string_view text);
/// "mlx5_0", "bnxt_re1", "rocep65s0f0", "mlx5_bond_0": letters, digits, '_', '-', '.', at most 63, no blank.
[[nodiscard]] bool is_device_name(std::string_view text);
/// "mlx5_0/1" or "mlx5_0": device and port (1 where none is named).
[[nodiscard]] std::optional<std::pair<std::string, std::uint32_t>> device_port(std::string_view text);
/// "3b:00.0" or "0000:3b:00.0" in the long form, lower case; nothing for anything else.
[[nodiscard]] std::optional<std::string> pci_address(std::string_view text);
/// A count as decimal digits, also with commas between groups of three as wrappers print it: "1,234,567". Nothing for
/// commas anywhere else ("1,23", "12,3456", ",123").
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);
/// Text in lower case, ASCII only.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace roceready::evidence
