// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "collectors/collector.h"
#include "collectors/rdma_devices.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::size_t kMaxText = 4096;
using FileMap = std::map<std::string, Reading<std::string>>;

bool is_missing(const Error& error) {
  return absent_from(error).why == Why::NotPresent;
}

/// Keeps a file's text under `key`, or why it was refused. A file that does not exist leaves no entry.
void keep_file(Files& files, const std::string& path, const std::string& key, FileMap& out) {
  const auto text = files.read(path);
  if (text)
    out[key] = clean_text(trim(*text)).substr(0, kMaxText);
  else if (!is_missing(text.error()))
    out[key] = text.error();
}

/// Keeps those of a directory's files that `wanted` names; none: up to 64 of them.
void keep_directory(Files& files, const std::string& directory, const std::string& key, FileMap& out,
                    std::initializer_list<const char*> wanted = {}) {
  constexpr std::size_t kMaxFiles = 64;
  const auto names = files.list(directory);
  if (!names) {
    if (!is_missing(names.error())) out[key] = names.error();
    return;
  }
  std::size_t kept = 0;
  for (const std::string& name : *names) {
    const bool named = std::any_of(wanted.begin(), wanted.end(), [&](const char* one) { return name == one; });
    if ((wanted.size() > 0 && !named) || ++kept > kMaxFiles) continue;
    keep_file(files, directory + "/" + name, key + "/" + name, out);
  }
}

/// Vendor driver's files below /sys/class/net/IF/: keys are paths from there ("ecn/roce_np/enable/3").
FileMap netdev_files(Files& files, const std::string& netdev) {
  const std::string root = "/sys/class/net/" + netdev + "/";
  FileMap out;
  keep_file(files, root + "qos/trust", "qos/trust", out);
  const auto ecn = files.list(root + "ecn");
  if (!ecn) {
    if (!is_missing(ecn.error())) out["ecn"] = ecn.error();
    return out;
  }
  for (const std::string role : {"ecn/roce_np", "ecn/roce_rp"})
    keep_directory(files, root + role + "/enable", role + "/enable", out);
  keep_directory(files, root + "ecn/roce_np", "ecn/roce_np", out,
                 {"cnp_dscp", "cnp_802p_prio", "min_time_between_cnps"});
  keep_directory(files, root + "ecn/roce_rp", "ecn/roce_rp", out,
                 {"rpg_time_reset", "rpg_byte_reset", "dce_tcp_g", "dce_tcp_rtt", "rate_reduce_monitor_period",
                  "initial_alpha_value", "rpg_min_dec_fac", "rpg_gd", "rpg_min_rate", "rate_to_set_on_first_cnp"});
  return out;
}

/// N of "Global tclass=N"; nothing where no line says it.
std::optional<std::uint32_t> parse_global_tclass(std::string_view text) {
  constexpr std::string_view kKey = "Global tclass=";
  const auto at = text.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + kKey.size());
  const auto number = parse_u64(rest.substr(0, rest.find_first_not_of("0123456789")));
  return number && *number < 256 ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

/// Where drivers keep the congestion control of an RDMA device: below debugfs by PCI address, below configfs by device.
struct Place {
  std::string_view driver;     ///< RDMA driver that has it
  std::string_view directory;  ///< {pci} and {device} stand for the port's
  std::string_view key;
};
constexpr std::array<Place, 3> kPlaces{{
    {"mlx5_ib", "/sys/kernel/debug/mlx5/{pci}/cc_params", "cc_params"},
    {"bnxt_re", "/sys/kernel/debug/bnxt_re/{pci}/cc_config", "cc_config"},
    {"irdma", "/sys/kernel/config/irdma/{device}", "irdma"},
}};

void replace(std::string& text, std::string_view what, const std::string& with) {
  const auto at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

void keep_congestion_control(Files& files, RdmaPort& port) {
  for (const Place& place : kPlaces) {
    if (port.driver != place.driver) continue;
    std::string directory(place.directory);
    if (directory.find("{pci}") != std::string::npos && !port.pci_address) continue;
    replace(directory, "{pci}", port.pci_address.value_or(""));
    replace(directory, "{device}", port.device);
    // Each file of mlx5 is a firmware command, and bnxt_re's tx_queue fails: only what is judged is read.
    keep_directory(files, directory, std::string(place.key), port.vendor_files,
                   {"rp_time_reset", "rp_byte_reset", "rp_dce_tcp_g", "rp_dce_tcp_rtt", "rp_rate_reduce_monitor_period",
                    "rp_initial_alpha_value", "rp_min_dec_fac", "rp_gd", "rp_min_rate", "rp_rate_to_set_on_first_cnp",
                    "np_min_time_between_cnps", "np_cnp_dscp", "np_cnp_prio", "enable_cc", "alt_vlan_dscp",
                    "alt_vlan_pcp", "roce_dcqcn_enable", "roce_timely_enable", "roce_dctcp_enable"});
  }
}

/// The vendor driver's traffic class for all QPs of a port; it overrides what applications ask for.
void collect_port(Files& files, RdmaPort& port) {
  const std::string path = "tc/" + std::to_string(port.port) + "/traffic_class";
  const std::string full = std::string(kInfiniBandClass) + "/" + port.device + "/" + path;
  port.vendor_files.clear();
  keep_congestion_control(files, port);
  const auto text = files.read(full);
  if (!text) {
    port.forced_traffic_class = text.error();
    return;
  }
  port.vendor_files[path] = clean_text(trim(*text)).substr(0, kMaxText);
  const auto forced = parse_global_tclass(*text);
  port.forced_traffic_class = forced
                                  ? Reading<std::uint32_t>(*forced)
                                  : Reading<std::uint32_t>(Absent{Why::NotPresent, "no global traffic class is set"});
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (RdmaPort& port : out.ports) {
    if (port.in_scope) collect_port(host.files, port);
  }
  for (Netdev& netdev : out.netdevs) {
    if (context.members.contains(netdev.link.name)) netdev.vendor_files = netdev_files(host.files, netdev.link.name);
  }
  return {};
}

}  // namespace

extern const Collector kVendorFiles;
constinit const Collector kVendorFiles{"vendor_files", Cadence::Configuration, false, collect};

}  // namespace roceready
