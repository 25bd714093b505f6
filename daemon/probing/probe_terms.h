// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "core/base/result.h"
#include "core/snapshot/snapshot.h"
#include "probes/probe_port.h"
#include "rules/report.h"

namespace roceready::daemon {

/// Ports that probes may use: in scope in the newest sample that could list them, and not excluded by the newest
/// configuration. Threads: any.
class PortsInScope {
 public:
  using MayUse = std::function<bool(const probes::verbs::PortName&)>;
  /// From now on, without waiting for a sample.
  void select(MayUse may_use);
  void see(const Snapshot& snapshot);
  /// Whether there was such a sample; before it no port is known to be in scope, nor that there is none.
  [[nodiscard]] bool known() const;
  /// The newest sample could not list them.
  [[nodiscard]] bool unlisted() const;
  [[nodiscard]] bool contains(const probes::verbs::PortName& port) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> ports_;  // "mlx5_0/1"
  bool known_ = false, unlisted_ = false;
  MayUse may_use_;
};

/// In which class this node's probes travel, what it calls itself, and which ports it may use.
struct ProbeTerms {
  probes::TravelClass in_class;
  std::vector<std::byte> secret;  ///< empty: none is configured
  probes::NodeLabels labels;
  std::function<bool(const probes::verbs::PortName&)> may_use;
};

/// The class is that of the profile that is named, and NVIDIA's usual one (DSCP 26, priority 3) where none is: class_in
/// knows more. `probes.dscp` overrides it. A secret that cannot be read and a rail that cannot be understood are Usage
/// errors.
[[nodiscard]] Result<ProbeTerms> probe_terms(const config::Settings& settings);
/// The class of the profile that holds in a report, be it named, inferred or kept. Nothing where the report was made
/// under another configuration than this, or knows no profile.
[[nodiscard]] std::optional<probes::TravelClass> class_in(const rules::ProfileUse& use,
                                                          const config::Settings& settings);
/// What is wrong with probes.* beyond single values, as (option, message). Reads no file.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> probe_problems(const config::Settings& settings);
/// Whether any source of peers is configured.
[[nodiscard]] bool wants_peers(const config::ProbeSettings& settings);

}  // namespace roceready::daemon
