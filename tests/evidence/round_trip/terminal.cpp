// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {

void Terminal::run(const std::string& command, const std::string& output) {
  text_ += "[root@" + host_ + " ~]# " + command + "\n" + output;
}

std::string refusal(const Absent& absent, const std::string& prefix) {
  switch (absent.why) {
    case Why::Denied:
      return prefix + "Operation not permitted\n";
    case Why::NotSupported:
      return prefix + "Operation not supported\n";
    case Why::TimedOut:
      return prefix + "Connection timed out\n";
    case Why::Malformed:
      return prefix + "Invalid argument\n";
    case Why::NotPresent:
    case Why::Filtered:
    case Why::OtherNamespace:
    case Why::NotRecorded:
      return "";
  }
  return "";
}

}  // namespace roceready::round_trip
