// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include "collectors/live/parts.h"

namespace roceready::live {
namespace {

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);  // cannot fail for these clocks
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

class LiveClock : public Clock {
 public:
  Instant now() override { return {nanoseconds_of(CLOCK_BOOTTIME), nanoseconds_of(CLOCK_REALTIME)}; }
};

}  // namespace

std::unique_ptr<Clock> make_clock() {
  return std::make_unique<LiveClock>();
}

}  // namespace roceready::live
