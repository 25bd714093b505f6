// SPDX-License-Identifier: Apache-2.0
// ip neigh: "192.0.2.50 dev eth0 lladdr 02:00:5e:00:53:11 REACHABLE". One time tells little; at two times it tells that
// an address moved to another MAC.
#include <algorithm>
#include <string>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

using Words = std::vector<std::string_view>;

bool made_by(std::span<const std::string> words, About&) {
  return (words[0] == "ip" && (has_word(words, "neigh") || has_word(words, "neighbor") ||
                               has_word(words, "neighbour") || has_word(words, "n")));
}

bool is_address(std::string_view word) {
  return word.find_first_of(".:") != std::string_view::npos &&
         word.find_first_not_of("0123456789abcdef.:") == std::string_view::npos;
}

bool is_mac(std::string_view word) {
  constexpr std::size_t kLength = 17;
  return word.size() == kLength && std::count(word.begin(), word.end(), ':') == 5 &&
         word.find_first_not_of("0123456789abcdef:") == std::string_view::npos;
}

bool is_state(std::string_view word) {
  for (const std::string_view state :
       {"REACHABLE", "STALE", "DELAY", "PROBE", "PERMANENT", "NOARP", "FAILED", "INCOMPLETE"})
    if (word == state) return true;
  return false;
}

std::string_view after(const Words& words, std::string_view key) {
  const auto at = std::find(words.begin(), words.end(), key);
  return at == words.end() || at + 1 == words.end() ? std::string_view() : *(at + 1);
}

bool is_entry(const Words& words) {
  return words.size() >= 2 && is_address(words[0]) && is_state(words.back()) &&
         (words[1] == "dev" || words[1] == "lladdr" || words.size() == 2);
}

Fit fit(std::string_view line, About&) {
  constexpr std::size_t kLongest = 200;
  return line.size() <= kLongest && is_entry(words_of(line)) ? Fit::Certain : Fit::No;
}

/// A node of a large fabric has thousands of neighbours: the first ones are kept.
void parse(const Section& section, Draft& draft) {
  constexpr std::size_t kMost = 256;
  std::size_t kept = 0;
  for (const Line& line : section.lines) {
    const Words words = words_of(line.text);
    if (words.empty()) continue;
    if (!is_entry(words)) {
      draft.unread(section, line);
      continue;
    }
    const std::string_view mac = after(words, "lladdr");
    if (!is_mac(mac) || ++kept > kMost) continue;  // nobody answers, or no MAC on this kind of link
    LogFact fact;
    fact.kind = "neighbour";
    fact.subject = after(words, "dev").empty() ? section.about.netdev : std::string(after(words, "dev"));
    fact.text = std::string(trim(line.text));
    fact.place = place_text(section, line.number);
    fact.says = {{"address", std::string(words[0])}, {"mac", std::string(mac)}};
    draft.log(std::move(fact));
  }
}

}  // namespace

extern const Format kIpNeigh;
constinit const Format kIpNeigh{"ip neigh", "ip neigh show", false, made_by, fit, parse};

}  // namespace roceready::evidence
