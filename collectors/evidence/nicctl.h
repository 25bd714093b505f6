// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collectors/evidence/section.h"
#include "core/snapshot/snapshot.h"

namespace roceready::evidence {

extern const Format kNicctl;

/// The PCI function that `nicctl show` names in its line "NIC : UUID (0000:26:00.0)"; "" where it names none, or
/// several.
[[nodiscard]] std::string function_of_nicctl(const Section& section);

/// Takes the operational status of a port, UP or DOWN, as the driver's word on the link: that it is down, and that it
/// is up where it was down before. Whether that was taken.
bool take_nicctl_link(bool up, const std::string& phase, EthtoolFacts& facts);

}  // namespace roceready::evidence
