// SPDX-License-Identifier: Apache-2.0
#include "probes/thread_delay.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace roceready::probes {

ThreadDelay::ThreadDelay() : fd_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadDelay::~ThreadDelay() {
  if (fd_ >= 0) ::close(fd_);
}

std::int64_t ThreadDelay::total_ns() {
  char text[128];
  const ssize_t length = fd_ < 0 ? -1 : ::pread(fd_, text, sizeof text, 0);
  if (length <= 0) return total_ns_;
  const auto numbers = split(trim({text, static_cast<std::size_t>(length)}), ' ');
  const auto waited = numbers.size() < 2 ? std::nullopt : parse_i64(numbers[1]);
  total_ns_ = std::max(total_ns_, waited.value_or(0));
  return total_ns_;
}

std::int64_t thread_cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::int64_t PollGap::late_ns(std::int64_t now_ns) {
  constexpr std::int64_t kMattersNs = 100'000;
  const std::int64_t gap_ns = last_ns_ ? now_ns - *last_ns_ : kMattersNs;
  const bool first = !last_ns_;
  last_ns_ = now_ns;
  if (gap_ns < kMattersNs) return 0;
  const std::int64_t before_ns = waited_ns_;
  waited_ns_ = host_.waited_ns();
  return first ? 0 : std::clamp<std::int64_t>(waited_ns_ - before_ns, 0, gap_ns);
}

}  // namespace roceready::probes
