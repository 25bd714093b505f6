// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "collectors/uapi.h"
#include "tests/doubles/attribute_writer.h"

namespace roceready::doubles {

/// Attributes of a netlink message as a string of bytes.
using Attrs = AttributeWriter;

/// `text` in a field of `size` bytes, zeros behind it; without a terminator where it fills the field.
inline std::string text_field(std::string text, std::size_t size) {
  text.resize(size, '\0');
  return text;
}

template <class T>
std::string number_bytes(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// struct ifinfomsg and attributes.
inline std::string link_bytes(const std::string& name, std::uint32_t index, const Attrs& more = {},
                              std::uint32_t flags = uapi::kIffUp | uapi::kIffLowerUp) {
  std::string out(uapi::kIfInfoMsgSize, '\0');
  put_at(out, uapi::kIfInfoMsgIndex, index);
  put_at(out, uapi::kIfInfoMsgFlags, flags);
  return out + Attrs().text(uapi::kIflaIfName, name).number(uapi::kIflaMtu, std::uint32_t{9000}).bytes() + more.bytes();
}

/// struct ifaddrmsg and attributes of an IPv4 address, four numbers.
inline std::string ipv4_bytes(std::uint32_t index, const std::string& four_bytes, std::uint8_t prefix = 24) {
  std::string out(uapi::kIfAddrMsgSize, '\0');
  out[uapi::kIfAddrMsgFamily] = static_cast<char>(uapi::kAfInet);
  out[uapi::kIfAddrMsgPrefixLength] = static_cast<char>(prefix);
  put_at(out, uapi::kIfAddrMsgIndex, index);
  return out + Attrs().raw(uapi::kIfaAddress, four_bytes).raw(uapi::kIfaLocal, four_bytes).bytes();
}

inline std::string driver_info_bytes(const std::string& driver, const std::string& firmware = "28.41",
                                     const std::string& bus = "0000:3b:00.0") {
  return text_field("", uapi::kDrvInfoDriverOffset) + text_field(driver, 32) + text_field("6.1", 32) +
         text_field(firmware, 32) + text_field(bus, 32) + text_field("", 64);
}

inline std::string statistic_names_bytes(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += text_field(name, uapi::kStatisticNameSize);
  return out;
}
inline std::string statistic_values_bytes(const std::vector<std::uint64_t>& values) {
  std::string out;
  for (const std::uint64_t value : values) out += number_bytes(value);
  return out;
}

inline std::string rdma_device_bytes(const std::string& name, std::uint8_t node_type = 1, std::uint32_t ports = 1,
                                     const std::string& protocol = "roce") {
  return Attrs()
      .text(uapi::kNldevAttrDevName, name)
      .number(uapi::kNldevAttrPortIndex, ports)
      .text(uapi::kNldevAttrFwVersion, "28.41.1000")
      .number(uapi::kNldevAttrDevNodeType, node_type)
      .text(uapi::kNldevAttrDevProtocol, protocol)
      .bytes();
}
/// Without a netdev where `netdev` is empty.
inline std::string rdma_port_bytes(const std::string& netdev, std::uint8_t state = uapi::kIbPortStateActive) {
  Attrs out;
  out.number(uapi::kNldevAttrPortState, state).number(uapi::kNldevAttrPortPhysState, uapi::kIbPortPhysStateLinkUp);
  if (!netdev.empty()) out.text(uapi::kNldevAttrNdevName, netdev);
  return out.bytes();
}
inline std::string rdma_counters_bytes(const std::vector<std::pair<std::string, std::uint64_t>>& counters) {
  Attrs entries;
  for (const auto& [name, value] : counters) {
    entries.nest(uapi::kNldevAttrStatHwCounterEntry | uapi::kAttributeNested,
                 Attrs()
                     .text(uapi::kNldevAttrStatHwCounterEntryName, name)
                     .number(uapi::kNldevAttrStatHwCounterEntryValue, value));
  }
  return Attrs().nest(uapi::kNldevAttrStatHwCounters, entries).bytes();
}

/// struct ieee_pfc, ieee_ets and an APP table of {selector, protocol, priority} as DCB_CMD_IEEE_GET answers.
struct AppBytes {
  std::uint8_t selector;
  std::uint16_t protocol;
  std::uint8_t priority;
};
inline std::string pfc_struct(std::uint8_t enabled, std::uint8_t capability = 8) {
  std::string pfc(uapi::kIeeePfcSize, '\0');
  pfc[uapi::kIeeePfcCap] = static_cast<char>(capability);
  pfc[uapi::kIeeePfcEn] = static_cast<char>(enabled);
  return pfc;
}
inline std::string app_struct(const AppBytes& app) {
  std::string out(uapi::kDcbAppSize, '\0');
  out[uapi::kDcbAppSelector] = static_cast<char>(app.selector);
  out[uapi::kDcbAppPriority] = static_cast<char>(app.priority);
  put_at(out, uapi::kDcbAppProtocol, app.protocol);
  return out;
}
inline std::string ieee_bytes(std::uint8_t pfc_enabled, const std::vector<AppBytes>& apps) {
  Attrs table;
  for (const AppBytes& app : apps) table.raw(uapi::kDcbAttrAppTableIeeeApp, app_struct(app));
  return Attrs()
      .nest(uapi::kDcbAttrIeee, Attrs()
                                    .raw(uapi::kDcbAttrIeeePfc, pfc_struct(pfc_enabled))
                                    .raw(uapi::kDcbAttrIeeeEts, std::string(uapi::kIeeeEtsSize, '\0'))
                                    .nest(uapi::kDcbAttrIeeeAppTable, table))
      .number(uapi::kDcbAttrDcbx, std::uint8_t{9})
      .bytes();
}

/// An entry of the GID table as verbs tell it; `gid` has 16 bytes.
inline std::string gid_bytes(const std::string& gid, std::uint32_t index, std::uint32_t port, std::uint32_t type,
                             std::uint32_t netdev) {
  std::string out = text_field(gid, uapi::kGidEntrySize);
  put_at(out, uapi::kGidEntryIndex, index);
  put_at(out, uapi::kGidEntryPort, port);
  put_at(out, uapi::kGidEntryType, type);
  put_at(out, uapi::kGidEntryIfIndex, netdev);
  return out;
}

}  // namespace roceready::doubles
