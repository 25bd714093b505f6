// SPDX-License-Identifier: Apache-2.0
#include "collectors/attributes.h"

#include <algorithm>

#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready {

std::string_view text_of(ByteSpan bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

std::string Attribute::text() const {
  return clean_text(text_of(payload));
}

bool Attributes::next() {
  const auto length = number_at<std::uint16_t>(rest_, 0);
  const auto type = number_at<std::uint16_t>(rest_, 2);
  if (!length || !type || *length < uapi::kAttributeHeaderSize || *length > rest_.size()) {
    malformed_ = !rest_.empty();
    rest_ = {};
    return false;
  }
  current_.type = static_cast<std::uint16_t>(*type & uapi::kAttributeTypeMask);
  current_.payload = rest_.subspan(uapi::kAttributeHeaderSize, *length - uapi::kAttributeHeaderSize);
  const std::size_t padded = (std::size_t{*length} + 3) & ~std::size_t{3};
  rest_ = rest_.subspan(std::min(padded, rest_.size()));
  return true;
}

bool well_formed(ByteSpan bytes) {
  Attributes at(bytes);
  while (at.next()) {
  }
  return !at.malformed();
}

std::optional<Attribute> find_attribute(ByteSpan bytes, std::uint16_t type) {
  for (Attributes at(bytes); at.next();) {
    if (at.current().type == type) return at.current();
  }
  return std::nullopt;
}

std::optional<std::string> find_text(ByteSpan bytes, std::uint16_t type) {
  const auto found = find_attribute(bytes, type);
  if (!found) return std::nullopt;
  return found->text();
}

ByteSpan find_nest(ByteSpan bytes, std::uint16_t type) {
  const auto found = find_attribute(bytes, type);
  return found ? found->payload : ByteSpan();
}

}  // namespace roceready
