// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <bit>
#include <cstdint>
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

struct Side {
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

/// Loss is judged by its share of the packets. What grew between two readings without them is told without a judgement.
void tell_growth(const Evidence& seen, Outcomes& out) {
  constexpr double kShortest = 60, kLeast = 10;  // a queue pair that a peer resets costs a few
  const double window = std::max(kShortest, seen.history().observed_seconds());
  const bool adaptive = seen.profile() != nullptr && seen.profile()->adaptive_routing;
  const bool no_rx = !adaptive && lacks_packets(seen, CounterId::RdmaRxPackets, window);
  const bool no_tx = !adaptive && lacks_packets(seen, CounterId::RdmaTxPackets, window);
  std::vector<std::string> grown;
  std::vector<EvidenceItem> items;
  double seconds = 0;
  const auto tell = [&](CounterId id) {
    const auto more = seen.growth(id, window);
    if (!more || more->amount < kLeast) return;
    constexpr int kDigits = 9;
    grown.push_back(std::string(info_of(id).name) + " by " + short_number(more->amount, kDigits));
    items.push_back(seen.item(info_of(id).name, more->amount, "between the readings", seen.source_of(id)));
    seconds = std::max(seconds, more->seconds);
  };
  if (no_rx) tell(CounterId::OutOfSequence), tell(CounterId::OutOfSequenceEvents);
  if (no_tx) tell(CounterId::PacketSeqErr), tell(CounterId::ImpliedNak);
  if (items.empty()) return out.not_applicable("counters were read twice, so that their growth is judged");
  if (no_tx) tell(CounterId::LocalAckTimeout);
  const std::string netdev = seen.port().members.empty() ? "NETDEV" : seen.port().members.front();
  out.fail(Severity::Info,
           "On " + port_name(seen) + " grew in " + duration_text(seconds) + ": " + joined(grown) +
               ". How much that is cannot be judged without the RDMA packets of the same time: read `ethtool -S " +
               netdev + "` at both times as well.",
           std::move(items));
}

void judge(const Evidence& seen, Outcomes& out) {
  if (!seen.one_shot()) return out.not_applicable("the daemon sees counters grow");
  const RdmaPort& port = seen.port();
  std::vector<Side> sides = {{&port.counters, "RDMA counters of " + owner_of(port), &port.hw_counters}};
  std::vector<std::string> owners = {owner_of(port)};
  for (const std::string& member : port.members) {
    const Netdev* netdev = seen.now().netdev(member);
    if (netdev == nullptr) continue;
    sides.push_back({&netdev->counters, "ethtool statistics of " + member, &netdev->ethtool.statistics});
    owners.push_back(member);
  }
  if (std::any_of(owners.begin(), owners.end(),
                  [&](const std::string& owner) { return seen.history().read_period_seconds(owner) > 0; }))
    return tell_growth(seen, out);
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
    .title = "Fault counters are not zero, by one reading",
    .what =
        "Where counters were read only once, lists those of faults and pauses that are not zero. They count since boot "
        "or since the driver was loaded. Where they were read twice without the RDMA packets, tells by how much those "
        "of "
        "lost packets grew, from ten on. Always info.",
    .why = "A number without a time cannot be judged: it may be a minute old or a year.",
    .next = "Read the same counters again after 60 seconds under load, and judge both: what has grown is what counts.",
    .likely_causes = {"anything since boot, also what was repaired long ago"},
    .fix = {Recipe::Application},
    .traps = {"Never more than info: cumulative counters have drained healthy nodes before.",
              "Intel counts the pauses of a traffic class on each of its priorities: equal numbers are told as one."},
    .facts = {"mlx5-q-counters", "ice-pause-per-class"},
    .judge = judge,
};

}  // namespace roceready::rules
