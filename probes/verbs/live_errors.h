// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"

namespace roceready::probes::verbs::live {

/// An errno of a verbs call with what to try: limits of locked memory, permissions of the device file, missing
/// neighbour, exhausted device. 0 counts as EIO: some drivers fail without a reason.
[[nodiscard]] Error refusal(int errno_value, const std::string& what, const std::string& where);

}  // namespace roceready::probes::verbs::live
