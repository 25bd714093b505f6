// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration file: refused with a message or loaded, and what loads prints to something that loads
// to the same values.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>

#include "config/settings.h"
#include "tests/config/options_for_tests.h"

namespace {

namespace config = roceready::config;

/// A file in memory: load() takes a path.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("config", 0)) {
    if (fd_ < 0) std::abort();
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  config::LoadOutcome load(const void* data, std::size_t size, const std::vector<config::Option>& options) const {
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
    return config::load("/proc/self/fd/" + std::to_string(fd_), options);
  }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<config::Option> options = config::options_for_tests();
  static const MemoryFile file;
  const config::LoadOutcome first = file.load(data, size, options);
  if (first.loaded.has_value() != first.problems.empty()) std::abort();
  if (!first.loaded) return 0;
  const std::string printed = config::print(*first.loaded, options);
  const config::LoadOutcome second = file.load(printed.data(), printed.size(), options);
  if (!second.loaded || second.loaded->values != first.loaded->values) std::abort();
  return 0;
}
