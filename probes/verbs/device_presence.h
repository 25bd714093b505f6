// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <string>

namespace roceready::probes::verbs {

/// Whether a device that was opened is still there. The removal of one whose driver cannot let go of its users waits
/// for them, without any event, and the device works on meanwhile (fact verbs-disassociate); what goes at once is its
/// directory in sysfs. One that comes back under the old name is another. Threads: one.
class DevicePresence {
 public:
  /// `directory`: "/sys/class/infiniband_verbs/uverbs0". Not there at the beginning: nothing is ever said of it.
  explicit DevicePresence(std::string directory);
  /// Looks at most ten times a second, and says so once.
  [[nodiscard]] bool went(std::int64_t now_ns);

 private:
  std::string directory_;
  dev_t file_system_ = 0;
  ino_t number_ = 0;
  bool watched_ = false;
  std::int64_t looked_ns_ = 0;
};

}  // namespace roceready::probes::verbs
