// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Whether a kernel module matters to RDMA: the drivers of NICs and GPUs and the stack itself.
[[nodiscard]] bool is_rdma_module(std::string_view name);
/// Where the modules of the RDMA stack among `loaded` come from. One that is built into the kernel is of its own tree.
[[nodiscard]] std::vector<ModuleBuild> read_module_builds(Files& files, const std::vector<std::string>& loaded);
/// First line of /proc/driver/nvidia/version.
[[nodiscard]] Reading<std::string> read_nvidia_driver(Files& files);
/// NCCL_IB_GID_INDEX of the file for the whole system.
[[nodiscard]] Reading<std::int64_t> read_nccl_gid_index(Files& files);

}  // namespace roceready
