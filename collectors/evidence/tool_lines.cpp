// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/tool_lines.h"

#include <algorithm>

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

}  // namespace

std::optional<Absent> refusal_of(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty() || text.size() > kLongestRefusal) return std::nullopt;
  const std::string plain = lower(text);
  for (const Phrase& phrase : kPhrases) {
    if (plain.find(phrase.text) == std::string::npos) continue;
    return Absent{phrase.why, "the tool said \"" + std::string(text) + "\""};
  }
  return std::nullopt;
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
