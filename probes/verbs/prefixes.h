// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "probes/verbs/types.h"

namespace roceready::probes::verbs {

/// How many leading bits of each address of this machine's netdevs name its subnet, of 128: an IPv4 /24 is 120. Empty
/// where the kernel does not tell.
[[nodiscard]] std::map<Gid, std::uint8_t> subnet_bits();

}  // namespace roceready::probes::verbs
