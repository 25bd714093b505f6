// SPDX-License-Identifier: Apache-2.0
#include "rules/unread_counters.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/history/history.h"
#include "rules/engine.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

using Counters = std::bitset<kCounterIds>;

/// Those of loss and transport: counters of the line and of pause do not tell what becomes of packets.
const Counters& read_by_rules() {
  static const Counters all = [] {
    Counters out;
    for (const Rule* rule : catalogue()) {
      const std::string_view family = rule->family;
      if (family != "drop" && family != "transport") continue;
      for (const CounterId id : rule->needs) out.set(static_cast<std::size_t>(id));
    }
    return out;
  }();
  return all;
}

bool is_read(CounterId id) {
  return id < CounterId::kCount && read_by_rules()[static_cast<std::size_t>(id)];
}

}  // namespace

std::optional<Gap> counters_unread(const Snapshot& now, const RdmaPort& port) {
  std::vector<const CounterReadings*> sides{&port.counters};
  std::vector<std::string> commands{"rdma statistic show link " + owner_of(port)};
  for (const std::string& name : port.members) {
    commands.push_back("ethtool -S " + name);
    if (const Netdev* member = now.netdev(name)) sides.push_back(&member->counters);
  }
  bool could_show = false;
  Absent why{Why::NotRecorded, "none was recorded"};
  for (const CounterReadings* side : sides) {
    if (std::any_of(side->values.begin(), side->values.end(), [](const CounterValue& v) { return is_read(v.id); }))
      return std::nullopt;
    could_show = could_show || !side->driver_known || std::any_of(side->offered.begin(), side->offered.end(), is_read);
    if (!side->why_absent.detail.empty()) why = side->why_absent;
  }
  if (!could_show) return std::nullopt;
  Subject subject;
  subject.device = port.device;
  subject.port = port.port;
  subject.netdev = port.netdev.value_or("");
  return Gap{"", subject, name_of(why.why),
             "no counter of loss or transport of " + owner_of(port) + " was read (" + why.detail +
                 "), so nobody knows whether it loses packets",
             joined(commands)};
}

}  // namespace roceready::rules
