// SPDX-License-Identifier: Apache-2.0
// ip -d address show, ip rule.
#include <algorithm>
#include <array>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

constexpr std::array<const char*, 7> kModes{"balance-rr", "active-backup", "balance-xor", "broadcast",
                                            "802.3ad",    "balance-tlb",   "balance-alb"};
constexpr std::array<const char*, 6> kHashes{"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string flags_of(const NetLink& link) {
  std::string out = "<BROADCAST,MULTICAST";
  if (link.kind == "bond") out += ",MASTER";
  if (link.bond_member) out += ",SLAVE";
  if (link.admin_up.value_or(true)) out += ",UP";
  if (link.carrier.value_or(false)) out += ",LOWER_UP";
  return out + ">";
}

std::string details_of(const NetLink& link) {
  std::string out = "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 numtxqueues 64";
  if (link.phys_port_name) out += " portname " + *link.phys_port_name;
  if (link.phys_switch_id) out += " switchid " + *link.phys_switch_id;
  if (link.parent_device) out += " parentbus pci parentdev " + *link.parent_device;
  out += "\n";
  if (link.vlan) {
    out += "    vlan protocol 802.1Q id " + std::to_string(link.vlan->id) + " <REORDER_HDR>\n";
    std::string map;
    for (const auto& [from, to] : link.vlan->egress_qos) map += " " + from + ":" + std::to_string(to);
    if (!map.empty()) out += "      egress-qos-map {" + map + " }\n";
  } else if (link.bond) {
    out += std::string("    bond mode ") + kModes.at(link.bond->mode);
    if (!link.bond->active_member.empty()) out += " active_slave " + link.bond->active_member;
    out += std::string(" miimon 100 xmit_hash_policy ") + kHashes.at(link.bond->xmit_hash_policy) + "\n";
  } else if (!link.kind.empty()) {
    out += "    " + link.kind + "\n";
  }
  if (link.bond_member)
    out += std::string("    bond_slave state ") + (link.bond_member->backup ? "BACKUP" : "ACTIVE") + " mii_status " +
           (link.bond_member->mii_up ? "UP" : "DOWN") + " link_failure_count 0\n";
  return out;
}

std::string address_of(const IpAddress& address, const std::string& netdev) {
  const bool v6 = address.address.find(':') != std::string::npos;
  const bool local = address.address.starts_with("fe80");
  std::string out = v6 ? "inet6 " : "inet ";
  out += address.address + "/" + std::to_string(address.prefix) + " scope " + (local ? "link" : "global");
  if (address.tentative) out += " tentative";
  return v6 ? out : out + " " + netdev;
}

}  // namespace

bool is_whole(const NetLink& link) {
  return link.kind == "vlan" || (link.admin_up && (link.carrier || !*link.admin_up));
}

void proc_bonding(Terminal& terminal, const Snapshot& snapshot) {
  for (const Netdev& netdev : snapshot.netdevs) {
    if (netdev.link.kind != "bond" || is_whole(netdev.link)) continue;
    const Reading<BondFacts>& bond = netdev.link.bond;
    if (!bond && bond.absent().why != Why::NotRecorded) continue;
    constexpr std::array<const char*, 7> kNames{
        "load balancing (round-robin)", "fault-tolerance (active-backup)",       "load balancing (xor)",
        "fault-tolerance (broadcast)",  "IEEE 802.3ad Dynamic link aggregation", "transmit load balancing",
        "adaptive load balancing"};
    std::string out = std::string("Ethernet Channel Bonding Driver: v5.14.0\n\nBonding Mode: ") +
                      kNames.at(bond ? bond->mode : 4) + "\n";
    if (bond) out += "Transmit Hash Policy: layer2 (" + std::to_string(bond->xmit_hash_policy) + ")\n";
    if (bond && !bond->active_member.empty()) out += "Currently Active Slave: " + bond->active_member + "\n";
    out += "MII Status: up\n";
    for (const Netdev& member : snapshot.netdevs)
      if (member.link.master == netdev.link.name)
        out += "\nSlave Interface: " + member.link.name + "\nMII Status: up\nSpeed: 100000 Mbps\nDuplex: full\n";
    terminal.run("cat /proc/net/bonding/" + netdev.link.name, out);
  }
}

void ip_address(Terminal& terminal, const Snapshot& snapshot) {
  std::string whole, one_line;
  std::uint32_t number = 1;
  for (const Netdev& netdev : snapshot.netdevs) {
    const NetLink& link = netdev.link;
    const std::string index = std::to_string(link.index != 0 ? link.index : ++number) + ": ";
    if (!is_whole(link)) {  // a host that holds its addresses alone
      for (const IpAddress& address : link.addresses)
        one_line += index + link.name + "    " + address_of(address, link.name) + "\\       valid_lft forever\n";
      continue;
    }
    whole += index + link.name + (link.lower.empty() ? "" : "@" + link.lower) + ": " + flags_of(link);
    if (link.mtu) whole += " mtu " + std::to_string(*link.mtu);
    whole += " qdisc mq";
    if (!link.master.empty()) whole += " master " + link.master;
    if (link.oper_state) whole += " state " + upper(*link.oper_state);
    whole += " mode DEFAULT group default qlen 1000\n" + details_of(link);
    for (const IpAddress& address : link.addresses)
      whole += "    " + address_of(address, link.name) + "\n       valid_lft forever preferred_lft forever\n";
  }
  if (!whole.empty()) terminal.run("ip -d address show", whole);
  if (!one_line.empty()) terminal.run("ip -o address show", one_line);
}

void ip_rule(Terminal& terminal, const Snapshot& snapshot) {
  if (!snapshot.host.policy_rules) return;
  std::string out = "0:\tfrom all lookup local\n";
  std::uint32_t priority = 1000;
  for (const PolicyRule& rule : *snapshot.host.policy_rules) {
    out += std::to_string(priority++) + ":\tfrom " +
           (rule.source.empty() ? "all" : rule.source + "/" + std::to_string(rule.source_prefix));
    if (!rule.out_netdev.empty()) out += " oif " + rule.out_netdev;
    out += " lookup " + std::to_string(rule.table) + "\n";
  }
  terminal.run("ip rule", out + "32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n");
}

}  // namespace roceready::round_trip
