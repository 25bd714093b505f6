// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/round_trip/compare.h"

namespace roceready::round_trip {

const std::vector<Limit>& limits_of_tools() {
  static const std::vector<Limit> limits{
      {"host-qos-not-persistent", Differs::Lacks,
       "what is set at boot stands in units and scripts, which no tool lists"},
      {"host-memlock-low", Differs::Lacks, "what systemd gives units by default is told by no process's limits"},
      {"host-memlock-low", Differs::Invents, "the limits of a process do not tell of which unit it is"},
      {"host-driver-mixed", Differs::Lacks,
       "which modules were built outside of the kernel stands in /sys/module alone"},
      {"host-numa-misplaced", Differs::Lacks, "where interrupts are handled stands in many files below /proc/irq"},
      {"pcie-aer-uncorrectable", Differs::Invents, "that a netdev was set down meanwhile is told by no output"},
      {"roce-no-v2-gid", Differs::Passes,
       "the kernel makes GIDs of addresses: one that no output lists is told by its GID"},
      {"probe-", Differs::Lacks, "what probes measure is in no tool's output"},
      {"fabric-", Differs::Lacks, "what peers tell is in no tool's output"},
  };
  return limits;
}

const std::vector<Contradiction>& contradictions() {
  static const std::vector<Contradiction> stories{
      {"drop-log-switch", "fires", "its lines stand without the heading of their table"},
      {"drop-roce-engine", "fires", "a counter of another vendor on a port of mlx5"},
      {"host-firmware-below-min", "unknown", "ethtool refuses to tell the driver whose own tool tells everything else"},
      {"link-drop-long", "fires", "the carrier was lost, and the kernel did not count it"},
      {"pcie-log-ports-share-slot", "fires", "its lines are shortened"},
      {"qos-dscp-map", "fires", "the driver shows the map, and does not offer what it is made of"},
      {"roce-lag-unsupported", "unknown", "the kernel refuses to tell of a bond and tells that it is one"},
      {"roce-tos-not-ect", "fires", "a device of Broadcom that is called mlx5_0"},
      {"roce-wrong-link-layer", "fires", "a port of InfiniBand in scope, which takes a configuration that names it"},
      {"transport-livelock", "fires", "a counter of another vendor on a port of mlx5"},
      {"transport-lossy-accel-off", "fires", "an offered counter that the list of the NIC's counters lacks"},
  };
  return stories;
}

}  // namespace roceready::round_trip
