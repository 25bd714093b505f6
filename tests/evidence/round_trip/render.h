// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/reading.h"
#include "core/snapshot/snapshot.h"

/// A host as the outputs of the tools that people send: one small file a tool. A tool prints what its kernel interface
/// knows, a refusal in its own words, and nothing of what nobody recorded.
namespace roceready::round_trip {

/// A terminal: commands behind a prompt, and what they printed.
class Terminal {
 public:
  explicit Terminal(std::string host) : host_(std::move(host)) {}
  /// `output` with its line ends.
  void run(const std::string& command, const std::string& output);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string host_, text_;
};

/// What a tool says instead of an answer: "" where it would say nothing, or nobody knows what it said.
[[nodiscard]] std::string refusal(const Absent& absent, const std::string& prefix = "netlink error: ");
/// " 7 0 …" with `before` each number.
template <class List>
[[nodiscard]] std::string numbers(const List& list, const std::string& separator) {
  std::string out;
  for (const auto& one : list) out += (out.empty() ? "" : separator) + std::to_string(one);
  return out;
}

// Settings, told once.
void ethtool_settings(Terminal& terminal, const Netdev& netdev);
void ethtool_driver(Terminal& terminal, const Netdev& netdev);
void ethtool_rings(Terminal& terminal, const Netdev& netdev);
void ethtool_module(Terminal& terminal, const Netdev& netdev);
void ethtool_tunable(Terminal& terminal, const Netdev& netdev);
void dcb(Terminal& terminal, const Netdev& netdev);
void mlnx_qos(Terminal& terminal, const Snapshot& snapshot, const Netdev& netdev);
void ip_address(Terminal& terminal, const Snapshot& snapshot);
/// Whether ip(8) can print it: a host of few facts lacks what stands in the flags.
[[nodiscard]] bool is_whole(const NetLink& link);
void proc_bonding(Terminal& terminal, const Snapshot& snapshot);
void ip_rule(Terminal& terminal, const Snapshot& snapshot);
void rdma_link(Terminal& terminal, const Snapshot& snapshot);
void rdma_dev(Terminal& terminal, const Snapshot& snapshot);
void ibv_devinfo(Terminal& terminal, const Snapshot& snapshot);
void ibdev2netdev(Terminal& terminal, const Snapshot& snapshot);
void show_gids(Terminal& terminal, const Snapshot& snapshot);
void lspci(Terminal& terminal, const Snapshot& snapshot);
void sysfs_settings(Terminal& terminal, const Snapshot& snapshot);
void vendor_files(Terminal& terminal, const Snapshot& snapshot);
void rdma_cm(Terminal& terminal, const Snapshot& snapshot);
void sysctl(Terminal& terminal, const Snapshot& snapshot);
void node(Terminal& terminal, const Snapshot& snapshot);
/// Logs, each line as it was.
[[nodiscard]] std::string log_lines(const Snapshot& snapshot);
/// /proc/PID/limits of the units, one text each.
[[nodiscard]] std::vector<std::string> limits(const Snapshot& snapshot);

// Counters, told of each moment.
void ethtool_statistics(Terminal& terminal, const Snapshot& snapshot, const Netdev& netdev);
void ethtool_pause(Terminal& terminal, const Netdev& netdev);
void ethtool_fec(Terminal& terminal, const Netdev& netdev);
void rdma_statistic(Terminal& terminal, const Snapshot& snapshot);
void sysfs_counters(Terminal& terminal, const Snapshot& snapshot);

/// The files of a host: settings of the newest snapshot, counters of all.
struct File {
  std::string name, text;
};
[[nodiscard]] std::vector<File> files_of(const std::vector<Snapshot>& snapshots);

}  // namespace roceready::round_trip
