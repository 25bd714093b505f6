// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"
#include "collectors/dcb_parse.h"
#include "collectors/dscp_map.h"

namespace roceready {
namespace {

DcbFacts all_absent(const Absent& why) {
  return {why, why, why, why, why, why, why, why};
}

DcbFacts ask_ieee(Host& host, Context& context, const std::string& netdev) {
  const auto answer =
      context.refusals.ask("netlink/dcb/ieee/" + netdev, context.now, [&] { return host.dcb.ieee(netdev); });
  return answer ? parse_ieee(*answer) : all_absent(absent_from(answer.error()));
}

Reading<std::uint32_t> ask_dcbx(Host& host, Context& context, const std::string& netdev) {
  const auto answer =
      context.refusals.ask("netlink/dcb/dcbx/" + netdev, context.now, [&] { return host.dcb.dcbx(netdev); });
  if (!answer) return answer.error();
  return parse_dcbx(*answer);
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (Netdev& netdev : out.netdevs) {
    const std::string& name = netdev.link.name;
    if (!context.members.contains(name)) continue;
    netdev.dcb = ask_ieee(host, context, name);
    if (!netdev.dcb.dcbx) netdev.dcb.dcbx = ask_dcbx(host, context, name);
    const VendorTable* table = netdev.ethtool.driver ? vendor_of_netdev(netdev.ethtool.driver->driver) : nullptr;
    settle_hidden(table, netdev.dcb);
    const auto file = read_text(host.files, "/sys/class/net/" + name + "/qos/trust");
    netdev.dcb.trust = derive_trust(file, table, netdev.dcb);
    netdev.dcb.dscp_to_priority = derive_dscp_map(netdev.dcb.trust, table, netdev.dcb.app);
    if (netdev.ethtool.driver) continue;
    const Absent no_driver = unread(netdev.ethtool.driver.absent());
    if (!netdev.dcb.trust) netdev.dcb.trust = no_driver;
    if (!netdev.dcb.dscp_to_priority) netdev.dcb.dscp_to_priority = no_driver;
  }
  return {};
}

}  // namespace

extern const Collector kDcb;
constinit const Collector kDcb{"dcb", Cadence::EverySample, false, collect};

}  // namespace roceready
