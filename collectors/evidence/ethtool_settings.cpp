// SPDX-License-Identifier: Apache-2.0
// ethtool NETDEV: "Settings for eth0:", link modes, speed, medium, whether there is a link and why not.
#include <algorithm>
#include <array>
#include <limits>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeading = "Settings for ";
/// Keys that no other tool uses, and keys that others use too.
constexpr std::string_view kOwnKeys[] = {"Supported ports",
                                         "Supported link modes",
                                         "Supported pause frame use",
                                         "Supports auto-negotiation",
                                         "Supported FEC modes",
                                         "Advertised link modes",
                                         "Advertised pause frame use",
                                         "Advertised auto-negotiation",
                                         "Advertised FEC modes",
                                         "Link partner advertised link modes",
                                         "Link partner advertised pause frame use",
                                         "Link partner advertised auto-negotiation",
                                         "Link partner advertised FEC modes",
                                         "Auto-negotiation",
                                         "Link detected",
                                         "Link Down Events",
                                         "PHYAD",
                                         "MDI-X",
                                         "Supports Wake-on",
                                         "Wake-on",
                                         "Current message level"};
constexpr std::string_view kSharedKeys[] = {"Speed",        "Duplex",           "Lanes",
                                            "Port",         "Transceiver",      "SQI",
                                            "Master slave", "master-slave cfg", "master-slave status"};
constexpr std::string_view kMessageLevels[] = {"drv",     "probe",     "link",    "timer",     "ifdown",
                                               "ifup",    "rx_err",    "tx_err",  "tx_queued", "intr",
                                               "tx_done", "rx_status", "pktdata", "hw",        "wol"};

struct Medium {
  std::string_view text, word;  ///< as ethtool prints it, as snapshots have it
};
constexpr Medium kMedia[] = {{"Twisted Pair", "TwistedPair"},
                             {"AUI", "AUI"},
                             {"MII", "MII"},
                             {"BNC", "BNC"},
                             {"FIBRE", "Fibre"},
                             {"Fibre", "Fibre"},
                             {"None", "None"},
                             {"NONE", "None"},
                             {"Direct Attach Copper", "DirectAttach"},
                             {"Other", "Other"}};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Bits per second of "100000baseCR4/Full"; 0 for what is no link mode with a speed.
std::uint64_t speed_of_mode(std::string_view mode) {
  constexpr std::uint64_t kMega = 1'000'000, kFastest = 100'000'000;
  const auto base = mode.find("base");
  if (base == std::string_view::npos || base == 0) return 0;
  const auto megabits = parse_u64(mode.substr(0, base));
  return megabits && *megabits <= kFastest ? *megabits * kMega : 0;
}

bool is_list_of_modes(std::string_view line) {
  const auto words = words_of(line);
  return !words.empty() &&
         std::all_of(words.begin(), words.end(), [](std::string_view word) { return speed_of_mode(word) > 0; });
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "ethtool" || words.size() < 2) return false;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] != "-I" && words[i] != "--include-statistics") return false;
  }
  if (!is_netdev_name(words.back())) return false;
  about.netdev = words.back();
  return true;
}

Fit fit(std::string_view line, About& about) {
  if (const auto netdev = netdev_between(line, kHeading, ":")) return about.netdev = *netdev, Fit::Begins;
  if (is_list_of_modes(line)) return Fit::Certain;
  if (const auto pair = key_value(line)) {
    if (holds(kOwnKeys, pair->key)) return Fit::Certain;
    if (pair->key == "Speed" && (pair->value.ends_with("Mb/s") || pair->value.starts_with("Unknown!")))
      return Fit::Certain;
    if (holds(kSharedKeys, pair->key)) return Fit::Possible;
  }
  const auto words = words_of(line);
  if (std::all_of(words.begin(), words.end(), [](std::string_view word) { return holds(kMessageLevels, word); }))
    return Fit::Possible;
  return refusal_of(line) || trim(line) == "No data available" ? Fit::Possible : Fit::No;
}

/// One list of link modes while its lines come in.
struct ModeList {
  Reading<std::uint64_t>* fastest = nullptr;  ///< where it goes; nullptr: none is open
  const char* whose = "";
  std::uint64_t best = 0;
};

class Reader {
 public:
  Reader(const Section& section, Draft& draft, Netdev& netdev) : section_(section), draft_(draft), netdev_(netdev) {
    EthtoolFacts& facts = netdev_.ethtool;
    if (facts.link_modes) modes_ = *facts.link_modes;
    if (facts.link_state) state_ = *facts.link_state;
  }

  bool take(const Line& line) {
    if (netdev_between(line.text, kHeading, ":")) return true;
    if (is_list_of_modes(line.text)) return add(line.text), true;
    const auto pair = key_value(line.text);
    if (!pair) return fit_of_rest(line.text);
    draft_.cite("ethtool " + section_.about.netdev, section_, line.number);
    cite(pair->key, line);
    close(pair->key);
    return list(*pair) || speed(*pair, line) || link(*pair, line) || holds(kOwnKeys, pair->key) ||
           holds(kSharedKeys, pair->key);
  }

  void finish(const std::optional<Absent>& refused) {
    EthtoolFacts& facts = netdev_.ethtool;
    if (has_modes_) facts.link_modes = modes_;
    if (has_state_) facts.link_state = state_;
    if (!refused) return;
    if (!facts.link_modes) facts.link_modes = *refused;
    if (!has_modes_ && !facts.link_state) facts.link_state = *refused;
  }

 private:
  static bool fit_of_rest(std::string_view text) {
    About about;
    return !refusal_of(text) && fit(text, about) == Fit::Possible;
  }

  /// By the names of the items of evidence that rest on the line.
  void cite(std::string_view key, const Line& line) {
    const char* name = key == "Speed" ? "negotiated speed" : key == "Link detected" ? "extended link state" : nullptr;
    if (name != nullptr) draft_.cite("ethtool " + section_.about.netdev, name, section_, line.number);
  }

  void add(std::string_view text) {
    for (const std::string_view word : words_of(text)) list_.best = std::max(list_.best, speed_of_mode(word));
  }

  /// A list of modes is whole where ethtool's next key follows; cut or filtered output may have lost its faster half.
  void close(std::string_view next_key) {
    const bool whole = next_key.ends_with("pause frame use") || next_key.ends_with("auto-negotiation");
    if (list_.fastest != nullptr && whole) {
      has_modes_ = true;
      if (list_.best > 0)
        *list_.fastest = list_.best;
      else
        *list_.fastest = Absent{Why::NotPresent, std::string("no speed among the ") + list_.whose + " link modes"};
    }
    list_ = {};
  }

  bool list(const KeyValue& pair) {
    if (pair.key == "Supported link modes")
      list_ = {&modes_.max_supported_bits_per_second, "supported", 0};
    else if (pair.key == "Advertised link modes")
      list_ = {&modes_.max_advertised_bits_per_second, "advertised", 0};
    else if (pair.key == "Link partner advertised link modes")
      list_ = {&modes_.max_peer_bits_per_second, "partner's", 0};
    else
      return false;
    add(pair.value);
    return true;
  }

  bool speed(const KeyValue& pair, const Line& line) {
    if (pair.key == "Speed") {
      has_modes_ = true;
      modes_.speed_bits_per_second = speed_of(pair.value, line);
    } else if (pair.key == "Lanes") {
      has_modes_ = true;
      const auto lanes = parse_u32(pair.value);
      modes_.lanes = lanes && *lanes > 0 ? Reading<std::uint32_t>(*lanes) : malformed(line);
      if (pair.value.starts_with("Unknown")) modes_.lanes = Absent{Why::NotPresent, "number of lanes unknown"};
    } else if (pair.key == "Auto-negotiation") {
      has_modes_ = true;
      const auto on = yes_or_no(pair.value);
      modes_.autoneg = on ? Reading<bool>(*on) : malformed(line);
    } else if (pair.key == "Port") {
      const auto known = std::find_if(std::begin(kMedia), std::end(kMedia),
                                      [&](const Medium& medium) { return medium.text == pair.value; });
      if (known != std::end(kMedia))
        netdev_.ethtool.medium = std::string(known->word);
      else
        netdev_.ethtool.medium = Absent{Why::Malformed, place_text(section_, line.number) + ": no known kind of port"};
    } else {
      return false;
    }
    return true;
  }

  bool link(const KeyValue& pair, const Line& line) {
    if (pair.key == "Link Down Events") {
      has_state_ = true;
      const auto count = parse_u32(pair.value);
      state_.extended_down_count = count ? Reading<std::uint32_t>(*count) : malformed(line);
      return true;
    }
    if (pair.key != "Link detected") return false;
    has_state_ = true;
    const auto bracket = pair.value.find('(');
    const auto up = yes_or_no(pair.value.substr(0, bracket));
    state_.link = up ? Reading<bool>(*up) : malformed(line);
    const Absent none{Why::NotPresent, "the driver gives no reason"};
    state_.extended_state = none;
    state_.extended_substate = none;
    if (bracket == std::string_view::npos) return true;
    std::string_view reason = pair.value.substr(bracket + 1);
    if (reason.ends_with(")")) reason.remove_suffix(1);
    const auto comma = reason.find(", ");
    state_.extended_state = std::string(trim(reason.substr(0, comma)));
    if (comma != std::string_view::npos) state_.extended_substate = std::string(trim(reason.substr(comma + 2)));
    return true;
  }

  Reading<std::uint64_t> speed_of(std::string_view value, const Line& line) const {
    constexpr std::uint64_t kMega = 1'000'000;
    if (value.starts_with("Unknown")) return Absent{Why::NotPresent, "the speed is unknown while the link is down"};
    const auto megabits = value.ends_with("Mb/s") ? parse_u32(trim(value.substr(0, value.size() - 4))) : std::nullopt;
    if (!megabits || *megabits == 0 || *megabits == UINT32_MAX) return malformed(line);
    return *megabits * kMega;
  }

  [[nodiscard]] Absent malformed(const Line& line) const {
    return {Why::Malformed, place_text(section_, line.number) + ": \"" + std::string(trim(line.text)) + "\""};
  }

  const Section& section_;
  Draft& draft_;
  Netdev& netdev_;
  LinkModes modes_;
  LinkState state_;
  ModeList list_;
  bool has_modes_ = false, has_state_ = false;
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft, draft.netdev(section.about.netdev));
  reader.finish(take_lines(section, draft, [&](const Line& line) { return reader.take(line); }));
}

}  // namespace

extern const Format kEthtoolSettings;
constinit const Format kEthtoolSettings{"ethtool", "ethtool NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
