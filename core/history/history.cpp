// SPDX-License-Identifier: Apache-2.0
#include "core/history/history.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <set>
#include <utility>

#include "core/history/columns.h"
#include "core/history/history_impl.h"

namespace roceready {
namespace {

bool lists_ports(const Snapshot& snapshot) {
  return std::none_of(snapshot.collectors.begin(), snapshot.collectors.end(),
                      [](const CollectorRun& run) { return run.collector == "rdma_ports" && run.ran && !run.success; });
}

/// Netdevs whose past matters: members of ports in scope. Netdevs that no port claims are hand-made snapshots.
std::set<std::string> watched(const Snapshot& snapshot) {
  std::set<std::string> out;
  for (const RdmaPort& port : snapshot.ports) {
    if (port.in_scope) out.insert(port.members.begin(), port.members.end());
  }
  if (snapshot.ports.empty()) {
    for (const Netdev& netdev : snapshot.netdevs) out.insert(netdev.link.name);
  }
  return out;
}

/// The port's own netdev, what lies below and what lies above.
void add_netdevs(const RdmaPort& port, std::set<std::string>& to) {
  if (port.netdev) to.insert(*port.netdev);
  to.insert(port.members.begin(), port.members.end());
  to.insert(port.uppers.begin(), port.uppers.end());
}

struct Source {
  std::string owner;
  const CounterReadings* readings;
  std::int64_t read_ns;  // time that the read of its statistics took
};

std::int64_t read_ns_of(const Reading<RawCounters>& counters) {
  return counters ? counters->read_ns : 0;
}

std::vector<Source> sources_of(const Snapshot& snapshot) {
  std::vector<Source> out;
  for (const Netdev& netdev : snapshot.netdevs) {
    out.push_back({netdev.link.name, &netdev.counters, read_ns_of(netdev.ethtool.statistics)});
  }
  for (const RdmaPort& port : snapshot.ports) {
    out.push_back({owner_of(port), &port.counters, read_ns_of(port.hw_counters)});
  }
  return out;
}

const CounterReadings* readings_of(const Snapshot& snapshot, const std::string& owner) {
  for (const Source& source : sources_of(snapshot)) {
    if (source.owner == owner) return source.readings;
  }
  return nullptr;
}

/// Errors that a PCI function reports, as counters. They are read more rarely than the snapshot is taken, and stand
/// still between.
CounterReadings aer_of(const PciFunction& function, const Instant& at) {
  constexpr std::pair<const char*, CounterId> kKinds[] = {{"correctable", CounterId::PcieAerCorrectable},
                                                          {"fatal", CounterId::PcieAerFatal},
                                                          {"nonfatal", CounterId::PcieAerNonfatal}};
  CounterReadings out;
  out.at_monotonic_ns = at.monotonic_ns;
  for (const auto& [kind, id] : kKinds) {
    const auto total = function.aer->find(kind);
    if (total != function.aer->end()) out.values.push_back({id, kNoLane, 64, total->second, 1.0});
  }
  std::sort(out.values.begin(), out.values.end(),
            [](const CounterValue& a, const CounterValue& b) { return a.id < b.id; });
  return out;
}

}  // namespace

std::string owner_of(const RdmaPort& port) {
  return port.device + "/" + std::to_string(port.port);
}

std::string owner_of(const PciFunction& function) {
  return "pci/" + function.address;
}

void History::Impl::note_ports(const Snapshot& before, const Snapshot& now, const Renamed& renamed) {
  const auto has = [](const Snapshot& snapshot, const RdmaPort& port) {
    return std::any_of(snapshot.ports.begin(), snapshot.ports.end(),
                       [&](const RdmaPort& other) { return owner_of(other) == owner_of(port); });
  };
  const auto lives_on = [&](const RdmaPort& port) {
    return std::any_of(now.ports.begin(), now.ports.end(), [&](const RdmaPort& other) {
      const bool shares = std::any_of(port.members.begin(), port.members.end(), [&](const std::string& member) {
        return std::find(other.members.begin(), other.members.end(), member) != other.members.end();
      });
      return owner_of(other) == owner_of(port) || (!port.key.empty() && other.key == port.key) || shares;
    });
  };
  std::erase_if(vanished, lives_on);
  for (const RdmaPort& port : before.ports) {
    if (has(now, port) || renamed.contains(owner_of(port))) continue;
    event(HistoryEvent::Kind::Vanished, owner_of(port), midpoint(now));
    if (port.in_scope && !lives_on(port) && vanished.size() < kMaxVanished) vanished.push_back(port);
  }
}

void History::Impl::note_links(const Snapshot& before, const Snapshot& now, const Renamed& renamed) {
  const Instant at = midpoint(now);
  Renamed name_before;
  for (const auto& [from, to] : renamed) name_before.emplace(to, from);
  const std::set<std::string> mattered = watched(before), matters = watched(now);
  for (const Netdev& netdev : now.netdevs) {
    const std::string& name = netdev.link.name;
    if (!matters.contains(name)) continue;
    const auto other_name = name_before.find(name);
    const Netdev* then = before.netdev(other_name == name_before.end() ? name : other_name->second);
    if (then == nullptr) {
      event(HistoryEvent::Kind::Appeared, name, at);
      continue;
    }
    const NetLink& a = then->link;
    const NetLink& b = netdev.link;
    if (a.admin_up && b.admin_up && *a.admin_up != *b.admin_up) {
      event(*b.admin_up ? HistoryEvent::Kind::AdminUp : HistoryEvent::Kind::AdminDown, name, at);
    }
    std::uint32_t downs = 0;
    if (a.carrier_down_count && b.carrier_down_count) {
      downs = *b.carrier_down_count - *a.carrier_down_count;  // 32-bit, wraps by itself
      if (downs > 0x40000000U) downs = 0;                     // the netdev was made anew
    }
    const bool seen_down = a.carrier && b.carrier && *a.carrier && !*b.carrier;
    if (seen_down && downs == 0) downs = 1;
    for (std::uint32_t i = 0; i < std::min(downs, 8U); ++i) event(HistoryEvent::Kind::LinkDown, name, at);
    if (a.carrier && b.carrier && !*a.carrier && *b.carrier) event(HistoryEvent::Kind::LinkUp, name, at);
  }
  for (const Netdev& netdev : before.netdevs) {
    if (mattered.contains(netdev.link.name) && now.netdev(netdev.link.name) == nullptr &&
        !renamed.contains(netdev.link.name))
      event(HistoryEvent::Kind::Vanished, netdev.link.name, at);
  }
}

void History::Impl::note_counters(const Snapshot& now) {
  const Instant at = midpoint(now);
  std::set<std::string> present;
  for (const Source& source : sources_of(now)) {
    note_owner(source.owner, *source.readings, source.read_ns, at);
    present.insert(source.owner);
  }
  for (const PciFunction& function : now.pci) {
    if (!function.aer) continue;
    const CounterReadings aer = aer_of(function, at);
    note_owner(owner_of(function), aer, 0, at);
    present.insert(owner_of(function));
  }
  // An owner that vanishes and comes back is watched anew; its columns still tell what was.
  for (auto& [name, owner] : owners) {
    if (present.contains(name)) continue;
    owner.last.clear();
    owner.waiting.clear();
    owner.last_read_ns = 0;
    owner.first_seen_ns = 0;
  }
  forget_oldest_vanished(at.monotonic_ns);
}

void History::Impl::forget_oldest_vanished(std::int64_t now_ns) {
  while (owners.size() > kMaxOwners) {
    const auto oldest = std::min_element(owners.begin(), owners.end(), [](const auto& x, const auto& y) {
      return x.second.last_seen_ns < y.second.last_seen_ns;
    });
    if (oldest->second.last_seen_ns >= now_ns) return;  // all of them are here: the sampler's limits hold them
    owners.erase(oldest);
  }
}

History::History(std::vector<CounterId> signals) : impl_(std::make_unique<Impl>()) {
  std::sort(signals.begin(), signals.end());
  impl_->signals = std::move(signals);
}
History::~History() = default;
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;

void History::add(SnapshotPtr snapshot) {
  if (!snapshot) return;
  const Instant at = midpoint(*snapshot);
  if (!impl_->begun) {
    impl_->first = at;
    impl_->begun = true;
  } else if (!impl_->snapshots.empty() && at.monotonic_ns <= midpoint(*impl_->snapshots.back()).monotonic_ns) {
    return;
  }
  if (lists_ports(*snapshot)) {
    if (impl_->listed) {
      const Impl::Renamed renamed = impl_->follow_renames(*impl_->listed, *snapshot);
      impl_->note_ports(*impl_->listed, *snapshot, renamed);
      impl_->note_links(*impl_->listed, *snapshot, renamed);
    }
    impl_->listed = snapshot;
  }
  impl_->note_counters(*snapshot);
  impl_->snapshots.push_back(std::move(snapshot));
  if (impl_->snapshots.size() > kSnapshots) impl_->snapshots.pop_front();
}

void History::forget_ports(const std::function<bool(const RdmaPort&)>& which) {
  std::erase_if(impl_->vanished, which);
  if (!impl_->listed || std::none_of(impl_->listed->ports.begin(), impl_->listed->ports.end(), which)) return;
  Snapshot rest = *impl_->listed;
  std::erase_if(rest.ports, which);
  std::set<std::string> left;
  for (const RdmaPort& port : rest.ports) add_netdevs(port, left);
  std::set<std::string> forgotten;
  for (const RdmaPort& port : impl_->listed->ports) {
    if (which(port)) add_netdevs(port, forgotten);
  }
  std::erase_if(rest.netdevs, [&](const Netdev& netdev) {
    return forgotten.contains(netdev.link.name) && !left.contains(netdev.link.name);
  });
  impl_->listed = std::make_shared<const Snapshot>(std::move(rest));
}

SnapshotPtr History::now() const {
  return impl_->snapshots.empty() ? nullptr : impl_->snapshots.back();
}

SnapshotPtr History::before() const {
  return impl_->snapshots.size() < 2 ? nullptr : impl_->snapshots[impl_->snapshots.size() - 2];
}

double History::observed_seconds() const {
  return impl_->snapshots.empty() ? 0 : seconds_between(impl_->first, midpoint(*impl_->snapshots.back()));
}

double History::observed_seconds(const std::string& owner) const {
  const auto found = impl_->owners.find(owner);
  if (found == impl_->owners.end() || impl_->snapshots.empty() || found->second.first_seen_ns == 0) return 0;
  return static_cast<double>(midpoint(*impl_->snapshots.back()).monotonic_ns - found->second.first_seen_ns) * 1e-9;
}

double History::read_period_seconds(const std::string& owner) const {
  const HistoryOwner* const found = find(owner);
  return found == nullptr ? 0 : read_period_seconds(*found);
}

double History::read_period_seconds(const HistoryOwner& owner) {
  return static_cast<double>(owner.last_period_ns) * 1e-9;
}

const HistoryOwner* History::find(const std::string& owner) const {
  const auto found = impl_->owners.find(owner);
  return found == impl_->owners.end() ? nullptr : &found->second;
}

std::optional<Increase> History::growth(const HistoryOwner& owner, CounterId id, std::uint8_t lane, double seconds,
                                        double ago) const {
  if (impl_->snapshots.empty()) return {};
  const std::optional<Columns::Sum> sum = owner.columns.sum({id, lane}, impl_->end_of(owner), seconds, ago);
  if (!sum) return {};
  return Increase{sum->amount, sum->seconds};
}

void History::growths(const HistoryOwner& owner, CounterId id, std::uint8_t lane, double seconds,
                      std::span<std::optional<Increase>> out) const {
  std::array<std::optional<Columns::Sum>, 8> sums;
  assert(out.size() <= sums.size());
  const std::span<std::optional<Columns::Sum>> asked(sums.data(), std::min(out.size(), sums.size()));
  if (!impl_->snapshots.empty()) owner.columns.sums({id, lane}, impl_->end_of(owner), seconds, asked);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].reset();
    if (k < asked.size() && asked[k]) out[k] = Increase{asked[k]->amount, asked[k]->seconds};
  }
}

Reading<Increase> History::increase(const std::string& owner, CounterId id, std::uint8_t lane, double seconds,
                                    double ago) const {
  if (impl_->snapshots.empty()) return Absent{Why::NotRecorded, "no sample yet"};
  const Snapshot& newest = *impl_->snapshots.back();
  if (const HistoryOwner* const found = find(owner); found != nullptr) {
    if (const auto grown = growth(*found, id, lane, seconds, ago)) return *grown;
  }
  const std::string name = info_of(id).name;
  const CounterReadings* readings = readings_of(newest, owner);
  if (readings == nullptr) return Absent{Why::NotPresent, name + ": " + owner + " is not there"};
  if (readings->find(id, lane) != nullptr) {
    return Absent{Why::NotRecorded, name + ": seen once in this time, growth needs two readings"};
  }
  if (const Absent& why = readings->why(id, lane); !why.detail.empty()) return why;
  return Absent{Why::NotPresent, name + " is not among the counters of " + owner};
}

std::vector<Increase> History::samples(const std::string& owner, CounterId id, std::uint8_t lane,
                                       std::size_t count) const {
  std::vector<Increase> out;
  const auto found = impl_->owners.find(owner);
  if (found == impl_->owners.end()) return out;
  std::array<Columns::Sum, Columns::kSamples> sums;
  const std::span<Columns::Sum> asked(sums.data(), std::min(count, sums.size()));
  const std::size_t known = found->second.columns.newest({id, lane}, asked);
  out.reserve(known);
  for (const Columns::Sum& sum : asked.first(known)) out.push_back({sum.amount, sum.seconds});
  return out;
}

Reading<double> History::unwrapped(const std::string& owner, const CounterValue& value) const {
  if (value.width >= 64) return value.value();
  const auto found = impl_->owners.find(owner);
  if (found == impl_->owners.end()) return value.value();
  const Columns::Signal signal{value.id, value.lane};
  const std::vector<Columns::Signal>& waiting = found->second.waiting;
  const CounterValue* shown = &value;
  if (std::find(waiting.begin(), waiting.end(), signal) != waiting.end()) {
    const auto before =
        std::find_if(found->second.last.begin(), found->second.last.end(), [&](const CounterValue& last) {
          return Columns::Signal{last.id, last.lane} == signal;
        });
    if (before != found->second.last.end()) shown = &*before;
  }
  const auto wraps = found->second.wraps.find(signal);
  const double turns = wraps == found->second.wraps.end() ? 0 : static_cast<double>(wraps->second);
  return (turns * std::exp2(value.width) + static_cast<double>(shown->raw)) * value.scale;
}

const std::vector<RdmaPort>& History::vanished_ports() const {
  return impl_->vanished;
}

const std::deque<HistoryEvent>& History::events() const {
  return impl_->events;
}

std::size_t History::memory_bytes() const {
  std::size_t bytes = sizeof(Impl);
  for (const auto& [name, owner] : impl_->owners)
    bytes += owner.columns.memory_bytes() + name.size() + 64 * owner.wraps.size();
  return bytes + impl_->events.size() * sizeof(HistoryEvent);
}

}  // namespace roceready
