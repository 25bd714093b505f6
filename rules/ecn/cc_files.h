// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

#include "rules/rule.h"

namespace roceready::rules {

// Congestion-control settings are files of the drivers: NVIDIA's own driver beside the netdev, mlx5's and bnxt_re's
// debugfs and irdma's configfs beside the RDMA device (collectors/vendor_files.cpp has their keys).

using VendorFileMap = std::map<std::string, Reading<std::string>>;

/// A file of the map, or what hid it: the reason of the nearest directory above that could not be listed. NotSupported
/// where there is no such file.
[[nodiscard]] Reading<std::string> vendor_file(const VendorFileMap& files, const std::string& key);
/// Whether the map names this directory or anything below it.
[[nodiscard]] bool has_directory(const VendorFileMap& files, const std::string& directory);
/// The number in the first of these files that exists; one that was refused stands for itself.
[[nodiscard]] Reading<std::uint32_t> vendor_number(const VendorFileMap& files, std::initializer_list<const char*> keys);

/// Whether a file of the vendor's driver says that congestion control is on, of any kind and on any priority; nothing
/// where none says either.
[[nodiscard]] std::optional<bool> congestion_control_on(const RdmaPort& port, const Netdev& member);

/// DSCP and priority that this NIC gives its congestion notifications.
[[nodiscard]] Reading<std::uint32_t> cnp_dscp_set(const Evidence& seen);
[[nodiscard]] Reading<std::uint32_t> cnp_priority_set(const Evidence& seen);
/// Designs without marks and notifications, or in which the NIC takes no heed of them.
[[nodiscard]] inline bool heeds_no_marks(const Profile& profile) {
  return profile.congestion_control == CongestionControl::Off;
}
[[nodiscard]] inline std::string no_marks(const Profile& profile) {
  return "in this design of profile " + profile.name + " congestion control is off, and marks have no effect";
}
/// "congestion control files of eth0".
[[nodiscard]] std::string cc_source(const Evidence& seen);

}  // namespace roceready::rules
