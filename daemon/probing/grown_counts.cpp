// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/grown_counts.h"

#include "probes/timing.h"
#include "probes/wire.h"

namespace roceready::daemon {
namespace {

/// Counts by the value of an enum that name_of knows.
template <class Reason, class Array>
void add(const Array& counts, GrownCounts::Counts& out) {
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) out[name_of(static_cast<Reason>(i))] += counts[i];
}

}  // namespace

std::optional<std::string> GrownCounts::update(const Counts& now) {
  std::string out;
  for (const auto& [what, count] : now) {
    const std::uint64_t before = last_[what];
    if (count > before) out += (out.empty() ? "" : ", ") + std::to_string(count - before) + " " + what;
    last_[what] = count;
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

GrownCounts::Counts counts_of(const probes::Responder::Status& status) {
  GrownCounts::Counts out;
  add<probes::Refusal>(status.messages.refused, out);
  out["above the rate that was granted"] = status.messages.over_rate;
  out["answers that could not be sent"] = status.messages.not_sent;
  out["sessions refused"] = status.denied;
  out["connections refused"] = status.connections.refused;
  return out;
}

GrownCounts::Counts counts_of(const probes::UdProber::Refusals& refused, const probes::UdProber::Discards& discarded) {
  GrownCounts::Counts out;
  add<probes::Refusal>(refused, out);
  add<probes::Impossible>(discarded, out);
  return out;
}

}  // namespace roceready::daemon
