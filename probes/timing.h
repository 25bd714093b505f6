// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

namespace roceready::probes {

/// The clocks behind a probe's times; never two clocks are compared, only differences of one.
enum class ProbeClock {
  Nic,       ///< completion timestamps of the NIC for t2 and t5
  Software,  ///< the host's monotonic clock alone
};
[[nodiscard]] const char* name_of(ProbeClock clock);  ///< "nic", "software"

/// A NIC's raw clock (ibv_device_attr_ex).
struct NicClock {
  std::uint64_t mask = 0;       ///< completion_timestamp_mask: the counter wraps behind it; 0: no clock
  std::uint64_t kilohertz = 0;  ///< hca_core_clock; 0: no clock
  [[nodiscard]] bool usable() const { return mask != 0 && kilohertz != 0; }
};
/// Nanoseconds between two readings of one NIC's clock, over at most one wrap. Nothing: unusable clock, or a difference
/// of more than half the counter's range, which is a step backwards.
[[nodiscard]] std::optional<std::int64_t> nic_nanoseconds(const NicClock& clock, std::uint64_t from, std::uint64_t to);

/// What the prober knows of one answered probe. Host times are monotonic nanoseconds.
struct ProbeStamps {
  std::int64_t posted_ns = 0;  ///< t1
  std::int64_t polled_ns = 0;  ///< t6 of the first reply
  /// t5 − t2 of the prober's NIC; absent: no NIC clock.
  std::optional<std::int64_t> on_the_wire_ns = std::nullopt;
  std::uint64_t responder_delay_ns = 0;  ///< t4 − t3, as the second reply says
  /// The responder knows no better than that the probe lay unread for at most a part of that time: t3 is not known.
  bool responder_late = false;
};

struct ProbeTiming {
  ProbeClock clock = ProbeClock::Software;
  std::int64_t rtt_ns = 0;    ///< network and both NICs; by software: also what the prober's host took
  std::int64_t total_ns = 0;  ///< both hosts included
  std::int64_t responder_delay_ns = 0;
  /// The responder's host slept through some of the time, nobody knows how much: `responder_delay_ns` is the most that
  /// it can be, and `rtt_ns` is not the network's.
  bool responder_late = false;
  std::optional<std::int64_t> prober_delay_ns;  ///< posting and polling; absent by software
};

/// Why an answer's times make no sense. Such a sample is counted and discarded, never a number.
enum class Impossible {
  PolledBeforePosted,    ///< t6 ≤ t1
  ReceivedBeforeSent,    ///< t5 ≤ t2
  LongerThanItself,      ///< t5 − t2 is more than t6 − t1
  ResponderTookTooLong,  ///< t4 − t3 is as long as what it is a part of, or longer
  TooLong,               ///< more than kLongestProbe
  kCount
};
[[nodiscard]] const char* name_of(Impossible impossible);      ///< for the report: "polled before posted"
inline constexpr std::int64_t kLongestProbe = 11'000'000'000;  ///< ns; above any time-out of a probe

///   prober    t1 post ─── t2 leaves the NIC                       t5 at the NIC ─── t6 polled
///                               ╲                               ╱
///   network                       ╲                           ╱
///                                   ╲                       ╱
///   responder                        t3 at the NIC ─── t4 first reply leaves the NIC
///
///   total           = t6 − t1
///   responder delay = t4 − t3
///   by NIC clock:     rtt = (t5 − t2) − (t4 − t3), prober delay = (t6 − t1) − (t5 − t2)
///   by software:      rtt = (t6 − t1) − (t4 − t3), no prober delay
///
/// Method: "R-Pingmesh: A Service-Aware RoCE Network Monitoring and Diagnostic System", SIGCOMM 2024.
[[nodiscard]] std::variant<ProbeTiming, Impossible> timing_of(const ProbeStamps& stamps);

}  // namespace roceready::probes
