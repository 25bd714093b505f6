// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace roceready {

/// Bytes as a kernel gave them. Everything in them is hostile until a parser has checked it.
using Bytes = std::vector<std::byte>;

/// Files of the machine, read-only. Paths are absolute as on the machine ("/sys/class/net"), whatever root lies below.
/// Threads: one caller at a time, as for every interface of Host.
class Files {
 public:
  virtual ~Files() = default;
  static constexpr std::size_t kDefaultLimit = std::size_t{64} * 1024;
  /// Whole content. Longer than `limit` bytes: Malformed. A driver's refusal (EINVAL, EIO) is the driver's errno.
  virtual Result<std::string> read(const std::string& path, std::size_t limit = kDefaultLimit) = 0;
  /// Names in a directory, sorted, without . and ..; at most 65536.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
  /// Target of a symbolic link as it is written there (mostly relative).
  virtual Result<std::string> read_link(const std::string& path) = 0;
};

/// Messages of the ethtool generic netlink family that we ask, one device at a time (a failing driver callback ends
/// a dump for all devices behind it).
enum class EthtoolMessage { LinkInfo, LinkModes, LinkState, Rings, Pause, Fec };
[[nodiscard]] const char* name_of(EthtoolMessage message);

/// Bytes of a module's EEPROM: at most 128, never across offset 128 of a page.
struct ModulePart {
  std::uint8_t i2c_address = 0x50;  ///< 0x51: diagnostics of an SFP
  std::uint8_t page = 0, offset = 0, length = 0;
  auto operator<=>(const ModulePart&) const = default;
};

class Ethtool {
 public:
  virtual ~Ethtool() = default;
  /// SIOCETHTOOL ETHTOOL_GDRVINFO: the bytes of struct ethtool_drvinfo (196).
  virtual Result<Bytes> driver_info(const std::string& netdev) = 0;
  /// ETHTOOL_GSTRINGS of ETH_SS_STATS: 32 bytes a name, not always terminated.
  virtual Result<Bytes> statistics_names(const std::string& netdev) = 0;
  /// ETHTOOL_GSTATS: 8 bytes a value in host order. `count` is the number of names the caller holds; error Changed when
  /// the driver has another number now. Takes the RTNL lock for milliseconds.
  virtual Result<Bytes> statistics_values(const std::string& netdev, std::size_t count) = 0;
  /// ETHTOOL_GTUNABLE of ETHTOOL_PFC_PREVENTION_TOUT: u16 in host order, milliseconds; 0: never ends.
  virtual Result<Bytes> pfc_prevention_timeout(const std::string& netdev) = 0;
  /// Attributes of the reply (behind genlmsghdr) to a do-request with compact bitsets and, for Pause and Fec,
  /// statistics.
  virtual Result<Bytes> get(const std::string& netdev, EthtoolMessage message) = 0;
  /// Attributes of the reply to ETHTOOL_MSG_MODULE_EEPROM_GET. Needs CAP_NET_ADMIN; takes milliseconds under RTNL.
  virtual Result<Bytes> module_eeprom(const std::string& netdev, const ModulePart& part) = 0;
};

/// NETLINK_RDMA, client NLDEV. Opened only where ib_core is already loaded (opening it would load it).
class RdmaNetlink {
 public:
  virtual ~RdmaNetlink() = default;
  /// RDMA_NLDEV_CMD_GET dump: the attributes of each device.
  virtual Result<std::vector<Bytes>> devices() = 0;
  /// RDMA_NLDEV_CMD_PORT_GET of one port: attributes.
  virtual Result<Bytes> port(const std::string& device, std::uint32_t port) = 0;
  /// RDMA_NLDEV_CMD_STAT_GET without a resource: the port's hardware counters.
  virtual Result<Bytes> statistics(const std::string& device, std::uint32_t port) = 0;
};

/// Data Center Bridging netlink (RTM_GETDCB): attributes behind struct dcbmsg.
class Dcb {
 public:
  virtual ~Dcb() = default;
  virtual Result<Bytes> ieee(const std::string& netdev) = 0;  ///< DCB_CMD_IEEE_GET
  virtual Result<Bytes> dcbx(const std::string& netdev) = 0;  ///< DCB_CMD_GDCBX
};

/// rtnetlink dumps, strict checking on, statistics of virtual functions skipped (the kernel leaves out no others).
class Links {
 public:
  virtual ~Links() = default;
  virtual Result<std::vector<Bytes>> links() = 0;      ///< each: struct ifinfomsg and attributes
  virtual Result<std::vector<Bytes>> addresses() = 0;  ///< each: struct ifaddrmsg and attributes
  virtual Result<std::vector<Bytes>> rules() = 0;      ///< IPv4; each: struct fib_rule_hdr and attributes
};

/// Questions that only uverbs answers. Opened only where ib_uverbs is loaded; contexts are closed at once.
class VerbsFacts {
 public:
  virtual ~VerbsFacts() = default;
  /// Eight u32 in host order: state, max_mtu, active_mtu (enum ibv_mtu 1–5), gid_tbl_len, active_speed, active_width,
  /// phys_state, link_layer.
  virtual Result<Bytes> port_attributes(const std::string& device, std::uint32_t port) = 0;
  /// struct ibv_gid_entry (32 bytes: gid[16], index, port, type 0 IB 1 RoCE v1 2 RoCE v2, ndev_ifindex), valid ones
  /// only.
  virtual Result<Bytes> gid_table(const std::string& device) = 0;
};

/// What this node's RDMA probes know, as the probe engine published it last. One's own product, yet hostile as all
/// bytes: a recording may come from anybody.
class ProbeResults {
 public:
  virtual ~ProbeResults() = default;
  /// JSON of ProbeFacts (core/snapshot/probe_json.h). NotFound: this node does not probe; NotSupported: this build
  /// cannot.
  virtual Result<std::string> results() = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() = 0;
};

/// Everything a collector may touch. If it is not here, it does not exist.
struct Host {
  Files& files;
  Ethtool& ethtool;
  RdmaNetlink& rdma;
  Dcb& dcb;
  Links& links;
  VerbsFacts& verbs;
  ProbeResults& probes;
  Clock& clock;
};

}  // namespace roceready
