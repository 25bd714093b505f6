// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/round_trip/compare.h"

namespace roceready::round_trip {

const std::vector<Limit>& limits_of_tools() {
  static const std::vector<Limit> limits{
      {"host-qos-not-persistent", Differs::Lacks,
       "what is set at boot stands in units and scripts, which no tool lists"},
      {"host-memlock-low", Differs::Lacks, "what systemd gives units by default is told by no process's limits"},
      {"host-driver-mixed", Differs::Lacks,
       "which modules were built outside of the kernel stands in /sys/module alone"},
      {"host-numa-misplaced", Differs::Lacks, "where interrupts are handled stands in a hundred files below /proc/irq"},
  };
  return limits;
}

}  // namespace roceready::round_trip
