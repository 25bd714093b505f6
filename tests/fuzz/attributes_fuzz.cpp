// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "collectors/attributes.h"
#include "collectors/ethtool_parse.h"
#include "collectors/links_parse.h"
#include "collectors/source_routing.h"

using roceready::ByteSpan;

namespace {

void walk(ByteSpan bytes, int depth) {
  for (roceready::Attributes at(bytes); at.next();) {
    (void)at.current().text();
    (void)at.current().number<std::uint64_t>();
    if (depth < 4) walk(at.current().payload, depth + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  walk(bytes, 0);
  (void)roceready::parse_link(bytes);
  (void)roceready::parse_address(bytes);
  (void)roceready::parse_rule(bytes);
  (void)roceready::parse_link_modes(bytes);
  (void)roceready::parse_link_state(bytes);
  (void)roceready::parse_pause(bytes);
  (void)roceready::parse_fec(bytes);
  (void)roceready::parse_rings(bytes);
  const roceready::Bytes message(bytes.begin(), bytes.end());
  (void)roceready::build_links({message, message}, {message});
  return 0;
}
