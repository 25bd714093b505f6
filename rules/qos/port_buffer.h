// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rules/rule.h"

namespace roceready::rules {

/// Packets that the receive buffer of a lossless priority dropped in the last minute; 0 where that is not counted.
[[nodiscard]] inline double lossless_drops(const Evidence& seen, std::uint8_t priority) {
  const Reading<BufferFacts>& buffers = seen.member().dcb.buffers;
  const std::uint32_t buffer = buffers ? buffers->priority_to_buffer[priority] : priority;
  const Reading<Increase> dropped =
      seen.increase(CounterId::RxDiscardsPriority, 60, static_cast<std::uint8_t>(buffer % kPriorities));
  return dropped ? dropped->amount : 0;
}

/// Cable length that mlx5 reckons with, metres; its unit is another one on other drivers. The driver begins with 7 and
/// takes no 0: a PFC state without a length, as some tools print it, says nothing of the cable.
[[nodiscard]] inline Reading<std::uint32_t> cable_metres(const Evidence& seen) {
  const Reading<DriverInfo>& driver = seen.member().ethtool.driver;
  if (!driver) return driver.absent();
  if (!driver->driver.starts_with("mlx5")) return Absent{Why::NotSupported, "only mlx5 gives a cable length"};
  const Reading<std::uint32_t> metres = field(seen.member().dcb.pfc, &PfcFacts::delay);
  if ((metres && *metres == 0) || (!metres && metres.absent() == Absent{}))
    return Absent{Why::NotRecorded, "what was read of PFC does not state the cable length"};
  return metres;
}

/// The length that headroom has to be reckoned for: where the profile says long-haul at least 300 m, whatever the
/// driver reckons with.
[[nodiscard]] inline Reading<std::uint32_t> length_to_reckon_with(const Evidence& seen) {
  constexpr std::uint32_t kLongHaulMetres = 300;
  Reading<std::uint32_t> metres = cable_metres(seen);
  if (metres && seen.profile()->long_haul && *metres < kLongHaulMetres) metres = kLongHaulMetres;
  return metres;
}

}  // namespace roceready::rules
