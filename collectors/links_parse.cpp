// SPDX-License-Identifier: Apache-2.0
#include "collectors/links_parse.h"

#include <arpa/inet.h>
#include <algorithm>
#include <array>
#include <map>

#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::array kOperStates{"unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"};

template <class T>
Reading<T> reading(std::optional<T> value, const char* name) {
  if (value) return std::move(*value);
  return Absent{Why::NotPresent, std::string("the kernel gave no ") + name};
}

VlanFacts parse_vlan(ByteSpan data) {
  VlanFacts vlan;
  vlan.id = find_number<std::uint16_t>(data, uapi::kIflaVlanId).value_or(0);
  for (Attributes at(find_nest(data, uapi::kIflaVlanEgressQos)); at.next();) {
    const auto from = number_at<std::uint32_t>(at.current().payload, 0);
    const auto to = number_at<std::uint32_t>(at.current().payload, 4);
    if (at.current().type == uapi::kIflaVlanQosMapping && from && to) vlan.egress_qos[std::to_string(*from)] = *to;
  }
  return vlan;
}

BondFacts parse_bond(ByteSpan data, std::uint32_t& active_index) {
  BondFacts bond;
  bond.mode = find_number<std::uint8_t>(data, uapi::kIflaBondMode).value_or(0);
  bond.xmit_hash_policy = find_number<std::uint8_t>(data, uapi::kIflaBondXmitHashPolicy).value_or(0);
  active_index = find_number<std::uint32_t>(data, uapi::kIflaBondActiveSlave).value_or(0);
  return bond;
}

void parse_link_info(ByteSpan info, RawLink& out) {
  out.link.kind = find_text(info, uapi::kIflaInfoKind).value_or("");
  const ByteSpan data = find_nest(info, uapi::kIflaInfoData);
  if (out.link.kind == "vlan") out.link.vlan = parse_vlan(data);
  if (out.link.kind == "bond") out.link.bond = parse_bond(data, out.active_member_index);
  if (find_text(info, uapi::kIflaInfoSlaveKind).value_or("") != "bond") return;
  const ByteSpan slave = find_nest(info, uapi::kIflaInfoSlaveData);
  out.link.bond_member =
      BondMemberFacts{find_number<std::uint8_t>(slave, uapi::kIflaBondSlaveState).value_or(0) == 1,
                      find_number<std::uint8_t>(slave, uapi::kIflaBondSlaveMiiStatus).value_or(1) == 0};
}

std::string hexadecimal(ByteSpan bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 64))) {
    out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return out;
}

/// Facts that only some links have: absent unless the attribute comes.
void set_absences(NetLink& link) {
  const auto none = [](const char* what) { return Absent{Why::NotPresent, what}; };
  link.parent_device = none("no parent device");
  link.phys_port_name = none("no physical port name");
  link.phys_switch_id = none("no switch id");
  link.vlan = none("not a VLAN");
  link.bond = none("not a bond");
  link.bond_member = none("not a member of a bond");
}

}  // namespace

Result<RawLink> parse_link(ByteSpan message) {
  const auto index = number_at<std::uint32_t>(message, uapi::kIfInfoMsgIndex);
  const auto flags = number_at<std::uint32_t>(message, uapi::kIfInfoMsgFlags);
  const ByteSpan attributes = behind(message, uapi::kIfInfoMsgSize);
  const auto name = find_text(attributes, uapi::kIflaIfName);
  if (!index || *index == 0 || !flags || !name || name->empty()) {
    return Error{ErrorCode::Malformed, "a link without name or index", "link dump"};
  }
  RawLink out;
  NetLink& link = out.link;
  link.name = *name;
  link.index = *index;
  link.admin_up = (*flags & uapi::kIffUp) != 0;
  set_absences(link);
  const auto oper = find_number<std::uint8_t>(attributes, uapi::kIflaOperState);
  link.oper_state = reading<std::string>(
      oper ? std::optional<std::string>(kOperStates[*oper < kOperStates.size() ? *oper : 0]) : std::nullopt,
      "oper state");
  const auto carrier = find_number<std::uint8_t>(attributes, uapi::kIflaCarrier);
  link.carrier = reading<bool>(carrier ? std::optional<bool>(*carrier != 0) : std::nullopt, "carrier");
  link.mtu = reading(find_number<std::uint32_t>(attributes, uapi::kIflaMtu), "MTU");
  link.carrier_down_count =
      reading(find_number<std::uint32_t>(attributes, uapi::kIflaCarrierDownCount), "carrier count");
  link.carrier_up_count = reading(find_number<std::uint32_t>(attributes, uapi::kIflaCarrierUpCount), "carrier count");
  if (auto parent = find_text(attributes, uapi::kIflaParentDevName)) link.parent_device = std::move(*parent);
  if (auto port = find_text(attributes, uapi::kIflaPhysPortName)) link.phys_port_name = std::move(*port);
  if (const auto id = find_attribute(attributes, uapi::kIflaPhysSwitchId))
    link.phys_switch_id = hexadecimal(id->payload);
  out.master_index = find_number<std::uint32_t>(attributes, uapi::kIflaMaster).value_or(0);
  out.lower_index = find_number<std::uint32_t>(attributes, uapi::kIflaLink).value_or(0);
  out.lower_elsewhere = find_attribute(attributes, uapi::kIflaLinkNetnsId).has_value();
  parse_link_info(find_nest(attributes, uapi::kIflaLinkInfo), out);
  return out;
}

std::optional<RawAddress> parse_address(ByteSpan message) {
  const auto family = number_at<std::uint8_t>(message, uapi::kIfAddrMsgFamily);
  const auto prefix = number_at<std::uint8_t>(message, uapi::kIfAddrMsgPrefixLength);
  const auto short_flags = number_at<std::uint8_t>(message, uapi::kIfAddrMsgFlags);
  const auto index = number_at<std::uint32_t>(message, uapi::kIfAddrMsgIndex);
  if (!family || !prefix || !short_flags || !index) return std::nullopt;
  if (*family != uapi::kAfInet && *family != uapi::kAfInet6) return std::nullopt;
  const ByteSpan attributes = behind(message, uapi::kIfAddrMsgSize);
  auto address = find_attribute(attributes, uapi::kIfaLocal);  // of a point-to-point link, ADDRESS is the peer's
  if (!address) address = find_attribute(attributes, uapi::kIfaAddress);
  const bool v4 = *family == uapi::kAfInet;
  if (!address || address->payload.size() < (v4 ? 4U : 16U)) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_ntop(v4 ? AF_INET : AF_INET6, address->payload.data(), text.data(), text.size()) == nullptr)
    return std::nullopt;
  const std::uint32_t flags = find_number<std::uint32_t>(attributes, uapi::kIfaFlags).value_or(*short_flags);
  const bool tentative = !v4 && (flags & (uapi::kIfaFlagTentative | uapi::kIfaFlagDadFailed)) != 0;
  return RawAddress{*index, IpAddress{text.data(), *prefix, tentative}};
}

std::vector<NetLink> build_links(const std::vector<Bytes>& links, const std::vector<Bytes>& addresses) {
  std::vector<RawLink> raw;
  std::map<std::uint32_t, std::string> names;
  for (const Bytes& message : links) {
    if (auto link = parse_link(message)) {
      names[link->link.index] = link->link.name;
      raw.push_back(std::move(*link));
    }
  }
  const auto name_of_index = [&](std::uint32_t index) {
    const auto at = names.find(index);
    return at == names.end() ? std::string() : at->second;
  };
  std::map<std::uint32_t, std::vector<IpAddress>> by_index;
  for (const Bytes& message : addresses) {
    if (auto address = parse_address(message)) by_index[address->index].push_back(std::move(address->address));
  }
  std::vector<NetLink> out;
  for (RawLink& one : raw) {
    one.link.master = name_of_index(one.master_index);
    if (!one.lower_elsewhere && one.lower_index != one.link.index) one.link.lower = name_of_index(one.lower_index);
    if (one.link.bond) one.link.bond->active_member = name_of_index(one.active_member_index);
    one.link.addresses = std::move(by_index[one.link.index]);
    out.push_back(std::move(one.link));
  }
  std::sort(out.begin(), out.end(), [](const NetLink& a, const NetLink& b) { return a.name < b.name; });
  out.erase(std::unique(out.begin(), out.end(), [](const NetLink& a, const NetLink& b) { return a.name == b.name; }),
            out.end());
  return out;
}

}  // namespace roceready
