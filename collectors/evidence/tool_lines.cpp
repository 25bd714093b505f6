// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/tool_lines.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>

#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

struct Phrase {
  std::string_view text;  ///< lower case
  Why why;
};
// The words of strerror(3) in the C locale, and ethtool's own.
constexpr Phrase kPhrases[] = {{"operation not supported", Why::NotSupported},
                               {"not supported by device", Why::NotSupported},
                               {"no stats available", Why::NotSupported},
                               {"operation not permitted", Why::Denied},
                               {"permission denied", Why::Denied},
                               {"no such device", Why::NotPresent},
                               {"does not exist", Why::NotPresent},
                               {"cannot find device", Why::NotPresent},
                               {"no such file or directory", Why::NotPresent},
                               {"connection timed out", Why::TimedOut},
                               {"invalid argument", Why::Malformed},
                               {"input/output error", Why::Malformed},
                               {"device or resource busy", Why::Malformed}};
constexpr std::size_t kLongestRefusal = 200;

/// Two letters as one number, whatever their case.
std::uint16_t head_of(char first, char second) {
  const auto low = [](char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); };
  return static_cast<std::uint16_t>(low(first) << 8U | low(second));
}

std::bitset<65536> make_heads() {
  std::bitset<65536> out;
  for (const Phrase& phrase : kPhrases) out.set(head_of(phrase.text[0], phrase.text[1]));
  return out;
}

/// Where a phrase begins, if anywhere: only there the line is looked at closely.
const Phrase* phrase_in(std::string_view text) {
  static const std::bitset<65536> kHeads = make_heads();
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (!kHeads[head_of(text[at], text[at + 1])]) continue;
    for (const Phrase& phrase : kPhrases) {
      if (lower(text.substr(at, phrase.text.size())) == phrase.text) return &phrase;
    }
  }
  return nullptr;
}

/// A line and what was found in it: a dozen formats ask about each line in turn.
struct Asked {
  std::string line;
  const Phrase* phrase = nullptr;
};

}  // namespace

std::optional<Absent> refusal_of(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty() || text.size() > kLongestRefusal) return std::nullopt;
  thread_local Asked last;
  if (last.line != text) last = {std::string(text), phrase_in(text)};
  if (last.phrase == nullptr) return std::nullopt;
  return Absent{last.phrase->why, "the tool said \"" + std::string(text) + "\""};
}

std::optional<std::string> netdev_between(std::string_view line, std::string_view before, std::string_view after) {
  std::string_view text = trim(line);
  if (!text.starts_with(before) || !text.ends_with(after) || text.size() <= before.size() + after.size())
    return std::nullopt;
  text.remove_prefix(before.size());
  text.remove_suffix(after.size());
  text = trim(text);
  if (!is_netdev_name(text)) return std::nullopt;
  return std::string(text);
}

bool ethtool_asks(std::span<const std::string> words, std::initializer_list<std::string_view> options, About& about) {
  if (words.empty() || words[0] != "ethtool") return false;
  for (const std::string_view option : options) {
    if (!has_word(words, option)) continue;
    const auto netdev = word_after(words, option);
    if (netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
    return true;
  }
  return false;
}

std::optional<bool> yes_or_no(std::string_view word) {
  const std::string plain = lower(trim(word));
  if (plain == "on" || plain == "yes" || plain == "true") return true;
  if (plain == "off" || plain == "no" || plain == "false") return false;
  return std::nullopt;
}

std::optional<std::uint32_t> parse_u32(std::string_view text) {
  const auto number = parse_u64(text);
  if (!number || *number > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace roceready::evidence
