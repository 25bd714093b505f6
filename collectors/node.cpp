// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"
#include "collectors/node_parse.h"

namespace roceready {
namespace {

Result<void> collect(Host& host, const Selection&, Context&, Snapshot& out) {
  NodeFacts& node = out.node;
  node.hostname = read_text(host.files, "/proc/sys/kernel/hostname");
  node.kernel = read_text(host.files, "/proc/sys/kernel/osrelease");
  const Reading<std::string> boot = read_text(host.files, "/proc/sys/kernel/random/boot_id");
  node.boot_id_hash = boot ? Reading<std::string>(hash_text(*boot)) : boot;
  const Reading<std::string> uptime = read_text(host.files, "/proc/uptime");
  node.uptime_seconds = Absent{Why::Malformed, "/proc/uptime is no number"};
  if (!uptime) node.uptime_seconds = uptime.absent();
  if (const auto seconds = uptime ? parse_uptime(*uptime) : std::nullopt) node.uptime_seconds = *seconds;
  return {};
}

}  // namespace

extern const Collector kNode;
constinit const Collector kNode{"node", Cadence::EverySample, false, collect};

}  // namespace roceready
