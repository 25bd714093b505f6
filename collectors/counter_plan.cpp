// SPDX-License-Identifier: Apache-2.0
#include "collectors/counter_plan.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <tuple>

#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::string_view kPriority = "{prio}";

template <class T>
std::optional<std::uint64_t> raw(const Reading<T>& reading) {
  if (!reading) return std::nullopt;
  return std::uint64_t{*reading};
}

/// A fact that is no member of a set of names, by the name of its row.
std::optional<std::uint64_t> fact_of(const EthtoolFacts& facts, Source source, std::string_view name) {
  if (source == Source::LinkState) {
    return name == "ext-down-cnt" ? raw(field(facts.link_state, &LinkState::extended_down_count)) : std::nullopt;
  }
  if (source == Source::Pause) {
    if (name == "rx_pause_frames") return raw(field(facts.pause, &PauseFacts::rx_frames));
    if (name == "tx_pause_storm_events") return raw(field(facts.pause, &PauseFacts::tx_storm_events));
    return name == "tx_pause_frames" ? raw(field(facts.pause, &PauseFacts::tx_frames)) : std::nullopt;
  }
  if (name == "corrected_blocks") return raw(field(facts.fec, &FecFacts::corrected_blocks));
  if (name == "uncorrectable_blocks") return raw(field(facts.fec, &FecFacts::uncorrectable_blocks));
  return name == "corrected_bits" ? raw(field(facts.fec, &FecFacts::corrected_bits)) : std::nullopt;
}

std::optional<std::uint64_t> fact_of(const NetLink& link, std::string_view name) {
  const auto down = raw(link.carrier_down_count);
  const auto up = raw(link.carrier_up_count);
  if (name == "carrier_down_count") return down;
  if (name == "carrier_changes" && down && up) return (*down + *up) & 0xffffffffU;
  return std::nullopt;
}

std::optional<std::uint64_t> fact_of(const PciFunction& function, std::string_view name) {
  if (name == "current_link_speed") return raw(function.current_speed);
  if (name == "current_link_width") return raw(function.current_width);
  constexpr std::string_view kAer = "aer_dev_";
  if (!name.starts_with(kAer) || !function.aer) return std::nullopt;
  const auto at = function.aer->find(std::string(name.substr(kAer.size())));
  return at == function.aer->end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::uint64_t> value_at(const Reading<RawCounters>& counters, std::uint32_t index) {
  if (!counters || index >= counters->values.size()) return std::nullopt;
  return counters->values[index];
}

}  // namespace

std::optional<std::uint8_t> lane_of_name(std::string_view pattern, std::string_view name) {
  const auto hole = pattern.find(kPriority);
  if (hole == std::string_view::npos) return pattern == name ? std::optional(kNoLane) : std::nullopt;
  const std::string_view tail = pattern.substr(hole + kPriority.size());
  if (name.size() != hole + 1 + tail.size() || !name.starts_with(pattern.substr(0, hole)) || !name.ends_with(tail)) {
    return std::nullopt;
  }
  const char digit = name[hole];
  if (digit < '0' || digit > '7') return std::nullopt;
  return static_cast<std::uint8_t>(digit - '0');
}

namespace {

/// Letters and digits alone, in lower case.
std::string loosened(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

std::optional<std::uint8_t> lane_in(const VendorTable& table, const CounterRow& row, std::string_view name) {
  const auto lane = lane_of_name(row.name, name);
  if (lane || !table.loose_names || row.source != Source::RdmaHwCounters) return lane;
  return loosened(row.name) == loosened(name) ? std::optional(kNoLane) : std::nullopt;
}

/// Rows of one counter are told apart by their place among them; those for any driver come after.
std::uint8_t mark_of(const VendorTable& table, const CounterRow& row) {
  constexpr std::uint8_t kGenericMarks = 128;
  std::uint8_t mark = &table == &generic_table() ? kGenericMarks : 0;
  for (const CounterRow& other : table.rows) {
    if (other.id == row.id) ++mark;
    if (&other == &row) break;
  }
  return mark;
}

}  // namespace

void CounterPlan::add_row(const VendorTable& table, const CounterRow& row, std::uint8_t lane, std::uint32_t index) {
  constexpr std::uint8_t kNarrow = 16;
  Entry entry{row.id, lane == kNoLane ? row.lane : lane, row.width, row.scale, row.source, index, row.name, 0};
  entry.mark = mark_of(table, row);
  entry.when_present = row.group == kWhenPresent;
  entry.in_halves = row.in_halves;
  if (table.narrow_fields_stick && row.width <= kNarrow) entry.full = (std::uint64_t{1} << row.width) - 1;
  entries_.push_back(entry);
}

void CounterPlan::add_names(const VendorTable& table, Source source, const CounterNames& names) {
  std::bitset<256> shown;  // groups
  bool any = false;
  for (const CounterRow& row : table.rows) {
    if (row.source != source || !names) continue;
    for (std::uint32_t i = 0; i < names->size(); ++i) {
      const auto lane = lane_in(table, row, trim((*names)[i]));
      if (!lane) continue;
      add_row(table, row, *lane, i);
      shown.set(row.group);
      any = true;
    }
  }
  // A list that was not read, or of which no name is known, says nothing about what the NIC lacks.
  for (const CounterRow& row : table.rows) {
    if (row.source == source && (row.group == 0 || !any || shown[row.group])) offered_.push_back(row.id);
  }
}

void CounterPlan::add_facts(const VendorTable& table) {
  for (const CounterRow& row : table.rows) {
    if (has_names(row.source) || !is_netdev_side(row.source)) continue;
    add_row(table, row, row.lane, 0);
    if (row.group != kWhenPresent) offered_.push_back(row.id);
  }
}

void CounterPlan::finish() {
  // Of one counter in the order of the table's rows, whatever their sources.
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.id, a.lane, a.mark) < std::tuple(b.id, b.lane, b.mark);
  });
  std::sort(offered_.begin(), offered_.end());
  offered_.erase(std::unique(offered_.begin(), offered_.end()), offered_.end());
}

CounterPlan CounterPlan::for_netdev(const VendorTable* table, const CounterNames& statistics) {
  CounterPlan plan;
  plan.table_ = table;
  plan.first_ = statistics;
  if (table != nullptr) {
    plan.add_names(*table, Source::EthtoolStatistics, statistics);
    plan.add_facts(*table);
  }
  plan.add_facts(generic_table());
  plan.finish();
  return plan;
}

CounterPlan CounterPlan::for_port(const VendorTable* table, const CounterNames& hw, const CounterNames& port) {
  CounterPlan plan;
  plan.table_ = table;
  plan.first_ = hw;
  plan.second_ = port;
  if (table != nullptr) {
    plan.add_names(*table, Source::RdmaHwCounters, hw);
    plan.add_names(*table, Source::RdmaPortCounters, port);
  }
  plan.finish();
  return plan;
}

bool CounterPlan::fits(const VendorTable* table, const CounterNames& first, const CounterNames& second) const {
  return table_ == table && first_ == first && second_ == second && !(entries_.empty() && offered_.empty());
}

namespace {

/// Why a counter of the driver's table has no value: the group was not read, or the driver does not list the name now
/// (mlx5 lists a priority's pause only while PFC is on there).
Absent why_of(const Reading<RawCounters>& group) {
  return group ? Absent{Why::NotPresent, "the driver does not list this counter at present"} : group.absent();
}

/// Why a number that was read is none: the driver's word for "unreadable" (ionic), or a field that is full.
std::optional<Absent> meaningless(const CounterPlan::Entry& entry, std::uint64_t value) {
  const std::string name(entry.name);
  if (value == std::numeric_limits<std::uint64_t>::max())
    return Absent{Why::Malformed, name + ": all bits are set, which means unreadable"};
  if (entry.full == 0 || value < entry.full) return std::nullopt;
  return Absent{Why::Malformed, name + ": the field of " + std::to_string(entry.width) + " bits is full at " +
                                    std::to_string(value) + " and counts no further"};
}

/// For each id and lane the entry that has a value: of the row that `earlier` had, else the first.
template <class ValueOf>
CounterReadings collect(const std::vector<CounterPlan::Entry>& entries, const CounterReadings& earlier,
                        ValueOf&& value_of) {
  CounterReadings out;
  out.values.reserve(entries.size());
  for (auto at = entries.begin(); at != entries.end();) {
    const CounterPlan::Entry& head = *at;
    const CounterValue* before = earlier.find(head.id, head.lane);
    std::optional<CounterValue> chosen;
    std::optional<Absent> refused;
    for (; at != entries.end() && at->id == head.id && at->lane == head.lane; ++at) {
      const bool preferred = before != nullptr && before->source == at->mark && (!chosen || chosen->source != at->mark);
      if (chosen && !preferred) continue;
      const std::optional<std::uint64_t> value = value_of(*at);
      if (!value) continue;
      if (const auto why = meaningless(*at, *value)) {
        if (!refused) refused = why;
        continue;
      }
      chosen = CounterValue{at->id, at->lane, at->width, *value, at->scale, at->mark, at->in_halves};
      if (at->when_present) out.offered.push_back(at->id);
    }
    if (chosen) out.values.push_back(*chosen);
    if (!chosen && refused) out.unreadable.push_back({head.id, head.lane, std::move(*refused)});
  }
  return out;
}

/// What the table offers, and what was only offered because it has a value.
void offer(const std::vector<CounterId>& offered, CounterReadings& out) {
  if (out.offered.empty()) {
    out.offered = offered;
    return;
  }
  out.offered.insert(out.offered.end(), offered.begin(), offered.end());
  std::sort(out.offered.begin(), out.offered.end());
  out.offered.erase(std::unique(out.offered.begin(), out.offered.end()), out.offered.end());
}

}  // namespace

CounterReadings CounterPlan::read(const Netdev& netdev, const PciFunction* function) const {
  CounterReadings out = collect(entries_, netdev.counters, [&](const Entry& entry) -> std::optional<std::uint64_t> {
    switch (entry.source) {
      case Source::EthtoolStatistics:
        return value_at(netdev.ethtool.statistics, entry.index);
      case Source::Carrier:
        return fact_of(netdev.link, entry.name);
      case Source::Pci:
        return function != nullptr ? fact_of(*function, entry.name) : std::nullopt;
      default:
        return fact_of(netdev.ethtool, entry.source, entry.name);
    }
  });
  offer(offered_, out);
  out.driver_known = table_ != nullptr;
  out.why_absent = why_of(netdev.ethtool.statistics);
  return out;
}

CounterReadings CounterPlan::read(const RdmaPort& port) const {
  CounterReadings out = collect(entries_, port.counters, [&](const Entry& entry) {
    return value_at(entry.source == Source::RdmaHwCounters ? port.hw_counters : port.port_counters, entry.index);
  });
  const bool lacks_all = table_ != nullptr && table_->may_lack_hw_counters && !port.hw_counters &&
                         port.hw_counters.absent().why == Why::NotPresent;
  if (!lacks_all) offer(offered_, out);
  out.driver_known = table_ != nullptr;
  out.why_absent = why_of(port.hw_counters);
  return out;
}

}  // namespace roceready
