// SPDX-License-Identifier: Apache-2.0
// ip [-d] [-s] link|addr [show]: "4: eth0: <BROADCAST,UP,LOWER_UP> mtu 9000 … state UP …" and what is indented below
// it; with -o on one line, "4: eth0    inet 192.0.2.2/24 …"; with -br "eth0 UP 192.0.2.2/24 …". Also the short "eth0
// mtu 1500".
#include <algorithm>
#include <array>
#include <utility>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kStates[] = {"UP", "DOWN", "LOWERLAYERDOWN", "DORMANT", "TESTING", "NOTPRESENT", "UNKNOWN"};
/// Kinds of netdevs that begin a line of details.
constexpr std::string_view kKinds[] = {"vlan",   "bond",  "bridge", "vrf",   "veth", "dummy", "macvlan", "macvtap",
                                       "ipvlan", "vxlan", "tun",    "ipoib", "team", "ifb",   "geneve",  "gre"};
constexpr std::string_view kModes[] = {"balance-rr", "active-backup", "balance-xor", "broadcast",
                                       "802.3ad",    "balance-tlb",   "balance-alb"};
constexpr std::string_view kHashes[] = {"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"};
/// First words of other lines below a link.
constexpr std::string_view kOther[] = {"valid_lft",    "RX:",         "TX:",         "RX",
                                       "TX",           "altname",     "alias",       "link/",
                                       "bridge_slave", "promiscuity", "vf",          "ingress-qos-map",
                                       "prog/xdp",     "permaddr",    "openvswitch", "team_slave",
                                       "xdp",          "macsec",      "vrf_slave",   "numtxqueues"};

template <class List>
std::optional<std::uint32_t> place_in(const List& list, std::string_view text) {
  const auto at = std::find(std::begin(list), std::end(list), text);
  if (at == std::end(list)) return std::nullopt;
  return static_cast<std::uint32_t>(at - std::begin(list));
}

std::string_view after(const Words& words, std::string_view key) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == key) return words[i + 1];
  return {};
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words.empty() || words[0] != "ip") return false;
  for (const std::string& word : words) {
    const bool object = word.size() >= 1 && (std::string_view("link").starts_with(word) ||
                                             std::string_view("address").starts_with(word) || word == "addr");
    if (!object) continue;
    if (const auto netdev = word_after(words, "dev"); netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
    return !has_word(words, "set") && !has_word(words, "add");
  }
  return false;
}

/// "4: eth0.100@eth0: <…> mtu …": number, name, lower netdev.
struct Head {
  std::uint32_t index = 0;
  std::string name, lower;
};
std::optional<Head> head_of(std::string_view line) {
  const Words words = words_of(line);
  if (words.size() < 3 || !words[0].ends_with(":") || !words[1].ends_with(":") || !words[2].starts_with("<"))
    return std::nullopt;
  const auto index = parse_u32(words[0].substr(0, words[0].size() - 1));
  const std::string_view full = words[1].substr(0, words[1].size() - 1);
  const auto at = full.find('@');
  const std::string_view name = full.substr(0, at);
  if (!index || !is_netdev_name(name)) return std::nullopt;
  Head out{*index, std::string(name), {}};
  if (at != std::string_view::npos) out.lower = full.substr(at + 1);
  return out;
}

bool is_short(const Words& words) {
  return words.size() >= 3 && is_netdev_name(words[0]) && words[1] == "mtu" && parse_u32(words[2]);
}

/// "4: eth0    inet 192.0.2.2/24 brd …": a line of ip -o addr.
bool is_one_line_address(const Words& words) {
  return words.size() > 3 && words[0].ends_with(":") && parse_u32(words[0].substr(0, words[0].size() - 1)) &&
         is_netdev_name(words[1]) && (words[2] == "inet" || words[2] == "inet6");
}

bool is_flags(std::string_view word) {
  return word.starts_with("<") && word.ends_with(">");
}
bool is_prefixed(std::string_view word) {
  const auto slash = word.find('/');
  return slash != std::string_view::npos && word.find_first_of(".:") < slash && parse_u32(word.substr(slash + 1)) &&
         word.find_first_not_of("0123456789abcdefABCDEF.:/") == std::string_view::npos;
}
/// "eth0 UP 02:00:00:00:00:01 <BROADCAST,UP,LOWER_UP>", "eth0@if2 UP 192.0.2.2/24 fe80::1/64": a line of ip -br.
bool is_brief(const Words& words) {
  if (words.size() < 3 || !is_netdev_name(words[0].substr(0, words[0].find('@'))) || !place_in(kStates, words[1]))
    return false;
  return is_flags(words.back()) || std::all_of(words.begin() + 2, words.end(), is_prefixed);
}
/// The same where it has neither.
bool is_brief_and_bare(const Words& words) {
  return words.size() == 2 && is_netdev_name(words[0].substr(0, words[0].find('@'))) && place_in(kStates, words[1]);
}

/// The netdev that an IPv4 address names at its end: "inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0". IPv6
/// addresses name none. "" for other lines.
std::string_view label_of(const Words& words) {
  if (words.size() < 4 || words[0] != "inet" || after(words, "scope").empty()) return {};
  const std::string_view label = words.back().substr(0, words.back().find(':'));
  return is_netdev_name(label) && label != after(words, "scope") ? label : std::string_view();
}

bool all_numbers(const Words& words) {
  return words.size() > 1 &&
         std::all_of(words.begin(), words.end(), [](std::string_view word) { return parse_u64(word).has_value(); });
}

Fit fit(std::string_view line, About& about) {
  if (const auto head = head_of(line)) return about.netdev = head->name, Fit::Begins;
  const Words words = words_of(line);
  if (words.empty()) return Fit::No;
  if (is_short(words)) return about.netdev = words[0], Fit::Begins;
  if (is_one_line_address(words)) return about.netdev = words[1], Fit::Certain;
  if (is_brief(words)) return about.netdev = words[0].substr(0, words[0].find('@')), Fit::Certain;
  if (is_brief_and_bare(words)) return Fit::Possible;
  if (words[0].starts_with("link/") || ((words[0] == "inet" || words[0] == "inet6") && words.size() > 1) ||
      words[0] == "bond_slave" || words[0] == "egress-qos-map" || words[0] == "valid_lft")
    return Fit::Certain;
  if (indent_of(line) > 0 && (place_in(kKinds, words[0]) || place_in(kOther, words[0]) || all_numbers(words)))
    return Fit::Possible;
  return refusal_of(line) ? Fit::Possible : Fit::No;
}

/// The lines of one netdev.
class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft), name_(section.about.netdev) {
    std::string_view first;
    for (const Line& line : section.lines) {
      const std::string_view label = label_of(words_of(line.text));
      if (label.empty()) continue;
      several_ = several_ || (!first.empty() && label != first);
      first = label;
    }
  }

  bool take(const Line& line) {
    // `ip -o` puts all on one line, parted by backslashes.
    std::string_view rest = line.text;
    bool understood = true;
    while (!rest.empty()) {
      const auto end = rest.find('\\');
      understood = take_part(rest.substr(0, end), line) && understood;
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return understood;
  }

  void finish() {
    list_addresses();
    if (!details_ || name_.empty()) return;
    NetLink& link = netdev().link;
    const auto none = [](auto& reading, const char* what) {
      if (!reading && reading.absent().why == Why::NotRecorded) reading = Absent{Why::NotPresent, what};
    };
    // Where the head says otherwise, the line of details is what is missing.
    if (link.kind != "vlan" && link.lower.empty()) none(link.vlan, "not a VLAN");
    if (link.kind != "bond" && !is_bond_) none(link.bond, "not a bond");
    if (!member_) none(link.bond_member, "not a member of a bond");
  }

 private:
  Netdev& netdev() { return draft_.netdev(name_); }

  /// Tells the draft what kind of list the addresses stood in. A list of lo alone is none of all netdevs.
  void list_addresses() {
    Draft::AddressLists& lists = draft_.address_lists();
    const bool of_lo = lo_ && !has_word(section_.words, "lo") && !has_word(section_.words, "-4");
    lists.of_lo |= of_lo;
    lists.with_ipv6 |= ipv6_;
    lists.of_all_ipv4 |= lo_ && !ipv6_ && has_word(section_.words, "-4") && !has_word(section_.words, "lo");
    if (of_lo && ipv6_ && last_index_ > 0) {
      lists.one_line = true;
      lists.last_index = std::max(lists.last_index, last_index_);
    }
    for (const std::string& name : brief_rows_) lists.rows[name] = true;
    if (has_address_row_ && !name_.empty()) lists.rows[name_] |= has_layer_ && section_.next != nullptr;
  }

  bool take_part(std::string_view text, const Line& line) {
    const Words words = words_of(text);
    if (words.empty()) return true;
    if (const auto head = head_of(text)) return take_head(*head, words), cite_mtu(words, line), true;
    if (is_short(words)) return name_ = words[0], has_head_ = true, general(words), cite_mtu(words, line), true;
    if (is_one_line_address(words)) {
      name_ = words[1];
      has_head_ = true;
      netdev().link.index = parse_u32(words[0].substr(0, words[0].size() - 1)).value_or(0);
      last_index_ = std::max(last_index_, netdev().link.index);
      return address({words.begin() + 2, words.end()}) && (cite(line), true);
    }
    if (is_brief(words) || is_brief_and_bare(words)) return brief(words), cite(line), true;
    if (words[0].starts_with("link/")) {
      // A second one tells that the next netdev's head is lost, and with it whose the rest is.
      if (has_layer_) name_.clear(), details_ = has_head_ = has_address_row_ = false;
      has_layer_ = true;
      return link_layer(words, line), true;
    }
    if (words[0] == "inet6" && !has_head_ && several_) {
      draft_.unread(section_, line, "an address of one of several netdevs; the line does not say of which");
      return true;
    }
    if (words[0] == "inet" || words[0] == "inet6") return address(words) && (cite(line), true);
    if (name_.empty()) return false;
    if (words[0] == "egress-qos-map") return egress(words);
    if (words[0] == "bond_slave") return member(words), true;
    if (place_in(kKinds, words[0])) return kind(words), true;
    return place_in(kOther, words[0]) || all_numbers(words);
  }

  void cite(const Line& line) { draft_.cite("rtnetlink " + name_, section_, line.number); }

  void cite_mtu(const Words& words, const Line& line) {
    cite(line);
    if (after(words, "mtu").empty()) return;
    for (const std::string& name : {std::string("netdev MTU"), std::string("RDMA MTU"), "MTU of " + name_})
      draft_.cite("rtnetlink " + name_, name, section_, line.number);
  }

  void take_head(const Head& head, const Words& words) {
    name_ = head.name;
    has_head_ = true;
    has_layer_ = false;
    NetLink& link = netdev().link;
    link.index = head.index;
    if (is_netdev_name(head.lower) && head.lower != "NONE") link.lower = head.lower;
    // `ip link` tells the mode, and nothing of addresses: those that are known stay until one follows.
    has_address_row_ = after(words, "mode").empty();
    replaces_addresses_ = !has_address_row_;
    if (has_address_row_) link.addresses.clear();
    take_flags(words[2]);
    general(words);
  }

  /// "<BROADCAST,MULTICAST,UP,LOWER_UP>"
  void take_flags(std::string_view flags) {
    const auto list = split(flags.substr(1, flags.size() - 1 - (flags.ends_with(">") ? 1 : 0)), ',');
    const auto has = [&](std::string_view flag) { return std::find(list.begin(), list.end(), flag) != list.end(); };
    NetLink& link = netdev().link;
    is_bond_ = has("MASTER");
    member_ = has("SLAVE");
    link.admin_up = has("UP");
    if (has("LOWER_UP"))
      link.carrier = true;
    else if (has("UP"))
      link.carrier = false;
  }

  /// "eth0@if2 UP 192.0.2.2/24 fe80::1/64", "eth0 UP 02:00:00:00:00:01 <BROADCAST,UP,LOWER_UP>"
  void brief(const Words& words) {
    const auto at = words[0].find('@');
    name_ = words[0].substr(0, at);
    has_head_ = true;
    NetLink& link = netdev().link;
    const std::string lower_name(at == std::string_view::npos ? "" : words[0].substr(at + 1));
    if (is_netdev_name(lower_name) && lower_name != "NONE") link.lower = lower_name;
    link.oper_state = lower(words[1]);
    if (is_flags(words.back())) return take_flags(words.back());
    brief_rows_.push_back(name_);
    for (std::size_t i = 2; i < words.size(); ++i)
      static_cast<void>(address({words[i].find(':') == std::string_view::npos ? "inet" : "inet6", words[i]}));
  }

  /// "mtu 9000 … master bond0 state UP …"
  void general(const Words& words) {
    NetLink& link = netdev().link;
    if (const auto text = after(words, "mtu"); !text.empty()) {
      const auto mtu = parse_u32(text);
      link.mtu = mtu ? Reading<std::uint32_t>(*mtu) : Absent{Why::Malformed, "the MTU is no number"};
    }
    if (const auto state = after(words, "state"); place_in(kStates, state)) link.oper_state = lower(state);
    if (const auto master = after(words, "master"); is_netdev_name(master)) link.master = master;
  }

  /// "inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0", "inet 10.0.0.1 peer 10.0.0.2/32 …"
  bool address(const Words& words) {
    constexpr std::size_t kMostAddresses = 1024;
    if (words.size() < 2) return false;
    const std::string_view peer = after(words, "peer"), own = words[1];
    const std::string_view prefixed = peer.empty() ? own : peer;
    const auto slash = prefixed.find('/');
    const bool v6 = words[0] == "inet6";
    const auto prefix = slash == std::string_view::npos ? std::optional<std::uint32_t>(v6 ? 128 : 32)
                                                        : parse_u32(prefixed.substr(slash + 1));
    if (!prefix || *prefix > (v6 ? 128U : 32U)) return false;
    // The label at the end names the netdev where the head was cut off or filtered out. IPv6 addresses have none: what
    // stands behind those of another netdev may be anyone's.
    if (const std::string_view label = label_of(words); !has_head_ && !label.empty()) name_ = label;
    const bool failed = std::find(words.begin(), words.end(), "dadfailed") != words.end();
    const bool tentative = failed || std::find(words.begin(), words.end(), "tentative") != words.end();
    if (name_.empty()) return false;
    ipv6_ = ipv6_ || (v6 && has_head_);
    lo_ = lo_ || (!v6 && has_head_ && name_ == "lo");
    auto& list = netdev().link.addresses;
    if (std::exchange(replaces_addresses_, false)) list.clear();
    const IpAddress one{std::string(own.substr(0, own.find('/'))), *prefix, v6 && tentative};
    if (std::find(list.begin(), list.end(), one) == list.end() && list.size() < kMostAddresses) list.push_back(one);
    return true;
  }

  /// "link/ether 02:… brd ff:… promiscuity 0 … portname p0 switchid … parentbus pci parentdev 0000:3b:00.0"
  void link_layer(const Words& words, const Line& line) {
    multicast(words, line);
    if (name_.empty()) return;
    NetLink& link = netdev().link;
    if (!after(words, "promiscuity").empty()) details_ = true;
    if (const auto address = pci_address(after(words, "parentdev"))) link.parent_device = *address;
    if (const auto port = after(words, "portname"); !port.empty()) link.phys_port_name = std::string(port);
    if (const auto id = after(words, "switchid"); !id.empty()) link.phys_switch_id = std::string(id);
  }

  /// A MAC whose first octet is odd is a group's, and no NIC takes a GID with it.
  void multicast(const Words& words, const Line& line) {
    if (words[0] != "link/ether" || words.size() < 2 || words[1].size() != 17) return;
    constexpr std::string_view kOdd = "13579bBdDfF";
    if (kOdd.find(words[1][1]) == std::string_view::npos) return;
    LogFact fact;
    fact.kind = "multicast_mac";
    fact.subject = name_;
    fact.text = std::string(trim(line.text)).substr(0, 300);
    fact.place = place_text(section_, line.number);
    fact.says["mac"] = std::string(words[1]);
    draft_.log(std::move(fact));
  }

  void kind(const Words& words) {
    NetLink& link = netdev().link;
    link.kind = words[0];
    if (link.kind == "vlan") {
      VlanFacts vlan = link.vlan ? *link.vlan : VlanFacts{};
      const auto id = parse_u32(after(words, "id"));
      link.vlan = id ? Reading<VlanFacts>((vlan.id = *id, vlan)) : Absent{Why::Malformed, "the VLAN id is no number"};
    } else if (link.kind == "bond") {
      const auto mode = place_in(kModes, after(words, "mode"));
      if (!mode) return;
      BondFacts bond;
      bond.mode = *mode;
      bond.xmit_hash_policy = place_in(kHashes, after(words, "xmit_hash_policy")).value_or(0);
      bond.active_member = after(words, "active_slave");
      link.bond = bond;
    }
  }

  /// "egress-qos-map { 0:3 4:5 }"
  bool egress(const Words& words) {
    NetLink& link = netdev().link;
    if (!link.vlan) return false;
    constexpr std::size_t kMost = 256;
    for (const std::string_view word : words) {
      const auto colon = word.find(':');
      const auto from = parse_u32(word.substr(0, colon));
      const auto to = colon == std::string_view::npos ? std::nullopt : parse_u32(word.substr(colon + 1));
      if (from && to && *to < 8 && link.vlan->egress_qos.size() < kMost)
        link.vlan->egress_qos[std::to_string(*from)] = *to;
    }
    return true;
  }

  void member(const Words& words) {
    member_ = true;
    const std::string_view state = after(words, "state"), mii = after(words, "mii_status");
    if (!state.empty() && !mii.empty()) netdev().link.bond_member = BondMemberFacts{state == "BACKUP", mii == "UP"};
  }

  const Section& section_;
  Draft& draft_;
  std::string name_;
  bool details_ = false, member_ = false, is_bond_ = false, has_layer_ = false;
  bool has_head_ = false, several_ = false;  ///< addresses tell of several netdevs
  bool lo_ = false, ipv6_ = false;           ///< an IPv4 address of lo, an IPv6 one, each with its netdev
  bool has_address_row_ = false;             ///< a head of `ip address`
  bool replaces_addresses_ = false;          ///< the next address is the first of a list
  std::uint32_t last_index_ = 0;             ///< of `ip -o address`
  std::vector<std::string> brief_rows_;      ///< netdevs of `ip -br address`
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  static_cast<void>(take_lines(section, draft, [&](const Line& line) { return reader.take(line); }));
  reader.finish();
}

}  // namespace

extern const Format kIpLink;
constinit const Format kIpLink{"ip link", "ip -d address show", false, made_by, fit, parse};

}  // namespace roceready::evidence
