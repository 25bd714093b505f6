// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/format.h"

namespace roceready::evidence {

#define FORMAT(constant) extern const Format constant;
#include "collectors/evidence/catalog.def"
#undef FORMAT

std::span<const Format* const> formats() {
  static constexpr const Format* kAll[] = {
#define FORMAT(constant) &constant,
#include "collectors/evidence/catalog.def"
#undef FORMAT
  };
  return kAll;
}

}  // namespace roceready::evidence
