// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/port_traffic.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What counts a fault or a pause, so that a number of it is worth telling although nobody knows when it came.
constexpr CounterId kTelling[] = {CounterId::OutOfSequence,
                                  CounterId::PacketSeqErr,
                                  CounterId::LocalAckTimeout,
                                  CounterId::NakSeqSent,
                                  CounterId::RnrNakReceived,
                                  CounterId::RnrNakSent,
                                  CounterId::OutOfBuffer,
                                  CounterId::TransportRetryExceeded,
                                  CounterId::RnrRetryExceeded,
                                  CounterId::RetransmittedPackets,
                                  CounterId::ReqCqeError,
                                  CounterId::RespCqeError,
                                  CounterId::DuplicateRequest,
                                  CounterId::RxDiscardsPhy,
                                  CounterId::TxDiscardsPhy,
                                  CounterId::RxDiscardsPriority,
                                  CounterId::RxCrcErrors,
                                  CounterId::RxErrorsPhy,
                                  CounterId::FecUncorrectableBlocks,
                                  CounterId::SymbolErrorsUncorrected,
                                  CounterId::FecCorrectedBits,
                                  CounterId::LinkDownEvents,
                                  CounterId::PfcRxPauseFrames,
                                  CounterId::PfcTxPauseFrames,
                                  CounterId::GlobalPauseRxFrames,
                                  CounterId::GlobalPauseTxFrames,
                                  CounterId::RxIcrcErrors,
                                  CounterId::RoceAdpRetrans};

/// Those whose rules need more than their growth: a profile, packets, a setting.
constexpr CounterId kConditional[] = {
    CounterId::OutOfSequence,    CounterId::OutOfSequenceEvents, CounterId::PacketSeqErr,
    CounterId::ImpliedNak,       CounterId::LocalAckTimeout,     CounterId::RoceAdpRetrans,
    CounterId::RxDiscardsPhy,    CounterId::RxDiscardsPriority,  CounterId::PfcRxPauseFrames,
    CounterId::PfcTxPauseFrames, CounterId::GlobalPauseRxFrames, CounterId::GlobalPauseTxFrames,
    CounterId::MacPauseRxFrames, CounterId::MacPauseTxFrames};

bool is_telling(CounterId id) {
  return std::find(std::begin(kTelling), std::end(kTelling), id) != std::end(kTelling);
}

std::string name_of_value(const CounterValue& value) {
  std::string out = info_of(value.id).name;
  if (value.lane != kNoLane) out += " " + std::to_string(value.lane);
  return out;
}

/// On Intel the pauses of a traffic class are counted on each of its priorities: equal numbers are one number.
bool is_counted_by_class(const Evidence& seen, CounterId id) {
  return seen.vendor() == "intel" && (id == CounterId::PfcRxPauseFrames || id == CounterId::PfcTxPauseFrames);
}

/// Priorities on which the counter shows the same number as `value` does, as bits.
std::uint32_t priorities_alike(const CounterReadings& readings, const CounterValue& value) {
  std::uint32_t out = 0;
  for (const CounterValue& other : readings.values)
    if (other.id == value.id && other.raw == value.raw && other.lane < kPriorities) out |= 1U << other.lane;
  return out;
}

/// Who counts for a port: its RDMA side, or a member.
struct Side {
  std::string owner;
  const CounterReadings* readings;
  std::string source;
  const Reading<RawCounters>* raw;
};

/// A statistic of a driver that no table knows, by what its name says.
bool is_telling(const std::string& name) {
  for (const char* word : {"pause", "out_of_seq", "retrans", "discard", "crc_err", "timeout_err"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Whether the packets that a counter is measured against may exist and were not read twice.
bool lacks_packets(const Evidence& seen, CounterId packets, double seconds) {
  const Reading<Increase> moved = port_increase(seen, packets, seconds);
  return !moved && moved.absent().why != Why::NotSupported;
}

std::optional<Increase> growth_of(const Evidence& seen, const Side& side, CounterId id, std::uint8_t lane,
                                  double seconds) {
  const HistoryOwner* past = seen.history().find(side.owner);
  if (past == nullptr || side.readings->find(id, lane) == nullptr) return std::nullopt;
  return seen.history().growth(*past, id, lane, seconds);
}

/// Of the snapshot before; null: it was not read there.
const CounterValue* value_before(const Evidence& seen, const Side& side, CounterId id, std::uint8_t lane) {
  const SnapshotPtr before = seen.history().before();
  if (!before) return nullptr;
  if (const Netdev* netdev = before->netdev(side.owner)) return netdev->counters.find(id, lane);
  for (const RdmaPort& port : before->ports)
    if (owner_of(port) == side.owner) return port.counters.find(id, lane);
  return nullptr;
}

/// What the rule that judges a counter's growth lacks here.
enum class Lack : std::uint8_t { Nothing, Profile, Packets, Setting };

/// Drops of the whole port: by drop-rx-lossless-prio where PFC is on, else by drop-rx-no-pfc.
Lack lack_of_drops(const Evidence& seen, const Side& side, double seconds) {
  if (seen.profile() == nullptr) return Lack::Profile;
  const Profile& profile = *seen.profile();
  if (profile.mode == kNotRoce) return Lack::Nothing;  // what TCP loses is not ours to tell
  const Netdev* netdev = seen.now().netdev(side.owner);
  if (netdev == nullptr) return Lack::Setting;
  const Reading<PfcFacts>& pfc = netdev->dcb.pfc;
  const bool lossy = profile.mode == kLossy;
  if (pfc && pfc->on(profile.roce_priority)) return lossy ? Lack::Setting : Lack::Nothing;
  const bool comparable = growth_of(seen, side, CounterId::RxPacketsPhy, kNoLane, seconds).has_value();
  return comparable && (pfc || lossy) ? Lack::Nothing : Lack::Setting;
}

/// Pauses of a lossless priority are judged by their time, or by frames and the link's speed where no time is counted.
Lack lack_of_pauses(const Evidence& seen, const Side& side, CounterId id, std::uint8_t priority, double seconds) {
  if (seen.profile() == nullptr) return Lack::Profile;
  if (!seen.profile()->is_lossless(priority)) return Lack::Nothing;  // other rules look at the frames
  const CounterId time =
      id == CounterId::PfcRxPauseFrames ? CounterId::PfcRxPauseDuration : CounterId::PfcTxPauseDuration;
  if (side.readings->can_show(time))
    return growth_of(seen, side, time, priority, seconds) ? Lack::Nothing : Lack::Setting;
  const Netdev* netdev = seen.now().netdev(side.owner);
  const bool fast = netdev != nullptr && field(netdev->ethtool.link_modes, &LinkModes::speed_bits_per_second);
  return fast ? Lack::Nothing : Lack::Setting;
}

/// Link-level pause is judged by its setting.
Lack lack_of_link_pauses(const Evidence& seen, const Side& side) {
  const Netdev* netdev = seen.now().netdev(side.owner);
  if (netdev == nullptr || !netdev->ethtool.pause) return Lack::Setting;
  const bool off = !netdev->ethtool.pause->rx.value_or(true) && !netdev->ethtool.pause->tx.value_or(true);
  return seen.profile() == nullptr && !off ? Lack::Profile : Lack::Nothing;
}

/// Whether pauses have counters that tell PFC from link-level pause; those of the MAC may hold both.
bool counts_pauses_apart(const Side& side) {
  return std::any_of(side.readings->values.begin(), side.readings->values.end(), [](const CounterValue& value) {
    return value.id == CounterId::PfcRxPauseFrames || value.id == CounterId::PfcTxPauseFrames ||
           value.id == CounterId::GlobalPauseRxFrames || value.id == CounterId::GlobalPauseTxFrames;
  });
}

Lack lack_of(const Evidence& seen, const Side& side, const CounterValue& value, double seconds) {
  const bool adaptive = seen.profile() != nullptr && seen.profile()->adaptive_routing;
  const Lack by_profile = seen.profile() == nullptr ? Lack::Profile : Lack::Nothing;
  const auto share_of = [&](CounterId packets) {
    if (adaptive) return Lack::Nothing;  // packets overtake each other by design
    return lacks_packets(seen, packets, seconds) ? Lack::Packets : by_profile;
  };
  switch (value.id) {
    case CounterId::OutOfSequence:
    case CounterId::OutOfSequenceEvents:
      return share_of(CounterId::RdmaRxPackets);
    case CounterId::PacketSeqErr:
    case CounterId::ImpliedNak:
      return share_of(CounterId::RdmaTxPackets);
    case CounterId::LocalAckTimeout:
    case CounterId::RoceAdpRetrans:
    case CounterId::RxDiscardsPriority:
      return by_profile;
    case CounterId::RxDiscardsPhy:
      return lack_of_drops(seen, side, seconds);
    case CounterId::PfcRxPauseFrames:
    case CounterId::PfcTxPauseFrames:
      return lack_of_pauses(seen, side, value.id, value.lane, seconds);
    case CounterId::GlobalPauseRxFrames:
    case CounterId::GlobalPauseTxFrames:
      return lack_of_link_pauses(seen, side);
    case CounterId::MacPauseRxFrames:
    case CounterId::MacPauseTxFrames:
      return counts_pauses_apart(side) ? Lack::Nothing : lack_of_link_pauses(seen, side);
    default:
      return Lack::Nothing;
  }
}

/// A counter that grew, of a traffic class those of all its priorities.
struct Grown {
  CounterId id;
  std::uint32_t lanes;  ///< as bits; 0: it has none
  double amount;
  std::string owner;
};

std::string name_of_grown(const Grown& one, bool several_members) {
  constexpr int kDigits = 9;
  std::string out = info_of(one.id).name;
  if (std::popcount(one.lanes) > 1) out += " of " + priorities_text(one.lanes) + " alike";
  if (std::popcount(one.lanes) == 1) out += " " + std::to_string(std::countr_zero(one.lanes));
  if (several_members) out += " on " + one.owner;
  return out + " by " + short_number(one.amount, kDigits);
}

/// What grew between two readings and is not judged, for want of what its rule needs, is told without a judgement.
void tell_growth(const Evidence& seen, const std::vector<Side>& sides, Outcomes& out) {
  constexpr double kShortest = 60, kLeast = 10;  // a queue pair that a peer resets costs a few
  const double window = std::max(kShortest, seen.history().observed_seconds());
  std::vector<Grown> grown;
  std::vector<std::string> once;  // what a filter for numbers above 0 left out of the first reading
  std::vector<std::string> fell;
  std::vector<EvidenceItem> items;
  double seconds = 0;
  bool no_packets = false, no_profile = false;
  const auto add = [&](const Side& side, const CounterValue& value, double amount) {
    const std::uint32_t lane = value.lane < kPriorities ? 1U << value.lane : 0U;
    items.push_back(seen.item(name_of_value(value), amount, "between the readings", side.source));
    for (Grown& one : grown) {
      if (lane == 0 || one.id != value.id || one.owner != side.owner || one.amount != amount) continue;
      if (!is_counted_by_class(seen, value.id)) break;
      one.lanes |= lane;
      return;
    }
    grown.push_back({value.id, lane, amount, side.owner});
  };
  const auto look = [&](const Side& side, const CounterValue& value) {
    const auto more = growth_of(seen, side, value.id, value.lane, window);
    if (!more && value.raw != 0 && seen.history().read_period_seconds(side.owner) > 0) {
      constexpr int kDigits = 9;
      const std::string shown = short_number(value.value(), kDigits);
      const CounterValue* before = value_before(seen, side, value.id, value.lane);
      if (before == nullptr)
        once.push_back(name_of_value(value) + " " + shown);
      else
        fell.push_back(name_of_value(value) + " from " + short_number(before->value(), kDigits) + " to " + shown);
      items.push_back(seen.item(name_of_value(value), value.value(), "since the counter began", side.source));
    }
    if (!more || more->amount < kLeast) return;
    const Lack lack = lack_of(seen, side, value, window);
    if (lack == Lack::Nothing) return;
    no_packets = no_packets || lack == Lack::Packets;
    no_profile = no_profile || lack == Lack::Profile;
    seconds = std::max(seconds, more->seconds);
    add(side, value, more->amount);
  };
  for (const CounterId id : kConditional)
    for (const Side& side : sides)
      for (const CounterValue& value : side.readings->values)
        if (value.id == id) look(side, value);
  if (items.empty()) return out.not_applicable("counters were read twice, so that their growth is judged");
  constexpr std::size_t kMostNamed = 8;
  const bool several = seen.port().members.size() > 1;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(grown.size(), kMostNamed); ++k)
    names.push_back(name_of_grown(grown[k], several));
  if (grown.size() > kMostNamed) names.push_back(std::to_string(grown.size() - kMostNamed) + " more");
  const std::string netdev = seen.port().members.empty() ? "NETDEV" : seen.port().members.front();
  std::string sentence;
  if (!grown.empty())
    sentence = "On " + port_name(seen) + " grew in " + duration_text(seconds) + ": " + joined(names) + ".";
  if (no_packets)
    sentence += " How much that is cannot be judged without the RDMA packets of the same time: read `ethtool -S " +
                netdev + "` at both times as well.";
  if (no_profile)
    sentence += " Whether that is too much depends on the design, and no profile states it (--profile NAME).";
  if (!grown.empty() && !no_packets && !no_profile)
    sentence += " What was read does not tell whether that is too much.";
  const auto some = [&](std::vector<std::string> all) {
    const std::size_t more = all.size() - std::min(all.size(), kMostNamed);
    all.resize(all.size() - more);
    if (more > 0) all.push_back(std::to_string(more) + " more");
    return joined(all);
  };
  if (!fell.empty())
    sentence += (sentence.empty() ? "On " : " On ") + port_name(seen) + " fell: " + some(fell) +
                ". The counters were cleared, the driver was loaded again, or the readings are in the wrong order.";
  if (!once.empty())
    sentence += (sentence.empty() ? "On " : " On ") + port_name(seen) + " the last reading shows " + some(once) +
                ", and no earlier one that it can be compared with.";
  out.fail(Severity::Info, sentence, std::move(items));
}

void judge(const Evidence& seen, Outcomes& out) {
  if (!seen.one_shot()) return out.not_applicable("the daemon sees counters grow");
  const RdmaPort& port = seen.port();
  const std::string own = owner_of(port);
  std::vector<Side> sides = {{own, &port.counters, "RDMA counters of " + own, &port.hw_counters}};
  for (const std::string& member : port.members) {
    const Netdev* netdev = seen.now().netdev(member);
    if (netdev == nullptr) continue;
    sides.push_back({member, &netdev->counters, "ethtool statistics of " + member, &netdev->ethtool.statistics});
  }
  if (std::any_of(sides.begin(), sides.end(),
                  [&](const Side& side) { return seen.history().read_period_seconds(side.owner) > 0; }))
    return tell_growth(seen, sides, out);
  std::vector<EvidenceItem> items;
  std::string list, shared;
  std::size_t told = 0;
  const auto name_it = [&](const std::string& name, double value) {
    constexpr std::size_t kMostNamed = 6, kDigits = 9;
    if (++told <= kMostNamed) list += (list.empty() ? "" : ", ") + name + " " + short_number(value, kDigits);
  };
  const auto tell = [&](const std::string& name, double value, const std::string& source) {
    name_it(name, value);
    items.push_back(seen.item(name, value, "since the counter began", source));
  };
  const auto tell_value = [&](const Side& side, const CounterValue& value) {
    const std::uint32_t alike = is_counted_by_class(seen, value.id) ? priorities_alike(*side.readings, value) : 0;
    if (std::popcount(alike) < 2) return tell(name_of_value(value), value.value(), side.source);
    items.push_back(seen.item(name_of_value(value), value.value(), "since the counter began", side.source));
    if (std::countr_zero(alike) != value.lane) return;  // named with the first of its class
    name_it(std::string(info_of(value.id).name) + " of " + priorities_text(alike) + " alike", value.value());
    shared =
        " Priorities of one traffic class share their count on this NIC: what is alike is most likely one class and "
        "one number, not pauses of each.";
  };
  for (const Side& side : sides) {
    for (const CounterValue& value : side.readings->values) {
      if (is_telling(value.id) && value.raw != 0) tell_value(side, value);
    }
    if (side.readings->driver_known || !*side.raw) continue;
    for (std::size_t i = 0; i < (*side.raw)->size(); ++i) {
      const std::string& name = (*(*side.raw)->names)[i];
      const std::uint64_t value = (*side.raw)->values[i];
      if (is_telling(name) && value != 0) tell(name, static_cast<double>(value), side.source);
    }
  }
  if (items.empty()) {
    const bool none =
        std::all_of(sides.begin(), sides.end(), [](const Side& side) { return side.readings->values.empty(); });
    if (!none) return out.pass();
    if (port.counters.why_absent.detail.empty()) return out.not_applicable("no counters are known of this port");
    return out.unknown(port.counters.why_absent);
  }
  if (told > 6) list += " and " + std::to_string(told - 6) + " more";
  out.fail(Severity::Info,
           "Since boot, or since the driver was loaded or its counters were cleared, " + port_name(seen) + " counted " +
               list + "." + shared + " One reading does not tell when: it is no proof of trouble now.",
           std::move(items));
}

}  // namespace

extern const Rule kTransportSeenSinceBoot;
constinit const Rule kTransportSeenSinceBoot{
    .id = "transport-seen-since-boot",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Port,
    .title = "Fault counters are not zero, and nothing judges them",
    .what =
        "Where counters were read only once, lists those of faults and pauses that are not zero. They count since boot "
        "or since the driver was loaded. Where they were read twice, tells by how much grew, from ten on, what its own "
        "check cannot judge: without a profile, without the packets to compare with, or without the setting that "
        "decides; and what the last reading shows and no earlier one. Always info.",
    .why =
        "A number without a time, or without what is expected, cannot be judged: it may be a year old, or by design.",
    .next =
        "Read once: read the same counters again after 60 seconds under load, and judge both. Read twice: state the "
        "profile and read what is said to be missing.",
    .likely_causes = {"anything since boot, also what was repaired long ago"},
    .fix = {Recipe::Application},
    .traps = {"Never more than info: cumulative counters have drained healthy nodes before.",
              "Intel counts the pauses of a traffic class on each of its priorities: equal numbers are told as one."},
    .facts = {"mlx5-q-counters", "ice-pause-per-class"},
    .judge = judge,
};

}  // namespace roceready::rules
