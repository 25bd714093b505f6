// SPDX-License-Identifier: Apache-2.0
// dcb pfc|ets|app|buffer|maxrate|dcbx show dev NETDEV, as iproute2 prints them.
#include <algorithm>
#include <utility>
#include <vector>

#include "collectors/evidence/eight.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kPfcKeys[] = {"prio-pfc", "pg-pfc", "requests", "indications"};
constexpr std::string_view kEtsKeys[] = {"tc-bw",      "pg-bw",       "tc-tsa",      "prio-tc",
                                         "reco-tc-bw", "reco-tc-tsa", "reco-prio-tc"};
constexpr std::string_view kAppKeys[] = {"ethtype-prio",    "default-prio", "dscp-prio", "stream-port-prio",
                                         "dgram-port-prio", "port-prio",    "pcp-prio"};
constexpr std::string_view kBufferKeys[] = {"prio-buffer", "buffer-size", "total-size"};
constexpr std::string_view kDcbxWords[] = {"host", "lld-managed", "cee", "ieee", "static"};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

std::string_view first_word(std::string_view line) {
  const auto words = words_of(line);
  return words.empty() ? std::string_view() : words[0];
}
std::string_view behind_first_word(std::string_view line) {
  line = trim(line);
  const auto blank = line.find(' ');
  return blank == std::string_view::npos ? std::string_view() : trim(line.substr(blank));
}

bool made_by(std::span<const std::string> words, About& about, std::string_view object) {
  if (words.empty() || words[0] != "dcb" || !has_word(words, object) || !has_word(words, "show")) return false;
  const auto netdev = word_after(words, "dev");
  if (netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

/// The word behind a word: "pfc-cap 8 macsec-bypass off" has "off" behind "macsec-bypass".
std::string_view after(std::string_view line, std::string_view word) {
  const auto words = words_of(line);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == word) return words[i + 1];
  return {};
}

/// The fact that a line tells is cited by the name that cite_files() looks for.
constexpr std::pair<std::string_view, const char*> kFields[] = {
    {"prio-pfc", "pfc"},        {"pg-pfc", "pfc"},    {"tc-bw", "share"},
    {"tc-tsa", "algorithm"},    {"prio-tc", "class"}, {"buffer-size", "buffers"},
    {"tc-maxrate", "max_rate"}, {"dscp-prio", "map"}, {"pfc-cap", "cable"},
};

void cite(const Section& section, Draft& draft, const Line& line) {
  const std::string source = "DCB netlink " + section.about.netdev;
  draft.cite(source, section, line.number);
  for (const auto& [word, name] : kFields) {
    if (first_word(line.text) == word) draft.cite(source, name, section, line.number);
  }
}

Absent malformed(const Section& section, const Line& line) {
  return {Why::Malformed, place_text(section, line.number) + ": \"" + std::string(trim(line.text)) + "\""};
}

template <class List>
Fit fit_of(std::string_view line, const List& keys, std::string_view heading, std::string_view second) {
  const std::string_view word = first_word(line);
  if (word == heading) return !second.empty() && after(line, second).empty() ? Fit::Possible : Fit::Begins;
  if (holds(keys, word)) return behind_first_word(line).empty() ? Fit::Possible : Fit::Certain;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

// --- dcb pfc show

bool pfc_made_by(std::span<const std::string> words, About& about) {
  return made_by(words, about, "pfc");
}
Fit pfc_fit(std::string_view line, About&) {
  if (first_word(line) == "macsec-bypass" || first_word(line) == "delay") return Fit::Possible;
  return fit_of(line, kPfcKeys, "pfc-cap", "");
}

bool counts_of(std::string_view text, Reading<std::array<std::uint64_t, kPriorities>>& out) {
  const auto texts = keyed_eight(text);
  if (!texts) return false;
  std::array<std::uint64_t, kPriorities> counts{};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const auto count = parse_u64((*texts)[i]);
    if (!count) return false;
    counts[i] = *count;
  }
  out = counts;
  return true;
}

Reading<bool> on_or_off(std::string_view word, const Reading<bool>& before) {
  if (word == "on" || word == "off") return word == "on";
  return before;
}

void parse_pfc(const Section& section, Draft& draft) {
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  PfcFacts pfc = dcb.pfc ? *dcb.pfc : PfcFacts{};
  Reading<std::uint32_t> enabled;
  bool stated = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const std::string_view word = first_word(line.text), rest = behind_first_word(line.text);
    cite(section, draft, line);
    if (word == "pfc-cap" || word == "macsec-bypass" || word == "delay") {
      if (const auto able = parse_u32(after(line.text, "pfc-cap"))) pfc.capability = *able;
      if (const auto delay = parse_u32(after(line.text, "delay"))) pfc.delay = *delay;
      pfc.macsec_bypass = on_or_off(after(line.text, "macsec-bypass"), pfc.macsec_bypass);
      return true;
    }
    if (word == "requests" || word == "indications") {
      const bool sent = word == "requests";
      if (!counts_of(rest, sent ? pfc.requests : pfc.indications)) return false;
      for (std::size_t priority = 0; priority < kPriorities; ++priority)
        draft.cite("DCB netlink " + section.about.netdev,
                   (sent ? "pfc_tx_pause_frames " : "pfc_rx_pause_frames ") + std::to_string(priority), section,
                   line.number);
      return true;
    }
    if (word != "prio-pfc" && word != "pg-pfc") return false;
    const auto mask = mask_of(keyed_eight(rest));
    enabled = mask ? Reading<std::uint32_t>(*mask) : Reading<std::uint32_t>(malformed(section, line));
    return stated = true;
  });
  if (!stated) {  // which priorities is what all else belongs to
    if (refused && !dcb.pfc) dcb.pfc = *refused;
    return;
  }
  pfc.enabled = enabled.value_or(0);
  dcb.pfc = enabled ? Reading<PfcFacts>(pfc) : Reading<PfcFacts>(enabled.absent());
}

// --- dcb ets show

bool ets_made_by(std::span<const std::string> words, About& about) {
  return made_by(words, about, "ets");
}
Fit ets_fit(std::string_view line, About&) {
  return fit_of(line, kEtsKeys, "willing", "ets-cap");
}

void parse_ets(const Section& section, Draft& draft) {
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  EtsFacts ets = dcb.ets ? *dcb.ets : EtsFacts{};
  std::optional<Eight<std::uint32_t>> shares, classes;
  std::optional<Eight<std::uint32_t>> algorithms;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    constexpr std::uint32_t kMostPercent = 100;
    const std::string_view word = first_word(line.text), rest = behind_first_word(line.text);
    cite(section, draft, line);
    if (word == "willing") {
      ets.willing = on_or_off(after(line.text, "willing"), ets.willing);
      if (const auto most = parse_u32(after(line.text, "ets-cap"))) ets.capability = *most;
      return true;
    }
    if (word == "tc-bw") return (shares = numbers_of(keyed_eight(rest), kMostPercent)).has_value();
    if (word == "prio-tc") return (classes = numbers_of(keyed_eight(rest), kPriorities - 1)).has_value();
    if (word != "tc-tsa") return holds(kEtsKeys, word);
    const auto words = keyed_eight(rest);
    if (!words) return false;
    Eight<std::uint32_t> all{};
    for (std::size_t i = 0; i < kPriorities; ++i) {
      const auto one = algorithm_of((*words)[i]);
      if (!one) return false;
      all[i] = *one;
    }
    algorithms = all;
    return true;
  });
  if (shares && classes && algorithms) {
    ets.bandwidth_percent = *shares;
    ets.priority_to_class = *classes;
    ets.algorithm = *algorithms;
    dcb.ets = ets;
  } else if (refused && !dcb.ets) {
    dcb.ets = *refused;
  }
}

// --- dcb app show

bool app_made_by(std::span<const std::string> words, About& about) {
  return made_by(words, about, "app");
}
Fit app_fit(std::string_view line, About&) {
  return fit_of(line, kAppKeys, "", "");
}

/// iproute2 prints the names of /etc/iproute2/rt_dsfield, which are those of RFC 2474, 2597, 3246 and 5865.
std::optional<std::uint32_t> code_point(std::string_view word) {
  struct Name {
    std::string_view name;
    std::uint32_t dscp;
  };
  constexpr Name kNames[] = {{"default", 0}, {"CS0", 0},   {"CS1", 8},   {"CS2", 16},         {"CS3", 24},
                             {"CS4", 32},    {"CS5", 40},  {"CS6", 48},  {"CS7", 56},         {"AF11", 10},
                             {"AF12", 12},   {"AF13", 14}, {"AF21", 18}, {"AF22", 20},        {"AF23", 22},
                             {"AF31", 26},   {"AF32", 28}, {"AF33", 30}, {"AF41", 34},        {"AF42", 36},
                             {"AF43", 38},   {"EF", 46},   {"VA", 44},   {"VOICE-ADMIT", 44}, {"LE", 1}};
  for (const Name& known : kNames)
    if (known.name == word) return known.dscp;
  return parse_u32(word);
}

std::optional<std::uint32_t> ethertype(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  if (word.empty() || word.size() > 4) return std::nullopt;
  std::uint32_t out = 0;
  for (const char c : lower(word)) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    out = out * 16 + static_cast<std::uint32_t>(digit);
  }
  return out;
}

/// "dscp-prio CS3:3 AF31:3 26:3": entries of one selector; a line of which one makes no sense is not taken.
bool take_entries(std::string_view key, std::string_view text, std::vector<AppEntry>& out) {
  constexpr std::size_t kMost = 4096;
  const std::uint32_t selector = key == "ethtype-prio" || key == "default-prio" ? 1
                                 : key == "stream-port-prio"                    ? 2
                                 : key == "dgram-port-prio"                     ? 3
                                 : key == "port-prio"                           ? 4
                                                                                : kSelectorDscp;
  std::vector<AppEntry> found;
  for (const std::string_view word : words_of(text)) {
    const auto colon = word.rfind(':');
    const bool plain = key == "default-prio";
    if (plain != (colon == std::string_view::npos)) return false;
    const std::string_view name = plain ? "0" : word.substr(0, colon);
    const auto protocol = selector == 1               ? ethertype(name)
                          : selector == kSelectorDscp ? code_point(name)
                                                      : parse_u32(name);
    const auto priority = parse_u32(plain ? word : word.substr(colon + 1));
    if (!protocol || *protocol > UINT16_MAX || !priority || *priority >= kPriorities) return false;
    found.push_back({selector, *protocol, *priority});
  }
  if (out.size() + found.size() <= kMost) out.insert(out.end(), found.begin(), found.end());
  return true;
}

void parse_app(const Section& section, Draft& draft) {
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  std::vector<AppEntry> entries;
  bool stated = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const std::string_view word = first_word(line.text);
    if (word == "pcp-prio") return true;
    const std::size_t known = entries.size();
    if (!holds(kAppKeys, word) || !take_entries(word, behind_first_word(line.text), entries)) return false;
    cite(section, draft, line);
    for (std::size_t i = known; word == "dscp-prio" && i < entries.size(); ++i)
      draft.cite("DCB netlink " + section.about.netdev, "DSCP " + std::to_string(entries[i].protocol), section,
                 line.number);
    return stated = true;
  });
  if (stated)
    dcb.app = entries;
  else if (refused && !dcb.app)
    dcb.app = *refused;
}

// --- dcb buffer show

bool buffer_made_by(std::span<const std::string> words, About& about) {
  return made_by(words, about, "buffer");
}
Fit buffer_fit(std::string_view line, About&) {
  return fit_of(line, kBufferKeys, "", "");
}

/// "130944b", "128Kb", "1Mb", "128Kib": iproute2's sizes, in which K is 1024 bytes.
std::optional<std::uint32_t> size_of(std::string_view text) {
  const auto unit_at = text.find_first_not_of("0123456789.");
  const auto number = parse_double(text.substr(0, unit_at));
  const std::string unit = lower(unit_at == std::string_view::npos ? "b" : text.substr(unit_at));
  const double scale = unit == "b"                     ? 1
                       : unit == "kb" || unit == "kib" ? 1024
                       : unit == "mb" || unit == "mib" ? 1048576
                                                       : 0;
  if (!number || scale == 0 || *number < 0 || *number * scale > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*number * scale);
}

void parse_buffer(const Section& section, Draft& draft) {
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  std::optional<Eight<std::uint32_t>> map, sizes;
  Reading<std::uint32_t> total;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const std::string_view word = first_word(line.text), rest = behind_first_word(line.text);
    cite(section, draft, line);
    if (word == "total-size") {
      const auto bytes = size_of(rest);
      if (bytes) total = *bytes;
      return bytes.has_value();
    }
    if (word == "prio-buffer") return (map = numbers_of(keyed_eight(rest), kPriorities - 1)).has_value();
    const auto texts = word == "buffer-size" ? keyed_eight(rest) : std::nullopt;
    if (!texts) return false;
    Eight<std::uint32_t> all{};
    for (std::size_t i = 0; i < kPriorities; ++i) {
      const auto size = size_of((*texts)[i]);
      if (!size) return false;
      all[i] = *size;
    }
    sizes = all;
    return true;
  });
  if (map && sizes)
    dcb.buffers = BufferFacts{*map, *sizes, total};
  else if (refused && !dcb.buffers)
    dcb.buffers = *refused;
}

// --- dcb maxrate show

bool maxrate_made_by(std::span<const std::string> words, About& about) {
  return made_by(words, about, "maxrate");
}
Fit maxrate_fit(std::string_view line, About&) {
  constexpr std::string_view kKeys[] = {"tc-maxrate"};
  return fit_of(line, kKeys, "", "");
}

/// "25Gbit", "100Mbit", "0bit": bits per second, decimal.
std::optional<std::uint64_t> rate_of(std::string_view text) {
  const auto unit_at = text.find_first_not_of("0123456789.");
  const auto number = parse_double(text.substr(0, unit_at));
  const std::string unit = lower(unit_at == std::string_view::npos ? "bit" : text.substr(unit_at));
  const double scale = unit == "bit" ? 1 : unit == "kbit" ? 1e3 : unit == "mbit" ? 1e6 : unit == "gbit" ? 1e9 : 0;
  constexpr double kFastest = 1e15;
  if (!number || scale == 0 || *number < 0 || *number * scale > kFastest) return std::nullopt;
  return static_cast<std::uint64_t>(*number * scale);
}

void parse_maxrate(const Section& section, Draft& draft) {
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const auto texts = first_word(line.text) == "tc-maxrate" ? keyed_eight(behind_first_word(line.text)) : std::nullopt;
    if (!texts) return false;
    std::array<std::uint64_t, kPriorities> rates{};
    for (std::size_t i = 0; i < kPriorities; ++i) {
      const auto rate = rate_of((*texts)[i]);
      if (!rate) return false;
      rates[i] = *rate;
    }
    dcb.max_rate = rates;
    cite(section, draft, line);
    return true;
  });
  if (refused && !dcb.max_rate) dcb.max_rate = *refused;
}

// --- dcb dcbx show

bool dcbx_made_by(std::span<const std::string> words, About& about) {
  return made_by(words, about, "dcbx");
}
Fit dcbx_fit(std::string_view line, About&) {
  const auto words = words_of(line);
  const bool all = !words.empty() && std::all_of(words.begin(), words.end(),
                                                 [](std::string_view word) { return holds(kDcbxWords, word); });
  if (all) return words.size() > 1 ? Fit::Certain : Fit::Possible;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

void parse_dcbx(const Section& section, Draft& draft) {
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    std::uint32_t flags = 0;
    for (const std::string_view word : words_of(line.text)) {
      const auto* known = std::find(std::begin(kDcbxWords), std::end(kDcbxWords), word);
      if (known == std::end(kDcbxWords)) return false;
      flags |= 1U << (known - std::begin(kDcbxWords));  // the flags have the order of the words
    }
    dcb.dcbx = flags;
    cite(section, draft, line);
    return true;
  });
  if (refused && !dcb.dcbx) dcb.dcbx = *refused;
}

}  // namespace

extern const Format kDcbPfc, kDcbEts, kDcbApp, kDcbBuffer, kDcbMaxrate, kDcbDcbx;
constinit const Format kDcbPfc{"dcb pfc show", "dcb -s pfc show dev NETDEV", false, pfc_made_by, pfc_fit, parse_pfc};
constinit const Format kDcbEts{"dcb ets show", "dcb ets show dev NETDEV", false, ets_made_by, ets_fit, parse_ets};
constinit const Format kDcbApp{"dcb app show", "dcb app show dev NETDEV", false, app_made_by, app_fit, parse_app};
constinit const Format kDcbBuffer{"dcb buffer show", "dcb buffer show dev NETDEV", false, buffer_made_by, buffer_fit,
                                  parse_buffer};
constinit const Format kDcbMaxrate{
    "dcb maxrate show", "dcb maxrate show dev NETDEV", false, maxrate_made_by, maxrate_fit, parse_maxrate};
constinit const Format kDcbDcbx{"dcb dcbx show", "dcb dcbx show dev NETDEV", false, dcbx_made_by, dcbx_fit, parse_dcbx};

}  // namespace roceready::evidence
