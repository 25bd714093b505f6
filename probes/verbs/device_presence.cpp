// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/device_presence.h"

#include <sys/stat.h>

#include <utility>

namespace roceready::probes::verbs {
namespace {

constexpr std::int64_t kEveryNs = 100'000'000;

}  // namespace

DevicePresence::DevicePresence(std::string directory) : directory_(std::move(directory)) {
  struct stat found {};
  watched_ = ::stat(directory_.c_str(), &found) == 0;
  file_system_ = found.st_dev;
  number_ = found.st_ino;
}

bool DevicePresence::went(std::int64_t now_ns) {
  if (!watched_ || now_ns - looked_ns_ < kEveryNs) return false;
  looked_ns_ = now_ns;
  struct stat found {};
  const bool same = ::stat(directory_.c_str(), &found) == 0 && found.st_dev == file_system_ && found.st_ino == number_;
  watched_ = same;
  return !same;
}

}  // namespace roceready::probes::verbs
