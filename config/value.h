// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace roceready::config {

struct Field;
/// One entry of a list of entries.
using Record = std::vector<Field>;

/// A value that passed the checks of its row. `text` is always filled: as the user would write it.
struct Value {
  std::string text;
  std::vector<std::string> list;  ///< TextList
  double number = 0;              ///< Number, Share, Integer; Duration in seconds; Boolean 0 or 1
  std::int64_t nanoseconds = 0;   ///< Duration; Time: since the epoch
  std::vector<Record> records{};  ///< Records
};
/// What one field of a record is set to.
struct Field {
  std::string key;
  Value value;
};
/// A field of a record; its default where it was left out.
[[nodiscard]] Value field_of(const Record& record, const std::string& name);
/// Always in quotes: a bare no, 1e3 or [::]:9885 would come back as something else.
[[nodiscard]] std::string in_quotes(std::string_view text);
/// Records as YAML on one line.
[[nodiscard]] std::string records_text(const std::vector<Record>& records);

/// Longest text of a value or a list item.
inline constexpr std::size_t kLongestText = 4096;

/// A value of the user's as it may be shown: cleaned and short.
[[nodiscard]] std::string shown(const std::string& text);
/// Checks one scalar against its row; the error's `what` is the message behind "key: ". Not for lists.
[[nodiscard]] Result<Value> parse_value(const Option& option, const std::string& text);
/// The same for the items of a TextList.
[[nodiscard]] Result<Value> parse_list(const Option& option, const std::vector<std::string>& items);
/// The items of a list in the text that Value has of it.
[[nodiscard]] std::vector<std::string> list_items(const std::string& text);
/// One text for any row, as defaults and the command line have it: a list is `a, b` or `[a, b]`.
[[nodiscard]] Result<Value> parse_text(const Option& option, const std::string& text);
/// "duration", "share (0 to 1)"…: what the user may write, for messages and documents.
[[nodiscard]] std::string type_text(const Option& option);
/// "200ms to 60s", "one of a, b", "" where anything goes.
[[nodiscard]] std::string range_text(const Option& option);

/// Puts a value into its place in `settings`; a limit of a rule goes to `limits`. False: the key has no place.
bool store(Settings& settings, const std::string& key, const Value& value);

}  // namespace roceready::config
