// SPDX-License-Identifier: Apache-2.0
#include "rules/buffer_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rules/qos/port_buffer.h"

namespace roceready::rules {
namespace {

constexpr double kUnit = 1024;  // sizes are rounded up to it

bool keeps_apart(const BufferFacts& buffers, const Profile& profile) {
  for (std::uint8_t own = 0; own < kPriorities; ++own)
    for (std::uint8_t other = 0; other < kPriorities; ++other)
      if (profile.is_lossless(own) && !profile.is_lossless(other) &&
          buffers.priority_to_buffer[own] == buffers.priority_to_buffer[other])
        return false;
  return true;
}

/// Gives the lossless buffers what they need; false where there is not that much.
bool enlarge(const Evidence& seen, const BufferFacts& buffers, BufferPlan& plan) {
  const Reading<std::uint64_t> speed = seen.link_speed();
  const Reading<std::uint32_t>& mtu = seen.member().link.mtu;
  const Reading<std::uint32_t> metres = cable_metres(seen);
  if (!speed || !mtu || !metres) return false;
  const double exact = headroom_bytes(*metres, static_cast<double>(*speed) * 1e-9, *mtu);
  const auto needed = static_cast<std::uint32_t>(std::ceil(exact / kUnit) * kUnit);
  auto sizes = buffers.size_bytes;
  const auto sum = [&] { return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}); };
  const std::uint64_t all = std::max<std::uint64_t>(sum(), buffers.total_bytes.value_or(0));
  bool lossy_first = true;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if (!seen.profile()->is_lossless(priority)) continue;
    const std::uint32_t buffer = plan.priority_to_buffer[priority] % kPriorities;
    sizes[buffer] = std::max(sizes[buffer], needed);
    lossy_first = lossy_first && buffer != 0;
  }
  if (sum() > all) {
    const std::uint64_t over = sum() - all;
    if (!lossy_first || sizes[0] < over + 2 * *mtu) return false;
    sizes[0] -= static_cast<std::uint32_t>(over);
  }
  plan.size_bytes = sizes;
  return true;
}

}  // namespace

double headroom_bytes(double metres, double gigabits_per_second, double mtu) {
  return (301 + 2.16 * metres) * gigabits_per_second + 2.72 * mtu + mtu;
}

std::optional<BufferPlan> buffer_plan(const Evidence& seen) {
  if (seen.profile() == nullptr || !seen.has_member() || !seen.member().dcb.buffers) return {};
  const BufferFacts& buffers = *seen.member().dcb.buffers;
  BufferPlan plan;
  plan.priority_to_buffer = buffers.priority_to_buffer;
  plan.size_bytes = buffers.size_bytes;
  plan.other_map = !keeps_apart(buffers, *seen.profile());
  for (std::uint8_t priority = 0; plan.other_map && priority < kPriorities; ++priority)
    plan.priority_to_buffer[priority] = seen.profile()->is_lossless(priority) ? 1 : 0;
  plan.other_sizes = enlarge(seen, buffers, plan) && plan.size_bytes != buffers.size_bytes;
  return plan;
}

}  // namespace roceready::rules
