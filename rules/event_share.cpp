// SPDX-License-Identifier: Apache-2.0
#include "rules/event_share.h"

#include <algorithm>

#include "rules/port_traffic.h"
#include "rules/wording.h"

namespace roceready::rules {

CounterId shown_of(const Evidence& seen, std::initializer_list<CounterId> twins) {
  for (const CounterId id : twins)
    if (!seen.never_shown(id)) return id;
  return *twins.begin();
}

void add_windows(Windows& sum, const Windows& more) {
  sum.latest.amount += more.latest.amount;
  for (std::size_t k = 0; k < sum.complete.size(); ++k) {
    const auto same = std::find(more.ago.begin(), more.ago.end(), sum.ago[k]);
    if (same == more.ago.end()) continue;
    sum.complete[k].amount += more.complete[static_cast<std::size_t>(same - more.ago.begin())].amount;
  }
}

Reading<Windows> sum_of(const Evidence& seen, std::initializer_list<CounterId> ids) {
  std::optional<Windows> sum;
  std::optional<Absent> why;
  for (const CounterId id : ids) {
    const Reading<Windows> windows = seen.windows(id, kMinute, kMinutes);
    if (windows && sum) add_windows(*sum, *windows);
    if (windows && !sum) sum = *windows;
    if (!windows && !why && !seen.never_shown(id)) why = windows.absent();
  }
  if (sum) return *sum;
  return why ? *why : seen.windows(*ids.begin(), kMinute, kMinutes).absent();
}

bool sum_readable(const Evidence& seen, Outcomes& out, std::initializer_list<CounterId> ids,
                  const Reading<Windows>& windows) {
  return readable(seen, out, shown_of(seen, ids), windows);
}

namespace {

/// Why a counter that a driver of the port knows cannot be read; nothing where it can, or where nobody knows it.
std::optional<Absent> hidden(const Evidence& seen, CounterId id) {
  if (!seen.never_shown(id)) {
    const Reading<double> value = seen.counter(id);
    return value ? std::nullopt : std::optional(value.absent());
  }
  if (seen.has_member()) return std::nullopt;
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    if (member == nullptr || !member->counters.can_show(id) || member->counters.find(id) != nullptr) continue;
    const Absent& why = member->counters.why(id);
    if (!why.detail.empty()) return why;
    return Absent{Why::NotPresent, std::string(info_of(id).name) + " of " + name + " is not shown at present"};
  }
  return std::nullopt;
}

}  // namespace

bool nothing_hidden(const Evidence& seen, Outcomes& out, std::initializer_list<CounterId> ids,
                    std::optional<std::uint8_t> priority) {
  for (const CounterId id : ids) {
    const std::optional<Absent> why = hidden(seen, id);
    if (!why) continue;
    out.unknown(*why, priority);
    return false;
  }
  return true;
}

std::optional<EventShare> share_of_packets(const Evidence& seen, Outcomes& out, const Windows& events,
                                           CounterId packets, double min_events, double min_packets) {
  EventShare share{events, events, 0};
  const Reading<Increase> moved = port_increase(seen, packets, kMinute);
  const auto some = [](const Increase& window) { return window.amount > 0; };
  const bool any = some(events.latest) || std::any_of(events.complete.begin(), events.complete.end(), some);
  if (any && !moved) {
    if (seen.never_shown(packets) && (seen.has_member() || seen.port().members.empty()))
      out.not_looked_at("never_shown", "this NIC's driver does not count the packets that the events are compared with",
                        "");
    else
      out.unknown(moved.absent());
    return std::nullopt;
  }
  if (moved) share.packets = moved->amount;
  const auto compare = [&](Increase& window, double ago) {
    if (window.amount <= 0 || window.amount < min_events) {
      window = {0, 1};
      return;
    }
    const Reading<Increase> of_window = port_increase(seen, packets, kMinute, kNoLane, ago);
    const bool enough = of_window && of_window->amount >= min_packets;
    window = {enough ? window.amount / of_window->amount : 0, 1};
  };
  compare(share.shares.latest, 0);
  for (std::size_t k = 0; k < share.shares.complete.size(); ++k) compare(share.shares.complete[k], share.shares.ago[k]);
  return share;
}

void quiet_share(const Evidence& seen, Outcomes& out, const EventShare& share, double min_packets) {
  if (share.events.latest.amount > 0 && share.packets < min_packets)
    return out.not_looked_at(
        "longer_window", "only " + counted(share.packets, "packet") + " in the last minute: too few to judge a share",
        "a window with traffic");
  quiet(seen, out, kSustainedSeconds);
}

std::string sustained_words(bool sustained) {
  return sustained ? ", and so in three of the last five minutes." : "; that is not sustained yet.";
}

bool outgrows_packets(const Evidence& seen, CounterId events, CounterId packets) {
  constexpr double kLeast = 1000;
  const auto grew = seen.growth(events, kMinutes * kMinute);
  if (!grew || grew->amount < kLeast) return false;
  const Reading<Increase> moved = port_increase(seen, packets, kMinutes * kMinute);
  return moved && grew->amount > moved->amount;
}

}  // namespace roceready::rules
