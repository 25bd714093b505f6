// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collectors/counter_files.h"
#include "collectors/node_parse.h"
#include "collectors/pci_parse.h"
#include "collectors/rdma_parse.h"

using namespace roceready;

/// Answers of RDMA netlink and verbs, and the texts of sysfs beside them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  (void)parse_rdma_device(bytes);
  (void)parse_rdma_port(bytes);
  (void)parse_rdma_counters(bytes);
  (void)parse_gid_table(bytes, 1);
  (void)parse_port_attributes(bytes);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)gid_from_sysfs(text);
  (void)gid_type_from_sysfs(text);
  (void)word_behind_number(text);
  (void)parse_counter(text);
  (void)parse_pci_configuration(text);
  (void)parse_pci_speed(text);
  (void)parse_pci_width(text);
  (void)parse_aer_total(text);
  (void)parse_sysfs_place(text);
  (void)parse_unit_limit(text, "LimitMEMLOCK");
  (void)parse_max_locked_memory(text);
  (void)parse_hypervisor(text);
  return 0;
}
