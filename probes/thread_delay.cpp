// SPDX-License-Identifier: Apache-2.0
#include "probes/thread_delay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace roceready::probes {

ThreadDelay::ThreadDelay() : fd_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadDelay::~ThreadDelay() {
  if (fd_ >= 0) ::close(fd_);
}

std::int64_t ThreadDelay::since_last_ns() {
  char text[128];
  const ssize_t length = fd_ < 0 ? -1 : ::pread(fd_, text, sizeof text, 0);
  if (length <= 0) return 0;
  const auto numbers = split(trim({text, static_cast<std::size_t>(length)}), ' ');
  const auto waited = numbers.size() < 2 ? std::nullopt : parse_i64(numbers[1]);
  if (!waited) return 0;
  const std::int64_t since = last_ns_ < 0 ? 0 : std::max<std::int64_t>(*waited - last_ns_, 0);
  last_ns_ = *waited;
  return since;
}

std::int64_t ThreadDelay::of_gap_ns(std::int64_t gap_ns) {
  constexpr std::int64_t kMattersNs = 100'000;
  return gap_ns < kMattersNs ? 0 : std::min(gap_ns, since_last_ns());
}

}  // namespace roceready::probes
