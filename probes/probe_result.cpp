// SPDX-License-Identifier: Apache-2.0
#include "probes/probe_result.h"

#include <algorithm>
#include <cmath>

namespace roceready::probes {

Reading<std::uint32_t> MtuSweep::passes() const {
  std::optional<std::uint32_t> best;
  for (const MtuStep& step : steps)
    if (step.lost < step.sent) best = step.payload_bytes;
  if (!best) return Absent{Why::NotPresent, "no size was answered"};
  return *best;
}

bool MtuSweep::black_hole() const {
  const auto largest = passes();
  return largest && std::any_of(steps.begin(), steps.end(), [&](const MtuStep& step) {
           return step.payload_bytes > *largest && step.sent > 0 && step.lost == step.sent;
         });
}

Reading<ProbeTimes> times_of(std::vector<std::int64_t> nanoseconds) {
  if (nanoseconds.empty()) return Absent{Why::NotPresent, "no answer with times"};
  std::sort(nanoseconds.begin(), nanoseconds.end());
  const auto seconds = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(nanoseconds.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return static_cast<double>(nanoseconds[std::min(index, nanoseconds.size() - 1)]) * 1e-9;
  };
  ProbeTimes out;
  out.count = nanoseconds.size();
  out.min_seconds = seconds(0);
  out.p50_seconds = seconds(0.5);
  out.p90_seconds = seconds(0.9);
  out.p99_seconds = seconds(0.99);
  out.max_seconds = seconds(1);
  return out;
}

void ResultBuilder::add(const ProbeOutcome& outcome) {
  using Kind = ProbeOutcome::Kind;
  if (!outcome.why.empty()) error_ = outcome.why;
  if (outcome.kind == Kind::NotSent) {
    ++not_sent_;
    return;
  }
  Path& path = paths_.at(outcome.path);
  ++sent_;
  ++path.sent;
  late_ += outcome.late ? 1 : 0;
  if (outcome.kind == Kind::Lost) {
    ++lost_;
    ++path.lost;
    ++path.lost_in_row;
    return;
  }
  path.lost_in_row = 0;
  ++answered_;
  if (outcome.seen) {
    const SeenClass& seen = *outcome.seen;
    newest_ = seen;
    ++seen_;
    rewritten_ += seen.dscp != seen.dscp_sent ? 1 : 0;
    bleached_ += seen.ecn_sent != 0 && seen.ecn == 0 ? 1 : 0;
    marked_ += seen.ecn == 3 ? 1 : 0;
  }
  if (outcome.kind == Kind::Untimed) {
    ++discarded_;
    return;
  }
  const ProbeTiming& timing = outcome.timing;
  clock_ = timing.clock;
  responder_late_ += timing.responder_late ? 1 : 0;
  if (total_.size() >= kMost) return;
  total_.push_back(timing.total_ns);
  responder_.push_back(timing.responder_delay_ns);
  if (timing.prober_delay_ns) prober_.push_back(*timing.prober_delay_ns);
  // By the software clock, what a host slept through is in the time: it says nothing of the network.
  if (outcome.rtt_counts()) path.rtt.push_back(timing.rtt_ns);
}

void ResultBuilder::add_late(const ProbeOutcome& outcome) {
  if (!outcome.peer_kept_it) return;
  ++answered_late_;
  paths_.at(outcome.path).lost_in_row = 0;
}

void ResultBuilder::fill(ProbeResult& out) const {
  out.sent = sent_;
  out.lost = lost_;
  out.not_sent = not_sent_;
  out.discarded = discarded_;
  out.late = late_;
  out.responder_late = responder_late_;
  out.answered_late = answered_late_;
  out.clock = clock_;
  out.reachable = answered_ + answered_late_ > 0;
  std::vector<std::int64_t> rtt;
  for (const Path& path : paths_) rtt.insert(rtt.end(), path.rtt.begin(), path.rtt.end());
  out.rtt = times_of(std::move(rtt));
  if (!out.rtt && late_ + responder_late_ > 0)
    out.rtt = Absent{Why::NotPresent, late_ == 0             ? "the peer's host came late to every probe"
                                      : responder_late_ == 0 ? "this host read every answer late"
                                                             : "this host or the peer's came late to every probe"};
  out.total = times_of(total_);
  out.prober_delay = clock_ == ProbeClock::Software && prober_.empty()
                         ? Absent{Why::NotSupported, "the NIC has no clock that completions show"}
                         : times_of(prober_);
  out.responder_delay = out.kind == ProbeKind::Ud ? times_of(responder_)
                                                  : Absent{Why::NotSupported, "the peer's NIC answers, not its host"};
  out.seen = seen_;
  out.rewritten = rewritten_;
  out.bleached = bleached_;
  out.marked = marked_;
  const Absent unseen{Why::NotSupported, out.kind == ProbeKind::Ud
                                             ? "the peer's NIC did not show it the packet's header"
                                             : "connections do not show the packet's header"};
  const auto newest = [&](std::uint8_t SeenClass::*member) {
    return newest_ ? Reading<std::uint32_t>((*newest_).*member) : Reading<std::uint32_t>(unseen);
  };
  out.dscp_received = newest(&SeenClass::dscp);
  out.ecn_received = newest(&SeenClass::ecn);
  out.ttl = newest(&SeenClass::ttl);
  for (std::size_t i = 0; i < paths_.size() && i < out.paths.size(); ++i) {
    out.paths[i].path = static_cast<std::uint32_t>(i);
    out.paths[i].sent = paths_[i].sent;
    out.paths[i].lost = paths_[i].lost;
    out.paths[i].rtt = times_of(paths_[i].rtt);
  }
  if (error_ && !out.error) out.error = error_;
}

}  // namespace roceready::probes
