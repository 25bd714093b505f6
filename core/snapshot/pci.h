// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/reading.h"

namespace roceready {

/// One PCI Express function or bridge. Speeds in transfers per second (16 GT/s = 16e9).
struct PciFunction {
  std::string address;                 ///< "0000:3b:00.0"
  Reading<std::string> vendor_device;  ///< "15b3:1017"
  Reading<std::uint64_t> current_speed, max_speed;
  Reading<std::uint32_t> current_width, max_width;  ///< lanes
  Reading<std::uint32_t> max_read_request_bytes;    ///< PCIe Device Control; needs CAP_SYS_ADMIN
  Reading<std::uint32_t> max_payload_bytes;
  Reading<std::uint32_t> max_payload_supported_bytes;
  Reading<bool> relaxed_ordering;          ///< PCIe Device Control: the function may mark its requests so
  Reading<std::uint32_t> acs_control;      ///< ACS control register; NotPresent: no such capability
  Reading<std::int64_t> numa_node;         ///< -1: the platform does not say
  Reading<std::string> iommu_group_type;   ///< DMA, DMA-FQ, identity…; NotPresent: no IOMMU group
  Reading<std::string> physical_function;  ///< address of the PF: this is a virtual function. NotPresent: it is not
  Reading<std::map<std::string, std::uint64_t>> aer;  ///< correctable, nonfatal, fatal: totals
  std::string parent;                                 ///< bridge above, "" at the root complex
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("address", self.address);
    visit("vendor_device", self.vendor_device);
    visit("current_speed", self.current_speed);
    visit("max_speed", self.max_speed);
    visit("current_width", self.current_width);
    visit("max_width", self.max_width);
    visit("max_read_request_bytes", self.max_read_request_bytes);
    visit("max_payload_bytes", self.max_payload_bytes);
    visit("max_payload_supported_bytes", self.max_payload_supported_bytes);
    visit("relaxed_ordering", self.relaxed_ordering);
    visit("acs_control", self.acs_control);
    visit("numa_node", self.numa_node);
    visit("iommu_group_type", self.iommu_group_type);
    visit("physical_function", self.physical_function);
    visit("aer", self.aer);
    visit("parent", self.parent);
  }
};

/// A GPU or accelerator that its driver has bound; its bridges are in Snapshot::pci.
struct Gpu {
  std::string address;                 ///< "0000:1b:00.0"
  Reading<std::string> vendor_device;  ///< "10de:2330"
  Reading<std::int64_t> numa_node;     ///< -1: the platform does not say
  std::string parent;                  ///< bridge above, "" at the root complex
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("address", self.address);
    visit("vendor_device", self.vendor_device);
    visit("numa_node", self.numa_node);
    visit("parent", self.parent);
  }
};

}  // namespace roceready
