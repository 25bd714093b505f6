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

/// What the lossless class needs; nothing where speed, MTU or cable length are not known.
std::optional<std::uint32_t> needed_bytes(const Evidence& seen) {
  const Reading<std::uint64_t> speed = seen.link_speed();
  const Reading<std::uint32_t>& mtu = seen.member().link.mtu;
  const Reading<std::uint32_t> metres = length_to_reckon_with(seen);
  if (!speed || !mtu || !metres) return {};
  const double exact = headroom_bytes(*metres, static_cast<double>(*speed) * 1e-9, *mtu);
  return static_cast<std::uint32_t>(std::ceil(exact / kUnit) * kUnit);
}

/// Gives the lossless buffers what they need, and buffer 0 what is left; false where that is too little.
bool divide(const Evidence& seen, const BufferFacts& buffers, std::uint32_t needed, BufferPlan& plan) {
  auto& sizes = plan.size_bytes;
  const auto sum = [&] { return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}); };
  const std::uint64_t all = std::max<std::uint64_t>(sum(), buffers.total_bytes.value_or(0));
  bool lossy_first = true;
  if (plan.other_map) sizes = {};
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if (!seen.profile()->is_lossless(priority)) continue;
    const std::uint32_t buffer = plan.priority_to_buffer[priority] % kPriorities;
    sizes[buffer] = std::max(sizes[buffer], needed);
    lossy_first = lossy_first && buffer != 0;
  }
  if (!plan.other_map && sum() <= all) return true;
  const std::uint64_t others = sum() - sizes[0], least = 2 * std::uint64_t{*seen.member().link.mtu};
  if (!lossy_first || others + least > all) return false;
  sizes[0] = static_cast<std::uint32_t>(all - others);
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
  const auto needed = needed_bytes(seen);
  if (!needed) return plan;
  if (!divide(seen, buffers, *needed, plan)) {
    plan.priority_to_buffer = buffers.priority_to_buffer;
    plan.size_bytes = buffers.size_bytes;
    plan.other_map = false;
  }
  plan.other_sizes = plan.size_bytes != buffers.size_bytes;
  return plan;
}

}  // namespace roceready::rules
