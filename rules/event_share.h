// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "rules/rule.h"

namespace roceready::rules {

inline constexpr double kMinute = 60;
inline constexpr std::size_t kMinutes = 5;
/// "3 of the last 5 minutes" can be denied after as long.
inline constexpr double kSustainedSeconds = 180;

/// What some drivers count as packets, others as events. The first that this NIC's driver can show; the first of all
/// where it shows none.
[[nodiscard]] CounterId shown_of(const Evidence& seen, std::initializer_list<CounterId> twins);

/// Adds windows that ended at the same time.
void add_windows(Windows& sum, const Windows& more);

/// Sum of the counters that can be read, in windows of a minute. Those that the driver can never show, or does not show
/// at present, are left out while another one is there. Absent: none could be read (the reason is the first one's that
/// the driver knows).
[[nodiscard]] Reading<Windows> sum_of(const Evidence& seen, std::initializer_list<CounterId> ids);

/// As `readable`, for a rule that reads the sum of several counters.
bool sum_readable(const Evidence& seen, Outcomes& out, std::initializer_list<CounterId> ids,
                  const Reading<Windows>& windows);

/// For a rule that found nothing in several counters: one of them that the driver knows and that cannot be read may
/// hide a failure; for a whole port, one of its members' too. True where there is none; else that was written.
[[nodiscard]] bool nothing_hidden(const Evidence& seen, Outcomes& out, std::initializer_list<CounterId> ids,
                                  std::optional<std::uint8_t> priority = {});

/// Events per packet, in windows of a minute.
struct EventShare {
  Windows events;  ///< as counted
  Windows shares;  ///< amounts are events ÷ packets; 0 where a window has too few events or packets
  double packets = 0;
};
/// Compares events with packets. Nothing: events there are, but the packets cannot be read, and that was written.
[[nodiscard]] std::optional<EventShare> share_of_packets(const Evidence& seen, Outcomes& out, const Windows& events,
                                                         CounterId packets, double min_events, double min_packets);
/// Ends a rule on shares whose condition does not hold: as `quiet`, but few packets with some events are no proof.
void quiet_share(const Evidence& seen, Outcomes& out, const EventShare& share, double min_packets);

/// " That is not sustained yet." or ", and …" for the end of a sentence.
[[nodiscard]] std::string sustained_words(bool sustained);

/// Whether a counter contradicts itself: more events than packets that could have caused them, in the last five
/// minutes. What rests on such a counter has little confidence (rules.md 6.3).
[[nodiscard]] bool outgrows_packets(const Evidence& seen, CounterId events, CounterId packets);
inline constexpr double kDoubted = 0.4;

}  // namespace roceready::rules
