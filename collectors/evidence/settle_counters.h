// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collectors/evidence/draft.h"
#include "collectors/vendors/vendor.h"

namespace roceready::evidence {

/// The vendor whose table knows most of the names that the files list for a port and its netdev; nullptr where none
/// does, or two do equally well.
[[nodiscard]] const VendorTable* table_by_names(const Draft& draft, const RdmaPort& port, const std::string& netdev);

/// Fills the raw and canonical counters of the snapshot from the draft's, read at `at`. A counter that the files do not
/// list is NotRecorded, whatever the driver offers: a list may have been cut or filtered. The sets that were read are
/// taken out of the draft, so that a later moment without them does not repeat them as fresh.
void settle_counters(Draft& draft, Snapshot& into, const Instant& at);

}  // namespace roceready::evidence
