// SPDX-License-Identifier: Apache-2.0
// tc qdisc|class|filter show: recognised, so that its lines are not unread; snapshots hold nothing of it.
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  const bool shown = has_word(words, "qdisc") || has_word(words, "class") || has_word(words, "filter");
  if (words[0] != "tc" || !shown) return false;
  if (const auto netdev = word_after(words, "dev"); netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

Fit fit(std::string_view line, About&) {
  const auto words = words_of(line);
  if (words.empty()) return Fit::No;
  if (indent_of(line) == 0 && words.size() > 2 && (words[0] == "qdisc" || words[0] == "class" || words[0] == "filter"))
    return Fit::Certain;
  return indent_of(line) > 0 ? Fit::Possible : Fit::No;
}

void parse(const Section&, Draft&) {}

}  // namespace

extern const Format kTc;
constinit const Format kTc{"tc", "tc -s qdisc show dev NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
