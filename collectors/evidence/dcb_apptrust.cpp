// SPDX-License-Identifier: Apache-2.0
// dcb apptrust show dev NETDEV: "order: dscp pcp", the selectors that are trusted, the first one before the others.
#include <algorithm>
#include <iterator>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kKey = "order:";
constexpr std::string_view kSelectors[] = {"ethtype", "stream-port", "dgram-port", "port", "dscp", "pcp"};

bool made_by(std::span<const std::string> words, About& about) {
  if (words.empty() || words[0] != "dcb" || !has_word(words, "apptrust") || !has_word(words, "show")) return false;
  const auto netdev = word_after(words, "dev");
  if (netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

bool is_order(const std::vector<std::string_view>& words) {
  return !words.empty() && words[0] == kKey && std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
    return std::find(std::begin(kSelectors), std::end(kSelectors), word) != std::end(kSelectors);
  });
}

Fit fit(std::string_view line, About&) {
  const auto words = words_of(line);
  if (is_order(words)) return words.size() > 1 ? Fit::Certain : Fit::Possible;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

/// What classifies a packet of RoCE v2, which has a DSCP always and a VLAN tag sometimes; "" where that depends on the
/// packet, or neither is trusted.
std::string trust_of(const std::vector<std::string_view>& words) {
  const auto dscp = std::find(words.begin(), words.end(), "dscp"), pcp = std::find(words.begin(), words.end(), "pcp");
  if (dscp != words.end() && dscp < pcp) return "dscp";
  return dscp == words.end() && pcp != words.end() ? "pcp" : "";
}

/// That a driver has no such setting says nothing of what it trusts.
void parse(const Section& section, Draft& draft) {
  const std::string& name = section.about.netdev;
  static_cast<void>(take_lines(section, draft, [&](const Line& line) {
    const auto words = words_of(line.text);
    if (!is_order(words)) return false;
    const std::string trust = trust_of(words);
    if (trust.empty()) return true;
    draft.netdev(name).dcb.trust = trust;
    draft.cite("DCB netlink " + name, "trust", section, line.number);
    return true;
  }));
}

}  // namespace

extern const Format kDcbApptrust;
constinit const Format kDcbApptrust{"dcb apptrust show", "dcb apptrust show dev NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
