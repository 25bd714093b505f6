// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"
#include "collectors/dscp_map.h"
#include "collectors/rdma_devices.h"

namespace roceready {
namespace {

CounterNames names_of(const Reading<RawCounters>& counters) {
  return counters ? counters->names : nullptr;
}

/// Middle of the read; where the group has none, the other counters of the owner are from now.
std::int64_t read_at(const Reading<RawCounters>& counters, const Context& context) {
  return counters ? counters->at_ns - counters->read_ns / 2 : context.now.monotonic_ns;
}

void map_netdev(Context& context, const Snapshot& snapshot, Netdev& netdev) {
  const VendorTable* table = netdev.ethtool.driver ? vendor_of_netdev(netdev.ethtool.driver->driver) : nullptr;
  const CounterNames statistics = names_of(netdev.ethtool.statistics);
  CounterPlan& plan = context.plans[netdev.link.name];
  if (!plan.fits(table, statistics, nullptr)) plan = CounterPlan::for_netdev(table, statistics);
  const PciFunction* function = netdev.link.parent_device ? snapshot.function(*netdev.link.parent_device) : nullptr;
  netdev.counters = plan.read(netdev, function);
  netdev.counters.at_monotonic_ns = read_at(netdev.ethtool.statistics, context);
  if (!netdev.ethtool.driver) netdev.counters.why_absent = unread(netdev.ethtool.driver.absent());
}

void map_port(Context& context, RdmaPort& port) {
  const std::string name = port_name(port);
  const VendorTable* table = vendor_of_rdma(port.driver);
  const CounterNames hw = names_of(port.hw_counters);
  const CounterNames pma = names_of(port.port_counters);
  CounterPlan& plan = context.plans[name];
  if (!plan.fits(table, hw, pma)) plan = CounterPlan::for_port(table, hw, pma);
  port.counters = plan.read(port);
  port.counters.at_monotonic_ns = read_at(port.hw_counters, context);
  const auto note = context.counter_notes.find(name);
  if (note != context.counter_notes.end() && port.hw_counters) port.counters.why_absent = note->second;
}

Result<void> collect(Host&, const Selection&, Context& context, Snapshot& out) {
  for (Netdev& netdev : out.netdevs) {
    if (context.members.contains(netdev.link.name)) map_netdev(context, out, netdev);
  }
  for (RdmaPort& port : out.ports) {
    if (port.in_scope) map_port(context, port);
  }
  return {};
}

}  // namespace

extern const Collector kCanonicalCounters;
constinit const Collector kCanonicalCounters{"canonical_counters", Cadence::EverySample, false, collect, true};

}  // namespace roceready
