// SPDX-License-Identifier: Apache-2.0
#include "collectors/source_routing.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "collectors/collector.h"
#include "collectors/uapi.h"

namespace roceready {
namespace {

constexpr std::size_t kMostRules = 4096;

bool has_ipv4(const NetLink& link) {
  return std::any_of(link.addresses.begin(), link.addresses.end(), [](const IpAddress& address) {
    return address.address.find(':') == std::string::npos && address.is_routable();
  });
}

std::set<std::string> netdevs_with_ipv4(const Snapshot& snapshot) {
  std::set<std::string> out;
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.in_scope) continue;
    std::vector<std::string> names = port.members;
    names.insert(names.end(), port.uppers.begin(), port.uppers.end());
    for (const std::string& name : names) {
      const Netdev* netdev = snapshot.netdev(name);
      if (netdev != nullptr && has_ipv4(netdev->link)) out.insert(name);
    }
  }
  return out;
}

Reading<std::uint32_t> greater(const Reading<std::uint32_t>& a, const Reading<std::uint32_t>& b) {
  if (!a) return a;
  if (!b) return b;
  return std::max(*a, *b);
}

Ipv4Settings settings_of(Files& files, const std::string& netdev) {
  const std::string base = "/proc/sys/net/ipv4/conf/" + netdev + "/";
  return {netdev, read_u32(files, base + "arp_ignore"), read_u32(files, base + "arp_announce"),
          read_u32(files, base + "rp_filter")};
}

}  // namespace

std::optional<PolicyRule> parse_rule(ByteSpan message) {
  const auto length = number_at<std::uint8_t>(message, uapi::kFibRuleSourceLength);
  const auto short_table = number_at<std::uint8_t>(message, uapi::kFibRuleTable);
  const auto action = number_at<std::uint8_t>(message, uapi::kFibRuleAction);
  if (!length || !short_table || !action || *action != uapi::kFrActToTable) return std::nullopt;
  const ByteSpan attributes = behind(message, uapi::kFibRuleHeaderSize);
  PolicyRule out;
  out.table = find_number<std::uint32_t>(attributes, uapi::kFraTable).value_or(*short_table);
  out.out_netdev = find_text(attributes, uapi::kFraOutName).value_or("");
  const auto source = find_attribute(attributes, uapi::kFraSource);
  if (source && source->payload.size() >= 4 && *length <= 32) {
    std::array<char, INET_ADDRSTRLEN> text{};
    if (inet_ntop(AF_INET, source->payload.data(), text.data(), text.size()) != nullptr) {
      out.source = text.data();
      out.source_prefix = *length;
    }
  }
  if (out.source.empty() && out.out_netdev.empty()) return std::nullopt;
  return out;
}

Reading<std::vector<PolicyRule>> read_policy_rules(Host& host) {
  const auto messages = host.links.rules();
  if (!messages) return messages.error();
  std::vector<PolicyRule> out;
  for (const Bytes& message : *messages) {
    auto rule = parse_rule(message);
    if (rule && out.size() < kMostRules) out.push_back(std::move(*rule));
  }
  return out;
}

Reading<std::vector<Ipv4Settings>> read_ipv4_settings(Files& files, const Snapshot& snapshot) {
  const std::set<std::string> netdevs = netdevs_with_ipv4(snapshot);
  std::vector<Ipv4Settings> out;
  if (netdevs.size() < 2) return out;
  const Ipv4Settings all = settings_of(files, "all");
  for (const std::string& name : netdevs) {
    const Ipv4Settings own = settings_of(files, name);
    out.push_back({name, greater(own.arp_ignore, all.arp_ignore), greater(own.arp_announce, all.arp_announce),
                   greater(own.rp_filter, all.rp_filter)});
  }
  return out;
}

}  // namespace roceready
