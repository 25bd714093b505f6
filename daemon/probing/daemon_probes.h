// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/host/host.h"

namespace roceready::daemon {

/// What the running daemon of this node knows from its probes, for a program that does not probe itself: GET of
/// `/api/v1/probes`.
/// NotFound: no daemon runs there, or it does not probe. Any other failure is told as such: the answer took longer than
/// a second in all, is above 16 MiB, or is not that of a daemon of this version. After one that took too long nobody is
/// asked for 10 s, so that it costs one sample and not each. Threads: one.
class DaemonProbes : public ProbeResults {
 public:
  /// `listen`: where the daemon listens, as `http.listen` has it. `now_ns`: monotonic.
  DaemonProbes(const std::string& listen, std::function<std::int64_t()> now_ns);
  Result<std::string> results() override;

 private:
  [[nodiscard]] Result<std::string> ask();

  std::string url_;
  std::function<std::int64_t()> now_ns_;
  Error hung_;
  std::int64_t not_before_ns_ = 0;
};

/// Where a client on the same node reaches a daemon that listens so: a listener on every address by the loopback one.
[[nodiscard]] std::string local_url(const std::string& listen);

}  // namespace roceready::daemon
