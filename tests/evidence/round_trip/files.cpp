// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

/// Netdevs that RDMA ports stand on; of others only ip tells.
bool is_member(const Snapshot& snapshot, const std::string& netdev) {
  return std::any_of(snapshot.ports.begin(), snapshot.ports.end(), [&](const RdmaPort& port) {
    return std::find(port.members.begin(), port.members.end(), netdev) != port.members.end();
  });
}

std::string settings_of(const Snapshot& snapshot, const std::string& host) {
  Terminal terminal(host);
  node(terminal, snapshot);
  rdma_link(terminal, snapshot);
  rdma_dev(terminal, snapshot);
  ibdev2netdev(terminal, snapshot);
  ibv_devinfo(terminal, snapshot);
  show_gids(terminal, snapshot);
  ip_address(terminal, snapshot);
  ip_rule(terminal, snapshot);
  proc_bonding(terminal, snapshot);
  if (!snapshot.host.rdma_subsystem.value_or(true))
    terminal.run("ls /sys/class/infiniband", "ls: cannot access '/sys/class/infiniband': No such file or directory\n");
  for (const NicWithoutRdma& nic : snapshot.nics_without_rdma)
    terminal.run("ethtool -i " + nic.netdev, "driver: " + nic.driver +
                                                 "\nversion: 5.14.0\nfirmware-version: 1\n"
                                                 "expansion-rom-version: \nbus-info: " +
                                                 nic.pci_address + "\n");
  for (const Netdev& netdev : snapshot.netdevs) {
    ethtool_driver(terminal, netdev);
    if (!is_member(snapshot, netdev.link.name) && !snapshot.ports.empty()) continue;
    ethtool_settings(terminal, netdev);
    ethtool_rings(terminal, netdev);
    ethtool_module(terminal, netdev);
    ethtool_tunable(terminal, netdev);
    dcb(terminal, netdev);
    mlnx_qos(terminal, snapshot, netdev);
  }
  lspci(terminal, snapshot);
  sysfs_settings(terminal, snapshot);
  vendor_files(terminal, snapshot);
  rdma_cm(terminal, snapshot);
  sysctl(terminal, snapshot);
  return terminal.text();
}

std::string time_of(const Snapshot& snapshot) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t wall = midpoint(snapshot).wall_ns;
  char text[64];
  std::snprintf(text, sizeof text, "%lld.%09lld\n", static_cast<long long>(wall / kSecond),
                static_cast<long long>(wall % kSecond));
  return text;
}

std::string counters_of(const Snapshot& snapshot, const std::string& host) {
  Terminal terminal(host);
  terminal.run("date +%s.%N", time_of(snapshot));
  for (const Netdev& netdev : snapshot.netdevs) {
    if (!is_member(snapshot, netdev.link.name)) continue;
    ethtool_statistics(terminal, snapshot, netdev);
    ethtool_pause(terminal, netdev);
    ethtool_fec(terminal, netdev);
  }
  rdma_statistic(terminal, snapshot);
  sysfs_counters(terminal, snapshot);
  return terminal.text();
}

}  // namespace

std::vector<File> files_of(const std::vector<Snapshot>& snapshots) {
  const Snapshot& newest = snapshots.back();
  const std::string host = newest.node.hostname.value_or("node");
  std::vector<File> out{{"settings.txt", settings_of(newest, host)}};
  std::string counters;
  for (const Snapshot& snapshot : snapshots) counters += counters_of(snapshot, host);
  out.push_back({"counters.txt", counters});
  std::size_t number = 0;
  for (std::string& text : limits(newest)) out.push_back({"limits-" + std::to_string(++number) + ".txt", text});
  if (!newest.log.empty()) out.push_back({"log.txt", log_lines(newest)});
  return out;
}

}  // namespace roceready::round_trip
