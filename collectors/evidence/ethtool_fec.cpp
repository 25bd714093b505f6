// SPDX-License-Identifier: Apache-2.0
// ethtool --show-fec NETDEV, with -I its statistics too: "FEC parameters for eth0:", "Active FEC encoding: RS".
#include <algorithm>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeading = "FEC parameters for ";
constexpr std::string_view kWords[] = {"Off", "RS", "BaseR", "LLRS"};

bool made_by(std::span<const std::string> words, About& about) {
  return ethtool_asks(words, {"--show-fec"}, about);
}

bool is_configured(std::string_view key) {
  return key == "Configured FEC encodings" || key == "Supported/Configured FEC encodings";
}
bool is_active(std::string_view key) {
  return key == "Active FEC encoding" || key == "Active FEC encodings";
}

Reading<std::uint64_t>* total_of(FecFacts& fec, std::string_view key) {
  if (key == "corrected_blocks") return &fec.corrected_blocks;
  if (key == "uncorrectable_blocks") return &fec.uncorrectable_blocks;
  return key == "corrected_bits" ? &fec.corrected_bits : nullptr;
}

/// Parts of a total: "Lane 0: 17", and the histogram of newer kernels.
bool is_detail(std::string_view key) {
  return key.starts_with("Lane ") || key.starts_with("PCS lane") || key.starts_with("lane") ||
         key.starts_with("FEC ") || key == "Statistics";
}

Fit fit(std::string_view line, About& about) {
  if (const auto netdev = netdev_between(line, kHeading, ":")) return about.netdev = *netdev, Fit::Begins;
  const auto pair = key_value(line);
  if (!pair) return refusal_of(line) ? Fit::Possible : Fit::No;
  if (is_configured(pair->key) || is_active(pair->key)) return Fit::Certain;
  FecFacts none;
  if (total_of(none, pair->key) != nullptr) return indent_of(line) == 2 ? Fit::Certain : Fit::Possible;
  return is_detail(pair->key) || refusal_of(line) ? Fit::Possible : Fit::No;
}

/// The snapshot's word for a mode; "" for "Auto", "None" and what is unknown.
std::string word_of(std::string_view text) {
  for (const std::string_view word : kWords) {
    if (lower(word) == lower(text)) return std::string(word);
  }
  return {};
}

void configure(FecFacts& fec, std::string_view modes) {
  fec.configured.clear();
  bool automatic = false;
  for (const std::string_view mode : words_of(modes)) {
    automatic = automatic || lower(mode) == "auto";
    const std::string word = word_of(mode);
    if (!word.empty() && std::find(fec.configured.begin(), fec.configured.end(), word) == fec.configured.end())
      fec.configured.push_back(word);
  }
  fec.automatic = automatic;
}

/// One mode is in use at a time; several, or "None", do not say which.
Reading<std::string> active_of(std::string_view modes) {
  const auto words = words_of(modes);
  const std::string word = words.size() == 1 ? word_of(words[0]) : std::string();
  if (word.empty()) return Absent{Why::NotPresent, "the active FEC mode is unknown"};
  return word;
}

void parse(const Section& section, Draft& draft) {
  Netdev& netdev = draft.netdev(section.about.netdev);
  FecFacts fec = netdev.ethtool.fec ? *netdev.ethtool.fec : FecFacts{};
  bool stated = false;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    const auto pair = key_value(line.text);
    if (!pair) return false;
    if (netdev_between(line.text, kHeading, ":") || is_detail(pair->key)) return true;
    if (is_configured(pair->key)) {
      configure(fec, pair->value);
    } else if (is_active(pair->key)) {
      fec.active = active_of(pair->value);
    } else if (Reading<std::uint64_t>* total = total_of(fec, pair->key)) {
      const auto count = parse_u64(pair->value);
      *total = count ? Reading<std::uint64_t>(*count)
                     : Absent{Why::Malformed, place_text(section, line.number) + ": no number"};
    } else {
      return false;
    }
    const std::string source = "ethtool --show-fec " + section.about.netdev;
    draft.cite(source, section, line.number);
    if (is_active(pair->key)) draft.cite(source, "active FEC", section, line.number);
    if (total_of(fec, pair->key) != nullptr)
      draft.cite(source, "fec_" + std::string(pair->key), section, line.number);  // as counters are called
    return stated = true;
  });
  if (stated)
    netdev.ethtool.fec = fec;
  else if (refused)
    netdev.ethtool.fec = *refused;
}

}  // namespace

extern const Format kEthtoolFec;
constinit const Format kEthtoolFec{"ethtool --show-fec", "ethtool -I --show-fec NETDEV", true, made_by, fit, parse};

}  // namespace roceready::evidence
