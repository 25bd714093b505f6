// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/line.h"

#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr char kEscape = '\x1b';

/// Length of the escape sequence at the begin of `text` (ECMA-48: CSI … final byte, or ESC and one byte).
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == ']') {  // operating system command: up to BEL or ESC backslash
    const auto end = text.find_first_of("\x07\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\x07' ? end + 1 : std::min(end + 2, text.size());
  }
  if (text[1] != '[') return 2;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
  }
  return text.size();
}

/// Blanks outside ASCII in UTF-8: no-break space, the spaces U+2000–U+200A, narrow and ideographic ones; zero-width
/// characters and the byte order mark vanish. Length in bytes, 0: none of them.
std::size_t wide_blank(std::string_view text, bool& vanishes) {
  vanishes = false;
  if (text.starts_with("\xc2\xa0")) return 2;
  if (text.starts_with("\xef\xbb\xbf")) return vanishes = true, 3;
  if (text.starts_with("\xe3\x80\x80")) return 3;
  if (text.size() < 3 || text[0] != '\xe2' || text[1] != '\x80') return 0;
  const auto last = static_cast<unsigned char>(text[2]);
  if (last <= 0x8a || last == 0xaf) return 3;
  if (last <= 0x8d) return vanishes = true, 3;
  return 0;
}

/// Printable ASCII and tabs: nothing to clean.
bool is_plain(std::string_view text) {
  bool out = true;
  for (const char c : text) out &= (c >= ' ' && c <= '~') || c == '\t';
  return out;
}

bool is_fence(std::string_view text) {
  const std::string_view line = trim(text);
  return line.starts_with("```") || line.starts_with("~~~");
}

/// The marks of a quoted mail; ">" without a blank behind it is one only where the whole text is quoted.
std::string_view without_quotes(std::string_view line, bool quoted) {
  while (line.starts_with(">") && (quoted || line.size() == 1 || line[1] == ' ' || line[1] == '>')) {
    line.remove_prefix(1);
    if (line.starts_with(" ")) line.remove_prefix(1);
  }
  return line;
}

}  // namespace

Cut cut_line(std::string_view rest) {
  const auto end = rest.find('\n');
  if (end != std::string_view::npos) return {end, end + 1};
  const auto carriage = rest.find('\r');
  if (carriage != std::string_view::npos && carriage + 1 < rest.size()) return {carriage, carriage + 1};
  return {rest.size(), rest.size()};
}

Dress dress_of(std::string_view text) {
  constexpr std::size_t kLook = std::size_t{64} * 1024;
  text = text.substr(0, kLook);
  std::size_t lines = 0, filled = 0, quoted = 0, empty_between = 0;
  bool last_empty = true;
  while (!text.empty()) {
    const Cut cut = cut_line(text);
    const std::string_view line = trim(text.substr(0, cut.length));
    ++lines;
    if (!line.empty()) {
      ++filled;
      if (line[0] == '>') ++quoted;
      if (last_empty) ++empty_between;
    }
    last_empty = line.empty();
    text.remove_prefix(cut.next);
  }
  return {.quoted = filled > 0 && quoted * 2 > filled, .doubled = filled > 3 && empty_between == filled};
}

std::string clean_line(std::string_view raw, const Dress& dress) {
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  if (is_plain(raw) && !raw.starts_with('>')) {
    if (is_fence(raw)) return {};
    while (!raw.empty() && (raw.back() == ' ' || raw.back() == '\t')) raw.remove_suffix(1);
    return std::string(raw);
  }
  std::string plain;
  plain.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    bool vanishes = false;
    if (raw[i] == kEscape) {
      i += escape_length(raw.substr(i));
    } else if (const std::size_t blank = wide_blank(raw.substr(i), vanishes); blank > 0) {
      if (!vanishes) plain += ' ';
      i += blank;
    } else {
      if (raw[i] != '\r' || i + 1 < raw.size()) plain += raw[i] == '\r' ? ' ' : raw[i];
      ++i;
    }
  }
  std::string_view line = plain;
  line = without_quotes(line, dress.quoted);
  if (is_fence(line)) return {};
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  std::string out;
  std::size_t from = 0;  // clean_text would escape tabs, which lay out tables
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t', from)) {
    out += clean_text(line.substr(from, tab - from)) + '\t';
    from = tab + 1;
  }
  return out + clean_text(line.substr(from));
}

void LineCutter::feed(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    if (waiting_.empty()) {
      lines(text.substr(0, end));
    } else {
      wait(text.substr(0, end));
      lines(std::exchange(waiting_, {}));
    }
    text.remove_prefix(end + 1);
  }
  wait(text);
}

void LineCutter::end() {
  if (waiting_.empty()) return;
  const std::string rest = std::exchange(waiting_, {});
  if (shortened_) return line(rest);
  for (std::string_view text = rest; !text.empty();) {
    const Cut cut = cut_line(text);
    line_(text.substr(0, cut.length));
    text.remove_prefix(cut.next);
  }
}

/// One line; a longer one whose parts end with carriage returns is many.
void LineCutter::lines(std::string_view raw) {
  while (raw.size() > kLongestLine) {
    const auto end = raw.find('\r');
    if (end == std::string_view::npos || end + 1 >= raw.size()) break;
    line(raw.substr(0, end));
    raw.remove_prefix(end + 1);
  }
  line(raw);
}

/// Hands out the objects at the begin of a long line of JSON; what is left begins with one.
std::string_view LineCutter::without_objects(std::string_view raw) {
  constexpr std::string_view kBetween = "},{";
  const auto begin = raw.find_first_not_of("[ ");
  if (begin == std::string_view::npos || raw[begin] != '{') return raw;
  while (raw.size() > kLongestLine) {
    const auto end = raw.substr(0, kLongestLine).rfind(kBetween);
    if (end == std::string_view::npos) break;
    part_(raw.substr(0, end + 2));
    raw.remove_prefix(end + 2);
  }
  return raw;
}

void LineCutter::line(std::string_view raw) {
  if (raw.size() > kLongestLine && !shortened_) raw = without_objects(raw);
  if (raw.size() <= kLongestLine && !shortened_) return line_(raw);
  shortened_ = false;
  raw = raw.substr(0, kLongestLine);
  const auto end = raw.find_last_of(" \t");
  line_(raw.substr(0, end == std::string_view::npos ? 0 : end));
  lost_("the end of a line of more than " + std::to_string(kLongestLine) + " bytes");
}

void LineCutter::wait(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() <= kLongestLine) return;
  // A carriage return at the very end may be the first half of a line's end.
  const auto last = waiting_.rfind('\r', waiting_.size() - 2);
  if (last != std::string::npos) {
    const std::string whole = std::exchange(waiting_, waiting_.substr(last + 1));
    std::string_view rest = std::string_view(whole).substr(0, last + 1);
    for (auto end = rest.find('\r'); end != std::string_view::npos; end = rest.find('\r')) {
      line(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
  }
  if (waiting_.size() > kLongestLine && !shortened_) {
    const std::size_t left = without_objects(waiting_).size();
    waiting_.erase(0, waiting_.size() - left);
  }
  if (waiting_.size() > kLongestLine) waiting_.resize(kLongestLine), shortened_ = true;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  for_each_line(text, dress_of(text), [&](Line line) { out.push_back(std::move(line)); });
  return out;
}

}  // namespace roceready::evidence
