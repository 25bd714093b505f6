// SPDX-License-Identifier: Apache-2.0
// lldptool -t -i NETDEV: TLVs of IEEE 802.1Qaz, and "enabled=3" of its -c; niccli … getqos and bnxtqos, which print the
// same TLVs with a colon behind their names.
#include <algorithm>
#include <vector>

#include "collectors/evidence/eight.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kEts = "IEEE 8021QAZ ETS Configuration TLV", kPfc = "IEEE 8021QAZ PFC TLV",
                           kApp = "IEEE 8021QAZ APP TLV";
constexpr std::string_view kKeys[] = {"Willing",
                                      "CBS",
                                      "MAX_TCS",
                                      "PRIO_MAP",
                                      "TC Bandwidth",
                                      "TSA_MAP",
                                      "PFC enabled",
                                      "MACsec Bypass Capable",
                                      "PFC capable traffic classes",
                                      "TC Rate Limit"};
constexpr std::string_view kAppKeys[] = {"Priority",    "Sel",       "DSCP",         "UDP or DCCP", "{S}TCP Port",
                                         "TCP or SCTP", "Ethertype", "TCP/UDP Port", "UDP Port",    "Port"};
constexpr std::string_view kSettings[] = {"enabled",  "willing", "up2tc",  "tsa",  "tcbw",        "delay",
                                          "enableTx", "app",     "numtcs", "mode", "adminStatus", "macsec"};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool is_niccli(std::string_view program) {
  return program == "niccli" || program == "bnxtqos" || program == "bnxtqos64";
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words.empty() || (words[0] != "lldptool" && !is_niccli(words[0]))) return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    std::string name;
    if (word.starts_with("-dev=") || word.starts_with("--dev=")) name = word.substr(word.find('=') + 1);
    const bool names_next = word == "-dev" || word == "--dev" || (word.starts_with("-") && word.ends_with("i"));
    if (names_next && i + 1 < words.size()) name = words[i + 1];
    if (is_netdev_name(name) && !parse_u32(name)) about.netdev = name;  // niccli counts its cards from 1
  }
  return true;
}

/// Whether the TLVs are the neighbour's: "-n", "-tni", "-tn".
bool asks_neighbor(std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "get-tlv-neighbor" || (word.starts_with("-") && !word.starts_with("--") && word.size() <= 4 &&
                                          word.find('n') != std::string::npos && word != "-dev");
  });
}

std::string_view without_colon(std::string_view text) {
  text = trim(text);
  if (text.ends_with(":")) text.remove_suffix(1);
  return text;
}

/// "enabled=3,4": what lldptool -c prints.
std::optional<KeyValue> setting(std::string_view line) {
  line = trim(line);
  const auto equal = line.find('=');
  if (equal == std::string_view::npos || !holds(kSettings, trim(line.substr(0, equal)))) return std::nullopt;
  return KeyValue{trim(line.substr(0, equal)), trim(line.substr(equal + 1))};
}

Fit fit(std::string_view line, About&) {
  const std::string_view text = without_colon(line);
  if (text.ends_with(" TLV") || text == "End of LLDPDU LTV") return Fit::Certain;
  const auto pair = key_value(line);
  if (pair && (pair->key == "PRIO_MAP" || pair->key == "TSA_MAP" || pair->key == "PFC enabled" ||
               pair->key == "TC Bandwidth" || pair->key == "TC Rate Limit"))
    return Fit::Certain;
  if (text.starts_with("App#") || text.starts_with("APP#")) return Fit::Certain;
  if (setting(line) || indent_of(line) > 0) return Fit::Possible;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

/// "3 4", "3,4", "none": bit n for priority n.
std::optional<std::uint32_t> priorities_of(std::string_view text) {
  std::uint32_t out = 0;
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ',', ' ');
  const auto words = words_of(plain);
  if (words.empty()) return std::nullopt;
  if (words.size() == 1 && words[0] == "none") return 0;
  for (const std::string_view word : words) {
    const auto priority = parse_u32(word);
    if (!priority || *priority >= kPriorities) return std::nullopt;
    out |= 1U << *priority;
  }
  return out;
}

std::string blanks_for_commas(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), ',', ' ');
  return out;
}

/// Facts as they come in; finish() keeps those that are told in full.
class Reader {
 public:
  bool take(std::string_view text, bool own) {
    if (const auto one = setting(text)) return own ? take_setting(*one) : true;
    const std::string_view name = without_colon(text);
    if (name.ends_with(" TLV") || name == "End of LLDPDU LTV") {
      tlv_ = name;
      return true;
    }
    if (!own) return indent_of(text) > 0 || key_value(text);
    if (tlv_ == kApp || trim(text).starts_with("APP#") || trim(text).starts_with("App#")) return take_app(text);
    const auto pair = key_value(text);
    if (!pair) return tlv_ != kEts && tlv_ != kPfc;
    if (pair->key == "PFC enabled") return (pfc_ = priorities_of(pair->value)).has_value();
    if (pair->key == "PFC capable traffic classes") capability_ = parse_u32(pair->value).value_or(0);
    // What is recommended to the neighbour is not in force here.
    const bool configuration = tlv_.empty() || tlv_ == kEts;
    if (!configuration) return holds(kKeys, pair->key) || !tlv_.empty();
    if (pair->key == "PRIO_MAP") return (classes_ = numbers_of(keyed_eight(pair->value), kPriorities - 1)).has_value();
    if (pair->key == "TC Bandwidth") return shares(pair->value);
    if (pair->key == "TSA_MAP") return algorithms(pair->value);
    return holds(kKeys, pair->key);
  }

  void finish(DcbFacts& dcb) {
    close_app();
    if (pfc_) {
      PfcFacts pfc = dcb.pfc ? *dcb.pfc : PfcFacts{};
      pfc.enabled = *pfc_;
      if (capability_ != 0) pfc.capability = capability_;
      dcb.pfc = pfc;
    }
    if (classes_ && share_count_ > 0 && share_count_ == algorithm_count_) {
      EtsFacts ets = dcb.ets ? *dcb.ets : EtsFacts{};
      ets.priority_to_class = *classes_;
      ets.bandwidth_percent = shares_;
      ets.algorithm = algorithms_;
      dcb.ets = ets;
    }
    if (!entries_.empty()) dcb.app = entries_;
  }

 private:
  bool take_setting(const KeyValue& one) {
    if (one.key == "enabled") return (pfc_ = priorities_of(one.value)).has_value();
    if (one.key == "up2tc") return (classes_ = numbers_of(keyed_eight(blanks_for_commas(one.value)), 7)).has_value();
    if (one.key == "tsa") return algorithms(blanks_for_commas(one.value));
    if (one.key == "tcbw") return shares(blanks_for_commas(one.value));
    return true;
  }

  /// "50% 50% 0%": as many classes as the NIC has.
  bool shares(std::string_view text) {
    shares_ = {};
    share_count_ = 0;
    for (std::string_view word : words_of(text)) {
      if (word.ends_with("%")) word.remove_suffix(1);
      const auto share = parse_u32(word);
      if (!share || *share > 100 || share_count_ >= kPriorities) return share_count_ = 0, false;
      shares_[share_count_++] = *share;
    }
    return share_count_ > 0;
  }

  bool algorithms(std::string_view text) {
    algorithms_ = {};
    algorithm_count_ = 0;
    for (const std::string_view word : words_of(text)) {
      const auto colon = word.find(':');
      const auto index = parse_u32(word.substr(0, colon));
      const auto algorithm = colon == std::string_view::npos ? std::nullopt : algorithm_of(word.substr(colon + 1));
      if (!index || *index != algorithm_count_ || *index >= kPriorities || !algorithm)
        return algorithm_count_ = 0, false;
      algorithms_[algorithm_count_++] = *algorithm;
    }
    return algorithm_count_ > 0;
  }

  bool take_app(std::string_view text) {
    const std::string_view name = without_colon(text);
    if (name.starts_with("APP#") || name.starts_with("App#")) return close_app(), true;
    const auto pair = key_value(text);
    if (!pair || !holds(kAppKeys, pair->key)) return pair && holds(kKeys, pair->key);
    if (pair->key == "Priority")
      priority_ = parse_u32(pair->value);
    else if (pair->key == "Sel")
      selector_ = parse_u32(pair->value);
    else if (pair->key == "Ethertype")
      protocol_ = std::nullopt;  // no rule asks for Ethertypes
    else
      protocol_ = parse_u32(pair->value);
    return true;
  }

  void close_app() {
    constexpr std::size_t kMost = 1024;
    if (priority_ && selector_ && protocol_ && *priority_ < kPriorities && *selector_ <= kSelectorDscp &&
        *protocol_ <= UINT16_MAX && entries_.size() < kMost)
      entries_.push_back({*selector_, *protocol_, *priority_});
    priority_ = selector_ = protocol_ = std::nullopt;
  }

  std::string_view tlv_;
  std::optional<std::uint32_t> pfc_, priority_, selector_, protocol_;
  std::uint32_t capability_ = 0;
  std::optional<Eight<std::uint32_t>> classes_;
  Eight<std::uint32_t> shares_{}, algorithms_{};
  std::uint32_t share_count_ = 0, algorithm_count_ = 0;
  std::vector<AppEntry> entries_;
};

/// Without its command lldptool's output does not tell whether it is about this side or the neighbour.
bool is_own(const Section& section) {
  if (!section.words.empty()) return is_niccli(section.words[0]) || !asks_neighbor(section.words);
  return std::any_of(section.lines.begin(), section.lines.end(), [](const Line& line) {
    const std::string_view text = trim(line.text);
    return text.starts_with("IEEE 8021QAZ") && text.ends_with("TLV:");
  });
}

/// What a line is called where findings about DCB cite it; "" for another one.
std::string cited_name(std::string_view line) {
  constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"PFC enabled", "pfc"},   {"enabled", "pfc"},   {"PRIO_MAP", "class"},     {"up2tc", "class"},
      {"TSA_MAP", "algorithm"}, {"tsa", "algorithm"}, {"TC Bandwidth", "share"}, {"tcbw", "share"}};
  const auto one = setting(line);
  const auto pair = one ? one : key_value(line);
  if (!pair) return {};
  if (pair->key == "DSCP") return "DSCP " + std::string(pair->value);
  for (const auto& [key, name] : kNames)
    if (pair->key == key) return name;
  return {};
}

void parse(const Section& section, Draft& draft) {
  const bool own = is_own(section);
  Reader reader;
  static_cast<void>(take_lines(section, draft, [&](const Line& line) {
    if (!reader.take(line.text, own)) return false;
    if (own) draft.cite("DCB netlink " + section.about.netdev, cited_name(line.text), section, line.number);
    return true;
  }));
  if (own) reader.finish(draft.netdev(section.about.netdev).dcb);
}

}  // namespace

extern const Format kLldptool;
constinit const Format kLldptool{"lldptool", "lldptool -t -i NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
