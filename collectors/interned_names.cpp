// SPDX-License-Identifier: Apache-2.0
#include "collectors/interned_names.h"

#include <algorithm>
#include <memory>

#include "core/base/text.h"

namespace roceready {

const CounterNames& intern(InternedNames& names, const std::vector<std::string_view>& raw) {
  if (names.clean && std::equal(raw.begin(), raw.end(), names.raw.begin(), names.raw.end())) return names.clean;
  names.raw.assign(raw.begin(), raw.end());
  std::vector<std::string> clean;
  clean.reserve(raw.size());
  for (const std::string_view name : raw) clean.emplace_back(trim(clean_text(name)));
  names.clean = std::make_shared<const std::vector<std::string>>(std::move(clean));
  return names.clean;
}

}  // namespace roceready
