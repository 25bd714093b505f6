// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/reading.h"

namespace roceready {

// Every struct of the snapshot names its fields once, in each_field; JSON in both directions, comparison of recordings
// and generated tests walk over that list (snapshot_json.h, tests/doubles/every_reading.h).

/// An address of a netdev (rtnetlink RTM_GETADDR).
struct IpAddress {
  std::string address;       ///< "10.0.0.1" or "fd00::1", without prefix
  std::uint32_t prefix = 0;  ///< bits
  bool tentative = false;    ///< IPv6 duplicate address detection not finished or failed
  bool operator==(const IpAddress&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("address", self.address);
    visit("prefix", self.prefix);
    visit("tentative", self.tentative);
  }
  /// Global scope: not link-local, loopback, multicast, unspecified or tentative.
  [[nodiscard]] bool is_routable() const;
};

/// VLAN of a VLAN netdev. The egress map lists only what was configured; every other skb priority leaves with PCP 0.
struct VlanFacts {
  std::uint32_t id = 0;
  std::map<std::string, std::uint32_t> egress_qos;  ///< skb priority (decimal) → PCP
  bool operator==(const VlanFacts&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("id", self.id);
    visit("egress_qos", self.egress_qos);
  }
};

struct BondFacts {
  std::uint32_t mode = 0;     ///< 0 balance-rr, 1 active-backup, 2 balance-xor, 4 802.3ad, 5 tlb, 6 alb
  std::string active_member;  ///< netdev name, "" where the mode has none
  std::uint32_t xmit_hash_policy = 0;
  bool operator==(const BondFacts&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("mode", self.mode);
    visit("active_member", self.active_member);
    visit("xmit_hash_policy", self.xmit_hash_policy);
  }
};

struct BondMemberFacts {
  bool backup = false;  ///< IFLA_BOND_SLAVE_STATE: standby member
  bool mii_up = false;  ///< IFLA_BOND_SLAVE_MII_STATUS
  bool operator==(const BondMemberFacts&) const = default;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("backup", self.backup);
    visit("mii_up", self.mii_up);
  }
};

/// What rtnetlink says of one netdev (RTM_GETLINK, statistics skipped). Source: rtnetlink(7), kernel if_link.h.
struct NetLink {
  std::string name;
  std::uint32_t index = 0;          ///< valid in this network namespace and boot only
  std::string kind;                 ///< IFLA_INFO_KIND: "vlan", "bond", "bridge"…; "" for a driver's own netdev
  std::string master;               ///< name of bond, bridge or VRF; "" if none
  std::string lower;                ///< name of IFLA_LINK's netdev (parent of a VLAN); "" if none
  Reading<bool> admin_up;           ///< IFF_UP
  Reading<std::string> oper_state;  ///< up, down, lowerlayerdown, dormant, testing, notpresent, unknown (RFC 2863)
  Reading<bool> carrier;
  Reading<std::uint32_t> mtu;                 ///< bytes of layer 3
  Reading<std::uint32_t> carrier_down_count;  ///< since the netdev exists; 32-bit
  Reading<std::uint32_t> carrier_up_count;
  Reading<std::string> parent_device;   ///< PCI address "0000:3b:00.0"
  Reading<std::string> phys_port_name;  ///< "p0" uplink, "pf0vf1" representor, "pf0sf3"
  Reading<std::string> phys_switch_id;  ///< present: switchdev mode
  Reading<VlanFacts> vlan;
  Reading<BondFacts> bond;
  Reading<BondMemberFacts> bond_member;
  std::vector<IpAddress> addresses;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("name", self.name);
    visit("index", self.index);
    visit("kind", self.kind);
    visit("master", self.master);
    visit("lower", self.lower);
    visit("admin_up", self.admin_up);
    visit("oper_state", self.oper_state);
    visit("carrier", self.carrier);
    visit("mtu", self.mtu);
    visit("carrier_down_count", self.carrier_down_count);
    visit("carrier_up_count", self.carrier_up_count);
    visit("parent_device", self.parent_device);
    visit("phys_port_name", self.phys_port_name);
    visit("phys_switch_id", self.phys_switch_id);
    visit("vlan", self.vlan);
    visit("bond", self.bond);
    visit("bond_member", self.bond_member);
    visit("addresses", self.addresses);
  }
};

}  // namespace roceready
