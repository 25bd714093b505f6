// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "collectors/dcb_parse.h"
#include "collectors/dscp_map.h"

using namespace roceready;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  const DcbFacts dcb = parse_ieee(bytes);
  (void)parse_dcbx(bytes);
  const Reading<std::string> no_file = Absent{Why::NotPresent, ""};
  for (const VendorTable* table : {vendor_of_netdev("mlx5_core"), static_cast<const VendorTable*>(nullptr)}) {
    const auto trust = derive_trust(no_file, table, dcb);
    const auto map = derive_dscp_map(trust, table, dcb.app);
    if (!map) continue;
    if (map->size() != 64) std::abort();
    for (const std::uint32_t priority : *map) {
      if (priority >= kPriorities) std::abort();
    }
  }
  return 0;
}
