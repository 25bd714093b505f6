// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collectors/vendors/vendor.h"
#include "core/snapshot/dcb.h"

namespace roceready {

/// The same reason for a fact that the driver should have shown: a refusal with "not supported" is no proof that it
/// never shows it, so it becomes Malformed. NotSupported is left to what the vendor's table says.
[[nodiscard]] Absent unread(const Absent& absent);

/// Trust mode: the driver's own file where it exists, else by the vendor's rule over the APP table and the DCBX flags.
/// `table` is nullptr for a driver that no table knows.
[[nodiscard]] Reading<std::string> derive_trust(const Reading<std::string>& file, const VendorTable* table,
                                                const DcbFacts& dcb);
/// DCB facts that are absent: NotSupported where the table hides them, else as unread() has it.
void settle_hidden(const VendorTable* table, DcbFacts& dcb);
/// Effective DSCP → priority, 64 entries: APP entries over the vendor's default map. Where several entries name one
/// DSCP the highest priority is taken, as the kernel's own lookups do. Absent where the table could not be read, where
/// trust is not dscp, and where some DSCP has no entry and no default is known.
[[nodiscard]] Reading<std::vector<std::uint32_t>> derive_dscp_map(const Reading<std::string>& trust,
                                                                  const VendorTable* table,
                                                                  const Reading<std::vector<AppEntry>>& app);

}  // namespace roceready
