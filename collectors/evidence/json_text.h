// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/evidence/line.h"

namespace roceready::evidence {

/// A value of JSON and where it stands.
struct JsonValue {
  enum class Kind { Text, Word, Object, Array };  ///< Word: a number, true, false, null
  Kind kind = Kind::Word;
  std::string text;        ///< of a Text without its quotes, of a Word
  std::uint32_t line = 0;  ///< on which it begins
  std::uint32_t last_line = 0;
  bool whole = true;               ///< seen from its first character to its last, with nothing odd between
  std::vector<std::string> names;  ///< of an object's members
  std::vector<JsonValue> values;   ///< members of an object, elements of an array
  /// A member of an object; nullptr where it has none of this name, or this is no object.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;
  /// The text or word of a member; "" where there is none.
  [[nodiscard]] std::string_view word(std::string_view name) const;
  [[nodiscard]] bool on_one_line() const { return line == last_line; }
};

/// Reads JSON that may be cut at both ends, filtered by lines and stand among other text. What it hands out are objects
/// with a member "ifname", at whatever depth they were found: iproute2 and ethtool name by it whom they speak of. Where
/// the line between two objects is lost, a name that comes again begins the second. A value without what has to follow
/// it may be cut and is not told.
/// Limits: depth kDeepest; what lies deeper is passed over.
class JsonReader {
 public:
  static constexpr std::size_t kDeepest = 16;

  void take(const Line& line);
  /// Ends what is open: the text goes on with something else.
  void end();
  /// Objects that ended since the last call.
  [[nodiscard]] std::vector<JsonValue> take_objects() { return std::exchange(done_, {}); }
  /// Whether an object or array has begun and not ended.
  [[nodiscard]] bool open() const { return !stack_.empty(); }

 private:
  struct Level {
    JsonValue value;
    std::string name;  ///< by which its object knows it; "" in an array
  };
  void string(std::string_view text, std::size_t& at);
  void begin(JsonValue::Kind kind);
  void commit();
  void close_object();
  void close_array();
  void pop(bool whole);
  void attach(std::string name, JsonValue value);
  void damage();

  std::vector<Level> stack_;
  std::size_t too_deep_ = 0;
  std::optional<std::string> name_;   ///< before a colon
  std::optional<JsonValue> pending_;  ///< until a comma or a bracket follows
  std::uint32_t line_ = 0;
  std::vector<JsonValue> done_;
};

}  // namespace roceready::evidence
