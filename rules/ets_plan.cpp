// SPDX-License-Identifier: Apache-2.0
#include "rules/ets_plan.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "rules/rule.h"
#include "rules/shown.h"

namespace roceready::rules {
namespace {

/// Of the bandwidth for a cluster's heartbeat: what the slowest links take.
constexpr std::uint32_t kHeartbeatPercent = 2;
constexpr std::uint32_t kUsualPercent = 50;

/// What RoCE's class is to have: the profile's share, or the one that the rule in hand was told to ask for.
std::uint32_t wanted_percent(const Evidence& seen) {
  const std::uint32_t usual = seen.profile()->roce_ets_min_percent.value_or(kUsualPercent);
  if (std::string_view(seen.rule().id) != "qos-ets-roce-starved" || !seen.limit_is_set("min_percent")) return usual;
  return static_cast<std::uint32_t>(std::ceil(seen.limit("min_percent")));
}

bool fits(const Evidence& seen, const EtsPlan& plan) {
  if (!seen.has_member() || !seen.member().dcb.ets) return true;
  const std::uint32_t most = seen.member().dcb.ets->capability.value_or(0);
  return most == 0 || plan.classes <= most;
}

}  // namespace

std::optional<EtsPlan> ets_plan(const Evidence& seen) {
  const Profile* const profile = seen.profile();
  if (profile == nullptr || profile->roce_priority == 0) return {};
  EtsPlan out;
  out.by_share[0] = true;
  /// A new class for the priority, unless it has one; 0 where it gets none.
  const auto add = [&out](std::uint32_t priority, bool by_share) -> std::uint32_t {
    if (priority % kPriorities == 0 || out.class_of[priority % kPriorities] != 0) return 0;
    const std::uint32_t added = out.classes++;
    out.class_of[priority % kPriorities] = added;
    out.by_share[added] = by_share;
    return added;
  };
  const std::uint32_t roce = add(profile->roce_priority, true);
  if (profile->cnp_priority) add(*profile->cnp_priority, false);
  const std::uint32_t first = out.classes;
  for (std::uint8_t p = 0; p < kPriorities; ++p)
    if (profile->is_lossless(p)) add(p, true);
  const std::uint32_t end = out.classes, equals = end - first + 1;  // the default class among them
  const std::uint32_t heartbeat = profile->heartbeat_priority ? add(*profile->heartbeat_priority, true) : 0;
  if (!fits(seen, out)) return {};

  if (heartbeat != 0) out.percent[heartbeat] = kHeartbeatPercent;
  const std::uint32_t free = 100 - out.percent[heartbeat];
  out.percent[roce] = std::clamp(wanted_percent(seen), 1U, free - equals);
  const std::uint32_t rest = free - out.percent[roce];
  for (std::uint32_t c = first; c < end; ++c) out.percent[c] = rest / equals;
  out.percent[0] = rest - rest / equals * (equals - 1);
  return out;
}

}  // namespace roceready::rules
