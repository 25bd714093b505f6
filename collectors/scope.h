// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collectors/collector.h"
#include "core/snapshot/rdma.h"

namespace roceready {

/// On its netdev or an upper of it.
[[nodiscard]] bool has_routable_address(const RdmaPort& port, const Context& context);

/// Why a port cannot touch the verdict, "" where it can: a physical or software function with Ethernet link layer and a
/// routable address on its netdev or an upper of it, or named by the user (product.md 1).
/// Where links or addresses could not be read the port stays in scope: what is not known must not look healthy.
/// A port that had a routable address stays in scope without one (Context::used_ports): a fault takes addresses away
/// (systemd-networkd does when the carrier goes, the kernel flushes IPv6 when the netdev is set down, a driver that is
/// loaded anew makes its netdev anew), and it must not take the port out of the verdict.
[[nodiscard]] std::string why_out_of_scope(const RdmaPort& port, const Selection& selection, const Context& context);

}  // namespace roceready
