// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "collectors/attributes.h"

namespace roceready {

/// The characters as bytes; a view.
inline ByteSpan as_bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace roceready
