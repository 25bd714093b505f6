// SPDX-License-Identifier: Apache-2.0
// ethtool --get-tunable NETDEV pfc-prevention-tout: "pfc-prevention-tout: 8000".
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kName = "pfc-prevention-tout";

bool made_by(std::span<const std::string> words, About& about) {
  return has_word(words, kName) && ethtool_asks(words, {"--get-tunable"}, about);
}

Fit fit(std::string_view line, About&) {
  const auto pair = key_value(line);
  if (pair && pair->key == kName) return Fit::Certain;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  Netdev& netdev = draft.netdev(section.about.netdev);
  Reading<std::uint32_t>& limit = netdev.ethtool.pfc_stall_limit_ms;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const auto pair = key_value(line.text);
    if (!pair || pair->key != kName) return false;
    const auto milliseconds = parse_u32(words_of(pair->value).empty() ? "" : words_of(pair->value)[0]);
    if (milliseconds && *milliseconds <= UINT16_MAX)  // the kernel's tunable has 16 bits
      limit = *milliseconds;
    else
      limit = Absent{Why::Malformed, place_text(section, line.number) + ": no time in milliseconds"};
    draft.cite("ethtool --get-tunable " + section.about.netdev + " " + std::string(kName), section, line.number);
    return true;
  });
  if (refused && !limit && limit.absent().why == Why::NotRecorded) limit = *refused;
}

}  // namespace

extern const Format kEthtoolTunable;
constinit const Format kEthtoolTunable{
    "ethtool --get-tunable", "ethtool --get-tunable NETDEV pfc-prevention-tout", false, made_by, fit, parse};

}  // namespace roceready::evidence
