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

/// Cable length that mlx5 reckons with, metres; its unit is another one on other drivers.
[[nodiscard]] inline Reading<std::uint32_t> cable_metres(const Evidence& seen) {
  const Reading<DriverInfo>& driver = seen.member().ethtool.driver;
  if (!driver) return driver.absent();
  if (!driver->driver.starts_with("mlx5")) return Absent{Why::NotSupported, "only mlx5 gives a cable length"};
  return field(seen.member().dcb.pfc, &PfcFacts::delay);
}

}  // namespace roceready::rules
