// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/paint.h"

#include <algorithm>

#include "core/base/text.h"

namespace roceready::daemon {

std::string Paint::ink(Ink ink, std::string_view text) const {
  std::string out(text);
  if (!colour_ || ink == Ink::Plain) return out;
  const char* code = "0";
  switch (ink) {
    case Ink::Bold:
      code = "1";
      break;
    case Ink::Dim:
      code = "2";
      break;
    case Ink::Red:
      code = "1;31";
      break;
    case Ink::Yellow:
      code = "33";
      break;
    case Ink::Green:
      code = "32";
      break;
    case Ink::Plain:
      break;
  }
  return "\x1b[" + std::string(code) + "m" + out + "\x1b[0m";
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t have = columns(text);
  if (have < width) out.append(width - have, ' ');
  return out;
}

std::string wrapped(std::string_view first, std::string_view text) {
  const std::string indent(columns(first), ' ');
  std::string out, line(first);
  bool empty = true;
  for (const std::string_view raw : split(text, ' ')) {
    if (raw.empty()) continue;
    const std::string word = clean_text(raw);
    if (!empty && columns(line) + 1 + columns(word) > kTextWidth) {
      out += line + "\n";
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

std::string labelled(std::size_t indent, std::string_view label, std::size_t width, std::string_view text) {
  return wrapped(std::string(indent, ' ') + padded(label, width), text);
}

}  // namespace roceready::daemon
