// SPDX-License-Identifier: Apache-2.0
#include "probes/wake.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace roceready::probes {

WakeUp::WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

WakeUp::~WakeUp() {
  if (fd_ >= 0) ::close(fd_);
}

void WakeUp::wake() {
  const std::uint64_t one = 1;
  (void)!::write(fd_, &one, sizeof one);  // full means woken
}

void WakeUp::clear() {
  std::uint64_t count = 0;
  (void)!::read(fd_, &count, sizeof count);
}

bool WakeSet::wait(int timeout_ms) {
  return ::poll(fds_.data(), static_cast<nfds_t>(fds_.size()), timeout_ms) > 0;
}

}  // namespace roceready::probes
