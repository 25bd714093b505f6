// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/live_errors.h"

#include <sys/resource.h>

#include <cerrno>

namespace roceready::probes::verbs::live {
namespace {

std::string memlock_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  if (limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return std::to_string(limit.rlim_cur / 1024) + " KiB";
}

std::string advice(int errno_value) {
  switch (errno_value) {
    case ENOMEM:
      return "the limit of locked memory is " + memlock_limit() +
             ": set LimitMEMLOCK=infinity in the unit, or raise `ulimit -l` (fact systemd-memlock); else the device is "
             "out of "
             "objects";
    case EPERM:
      return "not permitted: a device cgroup, or a setting that needs CAP_NET_RAW or CAP_IPC_LOCK";
    case EACCES:
      return "permission denied: /dev/infiniband/uverbs* must be readable and writable for this user; try `ls -l "
             "/dev/infiniband` and the group rdma";
    case ETIMEDOUT:
    case EHOSTUNREACH:
      return "the neighbour does not answer ARP or neighbour discovery; try `ip neigh` and `ping` from the port's "
             "address";
    case ENETUNREACH:
      return "there is no route to the address; try `ip route get`";
    case EINVAL:
      return "the device refused the parameters: the GID index is empty, or of another address family";
    case EIO:
    case ENODEV:
      return "the device failed or was removed";
    default:
      return {};
  }
}

}  // namespace

Error refusal(int errno_value, const std::string& what, const std::string& where) {
  if (errno_value < 0) errno_value = -errno_value;
  if (errno_value == 0) errno_value = EIO;
  const std::string tried = advice(errno_value);
  return os_error(errno_value, tried.empty() ? what : what + ": " + tried, where);
}

}  // namespace roceready::probes::verbs::live
