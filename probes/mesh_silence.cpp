// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kLeastGapNs = 1'000'000'000;
constexpr std::int64_t kCalmIntervals = 4;  // after so many the back-off of what is asked out of turn begins anew

}  // namespace

/// Whether datagrams alone are silent is for the connections to the same port to say.
void Mesh::ask_connections(Link& silent, std::int64_t now_ns) {
  if (silent.asked_about_ns == silent.losing_since_ns) return;
  bool all = true;
  for (const auto& link : links_)
    if (link != nullptr && link->kind != ProbeKind::Ud && link->port == silent.port && link->peer == silent.peer)
      all = hurry(*link, now_ns) && all;
  if (all) silent.asked_about_ns = silent.losing_since_ns;
}

/// Sends the next probe of a connected link in this turn or the next, unless it was hurried a moment ago: false. One
/// that has no session, or a request under way, will tell anyway.
bool Mesh::hurry(Link& link, std::int64_t now_ns) {
  if (!link.ready || !link.rc_prober || link.rc_prober->busy(0)) return true;
  if (link.hurried_ns != 0 && now_ns - link.hurried_ns < link.hurry_gap_ns) return false;
  if (now_ns - link.hurried_ns > kCalmIntervals * options_.connected_interval_ns) link.hurry_gap_ns = 0;
  link.hurry_gap_ns = std::clamp(link.hurry_gap_ns * 2, kLeastGapNs, options_.connected_interval_ns);
  link.hurried_ns = now_ns;
  if (link.next_probe_ns <= now_ns) return true;
  due_.erase({link.next_probe_ns, link.id});
  // A turn that comes before this probe has ended is this one.
  const bool soon = link.next_probe_ns - now_ns <= options_.timeout_ns;
  link.turn_ns = link.next_probe_ns + (soon ? options_.connected_interval_ns : 0);
  link.next_probe_ns = now_ns;
  due_.insert({link.next_probe_ns, link.id});
  return true;
}

}  // namespace roceready::probes
