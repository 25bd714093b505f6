// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "collectors/module_eeprom.h"

using namespace roceready;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteSpan rest = std::as_bytes(std::span(data, size));
  const auto take = [&](std::size_t count) {
    const ByteSpan bytes = rest.first(std::min(count, rest.size()));
    rest = rest.subspan(bytes.size());
    return Bytes(bytes.begin(), bytes.end());
  };
  const Bytes head = take(kModuleHead.length);
  std::map<ModulePart, Bytes> parts{{kModuleHead, head}};
  for (const ModulePart& part : module_parts(head)) {
    if (part.length > 128) std::abort();
    parts[part] = take(part.length);
  }
  const ModuleFacts facts = parse_module(parts);
  if (!facts.monitors) return 0;
  for (const ModuleMonitor& one : *facts.monitors) {
    if (!(one.high_alarm > one.low_alarm) || one.lane > 8) std::abort();
  }
  return 0;
}
