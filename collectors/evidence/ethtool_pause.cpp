// SPDX-License-Identifier: Apache-2.0
// ethtool -a NETDEV, with -I its frames too: "Pause parameters for eth0:", "RX:\t\toff".
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeading = "Pause parameters for ";
constexpr std::size_t kStatisticIndent = 2;  ///< those of ethtool -S have 5

bool made_by(std::span<const std::string> words, About& about) {
  return ethtool_asks(words, {"-a", "--show-pause"}, about);
}

bool is_statistic(std::string_view key) {
  return key == "tx_pause_frames" || key == "rx_pause_frames" || key == "tx_pause_storm_events";
}

Fit fit(std::string_view line, About& about) {
  if (const auto netdev = netdev_between(line, kHeading, ":")) return about.netdev = *netdev, Fit::Begins;
  const auto pair = key_value(line);
  if (!pair) return refusal_of(line) ? Fit::Possible : Fit::No;
  if (pair->key == "Autonegotiate" || pair->key == "RX negotiated" || pair->key == "TX negotiated") return Fit::Certain;
  if ((pair->key == "RX" || pair->key == "TX") && yes_or_no(pair->value)) return Fit::Certain;
  if (is_statistic(pair->key)) return indent_of(line) == kStatisticIndent ? Fit::Certain : Fit::Possible;
  return trim(line) == "Statistics:" || refusal_of(line) ? Fit::Possible : Fit::No;
}

Reading<std::uint64_t>* frames_of(PauseFacts& pause, std::string_view key) {
  if (key == "tx_pause_frames") return &pause.tx_frames;
  if (key == "rx_pause_frames") return &pause.rx_frames;
  return key == "tx_pause_storm_events" ? &pause.tx_storm_events : nullptr;
}

Reading<bool>* flag_of(PauseFacts& pause, std::string_view key) {
  if (key == "Autonegotiate") return &pause.autoneg;
  if (key == "RX") return &pause.rx;
  return key == "TX" ? &pause.tx : nullptr;
}

void parse(const Section& section, Draft& draft) {
  Netdev& netdev = draft.netdev(section.about.netdev);
  PauseFacts pause = netdev.ethtool.pause ? *netdev.ethtool.pause : PauseFacts{};
  bool stated = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const auto pair = key_value(line.text);
    if (!pair) return false;
    if (netdev_between(line.text, kHeading, ":") || pair->key == "Statistics" || pair->key.ends_with(" negotiated"))
      return true;
    const Absent malformed{Why::Malformed, place_text(section, line.number) + ": no value"};
    if (Reading<bool>* flag = flag_of(pause, pair->key)) {
      const auto on = yes_or_no(pair->value);
      *flag = on ? Reading<bool>(*on) : malformed;
    } else if (Reading<std::uint64_t>* frames = frames_of(pause, pair->key)) {
      const auto count = parse_u64(pair->value);
      *frames = count ? Reading<std::uint64_t>(*count) : malformed;
    } else {
      return false;
    }
    const std::string source = "ethtool -a " + section.about.netdev;
    draft.cite(source, section, line.number);
    if (pair->key == "rx_pause_frames" || pair->key == "tx_pause_frames")  // as counters are called
      draft.cite(source, "mac_pause_" + std::string(pair->key.substr(0, 2)) + "_frames", section, line.number);
    if (pair->key == "RX" || pair->key == "TX")
      draft.cite(source, pair->key == "RX" ? "receive pause" : "transmit pause", section, line.number);
    return stated = true;
  });
  if (stated)
    netdev.ethtool.pause = pause;
  else if (refused)
    netdev.ethtool.pause = *refused;
}

}  // namespace

extern const Format kEthtoolPause;
constinit const Format kEthtoolPause{"ethtool -a", "ethtool -I -a NETDEV", true, made_by, fit, parse};

}  // namespace roceready::evidence
