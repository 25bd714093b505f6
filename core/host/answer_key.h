// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/host/host.h"

/// Keys of the answers of a recording, in one place for the host that writes them and the one that looks them up.
namespace roceready::answer_key {

/// "/sys/class/net" → "sys/class/net"
[[nodiscard]] inline std::string file(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return std::string(path);
}
[[nodiscard]] inline std::string list(std::string_view path) {
  return "list/" + file(path);
}
[[nodiscard]] inline std::string link(std::string_view path) {
  return "link/" + file(path);
}

/// question: driver_info, statistics_names, statistics_values, pfc_prevention_timeout
[[nodiscard]] inline std::string ethtool(const char* question, const std::string& netdev) {
  return std::string("ethtool/") + question + "/" + netdev;
}
[[nodiscard]] inline std::string ethtool(EthtoolMessage message, const std::string& netdev) {
  return std::string("netlink/ethtool/") + name_of(message) + "/" + netdev;
}

/// "netlink/ethtool/module_eeprom/eth0/80/0/22/36": I2C address, page, offset, length
[[nodiscard]] inline std::string module_eeprom(const std::string& netdev, const ModulePart& part) {
  std::string key = "netlink/ethtool/module_eeprom/" + netdev;
  for (const std::uint8_t number : {part.i2c_address, part.page, part.offset, part.length})
    key += "/" + std::to_string(number);
  return key;
}

inline constexpr char kRdmaDevices[] = "netlink/rdma/devices";
[[nodiscard]] inline std::string rdma_port(const std::string& device, std::uint32_t port) {
  return "netlink/rdma/port/" + device + "/" + std::to_string(port);
}
[[nodiscard]] inline std::string rdma_statistics(const std::string& device, std::uint32_t port) {
  return "netlink/rdma/statistics/" + device + "/" + std::to_string(port);
}

[[nodiscard]] inline std::string dcb_ieee(const std::string& netdev) {
  return "netlink/dcb/ieee/" + netdev;
}
[[nodiscard]] inline std::string dcb_dcbx(const std::string& netdev) {
  return "netlink/dcb/dcbx/" + netdev;
}

inline constexpr char kLinks[] = "netlink/route/links";
inline constexpr char kAddresses[] = "netlink/route/addresses";
inline constexpr char kRules[] = "netlink/route/rules";

[[nodiscard]] inline std::string verbs_port(const std::string& device, std::uint32_t port) {
  return "verbs/port_attributes/" + device + "/" + std::to_string(port);
}
[[nodiscard]] inline std::string verbs_gids(const std::string& device) {
  return "verbs/gid_table/" + device;
}

inline constexpr char kProbeResults[] = "probes/results.json";

}  // namespace roceready::answer_key
