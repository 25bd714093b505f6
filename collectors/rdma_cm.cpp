// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"

namespace roceready {
namespace {

constexpr char kRoot[] = "/sys/kernel/config/rdma_cm";

/// The directory of a device is only a view that somebody must have made; the values live on without it (never make it:
/// product.md 9).
Absent why_no_view(const Error& error, const std::string& path) {
  if (error.code == ErrorCode::NotFound) {
    return {Why::NotPresent, path + " is not there: the values in force cannot be seen without creating it"};
  }
  if (error.code == ErrorCode::Denied) return {Why::Denied, path + " can be read by root only"};
  return absent_from(error);
}

void collect_port(Host& host, const Result<std::vector<std::string>>& views, RdmaPort& port) {
  const std::string device = std::string(kRoot) + "/" + port.device;
  const std::string base = device + "/ports/" + std::to_string(port.port) + "/";
  const auto set_absent = [&](const Absent& why) {
    port.cma_default_tos = why;
    port.cma_default_mode = why;
  };
  if (!views) return set_absent(why_no_view(views.error(), kRoot));
  const auto ports = host.files.list(device + "/ports");
  if (!ports) return set_absent(why_no_view(ports.error(), device));
  port.cma_default_tos = read_u32(host.files, base + "default_roce_tos");
  port.cma_default_mode = read_text(host.files, base + "default_roce_mode");
}

Result<void> collect(Host& host, const Selection&, Context&, Snapshot& out) {
  if (out.ports.empty()) return {};
  const auto views = host.files.list(kRoot);
  for (RdmaPort& port : out.ports) {
    if (port.in_scope) collect_port(host, views, port);
  }
  return {};
}

}  // namespace

extern const Collector kRdmaCm;
constinit const Collector kRdmaCm{"rdma_cm", Cadence::Configuration, false, collect};

}  // namespace roceready
