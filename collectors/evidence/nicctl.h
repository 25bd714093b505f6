// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collectors/evidence/section.h"

namespace roceready::evidence {

extern const Format kNicctl;

/// The PCI function that `nicctl show` names in its line "NIC : UUID (0000:26:00.0)"; "" where it names none, or
/// several.
[[nodiscard]] std::string function_of_nicctl(const Section& section);

}  // namespace roceready::evidence
