// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roceready::evidence {

/// A line of a file, made ready for reading: no line end, no colour, valid UTF-8, every kind of blank is ' ' (a tab is
/// kept), no quote mark of a mail in front, no blank at its end.
struct Line {
  std::uint32_t number = 0;  ///< in its file, from 1
  std::string text;
};

inline constexpr std::size_t kLongestLine = 16384;  ///< bytes; the rest of a longer line is not read

/// How a text was dressed when it was pasted; found by looking at all of it once.
struct Dress {
  bool quoted = false;   ///< most lines begin with ">": a mail. Lines that begin with "> " are taken as quoted anyway
  bool doubled = false;  ///< every second line is empty: copied from a page that doubles newlines
};
[[nodiscard]] Dress dress_of(std::string_view text);

/// Cleans one line. Escape sequences (ECMA-48) go; NUL and other control characters become \xNN.
[[nodiscard]] std::string clean_line(std::string_view raw, const Dress& dress = {});

/// Cuts what is fed into lines. One that is too long ends at its last blank within kLongestLine, since its last word
/// may be half a number; the rest is told of. One of JSON comes in parts that end between two objects. In a text
/// without newlines, carriage returns end lines.
class LineCutter {
 public:
  /// `line` gets each line as it stands, or what is left of one of which `part` got the begin; `lost` what to say where
  /// the end of one was not read.
  LineCutter(std::function<void(std::string_view)> line, std::function<void(std::string_view)> part,
             std::function<void(const std::string&)> lost)
      : line_(std::move(line)), part_(std::move(part)), lost_(std::move(lost)) {}
  /// The next piece of the text; may end within a line.
  void feed(std::string_view text);
  void end();

 private:
  void lines(std::string_view raw);
  void line(std::string_view raw);
  void wait(std::string_view text);
  std::string_view without_objects(std::string_view raw);

  std::function<void(std::string_view)> line_, part_;
  std::function<void(const std::string&)> lost_;
  std::string waiting_;
  bool shortened_ = false;  ///< what waits is the begin of a longer line
};

/// Calls `each(Line)` for every line of a text, empty ones too; Markdown fences become empty lines. A text that has no
/// newline but carriage returns is cut at these.
template <class Each>
void for_each_line(std::string_view text, const Dress& dress, Each&& each);
/// All lines; for tests and small texts.
[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

/// Where the next line ends: its length in bytes and what follows is the next line's begin.
struct Cut {
  std::size_t length = 0, next = 0;
};
[[nodiscard]] Cut cut_line(std::string_view rest);

template <class Each>
void for_each_line(std::string_view text, const Dress& dress, Each&& each) {
  std::uint32_t number = 0;
  while (!text.empty()) {
    const Cut cut = cut_line(text);
    each(Line{++number, clean_line(text.substr(0, cut.length < kLongestLine ? cut.length : kLongestLine), dress)});
    text.remove_prefix(cut.next);
  }
}

}  // namespace roceready::evidence
