// SPDX-License-Identifier: Apache-2.0
#include "daemon/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "core/base/text.h"

namespace roceready::daemon {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void read_memory(ProcessFacts& out) {
  std::ifstream file("/proc/self/statm");
  std::string line;
  if (!std::getline(file, line)) return;
  const auto fields = split(line, ' ');
  if (fields.size() < 2) return;
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  out.virtual_bytes = static_cast<double>(parse_u64(fields[0]).value_or(0)) * page;
  out.resident_bytes = static_cast<double>(parse_u64(fields[1]).value_or(0)) * page;
}

}  // namespace

ProcessFacts process_facts() {
  using namespace std::chrono;
  static const double start = duration<double>(system_clock::now().time_since_epoch()).count();
  ProcessFacts out;
  out.start_time_seconds = start;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) out.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  read_memory(out);
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error))
    ++out.open_fds;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) out.max_fds = static_cast<double>(limit.rlim_cur);
  return out;
}

void raise_descriptor_limit() {
  constexpr rlim_t kMost = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kMost) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMost));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace roceready::daemon
