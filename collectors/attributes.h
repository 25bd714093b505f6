// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/host/host.h"

namespace roceready {

using ByteSpan = std::span<const std::byte>;

/// A number in host byte order at an offset; nothing where the bytes end before it does.
template <class T>
[[nodiscard]] std::optional<T> number_at(ByteSpan bytes, std::size_t offset) {
  static_assert(std::is_integral_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Bytes behind `offset`; empty where there are none.
[[nodiscard]] inline ByteSpan behind(ByteSpan bytes, std::size_t offset) {
  return offset < bytes.size() ? bytes.subspan(offset) : ByteSpan();
}

/// Bytes of a field of fixed size up to its first NUL, which may be missing.
[[nodiscard]] std::string_view text_of(ByteSpan bytes);

/// One netlink attribute. A view into somebody's bytes.
struct Attribute {
  std::uint16_t type = 0;  ///< flag bits masked off
  ByteSpan payload;

  /// Numbers: the payload must be at least as long as the type.
  template <class T>
  [[nodiscard]] std::optional<T> number() const {
    return number_at<T>(payload, 0);
  }
  /// Text up to the first NUL, cleaned (core/base/text.h).
  [[nodiscard]] std::string text() const;
};

/// Attributes of a message or of a nest, in order. Ends at the first attribute whose length makes no sense; never reads
/// past the end. Usage: for (Attributes at(bytes); at.next();) use(at.current()).
class Attributes {
 public:
  explicit Attributes(ByteSpan bytes) : rest_(bytes) {}
  bool next();
  [[nodiscard]] const Attribute& current() const { return current_; }
  /// After the end: whether bytes were left that are no attribute.
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  ByteSpan rest_;
  Attribute current_;
  bool malformed_ = false;
};

/// Whether the bytes are attributes to their end: nothing was cut off.
[[nodiscard]] bool well_formed(ByteSpan bytes);
/// The first attribute of a type.
[[nodiscard]] std::optional<Attribute> find_attribute(ByteSpan bytes, std::uint16_t type);
/// Its number or text; nothing where it is missing or too short.
template <class T>
[[nodiscard]] std::optional<T> find_number(ByteSpan bytes, std::uint16_t type) {
  const auto found = find_attribute(bytes, type);
  return found ? found->number<T>() : std::nullopt;
}
[[nodiscard]] std::optional<std::string> find_text(ByteSpan bytes, std::uint16_t type);
/// Payload of the nest; empty where it is missing.
[[nodiscard]] ByteSpan find_nest(ByteSpan bytes, std::uint16_t type);

}  // namespace roceready
