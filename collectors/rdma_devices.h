// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/collector.h"
#include "collectors/rdma_parse.h"

namespace roceready {

/// RDMA devices that are not excluded, sorted by name: from RDMA netlink, sysfs where that has none. No RDMA subsystem:
/// none.
[[nodiscard]] Result<std::vector<RdmaDevice>> list_rdma_devices(Host& host, const Selection& selection);
/// Where the device sits, from symbolic links alone; remembered until configuration is due.
const DevicePlace& place_of_device(Host& host, Context& context, const std::string& device);
/// Name of the RDMA driver ("mlx5_ib") by what carries the device; "" where not recognised.
[[nodiscard]] std::string rdma_driver_name(const DevicePlace& place, const RdmaDevice& device);

inline constexpr char kInfiniBandClass[] = "/sys/class/infiniband";
inline constexpr char kPciDevices[] = "/sys/bus/pci/devices/";

/// "mlx5_0/1", by which the context remembers a port.
[[nodiscard]] std::string port_name(const RdmaPort& port);

}  // namespace roceready
