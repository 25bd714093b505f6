// SPDX-License-Identifier: Apache-2.0
// SONiC: show pfc counters, show interfaces counters, show pfcwd stats, show priority-group watermark; and single
// counters of a switch as "key: value". The switch is the peer: no facts of this host, but what its ports counted goes
// to the log.
#include <algorithm>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t kQueues = 8;
constexpr std::string_view kKeys[] = {"output_discards", "discard_queue", "avg_discard_size", "TxPPP",
                                      "RxPPP",           "pfc_mode",      "pfc_cos",          "pause_storms"};

/// Whether a word names a switch's port: "Ethernet152", "Ethernet1/27", "PortChannel1".
bool is_port(std::string_view word) {
  for (const std::string_view begin : {"Ethernet", "PortChannel", "Eth"}) {
    if (!word.starts_with(begin) || word.size() == begin.size()) continue;
    return word.substr(begin.size()).find_first_not_of("0123456789/") == std::string_view::npos;
  }
  return false;
}

/// "471,729,839,997" without its commas.
std::optional<std::uint64_t> count_of(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != ',') plain += c;
  return parse_u64(plain);
}

/// "Ethernet0:3".
bool is_queue(std::string_view word) {
  const auto colon = word.rfind(':');
  return colon != std::string_view::npos && is_port(word.substr(0, colon)) && parse_u32(word.substr(colon + 1));
}

bool is_pfc_row(const Words& words) {
  if (words.size() != kQueues + 1) return false;
  const std::string_view port = words[0].substr(0, words[0].size() - (words[0].ends_with(":") ? 1 : 0));
  return is_port(port) && std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
           return word == "N/A" || count_of(word).has_value();
         });
}

bool is_pfc_head(const Words& words) {
  return words.size() >= 3 && words[0] == "Port" && (words[1] == "Rx" || words[1] == "Tx") && words[2] == "PFC0";
}
/// "Port PG0 PG1 …": bytes of priority groups, whose rows look like those of PFC frames.
bool is_groups_head(const Words& words) {
  return words.size() >= 2 && words[0] == "Port" && words[1] == "PG0";
}
constexpr std::string_view kHeadroomTitle = "Ingress headroom per PG:";
bool is_groups_title(std::string_view text) {
  return text.starts_with("Ingress ") && text.ends_with(" per PG:");
}
bool is_drops_head(const Words& words) {
  return words.size() > 6 && words[0] == "IFACE" && words[1] == "STATE";
}
bool is_watchdog_head(const Words& words) {
  return words.size() > 4 && words[0] == "QUEUE" && words[1] == "STATUS";
}

/// "RX_DRP: 0" and the like behind a port.
bool is_named_row(const Words& words) {
  return words.size() >= 3 && is_port(words[0]) && words[1].ends_with(":") &&
         (words[1].starts_with("RX_") || words[1].starts_with("TX_"));
}

bool made_by(std::span<const std::string> words, About&) {
  if (words[0] == "pfcwd") return true;
  return words[0] == "show" && (has_word(words, "pfc") || has_word(words, "pfcwd") ||
                                (has_word(words, "interfaces") && has_word(words, "counters")) ||
                                (has_word(words, "priority-group") || has_word(words, "queue")));
}

Fit fit(std::string_view line, About&) {
  const Words words = words_of(line);
  if (words.empty()) return Fit::No;
  if (is_groups_title(trim(line))) return Fit::Begins;
  if (is_pfc_head(words) || is_groups_head(words) || is_drops_head(words) || is_watchdog_head(words) ||
      is_pfc_row(words) || is_named_row(words) || is_queue(words[0]))
    return Fit::Certain;
  const auto pair = key_value(line);
  if (pair && std::find(std::begin(kKeys), std::end(kKeys), pair->key) != std::end(kKeys)) return Fit::Certain;
  const std::string_view text = trim(line);
  const bool rule = text.size() > 2 && text.find_first_not_of("- ") == std::string_view::npos;
  return rule || is_port(words[0]) || text.starts_with("Last cached time") ? Fit::Possible : Fit::No;
}

LogFact fact_of(const char* kind, std::string_view subject, const Section& section, const Line& line) {
  constexpr std::size_t kTextBytes = 300;
  LogFact out;
  out.kind = kind;
  out.subject = std::string(subject);
  out.text = std::string(trim(line.text)).substr(0, kTextBytes);
  out.place = place_text(section, line.number);
  if (!section.peer.empty()) out.says["switch"] = section.peer;
  return out;
}

class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft) {}

  bool take(const Line& line) {
    const Words words = words_of(line.text);
    if (is_groups_title(trim(line.text))) headroom_ = trim(line.text) == kHeadroomTitle;
    if (is_groups_title(trim(line.text)) || is_groups_head(words)) return groups_ = true;
    if (is_pfc_head(words)) return groups_ = false, sent_ = words[1] == "Tx", true;
    if (groups_ && is_pfc_row(words)) return headroom_ && (groups_row(words, line), true);
    if (is_drops_head(words)) return columns(words), true;
    if (is_watchdog_head(words)) return true;
    if (is_pfc_row(words)) return pfc_row(words, line), true;
    if (is_named_row(words)) return named_row(words, line), true;
    if (is_queue(words[0])) return watchdog_row(words, line), true;
    if (!heads_.empty() && is_port(words[0])) return drops_row(words, line);
    if (trim(line.text).find_first_not_of("- ") == std::string_view::npos) return true;
    return single(line);
  }

 private:
  /// A switch prints two words for a rate: "653.87 MB/s".
  void columns(const Words& words) { heads_.assign(words.begin(), words.end()); }

  void pfc_row(const Words& words, const Line& line) {
    std::string_view port = words[0];
    if (port.ends_with(":")) port.remove_suffix(1);
    LogFact fact = fact_of(sent_ ? "switch_pfc_sent" : "switch_pfc_received", port, section_, line);
    for (std::size_t i = 0; i < kQueues; ++i) {
      const auto frames = count_of(words[i + 1]);
      if (frames && *frames > 0) fact.says["priority_" + std::to_string(i)] = std::to_string(*frames);
    }
    keep(std::move(fact));
  }

  /// A row of zeroes says nothing that is kept.
  void keep(LogFact fact) {
    if (fact.says.size() > (fact.says.contains("switch") ? 1U : 0U)) draft_.log(std::move(fact));
  }

  /// Bytes of headroom that each priority group used at most.
  void groups_row(const Words& words, const Line& line) {
    LogFact fact = fact_of("switch_headroom", words[0], section_, line);
    for (std::size_t i = 0; i < kQueues; ++i)
      fact.says["group_" + std::to_string(i)] = std::to_string(*count_of(words[i + 1]));
    draft_.log(std::move(fact));
  }

  void named_row(const Words& words, const Line& line) {
    LogFact fact = fact_of("switch_drops", words[0], section_, line);
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      const auto count = count_of(words[i + 1]);
      if (!count || !words[i].ends_with(":")) continue;
      fact.says[lower(words[i].substr(0, words[i].size() - 1))] = std::to_string(*count);
    }
    keep(std::move(fact));
  }

  bool drops_row(const Words& words, const Line& line) {
    Words cells;
    for (const std::string_view word : words)
      if (!word.ends_with("B/s")) cells.push_back(word);
    if (cells.size() != heads_.size()) return false;
    LogFact fact = fact_of("switch_drops", words[0], section_, line);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::string& head = heads_[i];
      const auto count =
          head.ends_with("_DRP") || head.ends_with("_ERR") || head.ends_with("_OVR") || head.ends_with("_OK")
              ? count_of(cells[i])
              : std::nullopt;
      if (count) fact.says[lower(head)] = std::to_string(*count);
    }
    keep(std::move(fact));
    return true;
  }

  /// "Ethernet0:3  stormed  1/0  100/300  100/300  0/200  0/200"
  void watchdog_row(const Words& words, const Line& line) {
    constexpr const char* kPairs[][2] = {
        {"storms_detected", "storms_restored"}, {"tx_ok", "tx_drop"}, {"rx_ok", "rx_drop"}};
    LogFact fact = fact_of("switch_watchdog", words[0], section_, line);
    std::size_t pair = 0;
    for (std::size_t i = 1; i < words.size() && pair < std::size(kPairs); ++i) {
      const auto slash = words[i].find('/');
      const auto first = count_of(words[i].substr(0, slash));
      const auto second = slash == std::string_view::npos ? std::nullopt : count_of(words[i].substr(slash + 1));
      if (first && second) {
        fact.says[kPairs[pair][0]] = std::to_string(*first);
        fact.says[kPairs[pair][1]] = std::to_string(*second);
        ++pair;
      } else if (i == 1) {
        fact.says["status"] = std::string(words[i]);
      }
    }
    if (pair > 0) draft_.log(std::move(fact));
  }

  bool single(const Line& line) {
    const auto pair = key_value(line.text);
    if (!pair || std::find(std::begin(kKeys), std::end(kKeys), pair->key) == std::end(kKeys)) return false;
    const char* kind = pair->key == "TxPPP"   ? "switch_pfc_sent"
                       : pair->key == "RxPPP" ? "switch_pfc_received"
                                              : nullptr;
    if (pair->key.find("discard") != std::string_view::npos) kind = "switch_drops";
    if (pair->key == "pause_storms") kind = "switch_watchdog";
    if (kind == nullptr) kind = "switch_pfc_setting";
    LogFact fact = fact_of(kind, "", section_, line);
    fact.says[std::string(pair->key)] = std::string(pair->value);
    draft_.log(std::move(fact));
    return true;
  }

  const Section& section_;
  Draft& draft_;
  bool sent_ = false, groups_ = false, headroom_ = false;
  std::vector<std::string> heads_;
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  static_cast<void>(take_lines(section, draft, [&](const Line& line) { return reader.take(line); }));
}

}  // namespace

extern const Format kSwitchCounters;
constinit const Format kSwitchCounters{
    "switch counters", "show pfc counters; show pfcwd stats; show interfaces counters", false, made_by, fit, parse};

}  // namespace roceready::evidence
