// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace roceready::doubles {

/// Writes netlink attributes as a kernel lays them out: u16 length with header, u16 type, payload, zeros up to four
/// bytes.
class AttributeWriter {
 public:
  template <class T>
  AttributeWriter& number(std::uint16_t type, T value) {
    static_assert(std::is_integral_v<T>);
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    return raw(type, bytes);
  }
  AttributeWriter& flag(std::uint16_t type) { return raw(type, {}); }
  /// With the terminating zero.
  AttributeWriter& text(std::uint16_t type, std::string_view value) { return raw(type, std::string(value) + '\0'); }
  AttributeWriter& nest(std::uint16_t type, const AttributeWriter& inside) { return raw(type, inside.bytes_); }
  AttributeWriter& raw(std::uint16_t type, std::string_view payload) {
    const auto length = static_cast<std::uint16_t>(payload.size() + 4);
    append(length);
    append(type);
    bytes_.append(payload);
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void append(std::uint16_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
  }
  std::string bytes_;
};

/// A number in host byte order at an offset of a struct's bytes.
template <class T>
void put_at(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

}  // namespace roceready::doubles
