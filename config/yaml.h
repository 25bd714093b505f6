// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace roceready::config {

/// A YAML file as a plain tree. Aliases are kept as such and never followed, so a small file stays a small tree.
struct YamlNode {
  enum class Kind { Null, Scalar, List, Map, Alias };
  Kind kind = Kind::Null;
  std::size_t line = 0;            ///< 1-based
  std::string text;                ///< Scalar
  bool tagged = false;             ///< carries an explicit !tag
  std::vector<YamlNode> children;  ///< List: items; Map: key, value, key, value…
};

inline constexpr std::size_t kLargestFile = std::size_t{1} << 20;
inline constexpr std::size_t kDeepestNesting = 16;

/// Parses one document. Bytes that are not UTF-8 text, a second document, deep nesting and bad syntax are errors
/// whose `what` ends in "at line N". An empty document is Null.
[[nodiscard]] Result<YamlNode> parse_yaml(std::string_view bytes);

}  // namespace roceready::config
