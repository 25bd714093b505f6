// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/words.h"

#include <algorithm>

#include "collectors/pci_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  // Every format looks at every line: one pass, one allocation.
  constexpr std::size_t kUsual = 16;
  std::vector<std::string_view> out;
  out.reserve(kUsual);
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] != ' ' && line[at] != '\t') continue;
    if (at > begin) out.push_back(line.substr(begin, at - begin));
    begin = at + 1;
  }
  return out;
}

std::optional<KeyValue> key_value(std::string_view line) {
  line = trim(line);
  auto colon = line.find(": ");
  if (colon == std::string_view::npos) colon = line.find(":\t");
  if (colon == std::string_view::npos && line.ends_with(":")) colon = line.size() - 1;
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = trim(line.substr(0, colon));
  if (key.empty()) return std::nullopt;
  return KeyValue{key, trim(line.substr(colon + 1))};
}

std::size_t indent_of(std::string_view line) {
  std::size_t out = 0;
  for (const char c : line) {
    if (c == ' ')
      ++out;
    else if (c == '\t')
      out = (out / 8 + 1) * 8;
    else
      break;
  }
  return out;
}

std::optional<std::string> word_after(std::span<const std::string> words, std::string_view option) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option) return words[i + 1];
  }
  return std::nullopt;
}

bool has_word(std::span<const std::string> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_netdev_name(std::string_view text) {
  constexpr std::size_t kLongest = 15;  // IFNAMSIZ - 1
  if (text.empty() || text.size() > kLongest || text[0] == '-') return false;
  // Chinese and Japanese punctuation, ideographic and of full width, is of the sentence that a name stands in.
  for (const std::string_view block : {"\xe3\x80", "\xef\xbc"})
    if (text.find(block) != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '@' ||
           static_cast<unsigned char>(c) > 127;
  });
}

bool is_device_name(std::string_view text) {
  constexpr std::size_t kLongest = 63;  // IB_DEVICE_NAME_MAX - 1
  if (text.empty() || text.size() > kLongest || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; });
}

std::optional<std::pair<std::string, std::uint32_t>> device_port(std::string_view text) {
  const auto slash = text.find_first_of("/:");
  const std::string_view device = text.substr(0, slash);
  if (!is_device_name(device)) return std::nullopt;
  if (slash == std::string_view::npos) return std::pair(std::string(device), 1U);
  constexpr std::uint64_t kMostPorts = 255;
  const auto port = parse_u64(text.substr(slash + 1));
  if (!port || *port == 0 || *port > kMostPorts) return std::nullopt;
  return std::pair(std::string(device), static_cast<std::uint32_t>(*port));
}

std::optional<std::string> pci_address(std::string_view text) {
  const std::string full =
      lower(std::count(text.begin(), text.end(), ':') == 1 ? "0000:" + std::string(text) : std::string(text));
  if (!is_pci_address(full)) return std::nullopt;
  return full;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return parse_u64(text);
  constexpr std::size_t kGroup = 3;
  std::string digits;
  for (const std::string_view group : roceready::split(text, ',')) {
    const bool first = digits.empty();
    if (group.empty() || group.size() > kGroup || (!first && group.size() < kGroup)) return std::nullopt;
    digits += group;
  }
  return digits[0] == '0' ? std::nullopt : parse_u64(digits);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace roceready::evidence
