// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace roceready {

/// What a line of a log, of a job's output or of a measuring tool says about RDMA. Comes from files that somebody sent;
/// the daemon reads no logs.
struct LogFact {
  std::string kind;     ///< "gid_add_failed", "retry_exceeded", "measured_bandwidth"…: docs/evidence.md lists them
  std::string subject;  ///< RDMA device, netdev or PCI address that it speaks of; "" where it names none
  std::string text;     ///< the line, at most 300 bytes
  std::string place;    ///< "nccl.log:17"
  std::uint32_t count = 1;  ///< lines of this kind on this subject; text and place are the first one's
  /// What the line states, by name: "gid_index", "traffic_class", "vendor_error", "bits_per_second", "message_bytes"…
  std::map<std::string, std::string> says;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("kind", self.kind);
    visit("subject", self.subject);
    visit("text", self.text);
    visit("place", self.place);
    visit("count", self.count);
    visit("says", self.says);
  }
};

}  // namespace roceready
