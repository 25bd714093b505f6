// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roceready::daemon {

enum class Ink { Plain, Bold, Dim, Red, Yellow, Green };

/// Text for a terminal or a file: columns are code points, colour only when asked for.
class Paint {
 public:
  explicit Paint(bool colour) : colour_(colour) {}
  [[nodiscard]] std::string ink(Ink ink, std::string_view text) const;

 private:
  bool colour_;
};

/// Width of the text reports where words allow it.
inline constexpr std::size_t kTextWidth = 100;

/// Number of code points (of UTF-8).
[[nodiscard]] std::size_t columns(std::string_view text);
/// `text` with blanks behind it up to `width` columns.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);
/// Words of `text` in lines of at most kTextWidth: `first` stands before the first line, as many blanks before the
/// others. A word that is longer than a line stays whole. Ends with a newline.
[[nodiscard]] std::string wrapped(std::string_view first, std::string_view text);
/// wrapped() of a label in `width` columns behind `indent` blanks.
[[nodiscard]] std::string labelled(std::size_t indent, std::string_view label, std::size_t width,
                                   std::string_view text);

}  // namespace roceready::daemon
