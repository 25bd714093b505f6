// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_tuning.h"

#include <algorithm>
#include <string_view>

#include "collectors/collector.h"
#include "collectors/node_parse.h"
#include "core/base/text.h"

namespace roceready {
namespace {

/// Modules that have to fit together: the RDMA core, and the two halves of each NIC's driver.
constexpr std::string_view kStack[] = {"bnxt_en",   "bnxt_re",   "ib_cm",   "ib_core",    "ib_umad",
                                       "ib_uverbs", "ice",       "ionic",   "ionic_rdma", "irdma",
                                       "iw_cm",     "mlx5_core", "mlx5_ib", "rdma_cm",    "rdma_ucm"};

}  // namespace

std::vector<ModuleBuild> read_module_builds(Files& files, const std::vector<std::string>& loaded) {
  std::vector<ModuleBuild> out;
  for (const std::string& name : loaded) {
    if (std::find(std::begin(kStack), std::end(kStack), name) == std::end(kStack)) continue;
    const std::string base = "/sys/module/" + name + "/";
    ModuleBuild build;
    build.name = name;
    const auto taint = files.read(base + "taint");
    if (taint) {
      build.out_of_tree = is_out_of_tree(*taint);
    } else if (taint.error().code == ErrorCode::NotFound) {
      build.out_of_tree = false;  // built in
    } else {
      build.out_of_tree = taint.error();
    }
    const bool foreign = build.out_of_tree.value_or(false);
    build.version = foreign ? read_text(files, base + "version") : Absent{Why::NotPresent, "of the kernel's own tree"};
    out.push_back(std::move(build));
  }
  return out;
}

Reading<std::string> read_nvidia_driver(Files& files) {
  const auto text = files.read("/proc/driver/nvidia/version");
  if (!text) return text.error();
  return clean_text(trim(std::string_view(*text).substr(0, text->find('\n'))));
}

Reading<std::int64_t> read_nccl_gid_index(Files& files) {
  constexpr char kFile[] = "/etc/nccl.conf";
  const auto text = files.read(kFile);
  if (!text) return text.error();
  const auto value = parse_assignment(*text, "NCCL_IB_GID_INDEX");
  if (!value) return Absent{Why::NotPresent, std::string(kFile) + " does not set NCCL_IB_GID_INDEX"};
  const auto index = parse_i64(*value);
  if (!index) return Absent{Why::Malformed, std::string(kFile) + ": NCCL_IB_GID_INDEX is \"" + *value + "\""};
  return *index;
}

}  // namespace roceready
