// SPDX-License-Identifier: Apache-2.0
// /proc/net/bonding/NAME: "Ethernet Channel Bonding Driver: …", the bond, then each of its members.
#include <algorithm>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kDirectory = "/proc/net/bonding/";
/// By number of the mode, as the driver prints them.
constexpr std::string_view kModes[] = {
    "load balancing (round-robin)", "fault-tolerance (active-backup)",       "load balancing (xor)",
    "fault-tolerance (broadcast)",  "IEEE 802.3ad Dynamic link aggregation", "transmit load balancing",
    "adaptive load balancing"};
constexpr std::string_view kOwnKeys[] = {
    "Bonding Mode",       "Transmit Hash Policy", "Primary Slave",       "Currently Active Slave",    "Slave Interface",
    "Link Failure Count", "Permanent HW addr",    "Slave queue ID",      "MII Polling Interval (ms)", "Aggregator ID",
    "Actor Churn State",  "Partner Churn State",  "Actor Churned Count", "Partner Churned Count"};
/// Keys of this file that other tools use as well.
constexpr std::string_view kSharedKeys[] = {"MII Status",
                                            "Speed",
                                            "Duplex",
                                            "Up Delay (ms)",
                                            "Down Delay (ms)",
                                            "Peer Notification Delay (ms)",
                                            "LACP active",
                                            "LACP rate",
                                            "Min links",
                                            "Aggregator selection policy (ad_select)",
                                            "System priority",
                                            "System MAC address",
                                            "Number of ports",
                                            "Actor Key",
                                            "Partner Key",
                                            "Partner Mac Address",
                                            "Active Aggregator Info",
                                            "system priority",
                                            "system mac address",
                                            "port key",
                                            "port priority",
                                            "port number",
                                            "port state",
                                            "oper key"};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "cat" || words.size() < 2 || !words[1].starts_with(kDirectory)) return false;
  if (const auto name = words[1].substr(kDirectory.size()); is_netdev_name(name)) about.netdev = name;
  return true;
}

Fit fit(std::string_view line, About&) {
  if (line.starts_with("Ethernet Channel Bonding Driver:")) return Fit::Begins;
  const auto pair = key_value(line);
  const std::string_view text = trim(line);
  if (pair && holds(kOwnKeys, pair->key)) return Fit::Certain;
  if (pair && pair->key == "Speed" && pair->value.ends_with("Mbps")) return Fit::Certain;
  if (pair && pair->key == "Duplex" && (pair->value == "full" || pair->value == "half")) return Fit::Certain;
  if (text == "802.3ad info" || text == "Active Aggregator Info:") return Fit::Certain;
  if (text.starts_with("details actor lacp pdu") || text.starts_with("details partner lacp pdu")) return Fit::Certain;
  return pair && holds(kSharedKeys, pair->key) ? Fit::Possible : Fit::No;
}

struct Member {
  std::string name;
  std::optional<bool> up;
};

class Reader {
 public:
  bool take(std::string_view text) {
    const auto pair = key_value(text);
    if (!pair) return trim(text).starts_with("802.3ad") || trim(text).starts_with("details ");
    if (pair->key == "Bonding Mode") {
      for (std::size_t i = 0; i < std::size(kModes); ++i)
        if (pair->value.starts_with(kModes[i])) mode_ = static_cast<std::uint32_t>(i);
      return mode_.has_value();
    }
    if (pair->key == "Transmit Hash Policy") {
      const auto bracket = pair->value.rfind('(');
      if (bracket != std::string_view::npos && pair->value.ends_with(")"))
        hash_ = parse_u32(pair->value.substr(bracket + 1, pair->value.size() - bracket - 2)).value_or(0);
    } else if (pair->key == "Currently Active Slave") {
      if (pair->value != "None") active_ = pair->value;
    } else if (pair->key == "Slave Interface") {
      constexpr std::size_t kMost = 64;
      if (!is_netdev_name(pair->value) || members_.size() >= kMost) return false;
      members_.push_back({std::string(pair->value), std::nullopt});
    } else if (pair->key == "MII Status" && !members_.empty()) {
      // "going down" and "going back" wait for a delay: the carrier is another.
      if (pair->value == "up" || pair->value == "down") members_.back().up = pair->value == "up";
    }
    return true;
  }

  void finish(const Section& section, Draft& draft) const {
    const std::string& bond = section.about.netdev;
    if (mode_) {
      NetLink& link = draft.netdev(bond).link;
      link.kind = "bond";
      link.bond = BondFacts{*mode_, active_, hash_};
    }
    constexpr std::uint32_t kActiveBackup = 1;
    for (const Member& member : members_) {
      NetLink& link = draft.netdev(member.name).link;
      if (!bond.empty()) link.master = bond;
      // Which one stands by is told by the mode and by who is active; both stand above the members.
      if (mode_ && member.up && (*mode_ != kActiveBackup || !active_.empty()))
        link.bond_member = BondMemberFacts{*mode_ == kActiveBackup && member.name != active_, *member.up};
    }
  }

 private:
  std::optional<std::uint32_t> mode_;
  std::uint32_t hash_ = 0;
  std::string active_;
  std::vector<Member> members_;
};

void parse(const Section& section, Draft& draft) {
  Reader reader;
  static_cast<void>(take_lines(section, draft, [&](const Line& line) {
    if (line.text.starts_with("Ethernet Channel Bonding Driver:")) return true;
    if (!reader.take(line.text)) return false;
    draft.cite("rtnetlink " + section.about.netdev, section, line.number);
    return true;
  }));
  reader.finish(section, draft);
}

}  // namespace

extern const Format kBonding;
constinit const Format kBonding{"/proc/net/bonding", "cat /proc/net/bonding/NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
