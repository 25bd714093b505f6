// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot/log.h"
#include "rules/evidence.h"
#include "rules/report.h"

namespace roceready::rules {

/// Of one kind of trouble, what logs say about this node's RDMA: lines that name another device are left out.
struct LogEntries {
  std::vector<const LogFact*> facts;
  double lines = 0;  ///< log lines in all
  [[nodiscard]] bool empty() const { return facts.empty(); }
};
[[nodiscard]] LogEntries log_entries(const Evidence& seen, std::initializer_list<std::string_view> kinds);
/// Ends a rule where nobody gave logs, as on a node: it reads none. True: it did.
bool without_logs(const Evidence& seen, Outcomes& out);
/// "mlx5_0 and mlx5_1", "" where no line names anybody.
[[nodiscard]] std::string subjects_of(const LogEntries& entries);
/// " on mlx5_0", or nothing.
[[nodiscard]] std::string on_subjects(const LogEntries& entries);
/// Which port a line is about, by its subject or the netdev that it states.
enum class Concern {
  Unknown,  ///< no port is called so
  PortInScope,
  OtherPort,  ///< ports that are not in scope alone
};
[[nodiscard]] Concern concern_of(const Snapshot& now, const LogFact& fact);
/// At most eight lines as evidence, their places as sources.
[[nodiscard]] std::vector<EvidenceItem> evidence_of(const Evidence& seen, const LogEntries& entries);
/// The port of a switch that a line is of: "Ethernet0 of leaf1"; as much of it as is told.
[[nodiscard]] std::string switch_port_of(const LogFact& fact);
/// The same of the first lines, and how many more there are: "Ethernet0 of leaf1, Ethernet4 of leaf1 and 3 more".
[[nodiscard]] std::string switch_ports_of(const LogEntries& entries);
/// What a line states under a name, as a number.
[[nodiscard]] std::optional<double> stated_number(const LogFact& fact, const std::string& name);

/// A line was seen once and nobody knows when: no verdict rests on it alone (product.md 1, confidence 0.7).
inline constexpr double kLogConfidence = 0.6;

}  // namespace roceready::rules
