// SPDX-License-Identifier: Apache-2.0
// History as bytes and back. What is read was written by an earlier process, or by anybody: it is checked throughout.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/bytes.h"
#include "core/history/history_impl.h"
#include "core/snapshot/snapshot_json.h"

namespace roceready {
namespace {

constexpr std::uint32_t kMagic = 0x31485252;  // "RRH1"
constexpr std::size_t kMostName = 256, kMostJson = std::size_t{8} << 20U, kMostValues = 4096;
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

enum Run : std::uint8_t { kNothingRun, kEqualRun, kLiteralRun };

bool same_bits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || a == b;
}

/// Most slots hold nothing or 0, so equal neighbours are written once.
void save_floats(ByteWriter& to, const float* values, std::size_t count) {
  for (std::size_t at = 0; at < count;) {
    std::size_t equal = 1;
    while (at + equal < count && same_bits(values[at + equal], values[at])) ++equal;
    if (std::isnan(values[at])) {
      to.u8(kNothingRun);
      to.u32(static_cast<std::uint32_t>(equal));
      at += equal;
      continue;
    }
    if (equal >= 3) {
      to.u8(kEqualRun);
      to.u32(static_cast<std::uint32_t>(equal));
      to.f32(values[at]);
      at += equal;
      continue;
    }
    std::size_t end = at + 1;
    while (end < count && !std::isnan(values[end]) &&
           !(end + 2 < count && values[end] == values[end + 1] && values[end] == values[end + 2]))
      ++end;
    to.u8(kLiteralRun);
    to.u32(static_cast<std::uint32_t>(end - at));
    for (; at < end; ++at) to.f32(values[at]);
  }
}

/// Exactly `count` of them; each nothing (where that is allowed) or finite and not negative.
bool load_floats(ByteReader& from, float* values, std::size_t count, bool may_be_nothing) {
  for (std::size_t at = 0; at < count;) {
    const std::uint8_t kind = from.u8();
    const std::size_t length = from.u32();
    if (!from.good() || kind > kLiteralRun || length == 0 || length > count - at) return false;
    float value = kind == kNothingRun ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
    if (kind == kEqualRun) value = from.f32();
    for (std::size_t i = 0; i < length; ++i, ++at) {
      if (kind == kLiteralRun) value = from.f32();
      const bool fits = kind == kNothingRun ? may_be_nothing : std::isfinite(value) && value >= 0;
      if (!from.good() || !fits) return false;
      values[at] = value;
    }
  }
  return true;
}

void save_signal(ByteWriter& to, Columns::Signal signal) {
  to.text(info_of(signal.first).name);
  to.u8(signal.second);
}

/// Nothing for a name that this version does not know; that is no fault.
std::pair<std::optional<CounterId>, std::uint8_t> load_signal(ByteReader& from) {
  const std::optional<CounterId> id = counter_from_name(from.text(kMostName));
  return {id, from.u8()};
}

std::int64_t load_time(ByteReader& from) {
  const std::int64_t out = from.i64();
  if (out < 0 || out > kFar) from.fail();
  return out;
}

void save_instant(ByteWriter& to, const Instant& at) {
  to.i64(at.monotonic_ns);
  to.i64(at.wall_ns);
}

Instant load_instant(ByteReader& from) {
  const std::int64_t monotonic = load_time(from);
  return {monotonic, load_time(from)};
}

}  // namespace

void Columns::save(ByteWriter& to) const {
  to.u8(started_ ? 1 : 0);
  if (!started_) return;
  for (const std::int64_t slot : last_slot_) to.i64(slot);
  to.u64(sample_count_);
  save_floats(to, sample_seconds_.data(), kSamples);
  for (std::size_t t = 0; t < kTiers.size(); ++t) save_floats(to, covered_[t].data(), kTiers[t].slots);
  to.u32(static_cast<std::uint32_t>(signals_.size()));
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    const Rings& rings = rings_[i];
    save_signal(to, signals_[i]);
    for (std::size_t t = 0; t < kTiers.size(); ++t) save_floats(to, amounts_of(rings, t).data(), kTiers[t].slots);
    save_floats(to, rings.samples.data(), kSamples);
  }
}

bool Columns::load(ByteReader& from, const std::vector<CounterId>& wanted) {
  const auto refuse = [&] {
    from.fail();
    return false;
  };
  Columns read;
  const std::uint8_t started = from.u8();
  if (!from.good() || started > 1) return refuse();
  if (started == 1) {
    read.started_ = true;
    for (std::int64_t& slot : read.last_slot_) slot = load_time(from);
    read.sample_count_ = from.u64();
    if (!load_floats(from, read.sample_seconds_.data(), kSamples, false)) return refuse();
    for (std::size_t t = 0; t < kTiers.size(); ++t) {
      read.covered_[t].assign(kTiers[t].slots, 0.0F);
      if (!load_floats(from, read.covered_[t].data(), kTiers[t].slots, false)) return refuse();
    }
    const std::size_t count = from.count(kMaxSignals);
    for (std::size_t i = 0; i < count; ++i) {
      const auto [id, lane] = load_signal(from);
      Rings rings;
      for (std::size_t t = 0; t < kTiers.size(); ++t) {
        std::vector<float> amounts(kTiers[t].slots);
        if (!load_floats(from, amounts.data(), kTiers[t].slots, true)) return refuse();
        read.fill(rings, t, amounts);
      }
      if (!load_floats(from, rings.samples.data(), kSamples, true)) return refuse();
      if (!id || !std::binary_search(wanted.begin(), wanted.end(), *id)) continue;
      const Signal signal{*id, lane};
      const std::size_t place = read.place_of(signal);
      if (place < read.signals_.size() && read.signals_[place] == signal) return refuse();
      read.insert(place, signal, std::move(rings));
    }
  }
  if (!from.good()) return refuse();
  if (read.started_) read.index_anew();
  *this = std::move(read);
  return true;
}

void Columns::index_anew() {
  std::array<std::int64_t, kTiers.size()> sums{};
  for (std::size_t t = 0; t < kTiers.size(); ++t)
    for (const float seconds : covered_[t]) sums[t] += nanoseconds_of(static_cast<double>(seconds));
  covered_in_all_ns_ = *std::max_element(sums.begin(), sums.end());
  for (std::size_t t = 0; t < kTiers.size(); ++t) {
    const auto slots = static_cast<std::int64_t>(kTiers[t].slots);
    covered_until_ns_[t].assign(kTiers[t].slots, 0);
    // All tiers end at the same sum.
    std::int64_t until = covered_in_all_ns_ - sums[t];
    for (std::int64_t slot = std::max<std::int64_t>(0, last_slot_[t] - slots + 1); slot <= last_slot_[t]; ++slot) {
      const auto at = static_cast<std::size_t>(slot % slots);
      until += nanoseconds_of(static_cast<double>(covered_[t][at]));
      covered_until_ns_[t][at] = until;
      for (Rings& rings : rings_) {
        const float amount = amount_in(rings, t, slot);
        if (amount > 0) rings.last_grown[t] = slot;
        if (std::isnan(amount) && covered_[t][at] > 0) rings.last_missing[t] = slot;
      }
    }
  }
  for (Rings& rings : rings_) flatten(rings);
}

namespace {

void save_owner(ByteWriter& to, const HistoryOwner& owner) {
  for (const std::int64_t at : {owner.first_seen_ns, owner.last_read_ns, owner.last_period_ns, owner.last_seen_ns})
    to.i64(at);
  to.u32(static_cast<std::uint32_t>(owner.wraps.size()));
  for (const auto& [signal, turns] : owner.wraps) {
    save_signal(to, signal);
    to.u64(turns);
  }
  to.u32(static_cast<std::uint32_t>(owner.last.size()));
  for (const CounterValue& value : owner.last) {
    save_signal(to, {value.id, value.lane});
    to.u8(value.width);
    to.u64(value.raw);
    to.f64(value.scale);
    to.u8(value.source);
  }
  owner.columns.save(to);
}

bool load_owner(ByteReader& from, HistoryOwner& owner, const std::vector<CounterId>& wanted) {
  owner.first_seen_ns = load_time(from);
  owner.last_read_ns = load_time(from);
  owner.last_period_ns = load_time(from);
  owner.last_seen_ns = load_time(from);
  const std::size_t wraps = from.count(kMostValues);
  for (std::size_t i = 0; i < wraps; ++i) {
    const auto [id, lane] = load_signal(from);
    const std::uint64_t turns = from.u64();
    if (id) owner.wraps[{*id, lane}] = turns;
  }
  const std::size_t values = from.count(kMostValues);
  for (std::size_t i = 0; i < values; ++i) {
    const auto [id, lane] = load_signal(from);
    CounterValue value;
    value.lane = lane;
    value.width = from.u8();
    value.raw = from.u64();
    value.scale = from.f64();
    value.source = from.u8();
    if (value.width == 0 || value.width > 64 || !std::isfinite(value.scale) || value.scale <= 0) from.fail();
    if (!from.good()) return false;
    if (id) value.id = *id, owner.last.push_back(value);
  }
  // Another version may number the signals in another order.
  std::sort(owner.last.begin(), owner.last.end(), [](const CounterValue& a, const CounterValue& b) {
    return std::pair(a.id, a.lane) < std::pair(b.id, b.lane);
  });
  return owner.columns.load(from, wanted);
}

/// Ports and links: what the next snapshot is compared with. Counters stay behind, the owners have theirs.
std::string ports_text(const std::vector<RdmaPort>& ports, const std::vector<Netdev>& netdevs) {
  Snapshot out;
  const Absent dropped{Why::NotRecorded, "not kept over a restart"};
  for (RdmaPort port : ports) {
    port.hw_counters = dropped;
    port.port_counters = dropped;
    port.counters = {};
    port.vendor_files.clear();
    out.ports.push_back(std::move(port));
  }
  for (const Netdev& netdev : netdevs) {
    Netdev link;
    link.link = netdev.link;
    out.netdevs.push_back(std::move(link));
  }
  return to_json(out).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Snapshot> ports_from(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return {};
  auto out = snapshot_from_json(json);
  if (!out) return {};
  return std::move(*out);
}

}  // namespace

std::string History::save() const {
  ByteWriter to;
  to.u32(kMagic);
  to.u8(impl_->begun ? 1 : 0);
  save_instant(to, impl_->first);
  to.u32(static_cast<std::uint32_t>(impl_->owners.size()));
  for (const auto& [name, owner] : impl_->owners) {
    to.text(name);
    save_owner(to, owner);
  }
  to.u32(static_cast<std::uint32_t>(impl_->events.size()));
  for (const HistoryEvent& event : impl_->events) {
    to.u8(static_cast<std::uint8_t>(event.kind));
    to.text(event.owner);
    save_instant(to, event.at);
  }
  to.text(ports_text(impl_->vanished, {}));
  to.u8(impl_->listed ? 1 : 0);
  if (impl_->listed) to.text(ports_text(impl_->listed->ports, impl_->listed->netdevs));
  return to.take();
}

Result<History> History::load(std::string_view bytes, std::vector<CounterId> signals) {
  const Error refused{ErrorCode::Malformed, "the kept history makes no sense", "", 0};
  History out(std::move(signals));
  Impl& impl = *out.impl_;
  ByteReader from(bytes);
  if (from.u32() != kMagic) return refused;
  impl.begun = from.u8() != 0;
  impl.first = load_instant(from);
  const std::size_t owners = from.count(kMaxOwners);
  for (std::size_t i = 0; i < owners; ++i) {
    const std::string name = from.text(kMostName);
    if (!load_owner(from, impl.owners[name], impl.signals)) return refused;
  }
  const std::size_t events = from.count(kMaxEvents);
  for (std::size_t i = 0; i < events; ++i) {
    HistoryEvent event;
    const std::uint8_t kind = from.u8();
    if (kind > static_cast<std::uint8_t>(HistoryEvent::Kind::ConfigChanged)) return refused;
    event.kind = static_cast<HistoryEvent::Kind>(kind);
    event.owner = from.text(kMostName);
    event.at = load_instant(from);
    impl.events.push_back(std::move(event));
  }
  auto vanished = ports_from(from.text(kMostJson));
  if (!vanished || vanished->ports.size() > kMaxVanished) return refused;
  impl.vanished = std::move(vanished->ports);
  if (from.u8() != 0) {
    auto listed = ports_from(from.text(kMostJson));
    if (!listed) return refused;
    impl.listed = std::make_shared<const Snapshot>(std::move(*listed));
  }
  if (!from.at_end()) return refused;
  return out;
}

}  // namespace roceready
