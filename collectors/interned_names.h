// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "collectors/collector.h"

namespace roceready {

/// Names for the snapshot: the ones interned before while `raw` is the same list, else new ones.
const CounterNames& intern(InternedNames& names, const std::vector<std::string_view>& raw);

}  // namespace roceready
