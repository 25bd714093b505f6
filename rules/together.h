// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rules/port_traffic.h"

namespace roceready::rules {

/// "3 of the last 5 windows" for a condition on several counters: `test` gets a window of the first one and how long
/// ago it ended, and looks the others up itself.
template <class Test>
[[nodiscard]] Held held_together(const Windows& windows, Test test, std::size_t needed = 3) {
  const std::size_t looked = std::min<std::size_t>(windows.complete.size(), 5);
  std::size_t met = 0;
  for (std::size_t k = 0; k < looked; ++k) met += test(windows.complete[k], windows.ago[k]) ? 1U : 0U;
  if (met >= needed) return Held::Sustained;
  return windows.latest.seconds > 0 && test(windows.latest, 0.0) ? Held::Once : Held::Never;
}

/// Severity of a condition that has held, Info while it was only seen once, and the words that say so.
[[nodiscard]] inline Severity severity_of(Held held, Severity sustained, std::string& sentence) {
  if (held == Held::Sustained) return sustained;
  sentence += " That is not sustained yet.";
  return Severity::Info;
}

/// Growth in the window that ended `ago` seconds before now; 0 where it was not seen.
[[nodiscard]] inline double grown(const Evidence& seen, CounterId id, double seconds, std::uint8_t lane = kNoLane,
                                  double ago = 0) {
  const Reading<Increase> growth = port_increase(seen, id, seconds, lane, ago);
  return growth ? growth->amount : 0;
}

}  // namespace roceready::rules
