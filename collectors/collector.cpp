// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/text.h"

namespace roceready {

#define COLLECTOR(object) extern const Collector object;
#include "collectors/catalog.def"
#undef COLLECTOR

namespace {

constexpr std::array kCollectors{
#define COLLECTOR(object) &object,
#include "collectors/catalog.def"
#undef COLLECTOR
};

}  // namespace

std::span<const Collector* const> collectors() {
  return kCollectors;
}

const NetLink* Context::link(const std::string& name) const {
  const auto at = std::lower_bound(links.begin(), links.end(), name,
                                   [](const NetLink& link, const std::string& wanted) { return link.name < wanted; });
  return at != links.end() && at->name == name ? &*at : nullptr;
}

const NetLink* Context::link(std::uint32_t index) const {
  const auto at = std::find_if(links.begin(), links.end(), [&](const NetLink& link) { return link.index == index; });
  return index != 0 && at != links.end() ? &*at : nullptr;
}

Reading<std::string> read_text(Files& files, const std::string& path) {
  const Result<std::string> text = files.read(path);
  if (!text) return text.error();
  return clean_text(trim(*text));
}

Reading<std::uint32_t> read_u32(Files& files, const std::string& path) {
  const Result<std::string> text = files.read(path);
  if (!text) return text.error();
  const auto number = parse_u64(trim(*text));
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) {
    return Absent{Why::Malformed, path + ": \"" + clean_text(trim(*text)).substr(0, 40) + "\" is no number"};
  }
  return static_cast<std::uint32_t>(*number);
}

}  // namespace roceready
