// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rules/report.h"

namespace roceready::rules {

class Evidence;

/// Remedies, by what they repair. Commands are shown, never run.
enum class Recipe {
  None,
  Trust,
  DscpMap,
  Pfc,
  NoPause,
  Tos,
  Ecn,
  Cnp,
  Ets,
  Buffers,
  StallWatchdog,
  Mtu,
  Gid,
  RoceMode,
  Iommu,
  Pcie,
  Mrrs,
  Mps,
  Acs,
  RelaxedOrdering,
  Topology,
  Fec,
  Optic,
  Firmware,
  Switch,
  LinkUp,
  LinkSpeed,
  Memlock,
  RdmaDriver,
  NumaAffinity,
  NumaBalancing,
  CpuGovernor,
  GpuDirect,
  DriverStack,
  ArpIsolation,
  LocalTraffic,
  Lag,
  EgressMap,
  RateLimit,
  Rings,
  Application,
  RoceAccelerations,
  Lldp
};

/// The commands of a recipe for the NIC and subject in hand: those of its vendor first, then generic ones. Names,
/// masks, priorities and DSCPs are filled in from the evidence and its profile.
[[nodiscard]] std::vector<FixCommand> commands_for(Recipe recipe, const Evidence& seen);

}  // namespace roceready::rules
