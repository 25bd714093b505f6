// SPDX-License-Identifier: Apache-2.0
// ethtool -g NETDEV: "Ring parameters for eth0:", "Pre-set maximums:", "Current hardware settings:".
#include <algorithm>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeading = "Ring parameters for ";
constexpr std::string_view kMaxima = "Pre-set maximums:", kCurrent = "Current hardware settings:";
constexpr std::string_view kOtherKeys[] = {"RX Mini",          "RX Jumbo",       "RX Buf Len",  "CQE Size",
                                           "TX Push",          "TCP data split", "RX Push",     "TX push buff len",
                                           "TX Push Buff Len", "HDS thresh",     "header split"};

bool is_other(std::string_view key) {
  return std::find(std::begin(kOtherKeys), std::end(kOtherKeys), key) != std::end(kOtherKeys);
}

bool made_by(std::span<const std::string> words, About& about) {
  return ethtool_asks(words, {"-g", "--show-ring"}, about);
}

Fit fit(std::string_view line, About& about) {
  if (const auto netdev = netdev_between(line, kHeading, ":")) return about.netdev = *netdev, Fit::Begins;
  if (trim(line) == kMaxima || trim(line) == kCurrent) return Fit::Certain;
  const auto pair = key_value(line);
  if (pair && (pair->key == "RX" || pair->key == "TX")) return parse_u32(pair->value) ? Fit::Certain : Fit::Possible;
  return (pair && is_other(pair->key)) || refusal_of(line) ? Fit::Possible : Fit::No;
}

Reading<std::uint32_t> entries_of(std::string_view value, const Section& section, const Line& line) {
  if (lower(value) == "n/a") return Absent{Why::NotSupported, "the driver gives no ring size"};
  const auto entries = parse_u32(value);
  if (!entries) return Absent{Why::Malformed, place_text(section, line.number) + ": no ring size"};
  return *entries;
}

void parse(const Section& section, Draft& draft) {
  enum class Part { Unknown, Maxima, Current } part = Part::Unknown;
  Netdev& netdev = draft.netdev(section.about.netdev);
  RingFacts rings = netdev.ethtool.rings ? *netdev.ethtool.rings : RingFacts{};
  bool stated = false, had_rx = false, had_tx = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const std::string_view text = trim(line.text);
    if (netdev_between(text, kHeading, ":")) return true;
    if (text == kMaxima || text == kCurrent) {
      part = text == kMaxima ? Part::Maxima : Part::Current;
      had_rx = had_tx = false;
      return true;
    }
    const auto pair = key_value(text);
    if (pair && is_other(pair->key)) return true;
    // Without its heading a size may be the largest or the present one.
    if (!pair || part == Part::Unknown || (pair->key != "RX" && pair->key != "TX")) return false;
    const bool rx = pair->key == "RX";
    bool& had = rx ? had_rx : had_tx;
    if (had) return part = Part::Unknown, false;  // the next part's heading is lost
    had = true;
    Reading<std::uint32_t>& size =
        part == Part::Maxima ? (rx ? rings.rx_max : rings.tx_max) : (rx ? rings.rx : rings.tx);
    size = entries_of(pair->value, section, line);
    draft.cite("ethtool -g " + section.about.netdev, section, line.number);
    return stated = true;
  });
  if (stated)
    netdev.ethtool.rings = rings;
  else if (refused)
    netdev.ethtool.rings = *refused;
}

}  // namespace

extern const Format kEthtoolRings;
constinit const Format kEthtoolRings{"ethtool -g", "ethtool -g NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
