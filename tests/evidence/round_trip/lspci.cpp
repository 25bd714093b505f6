// SPDX-License-Identifier: Apache-2.0
// lspci -D -nn -vvv.
#include <algorithm>
#include <array>
#include <map>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

std::string speed(std::uint64_t transfers) {
  const std::uint64_t tenths = transfers / 100'000'000;
  std::string out = std::to_string(tenths / 10);
  if (tenths % 10 != 0) out += "." + std::to_string(tenths % 10);
  return out + "GT/s";
}

std::string link(const char* name, const Reading<std::uint64_t>& rate, const Reading<std::uint32_t>& width) {
  if (!rate && !width) return "";
  std::string out = std::string("\t\t") + name + ":\t";
  if (rate) out += "Speed " + speed(*rate) + ", ";
  if (width) out += "Width x" + std::to_string(*width);
  return out + "\n";
}

std::string control_of(const PciFunction& function) {
  std::string out;
  if (function.max_payload_supported_bytes)
    out += "\t\tDevCap:\tMaxPayload " + std::to_string(*function.max_payload_supported_bytes) + " bytes, PhantFunc 0\n";
  if (!function.relaxed_ordering && !function.max_payload_bytes && !function.max_read_request_bytes) return out;
  out += "\t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq+\n";
  if (function.relaxed_ordering)
    out += std::string("\t\t\tRlxdOrd") + (*function.relaxed_ordering ? "+" : "-") + " ExtTag+ PhantFunc- NoSnoop+\n";
  out += "\t\t\t";
  if (function.max_payload_bytes) out += "MaxPayload " + std::to_string(*function.max_payload_bytes) + " bytes";
  if (function.max_read_request_bytes)
    out += std::string(function.max_payload_bytes ? ", " : "") + "MaxReadReq " +
           std::to_string(*function.max_read_request_bytes) + " bytes";
  return out + "\n";
}

std::string acs_of(std::uint32_t control) {
  constexpr std::array<const char*, 7> kBits{"SrcValid",    "TransBlk",   "ReqRedir",   "CmpltRedir",
                                             "UpstreamFwd", "EgressCtrl", "DirectTrans"};
  std::string out = "\t\tACSCtl:\t";
  for (std::size_t bit = 0; bit < kBits.size(); ++bit)
    out += std::string(bit == 0 ? "" : " ") + kBits[bit] + ((control >> bit & 1U) != 0 ? "+" : "-");
  return out + "\n";
}

bool is_denied(const PciFunction& function) {
  return !function.acs_control && function.acs_control.absent().why == Why::Denied;
}

std::string body_of(const PciFunction& function) {
  std::string out;
  if (function.numa_node && *function.numa_node >= 0)
    out += "\tNUMA node: " + std::to_string(*function.numa_node) + "\n";
  if (function.iommu_group_type) out += "\tIOMMU group: 30\n";
  if (is_denied(function)) return out + "\tCapabilities: <access denied>\n";
  out += "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n" + control_of(function);
  out += link("LnkCap", function.max_speed, function.max_width);
  out += link("LnkSta", function.current_speed, function.current_width);
  return function.acs_control ? out + acs_of(*function.acs_control) : out;
}

}  // namespace

void lspci(Terminal& terminal, const Snapshot& snapshot) {
  std::map<std::string, std::string> bus_below;  // bridge → what stands on its secondary bus
  const auto note = [&](const std::string& address, const std::string& parent) {
    if (!parent.empty() && address.size() >= 7) bus_below[parent] = address.substr(5, 2);
  };
  for (const PciFunction& function : snapshot.pci) note(function.address, function.parent);
  if (snapshot.gpus)
    for (const Gpu& gpu : *snapshot.gpus) note(gpu.address, gpu.parent);
  std::string out;
  for (const PciFunction& function : snapshot.pci) {
    const auto below = bus_below.find(function.address);
    const bool is_virtual = function.physical_function.has_value();
    const std::string id = function.vendor_device ? " [" + *function.vendor_device + "]" : "";
    out += function.address;
    if (below == bus_below.end())
      out += std::string(" Ethernet controller [0200]: Some Vendor Some NIC") +
             (is_virtual ? " Virtual Function" : "") + id + "\n";
    else
      out += " PCI bridge [0604]: Some Vendor Some Bridge" + id + "\n\tBus: primary=00, secondary=" + below->second +
             ", subordinate=ff, sec-latency=0\n";
    out += body_of(function) + "\n";
  }
  for (const RdmaPort& port : snapshot.ports) {
    const std::string address = port.pci_address.value_or("");
    if (port.function == FunctionKind::Virtual && !address.empty() && snapshot.function(address) == nullptr)
      out += address + " Ethernet controller [0200]: Some Vendor Some NIC Virtual Function\n\n";
  }
  if (snapshot.gpus) {
    for (const Gpu& gpu : *snapshot.gpus) {
      out += gpu.address + " 3D controller [0302]: Some Vendor Some GPU" +
             (gpu.vendor_device ? " [" + *gpu.vendor_device + "]" : "") + "\n";
      if (gpu.numa_node && *gpu.numa_node >= 0) out += "\tNUMA node: " + std::to_string(*gpu.numa_node) + "\n";
      out += std::string("\tKernel driver in use: ") +
             (gpu.vendor_device.value_or("").starts_with("1002") ? "amdgpu" : "nvidia") + "\n\n";
    }
  }
  if (!out.empty()) terminal.run("lspci -D -nn -vvv", out);
}

}  // namespace roceready::round_trip
