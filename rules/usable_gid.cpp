// SPDX-License-Identifier: Apache-2.0
#include "rules/usable_gid.h"

#include <string_view>

namespace roceready::rules {
namespace {

bool is_ipv4(const GidEntry& entry) {
  return entry.gid.starts_with("::ffff:");
}

}  // namespace

bool is_of_other_namespace(const GidEntry& entry) {
  return !entry.netdev && entry.netdev.absent().why == Why::OtherNamespace;
}

const GidEntry* usable_gid(const std::vector<GidEntry>& table) {
  const GidEntry* out = nullptr;
  for (const GidEntry& entry : table) {
    if (entry.type != "RoCE v2" || entry.gid.starts_with("fe80:") || is_of_other_namespace(entry)) continue;
    if (out == nullptr || (is_ipv4(entry) && !is_ipv4(*out))) out = &entry;
  }
  return out;
}

}  // namespace roceready::rules
