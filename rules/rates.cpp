// SPDX-License-Identifier: Apache-2.0
#include "rules/rates.h"

#include <algorithm>

#include "rules/evidence.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 10;

/// Sum over the owners of growth per second × factor; absent when one of them is absent.
Reading<double> total(const History& history, const std::vector<std::string>& owners, CounterId id, std::uint8_t lane,
                      double factor) {
  double sum = 0;
  for (const std::string& owner : owners) {
    const Reading<Increase> one = history.increase(owner, id, lane, kWindowSeconds);
    if (!one) return one.absent();
    sum += one->per_second() * factor;
  }
  if (owners.empty()) return Absent{Why::NotPresent, "the port has no visible network device"};
  return sum;
}

/// Drivers are known to count terabits for a second: what the links cannot carry was not carried. Reads are not
/// simultaneous, so up to twice the speed may be true.
Reading<double> within(const Reading<double>& rate, const Snapshot& now, const std::vector<std::string>& members) {
  if (!rate) return rate;
  double speed = 0;
  for (const std::string& name : members) {
    const Netdev* netdev = now.netdev(name);
    const auto one = netdev == nullptr ? Reading<std::uint64_t>()
                                       : field(netdev->ethtool.link_modes, &LinkModes::speed_bits_per_second);
    if (!one) return rate;
    speed += static_cast<double>(*one);
  }
  if (*rate <= 2 * speed) return rate;
  return Absent{Why::Malformed, bit_rate(*rate) + " were counted on a link of " + bit_rate(speed)};
}

}  // namespace

std::map<std::string, Reading<double>> rates_of(const History& history, const Snapshot& now, const RdmaPort& port,
                                                const Profile* profile) {
  std::map<std::string, Reading<double>> out;
  const std::vector<std::string> port_side{owner_of(port)};
  const auto rdma = [&](CounterId id) -> const std::vector<std::string>& {
    const bool on_member = !port.members.empty() && now.netdev(port.members.front()) != nullptr &&
                           now.netdev(port.members.front())->counters.can_show(id);
    return on_member ? port.members : port_side;
  };
  out["rx_bits_per_second"] =
      within(total(history, port.members, CounterId::RxBytesPhy, kNoLane, 8), now, port.members);
  out["tx_bits_per_second"] =
      within(total(history, port.members, CounterId::TxBytesPhy, kNoLane, 8), now, port.members);
  out["rdma_rx_packets_per_second"] =
      total(history, rdma(CounterId::RdmaRxPackets), CounterId::RdmaRxPackets, kNoLane, 1);
  out["rdma_tx_packets_per_second"] =
      total(history, rdma(CounterId::RdmaTxPackets), CounterId::RdmaTxPackets, kNoLane, 1);
  if (profile == nullptr) return out;
  for (const std::uint8_t priority : lossless_priorities(*profile)) {
    const std::string suffix = "_share_priority_" + std::to_string(priority);
    const double each = port.members.empty() ? 1.0 : 1.0 / static_cast<double>(port.members.size());
    out["rx_pause" + suffix] = total(history, port.members, CounterId::PfcRxPauseDuration, priority, each);
    out["tx_pause" + suffix] = total(history, port.members, CounterId::PfcTxPauseDuration, priority, each);
  }
  return out;
}

}  // namespace roceready::rules
