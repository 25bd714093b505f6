// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/verbs/verbs.h"

namespace roceready::probes::verbs {

/// This machine's RDMA ports through libibverbs. To be made before there are threads: it sets
/// RDMAV_ALLOW_DISASSOC_DESTROY for libibverbs, so that what belonged to a removed device can be freed (fact
/// verbs-disassociate). Loads no kernel module: without ib_uverbs every call is NotFound. Threads: list and open from
/// any.
[[nodiscard]] std::unique_ptr<Verbs> make_live_verbs();

}  // namespace roceready::probes::verbs
