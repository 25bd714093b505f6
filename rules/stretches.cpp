// SPDX-License-Identifier: Apache-2.0
#include "rules/stretches.h"

#include <algorithm>
#include <string_view>

#include "core/base/time.h"

namespace roceready::rules {
namespace {

constexpr double kReachSeconds = 600, kStepSeconds = 10, kRestSeconds = 60;
constexpr double kBackground = 0.1;  // of the most in one step

/// What rules read to see how much there was to lose, not what was lost.
bool is_traffic(CounterId id) {
  switch (id) {
    case CounterId::RdmaTxPackets:
    case CounterId::RdmaRxPackets:
    case CounterId::RdmaRxGoodPackets:
    case CounterId::RdmaTxBytes:
    case CounterId::RdmaRxBytes:
    case CounterId::RxPacketsPhy:
    case CounterId::RxBytesPhy:
    case CounterId::RxBytesPriority:
    case CounterId::TxBytesPriority:
    case CounterId::TxPacketsPriority:
    case CounterId::RxLineBits:
    case CounterId::VportLoopbackPackets:
      return true;
    default:
      return false;
  }
}

std::int64_t nanoseconds_of(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e9);
}

constexpr double kHour = 3600, kDay = 24 * kHour;

/// Puts a stretch that is older than all before it to the others.
void add(std::vector<Stretch>& to, const Stretch& stretch) {
  if (!to.empty() && to.back().began_ns - stretch.ended_ns < nanoseconds_of(kRestSeconds))
    to.back().began_ns = std::min(to.back().began_ns, stretch.began_ns);
  else
    to.push_back(stretch);
}

std::vector<Stretch> growth_of(const Evidence& seen, CounterId id, std::uint8_t lane) {
  const std::int64_t now = midpoint(seen.now()).monotonic_ns;
  // Growth is booked where its read ended.
  const std::int64_t known_to = nanoseconds_of(std::max(kStepSeconds, seen.read_period_seconds(id)));
  std::vector<double> grown;
  for (double ago = 0; ago < kReachSeconds; ago += kStepSeconds) {
    const auto one = seen.growth(id, kStepSeconds, lane, ago);
    grown.push_back(one ? one->amount : 0);
  }
  const double most = *std::max_element(grown.begin(), grown.end());
  std::vector<Stretch> out;
  for (std::size_t k = 0; k < grown.size(); ++k) {
    if (!(grown[k] > 0) || grown[k] < kBackground * most) continue;
    const std::int64_t ended = now - nanoseconds_of(static_cast<double>(k) * kStepSeconds);
    add(out, {ended - known_to, ended});
  }
  return out;
}

/// When it grew last, where that was longer ago than the others reach.
std::vector<Stretch> last_growth_of(const Evidence& seen, CounterId id, std::uint8_t lane) {
  const std::int64_t now = midpoint(seen.now()).monotonic_ns;
  double step = 60;
  for (double ago = kReachSeconds; ago < std::min(kDay, seen.observed_seconds()); ago += step) {
    if (ago >= kHour) step = 600;
    const auto grown = seen.growth(id, step, lane, ago);
    if (grown && grown->amount > 0) return {{now - nanoseconds_of(ago + step), now - nanoseconds_of(ago)}};
  }
  return {};
}

/// Losses of carrier that were seen, and a link that is down now.
std::vector<Stretch> downs_of(const Evidence& seen, bool is_down) {
  using Kind = HistoryEvent::Kind;
  const Instant now = midpoint(seen.now());
  std::vector<Stretch> out;
  if (is_down) {
    const double known = seen.history().observed_seconds(seen.member().link.name);
    out.push_back({now.monotonic_ns - nanoseconds_of(known), now.monotonic_ns});
  }
  const std::vector<HistoryEvent> events = seen.events(Kind::LinkDown, kDay);
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    const std::int64_t at = event->at.monotonic_ns;
    if (is_down) return {{at, now.monotonic_ns}};
    add(out, {at, at});
  }
  return out;
}

}  // namespace

std::vector<Stretch> stretches_of(const Evidence& seen, std::optional<std::uint8_t> priority) {
  const Few<CounterId, 12>& needs = seen.rule().needs;
  if (seen.has_member()) {
    if (std::string_view(seen.rule().id) == "link-down") return downs_of(seen, true);
    if (std::find(needs.begin(), needs.end(), CounterId::CarrierDownEvents) != needs.end())
      if (std::vector<Stretch> downs = downs_of(seen, false); !downs.empty()) return downs;
  }
  const auto lane_of = [&](CounterId id) {
    return info_of(id).lane_kind == LaneKind::Priority ? priority.value_or(kNoLane) : kNoLane;
  };
  for (const CounterId id : needs) {
    const auto whole = is_traffic(id) ? std::nullopt : seen.growth(id, kReachSeconds, lane_of(id));
    if (whole && whole->amount > 0) return growth_of(seen, id, lane_of(id));
  }
  for (const CounterId id : needs) {
    const bool shown = !is_traffic(id) && seen.is_shown(id, lane_of(id));
    if (std::vector<Stretch> last = shown ? last_growth_of(seen, id, lane_of(id)) : std::vector<Stretch>();
        !last.empty())
      return last;
  }
  return {};
}

}  // namespace roceready::rules
