// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collectors/attributes.h"
#include "core/snapshot/dcb.h"

namespace roceready {

/// Attributes of the reply to DCB_CMD_IEEE_GET: pfc, ets, app, buffers and, where it comes along, dcbx. Every part is
/// optional: a driver's failing callback just leaves it out, which is NotPresent, never zero. A struct that is too
/// short is Malformed, a longer one is accepted. trust and dscp_to_priority are not touched.
[[nodiscard]] DcbFacts parse_ieee(ByteSpan attributes);
/// Attributes of the reply to DCB_CMD_GDCBX.
[[nodiscard]] Reading<std::uint32_t> parse_dcbx(ByteSpan attributes);

}  // namespace roceready
