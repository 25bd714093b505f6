// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <tuple>

#include "probes/responder.h"
#include "probes/responder_session.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kMarkEveryNs = 5'000'000'000, kMarksForNs = 20'000'000'000;
constexpr std::chrono::milliseconds kGlance{200};  // where the engine is held up longer, what was known before is told

}  // namespace

void Responder::mark_arrivals(std::int64_t now_ns) {
  for (auto& [name, serving] : servings_) {
    auto& marks = serving->arrivals;
    if (!marks.empty() && now_ns - marks.back().at_ns < kMarkEveryNs) continue;
    marks.push_back({now_ns, serving->engine.arrived()});
    while (marks.size() > 1 && now_ns - marks[1].at_ns >= kMarksForNs) marks.pop_front();
  }
}

std::vector<ProbeArrivals> Responder::arrivals() const {
  const Entrance entrance(*this, kGlance);
  if (!entrance) {
    const std::lock_guard guard(published_lock_);
    return published_arrivals_;
  }
  std::vector<ProbeArrivals> out;
  const std::int64_t now_ns = verbs_.now_ns();
  for (const auto& [name, serving] : servings_) {
    if (serving->arrivals.empty()) continue;
    const Serving::ArrivalMark& from = serving->arrivals.front();
    const UdResponder::Arrived& now = serving->engine.arrived();
    ProbeArrivals& port = out.emplace_back();
    port.device = serving->port.port->name().device;
    port.port = serving->port.port->name().port;
    port.seconds = static_cast<double>(now_ns - from.at_ns) * 1e-9;
    port.unseen = now.unseen - from.arrived.unseen;
    for (std::size_t dscp = 0; dscp < now.by_dscp.size(); ++dscp)
      if (const std::uint64_t packets = now.by_dscp[dscp] - from.arrived.by_dscp[dscp]; packets > 0)
        port.packets[std::to_string(dscp)] = packets;
  }
  std::ranges::sort(out, {}, [](const ProbeArrivals& each) { return std::tie(each.device, each.port); });
  const std::lock_guard guard(published_lock_);
  published_arrivals_ = out;
  return out;
}

}  // namespace roceready::probes
