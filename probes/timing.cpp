// SPDX-License-Identifier: Apache-2.0
#include "probes/timing.h"

#include <algorithm>

namespace roceready::probes {

const char* name_of(ProbeClock clock) {
  return clock == ProbeClock::Nic ? "nic" : "software";
}

const char* name_of(Impossible impossible) {
  switch (impossible) {
    case Impossible::PolledBeforePosted:
      return "polled before posted";
    case Impossible::ReceivedBeforeSent:
      return "received before sent";
    case Impossible::LongerThanItself:
      return "longer on the wire than in all";
    case Impossible::ResponderTookTooLong:
      return "responder claims more time than passed";
    case Impossible::TooLong:
      return "longer than any probe may take";
    case Impossible::kCount:
      break;
  }
  return "?";
}

std::optional<std::int64_t> nic_nanoseconds(const NicClock& clock, std::uint64_t from, std::uint64_t to) {
  if (!clock.usable()) return std::nullopt;
  const std::uint64_t ticks = (to - from) & clock.mask;
  if (ticks > clock.mask / 2) return std::nullopt;
  // ns = ticks × 10⁶ / kHz, in two parts: ticks can be up to 2^63.
  constexpr std::uint64_t kMillion = 1'000'000;
  const std::uint64_t milliseconds = ticks / clock.kilohertz, rest = ticks % clock.kilohertz;
  if (milliseconds > std::uint64_t{INT64_MAX} / kMillion - 1 || clock.kilohertz > UINT64_MAX / kMillion)
    return std::nullopt;
  return static_cast<std::int64_t>(milliseconds * kMillion + rest * kMillion / clock.kilohertz);
}

std::variant<ProbeTiming, Impossible> timing_of(const ProbeStamps& stamps) {
  if (stamps.polled_ns <= stamps.posted_ns) return Impossible::PolledBeforePosted;
  // As unsigned, since the difference of two foreign numbers may not fit.
  const std::uint64_t total =
      static_cast<std::uint64_t>(stamps.polled_ns) - static_cast<std::uint64_t>(stamps.posted_ns);
  if (total > std::uint64_t{kLongestProbe}) return Impossible::TooLong;
  ProbeTiming out;
  out.total_ns = static_cast<std::int64_t>(total);
  std::int64_t round_trip = out.total_ns;
  if (stamps.on_the_wire_ns) {
    round_trip = *stamps.on_the_wire_ns;
    if (round_trip <= 0) return Impossible::ReceivedBeforeSent;
    if (round_trip > out.total_ns) return Impossible::LongerThanItself;
    out.clock = ProbeClock::Nic;
    out.prober_delay_ns = out.total_ns - round_trip;
  }
  out.responder_late = stamps.responder_late;
  if (stamps.responder_delay_ns >= static_cast<std::uint64_t>(round_trip) && !stamps.responder_late)
    return Impossible::ResponderTookTooLong;
  out.responder_delay_ns =
      static_cast<std::int64_t>(std::min(stamps.responder_delay_ns, static_cast<std::uint64_t>(round_trip)));
  out.rtt_ns = round_trip - out.responder_delay_ns;
  return out;
}

}  // namespace roceready::probes
