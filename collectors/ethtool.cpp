// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"
#include "collectors/ethtool_parse.h"

namespace roceready {
namespace {

/// One ethtool netlink question, through the memory of refusals.
template <class T>
Reading<T> ask(Host& host, Context& context, const std::string& netdev, EthtoolMessage message, T (*parse)(ByteSpan)) {
  const auto answer = context.refusals.ask(std::string("netlink/ethtool/") + name_of(message) + "/" + netdev,
                                           context.now, [&] { return host.ethtool.get(netdev, message); });
  if (!answer) return answer.error();
  return parse(*answer);
}

Reading<std::string> ask_medium(Host& host, Context& context, const std::string& netdev) {
  const Reading<Reading<std::string>> medium = ask(host, context, netdev, EthtoolMessage::LinkInfo, parse_medium);
  return medium ? *medium : Reading<std::string>(medium.absent());
}

Reading<DriverInfo> ask_driver(Host& host, Context& context, const std::string& netdev) {
  const auto answer = context.refusals.ask("ethtool/driver_info/" + netdev, context.now,
                                           [&] { return host.ethtool.driver_info(netdev); });
  if (!answer) return answer.error();
  return parse_driver_info(*answer);
}

Reading<std::uint32_t> ask_stall_limit(Host& host, Context& context, const std::string& netdev) {
  const auto answer = context.refusals.ask("ethtool/pfc_prevention_timeout/" + netdev, context.now,
                                           [&] { return host.ethtool.pfc_prevention_timeout(netdev); });
  if (!answer) return answer.error();
  return parse_pfc_prevention_timeout(*answer);
}

Result<void> collect_configuration(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (Netdev& netdev : out.netdevs) {
    const std::string& name = netdev.link.name;
    if (!context.members.contains(name)) continue;
    netdev.ethtool.driver = ask_driver(host, context, name);
    netdev.ethtool.link_modes = ask(host, context, name, EthtoolMessage::LinkModes, parse_link_modes);
    netdev.ethtool.medium = ask_medium(host, context, name);
    netdev.ethtool.rings = ask(host, context, name, EthtoolMessage::Rings, parse_rings);
    netdev.ethtool.pfc_stall_limit_ms = ask_stall_limit(host, context, name);
  }
  return {};
}

Result<void> collect_state(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (Netdev& netdev : out.netdevs) {
    const std::string& name = netdev.link.name;
    if (!context.members.contains(name)) continue;
    netdev.ethtool.link_state = ask(host, context, name, EthtoolMessage::LinkState, parse_link_state);
    netdev.ethtool.pause = ask(host, context, name, EthtoolMessage::Pause, parse_pause);
    netdev.ethtool.fec = ask(host, context, name, EthtoolMessage::Fec, parse_fec);
  }
  return {};
}

}  // namespace

extern const Collector kEthtoolConfiguration;
constinit const Collector kEthtoolConfiguration{"ethtool", Cadence::Configuration, false, collect_configuration};
extern const Collector kEthtoolState;
constinit const Collector kEthtoolState{"ethtool_state", Cadence::EverySample, true, collect_state};

}  // namespace roceready
