// SPDX-License-Identifier: Apache-2.0
// Objects of iproute2's and ethtool's JSON in the plain layouts of the same tools.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "collectors/evidence/counter_names.h"
#include "collectors/evidence/json_lines.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

using Lines = std::vector<Line>;

/// What can stand between two blanks of a plain output without being taken for another word.
bool is_plain_word(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != '\\'; });
}

/// " NAME WORD" of a member, "" where the object does not say it.
std::string said(const JsonValue& object, std::string_view member, std::string_view name) {
  const std::string_view word = object.word(member);
  return is_plain_word(word) ? " " + std::string(name) + " " + std::string(word) : std::string();
}

std::optional<std::uint64_t> number(const JsonValue& object, std::string_view member) {
  const JsonValue* value = object.find(member);
  if (value == nullptr || value->kind != JsonValue::Kind::Word) return std::nullopt;
  return parse_u64(value->text);
}

std::uint32_t line_of(const JsonValue& object, std::string_view member) {
  const JsonValue* value = object.find(member);
  return value == nullptr ? object.line : value->line;
}

// --- ip link, ip address

/// "<BROADCAST,UP>"; nothing where some may be missing.
std::optional<std::string> flags_of(const JsonValue& link) {
  const JsonValue* flags = link.find("flags");
  if (flags == nullptr || flags->kind != JsonValue::Kind::Array || !flags->whole || !flags->on_one_line())
    return std::nullopt;
  std::string out;
  for (const JsonValue& flag : flags->values) {
    if (!is_plain_word(flag.text)) return std::nullopt;
    out += (out.empty() ? "" : ",") + flag.text;
  }
  return "<" + out + ">";
}

/// What the first line of a link says; "" where too little is known for any.
std::string head_of(const JsonValue& link) {
  const std::string name(link.word("ifname")), lower(link.word("link"));
  const std::string full = is_netdev_name(lower) ? name + "@" + lower : name;
  const auto flags = flags_of(link);
  const std::string mtu = number(link, "mtu") ? said(link, "mtu", "mtu") : "";
  const std::string rest = said(link, "master", "master") + said(link, "operstate", "state");
  if (flags && !mtu.empty())
    return std::to_string(number(link, "ifindex").value_or(0)) + ": " + full + ": " + *flags + mtu + rest;
  if (!mtu.empty()) return name + mtu + rest;
  if (flags && is_plain_word(link.word("operstate")))  // ip -br
    return full + " " + std::string(link.word("operstate")) + " " + *flags;
  return {};
}

/// " { 0:3 4:5 }"; nothing where an entry may be missing.
std::optional<std::string> egress_of(const JsonValue& data) {
  const JsonValue* map = data.find("egress_qos");
  if (map == nullptr) return data.find("from") == nullptr ? std::optional<std::string>("") : std::nullopt;
  if (!map->whole) return std::nullopt;
  std::string out = " {";
  for (const JsonValue& entry : map->values) {
    const auto from = number(entry, "from"), to = number(entry, "to");
    if (!from || !to || !entry.whole) return std::nullopt;
    out += " " + std::to_string(*from) + ":" + std::to_string(*to);
  }
  return out + " }";
}

void add_kind(const JsonValue& link, Lines& out) {
  constexpr std::string_view kBare[] = {"veth", "macvlan", "macvtap", "ipvlan", "bridge", "dummy", "vxlan"};
  const JsonValue* info = link.find("linkinfo");
  if (info == nullptr) return;
  const std::string kind(info->word("info_kind"));
  const JsonValue* data = info->find("info_data");
  const bool told = data != nullptr && data->whole;
  const std::uint32_t line = line_of(*info, "info_kind");
  if (kind == "vlan" && told && number(*data, "id")) {
    if (const auto egress = egress_of(*data)) {
      out.push_back({line, "    vlan protocol 802.1Q" + said(*data, "id", "id")});
      if (!egress->empty()) out.push_back({line_of(*data, "egress_qos"), "      egress-qos-map" + *egress});
    }
  } else if (kind == "bond" && told) {
    out.push_back({line, "    bond" + said(*data, "mode", "mode") + said(*data, "active_slave", "active_slave") +
                             said(*data, "xmit_hash_policy", "xmit_hash_policy")});
  } else if (std::find(std::begin(kBare), std::end(kBare), kind) != std::end(kBare)) {
    out.push_back({line, "    " + kind});
  }
  const JsonValue* member = info->find("info_slave_data");
  if (info->word("info_slave_kind") == "bond" && member != nullptr)
    out.push_back({line_of(*info, "info_slave_kind"),
                   "    bond_slave" + said(*member, "state", "state") + said(*member, "mii_status", "mii_status")});
}

void add_addresses(const JsonValue& link, const std::string& before, Lines& out) {
  const JsonValue* list = link.find("addr_info");
  if (list == nullptr) return;
  for (const JsonValue& one : list->values) {
    const std::string_view family = one.word("family");
    const std::string local(one.word("local")), peer(one.word("address"));
    const auto prefix = number(one, "prefixlen");
    if ((family != "inet" && family != "inet6") || !is_plain_word(local) || !prefix || !one.whole) continue;
    std::string text = before + std::string(family) + " " + local;
    if (is_plain_word(peer)) text += " peer " + peer;
    text += "/" + std::to_string(*prefix);
    for (const char* state : {"tentative", "dadfailed"})
      if (one.word(state) == "true") text += std::string(" ") + state;
    out.push_back({line_of(one, "local"), text});
  }
}

Lines link_lines(const JsonValue& link) {
  Lines out;
  if (!is_netdev_name(link.word("ifname"))) return out;
  const std::string head = head_of(link);
  const auto index = number(link, "ifindex");
  if (head.empty() && !index) return out;
  if (!head.empty()) out.push_back({line_of(link, "ifname"), head});
  if (!head.empty() && is_plain_word(link.word("link_type")) && is_plain_word(link.word("address"))) {
    std::string text = "    link/" + std::string(link.word("link_type")) + " " + std::string(link.word("address"));
    if (flags_of(link)) text += said(link, "promiscuity", "promiscuity");
    text += said(link, "phys_port_name", "portname") + said(link, "phys_switch_id", "switchid");
    out.push_back({line_of(link, "address"), text + said(link, "parentdev", "parentdev")});
  }
  if (!head.empty()) add_kind(link, out);
  add_addresses(link, head.empty() ? std::to_string(*index) + ": " + std::string(link.word("ifname")) + "    " : "    ",
                out);
  return out;
}

// --- rdma

/// The device and, where it says one, the port that an object is about.
struct Owner {
  std::string device;
  std::optional<std::uint64_t> port;
  [[nodiscard]] std::string text() const { return device + "/" + std::to_string(port.value_or(1)); }
};
std::optional<Owner> owner_of(const JsonValue& object) {
  const std::string_view name = object.word("ifname");
  const auto found = device_port(name);
  if (!found) return std::nullopt;
  Owner out{found->first, number(object, "port")};
  if (name.find('/') != std::string_view::npos) out.port = found->second;
  constexpr std::uint64_t kMostPorts = 255;
  if (out.port && (*out.port == 0 || *out.port > kMostPorts)) return std::nullopt;
  return out;
}

Lines rdma_link_lines(const JsonValue& object, const Owner& owner) {
  std::string text = "link " + owner.text() + said(object, "state", "state") +
                     said(object, "physical_state", "physical_state") + said(object, "netdev", "netdev");
  // That there is no netdev is told by an object of which nothing can be missing; else the line ends as a cut one.
  const bool all = object.whole && object.on_one_line();
  if (object.word("netdev").empty() && !all) text += " netdev";
  return {{line_of(object, "ifname"), text}};
}

Lines rdma_device_lines(const JsonValue& object, const Owner& owner) {
  return {{line_of(object, "ifname"), std::to_string(number(object, "ifindex").value_or(0)) + ": " + owner.device +
                                          ":" + said(object, "node_type", "node_type") +
                                          said(object, "protocol", "protocol") + said(object, "fw", "fw")}};
}

Lines rdma_resource_lines(const JsonValue& object, const Owner& owner) {
  std::string text = std::to_string(number(object, "ifindex").value_or(0)) + ": " + owner.device + ":";
  for (const char* name : {"pd", "cq", "qp", "cm_id", "mr", "ctx", "srq"})
    if (number(object, name)) text += said(object, name, name);
  return {{line_of(object, "ifname"), text}};
}

/// Members that tell of a single queue pair, completion queue or memory region, not of a port.
bool is_of_single_object(const JsonValue& object) {
  constexpr std::string_view kNames[] = {"cntn", "lqpn", "mrn", "cqn", "pdn", "ctxn", "srqn", "cm-idn", "mode"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return object.find(name) != nullptr; });
}

Lines rdma_statistic_lines(const JsonValue& object, const Owner& owner) {
  Lines out;
  bool known = false;
  for (std::size_t i = 0; i < object.names.size(); ++i) {
    const std::string& name = object.names[i];
    if (name == "ifindex" || name == "port" || !is_counter_name(name) || !number(object, name)) continue;
    known = known || counter_set_of(name) == CounterSet::Hardware;
    out.push_back({object.values[i].line, "    " + name + " " + object.values[i].text});
  }
  if (!known) return {};
  out.insert(out.begin(), {line_of(object, "ifname"), "link " + owner.text()});
  return out;
}

// --- ethtool -S --groups

constexpr std::string_view kGroups[] = {"eth-phy", "eth-mac", "eth-ctrl", "rmon"};

bool has_groups(const JsonValue& object) {
  return std::any_of(std::begin(kGroups), std::end(kGroups), [&](std::string_view name) {
    const JsonValue* group = object.find(name);
    return group != nullptr && group->kind == JsonValue::Kind::Object;
  });
}

Lines group_lines(const JsonValue& object) {
  Lines out;
  if (!is_netdev_name(object.word("ifname"))) return out;
  out.push_back({line_of(object, "ifname"), "Standard stats for " + std::string(object.word("ifname")) + ":"});
  for (const std::string_view name : kGroups) {
    const JsonValue* group = object.find(name);
    if (group == nullptr) continue;
    for (std::size_t i = 0; i < group->names.size(); ++i) {
      const JsonValue& value = group->values[i];
      if (value.kind == JsonValue::Kind::Word && parse_u64(value.text) && is_plain_word(group->names[i]))
        out.push_back({value.line, std::string(name) + "-" + group->names[i] + ": " + value.text});
    }
  }
  return out;
}

bool is_link(const JsonValue& object) {
  constexpr std::string_view kNames[] = {"mtu", "operstate", "qdisc", "link_type", "addr_info"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return object.find(name) != nullptr; });
}

}  // namespace

std::vector<Line> plain_lines(const JsonValue& object) {
  if (is_link(object)) return link_lines(object);
  if (has_groups(object)) return group_lines(object);
  const auto owner = owner_of(object);
  if (!owner || is_of_single_object(object)) return {};
  if (is_plain_word(object.word("node_type"))) return rdma_device_lines(object, *owner);
  if (is_plain_word(object.word("state")) && owner->port) return rdma_link_lines(object, *owner);
  if (number(object, "pd") && number(object, "cq")) return rdma_resource_lines(object, *owner);
  return owner->port ? rdma_statistic_lines(object, *owner) : Lines{};
}

}  // namespace roceready::evidence
