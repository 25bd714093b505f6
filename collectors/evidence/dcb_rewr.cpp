// SPDX-License-Identifier: Apache-2.0
// dcb rewr show dev NETDEV: "prio-pcp 3:3nd", "prio-dscp 3:AF31": recognised, so that its lines are not unread;
// snapshots hold nothing of what a port writes into packets that leave.
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words.empty() || words[0] != "dcb" || !has_word(words, "rewr") || !has_word(words, "show")) return false;
  const auto netdev = word_after(words, "dev");
  if (netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

Fit fit(std::string_view line, About&) {
  const auto words = words_of(line);
  if (!words.empty() && (words[0] == "prio-pcp" || words[0] == "prio-dscp"))
    return words.size() > 1 ? Fit::Certain : Fit::Possible;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

void parse(const Section&, Draft&) {}

}  // namespace

extern const Format kDcbRewr;
constinit const Format kDcbRewr{"dcb rewr show", "dcb rewr show dev NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
