// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/reading.h"
#include "core/host/host.h"

namespace roceready {

/// Vendor and device of a PCI function, "15b3:1021". `base`: its directory in sysfs, with a slash at the end.
[[nodiscard]] Reading<std::string> vendor_device(Files& files, const std::string& base);

}  // namespace roceready
