// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "rules/rule.h"

namespace roceready::rules {

inline constexpr std::uint32_t kAllPriorities = 0xff;

/// Bytes of each priority that was asked for, and of RDMA, in one direction and window.
struct PriorityBytes {
  std::array<double, kPriorities> of{};
  double rdma = 0, seconds = 0;
  [[nodiscard]] double sum(std::uint32_t priorities) const {
    double out = 0;
    for (std::uint32_t p = 0; p < kPriorities; ++p)
      if ((priorities >> p & 1U) != 0) out += of[p];
    return out;
  }
};

/// Absent where bytes of one of the priorities (bits) or of RDMA are not to be had.
[[nodiscard]] inline Reading<PriorityBytes> priority_bytes(const Evidence& seen, bool received, double seconds,
                                                           std::uint32_t priorities = kAllPriorities) {
  PriorityBytes out;
  const Reading<Increase> rdma = seen.increase(received ? CounterId::RdmaRxBytes : CounterId::RdmaTxBytes, seconds);
  if (!rdma) return rdma.absent();
  out.rdma = rdma->amount;
  out.seconds = rdma->seconds;
  for (std::uint8_t p = 0; p < kPriorities; ++p) {
    if ((priorities >> p & 1U) == 0) continue;
    const Reading<Increase> one =
        seen.increase(received ? CounterId::RxBytesPriority : CounterId::TxBytesPriority, seconds, p);
    if (!one) return one.absent();
    out.of[p] = one->amount;
  }
  return out;
}

/// Counters of these that the driver can never show; nothing where it can.
[[nodiscard]] inline std::optional<CounterId> bytes_never_shown(const Evidence& seen) {
  for (const CounterId id :
       {CounterId::RxBytesPriority, CounterId::TxBytesPriority, CounterId::RdmaRxBytes, CounterId::RdmaTxBytes})
    if (seen.never_shown(id)) return id;
  return {};
}

/// Priorities that carry RoCE in this design, as bits.
[[nodiscard]] inline std::uint32_t roce_priorities(const Profile& profile) {
  return std::uint32_t{profile.pfc_priorities} | 1U << profile.roce_priority;
}

}  // namespace roceready::rules
