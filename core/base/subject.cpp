// SPDX-License-Identifier: Apache-2.0
#include "core/base/subject.h"

namespace roceready {

std::string Subject::key() const {
  std::string out;
  if (!device.empty())
    out = device + "/" + std::to_string(port);
  else
    out = netdev.empty() ? "node" : netdev;
  if (!member.empty()) out += "+" + member;
  if (priority) out += ":" + std::to_string(*priority);
  if (peer) out += "#" + *peer;
  return out;
}

}  // namespace roceready
