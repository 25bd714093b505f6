// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/mlx5_payloads.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <cstdio>

#include "collectors/uapi.h"
#include "tests/doubles/attribute_writer.h"

namespace roceready::doubles {
namespace {

using namespace uapi;

AttributeWriter ethtool_reply(const Mlx5Member& member) {
  AttributeWriter header, out;
  header.number<std::uint32_t>(kEthtoolAHeaderDevIndex, member.index).text(kEthtoolAHeaderDevName, member.netdev);
  out.nest(kEthtoolAHeader, header);
  return out;
}

std::string words(const std::vector<std::uint32_t>& bits) {
  std::string out(16, '\0');
  for (const std::uint32_t bit : bits) {
    out[bit / 8] = static_cast<char>(static_cast<unsigned char>(out[bit / 8]) | 1U << bit % 8);
  }
  return out;
}

/// Compact: size, value and, unless it is a list, mask. Linux 6.18 has 125 link modes.
AttributeWriter bitset(const std::vector<std::uint32_t>& value, const std::vector<std::uint32_t>* mask) {
  AttributeWriter out;
  if (mask == nullptr) out.flag(kEthtoolABitsetNoMask);
  out.number<std::uint32_t>(kEthtoolABitsetSize, 125).raw(kEthtoolABitsetValue, words(value));
  if (mask != nullptr) out.raw(kEthtoolABitsetMask, words(*mask));
  return out;
}

std::string numbers64(const std::vector<std::uint64_t>& values) {
  std::string out(values.size() * 8, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) put_at(out, i * 8, values[i]);
  return out;
}

std::string mac_bytes(const std::string& mac) {
  unsigned b[6] = {};
  std::sscanf(mac.c_str(), "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3, b + 4, b + 5);
  std::string out;
  for (const unsigned one : b) out += static_cast<char>(one);
  return out;
}

/// Four for IPv4, sixteen for IPv6.
std::string address_bytes(const std::string& address) {
  const bool v6 = address.find(':') != std::string::npos;
  std::string out(v6 ? 16 : 4, '\0');
  inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(), out.data());
  return out;
}

std::string ets(const Mlx5Member& member) {
  std::string out(kIeeeEtsSize, '\0');
  out[kIeeeEtsCap] = 8;
  const std::string driver = member.nic == nullptr ? "" : member.nic->driver;
  if (driver == "ice" || driver == "bnxt_en") {
    // Half for RoCE in a class of its own; on Broadcom the notifications of priority 7 in a strict one.
    for (const std::size_t shared : {0U, 1U}) {
      out[kIeeeEtsTcTsa + shared] = 2;
      out[kIeeeEtsTcTxBw + shared] = 50;
    }
    out[kIeeeEtsPrioTc + 3] = 1;
    if (driver == "bnxt_en") out[kIeeeEtsPrioTc + 7] = 2;
    return out;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    out[kIeeeEtsTcTsa + i] = static_cast<char>(255);  // vendor: as the firmware arbitrates
    // As mlx5e_ets_init leaves it: priority 1 is the lowest class.
    out[kIeeeEtsPrioTc + i] = static_cast<char>(i == 0 ? 1 : i == 1 ? 0 : i);
  }
  return out;
}

std::string buffers(const Mlx5Member& member) {
  std::string out(kDcbBufferSize, '\0');
  for (std::size_t i = 0; i < 8; ++i) out[kDcbBufferPrioToBuffer + i] = (member.pfc >> i & 1U) != 0 ? 1 : 0;
  put_at<std::uint32_t>(out, kDcbBufferSizes, 262016);
  if (member.pfc != 0) put_at<std::uint32_t>(out, kDcbBufferSizes + 4, 524032);
  put_at<std::uint32_t>(out, kDcbBufferTotal, 1048064);
  return out;
}

std::string ieee_pfc(const Mlx5Member& member, std::size_t sample) {
  std::string out(kIeeePfcSize, '\0');
  out[kIeeePfcCap] = 8;
  out[kIeeePfcEn] = static_cast<char>(member.pfc);
  put_at<std::uint16_t>(out, kIeeePfcDelay, 7);
  for (std::size_t i = 0; i < 8; ++i) {
    if ((member.pfc >> i & 1U) == 0) continue;
    const std::string name = "prio" + std::to_string(i) + "_pause";
    put_at(out, kIeeePfcRequests + i * 8, member.statistics.value("tx_" + name, sample));
    put_at(out, kIeeePfcIndications + i * 8, member.statistics.value("rx_" + name, sample));
  }
  return out;
}

AttributeWriter app_table(const Mlx5Member& member) {
  AttributeWriter out;
  for (std::uint16_t dscp = 0; member.trust_dscp && dscp < 64; ++dscp) {
    const auto changed = member.dscp.find(static_cast<std::uint8_t>(dscp));
    if (member.nic != nullptr && changed == member.dscp.end()) continue;
    std::string entry(kDcbAppSize, '\0');
    entry[kDcbAppSelector] = static_cast<char>(kAppSelectorDscp);
    entry[kDcbAppPriority] = static_cast<char>(changed == member.dscp.end() ? dscp / 8 : changed->second);
    put_at(entry, kDcbAppProtocol, dscp);
    out.raw(kDcbAttrAppTableIeeeApp, entry);
  }
  return out;
}

std::uint8_t dcbx_flags(const Mlx5Member& member) {
  return member.nic != nullptr ? member.nic->dcbx : kDcbxHost | kDcbxVersionCee | kDcbxVersionIeee;
}

}  // namespace

std::string driver_info(const Mlx5Member& member) {
  std::string out(kDrvInfoSize, '\0');
  put_at<std::uint32_t>(out, 0, 3);  // ETHTOOL_GDRVINFO
  const auto put = [&](std::size_t offset, const std::string& text) {
    out.replace(offset, std::min(text.size(), kDrvInfoTextSize - 1), text, 0, kDrvInfoTextSize - 1);
  };
  put(kDrvInfoDriverOffset, member.nic != nullptr ? member.nic->driver : "mlx5_core");
  put(kDrvInfoVersionOffset, "6.18.2-amd64");
  put(kDrvInfoFwVersionOffset, member.firmware);
  put(kDrvInfoBusInfoOffset, member.pci);
  return out;
}

std::string statistics_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out += name.substr(0, kStatisticNameSize);
    out.resize((out.size() + kStatisticNameSize - 1) / kStatisticNameSize * kStatisticNameSize, '\0');
  }
  return out;
}

std::string statistics_values(const std::vector<std::uint64_t>& values) {
  return numbers64(values);
}

std::string link_info(const Mlx5Member& member) {
  AttributeWriter out = ethtool_reply(member);
  out.number<std::uint8_t>(kEthtoolALinkInfoPort, kPortFibre).number<std::uint8_t>(kEthtoolALinkInfoPhyAddr, 0);
  out.number<std::uint8_t>(kEthtoolALinkInfoTpMdix, 0).number<std::uint8_t>(kEthtoolALinkInfoTpMdixCtrl, 0);
  return out.number<std::uint8_t>(kEthtoolALinkInfoTransceiver, 0).bytes();
}

std::string link_modes(const Mlx5Member& member) {
  // 25G, 100G, 200G and 400G of four lanes; autoneg, pause, FEC RS
  const std::vector<std::uint32_t> mlx5{6, 13, 33, 37, 50, 63, 86};
  const std::vector<std::uint32_t>& modes = member.nic != nullptr ? member.nic->link_modes : mlx5;
  AttributeWriter out = ethtool_reply(member);
  out.number<std::uint8_t>(kEthtoolALinkModesAutoneg, 1).nest(kEthtoolALinkModesOurs, bitset(modes, &modes));
  out.number<std::uint32_t>(kEthtoolALinkModesSpeed, member.carrier ? member.speed_mbit : kSpeedUnknown);
  out.number<std::uint8_t>(kEthtoolALinkModesDuplex, member.carrier ? kDuplexFull : kDuplexUnknown);
  if (member.carrier) out.number<std::uint32_t>(kEthtoolALinkModesLanes, member.lanes);
  return out.bytes();
}

std::string link_state(const Mlx5Member& member) {
  AttributeWriter out = ethtool_reply(member);
  out.number<std::uint8_t>(kEthtoolALinkStateLink, member.carrier ? 1 : 0);
  if (!member.carrier && member.down_reason) {
    out.number<std::uint8_t>(kEthtoolALinkStateExtState, member.down_reason->first);
    if (member.down_reason->second != 0)
      out.number<std::uint8_t>(kEthtoolALinkStateExtSubstate, member.down_reason->second);
  }
  if (member.nic == nullptr || member.nic->down_count)
    out.number<std::uint32_t>(kEthtoolALinkStateExtDownCnt, member.carrier_downs);
  return out.bytes();
}

std::string rings(const Mlx5Member& member) {
  AttributeWriter out = ethtool_reply(member);
  out.number<std::uint32_t>(kEthtoolARingsRxMax, 8192).number<std::uint32_t>(kEthtoolARingsTxMax, 8192);
  return out.number<std::uint32_t>(kEthtoolARingsRx, 1024).number<std::uint32_t>(kEthtoolARingsTx, 1024).bytes();
}

std::string pause(const Mlx5Member& member, std::size_t sample) {
  AttributeWriter out = ethtool_reply(member), counts;
  out.number<std::uint8_t>(kEthtoolAPauseAutoneg, 0).number<std::uint8_t>(kEthtoolAPauseRx, member.pause_rx);
  out.number<std::uint8_t>(kEthtoolAPauseTx, member.pause_tx);
  if (member.nic != nullptr && !member.nic->pause_counts) return out.bytes();
  counts.number(kEthtoolAPauseStatTxFrames, member.statistics.value("tx_pause_ctrl_phy", sample));
  counts.number(kEthtoolAPauseStatRxFrames, member.statistics.value("rx_pause_ctrl_phy", sample));
  return out.nest(kEthtoolAPauseStats, counts).bytes();
}

std::string fec(const Mlx5Member& member, std::size_t sample) {
  AttributeWriter out = ethtool_reply(member), counts;
  out.nest(kEthtoolAFecModes, bitset({}, nullptr)).number<std::uint8_t>(kEthtoolAFecAuto, 1);
  if (member.carrier) {
    out.number<std::uint32_t>(kEthtoolAFecActive, member.fec ? kLinkModeBitFecRs : kLinkModeBitFecNone);
  }
  if (member.nic != nullptr && !member.nic->fec_counts) return out.bytes();
  counts.raw(kEthtoolAFecStatCorrected, numbers64({member.fec_corrected + sample * member.fec_corrected_per_sample}));
  counts.raw(kEthtoolAFecStatUncorr, numbers64({0}));
  counts.raw(kEthtoolAFecStatCorrBits, numbers64({member.statistics.value("rx_corrected_bits_phy", sample)}));
  return out.nest(kEthtoolAFecStats, counts).bytes();
}

std::string dcb_ieee(const Mlx5Member& member, std::size_t sample) {
  AttributeWriter ieee, out;
  ieee.raw(kDcbAttrIeeeEts, ets(member));
  if (member.nic == nullptr)
    ieee.raw(kDcbAttrIeeeMaxRate, std::string(kIeeeMaxRateSize, '\0')).raw(kDcbAttrIeeeBuffer, buffers(member));
  ieee.raw(kDcbAttrIeeePfc, ieee_pfc(member, sample));
  ieee.nest(kDcbAttrIeeeAppTable, app_table(member));
  out.text(kDcbAttrIfName, member.netdev).nest(kDcbAttrIeee, ieee);
  return out.number<std::uint8_t>(kDcbAttrDcbx, dcbx_flags(member)).bytes();
}

std::string dcb_dcbx(const Mlx5Member& member) {
  AttributeWriter out;
  out.text(kDcbAttrIfName, member.netdev);
  return out.number<std::uint8_t>(kDcbAttrDcbx, dcbx_flags(member)).bytes();
}

std::string link_message(const LinkMessage& link) {
  std::string head(kIfInfoMsgSize, '\0');
  put_at(head, kIfInfoMsgType, link.hardware);
  put_at(head, kIfInfoMsgIndex, link.index);
  const std::uint32_t flags = (link.admin_up ? kIffUp : 0) | (link.carrier ? kIffLowerUp | kIffRunning : 0) |
                              (link.master != 0 ? kIffSlave : 0) | (link.bond ? kIffMaster : 0) |
                              (link.hardware == 772 ? kIffLoopback : 0);
  put_at(head, kIfInfoMsgFlags, flags);
  AttributeWriter out;
  out.text(kIflaIfName, link.name);
  const std::uint8_t oper = link.hardware == 772 ? kOperUnknown : link.carrier ? kOperUp : kOperDown;
  out.number<std::uint8_t>(kIflaOperState, oper).number<std::uint8_t>(kIflaLinkMode, 0);
  out.number<std::uint32_t>(kIflaMtu, link.mtu).number<std::uint32_t>(kIflaMinMtu, 68);
  out.number<std::uint32_t>(kIflaMaxMtu, 9978).number<std::uint32_t>(kIflaPromiscuity, 0);
  if (link.master != 0) out.number<std::uint32_t>(kIflaMaster, link.master);
  out.number<std::uint8_t>(kIflaCarrier, link.carrier ? 1 : 0);
  const std::uint32_t ups = link.carrier_downs + (link.carrier ? 1 : 0);
  out.number<std::uint32_t>(kIflaCarrierChanges, ups + link.carrier_downs);
  out.number<std::uint32_t>(kIflaCarrierUpCount, ups).number<std::uint32_t>(kIflaCarrierDownCount, link.carrier_downs);
  out.raw(kIflaAddress, mac_bytes(link.mac));
  if (!link.physical_port.empty()) out.text(kIflaPhysPortName, link.physical_port);
  AttributeWriter info, data;
  if (link.bond) {
    data.number<std::uint8_t>(kIflaBondMode, link.bond_mode).number<std::uint32_t>(kIflaBondMiimon, 100);
    info.text(kIflaInfoKind, "bond").nest(kIflaInfoData, data.number<std::uint8_t>(kIflaBondXmitHashPolicy, 1));
  } else if (!link.kind.empty()) {
    info.text(kIflaInfoKind, link.kind);
  }
  if (link.master != 0) {
    AttributeWriter member;
    member.number<std::uint8_t>(kIflaBondSlaveState, link.carrier ? 0 : 1);
    member.number<std::uint8_t>(kIflaBondSlaveMiiStatus, link.carrier ? 0 : 2);  // BOND_LINK_UP, BOND_LINK_DOWN
    info.text(kIflaInfoSlaveKind, "bond").nest(kIflaInfoSlaveData, member);
  }
  if (!info.bytes().empty()) out.nest(kIflaLinkInfo, info);
  if (!link.pci.empty()) out.text(kIflaParentDevName, link.pci).text(kIflaParentDevBusName, "pci");
  return head + out.bytes();
}

std::string address_message(std::uint32_t index, const std::string& address, std::uint8_t prefix,
                            const std::string& netdev) {
  const bool v6 = address.find(':') != std::string::npos;
  const bool local = address.starts_with("fe80");
  std::string head(kIfAddrMsgSize, '\0');
  head[kIfAddrMsgFamily] = static_cast<char>(v6 ? kAfInet6 : kAfInet);
  head[kIfAddrMsgPrefixLength] = static_cast<char>(prefix);
  head[kIfAddrMsgFlags] = static_cast<char>(0x80);  // IFA_F_PERMANENT
  const std::uint8_t host_scope = address.starts_with("127.") || address == "::1" ? kRtScopeHost : kRtScopeUniverse;
  head[kIfAddrMsgScope] = static_cast<char>(local ? kRtScopeLink : host_scope);
  put_at(head, kIfAddrMsgIndex, index);
  AttributeWriter out;
  const std::string bytes = address_bytes(address);
  out.raw(kIfaAddress, bytes);
  if (!v6) out.raw(kIfaLocal, bytes).text(kIfaLabel, netdev);
  return head + out.number<std::uint32_t>(kIfaFlags, 0x80).bytes();
}

std::string link_local_address(const std::string& mac) {
  std::string m = mac_bytes(mac);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(m[i])); };
  char text[48];
  std::snprintf(text, sizeof text, "fe80::%x:%xff:fe%02x:%x", (byte(0) ^ 2U) << 8 | byte(1), byte(2), byte(3),
                byte(4) << 8 | byte(5));
  return text;
}

}  // namespace roceready::doubles
