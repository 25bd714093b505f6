// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "core/base/result.h"
#include "probes/peers.h"

namespace roceready::daemon {

/// Where peers come from: the list of the configuration, a file in the form of Prometheus' file_sd, a DNS name.
/// A source that cannot be read keeps what it said last, and says what is wrong.
/// Threads: one. look() may wait for DNS for seconds, so it belongs on a thread of its own.
class PeerSources {
 public:
  explicit PeerSources(config::ProbeSettings settings) : settings_(std::move(settings)) {}
  /// All peers without ourselves, when they differ from what was said the time before; nothing when they do not.
  /// `own` are our names and addresses.
  [[nodiscard]] std::optional<probes::PeerList> look(const probes::OwnNames& own, std::int64_t now_ns);

 private:
  void read_file();
  void ask_dns(std::int64_t now_ns);
  config::ProbeSettings settings_;
  probes::PeerList file_, dns_;
  std::optional<std::pair<std::int64_t, std::int64_t>> file_seen_;  ///< time of change and size
  std::int64_t dns_due_ns_ = 0;
  std::optional<probes::PeerList> last_;
};

/// What is wrong with the sources, as clean lines for a report: eight and the number of the others at most, each of a
/// bounded length.
[[nodiscard]] std::vector<std::string> problem_lines(const probes::PeerList& list);

/// The secret of a file: all its bytes but line ends behind them. At least 16, at most 4096; else what to do about it.
[[nodiscard]] Result<std::string> read_secret(const std::string& path);

/// Host name and addresses of this machine, as peers may call it.
[[nodiscard]] probes::OwnNames own_names(std::uint16_t port);

}  // namespace roceready::daemon
