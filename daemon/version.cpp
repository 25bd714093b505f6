// SPDX-License-Identifier: Apache-2.0
#include "daemon/version.h"

namespace roceready::daemon {

std::string version() {
  return ROCEREADY_VERSION;
}
#if defined(__clang__)
std::string compiler() {
  return "clang " __clang_version__;
}
#else
std::string compiler() {
  return "gcc " __VERSION__;
}
#endif
std::string build_type() {
  return ROCEREADY_BUILD_TYPE;
}
std::string revision() {
  return ROCEREADY_REVISION;
}

}  // namespace roceready::daemon
