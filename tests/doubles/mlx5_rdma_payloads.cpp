// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <algorithm>
#include <bit>

#include "collectors/uapi.h"
#include "tests/doubles/attribute_writer.h"
#include "tests/doubles/mlx5_payloads.h"

namespace roceready::doubles {
namespace {

using namespace uapi;

AttributeWriter device_handle(std::uint32_t index, const std::string& device) {
  AttributeWriter out;
  out.number(kNldevAttrDevIndex, index).text(kNldevAttrDevName, device);
  return out;
}

}  // namespace

std::string rdma_device(std::uint32_t index, const Mlx5Device& device, const std::string& firmware,
                        const std::string& protocol) {
  AttributeWriter out = device_handle(index, device.name);
  out.number<std::uint32_t>(kNldevAttrPortIndex, 1).number<std::uint64_t>(kNldevAttrCapFlags, 0x1257'9400'0ULL);
  out.text(kNldevAttrFwVersion, firmware.substr(0, firmware.find(' ')));
  out.number<std::uint64_t>(kNldevAttrNodeGuid, 0xb8ce'f603'0010'2030ULL + index);
  out.number<std::uint64_t>(kNldevAttrSysImageGuid, 0xb8ce'f603'0010'2030ULL);
  out.number<std::uint8_t>(kNldevAttrDevNodeType, 1);
  const std::string spoken = device.infiniband ? "ib" : protocol;
  if (!spoken.empty()) out.text(kNldevAttrDevProtocol, spoken);
  return out.bytes();
}

std::string rdma_port(std::uint32_t index, const Mlx5Device& device, std::uint32_t netdev_index) {
  AttributeWriter out = device_handle(index, device.name);
  out.number<std::uint32_t>(kNldevAttrPortIndex, 1);
  if (device.infiniband) {
    out.number<std::uint64_t>(kNldevAttrSubnetPrefix, 0xfe80'0000'0000'0000ULL);
    out.number<std::uint32_t>(kNldevAttrLid, 17).number<std::uint32_t>(kNldevAttrSmLid, 1);
    out.number<std::uint8_t>(kNldevAttrLmc, 0);
  }
  out.number(kNldevAttrPortState, device.state).number(kNldevAttrPortPhysState, device.physical_state);
  if (netdev_index != 0 && !device.netdev.empty()) {
    out.number(kNldevAttrNdevIndex, netdev_index).text(kNldevAttrNdevName, device.netdev);
  }
  return out.bytes();
}

std::string rdma_statistics(std::uint32_t index, const std::string& device,
                            const std::vector<std::pair<std::string, std::uint64_t>>& counters) {
  AttributeWriter all, out = device_handle(index, device);
  for (const auto& [name, value] : counters) {
    AttributeWriter entry;
    entry.text(kNldevAttrStatHwCounterEntryName, name).number(kNldevAttrStatHwCounterEntryValue, value);
    all.nest(kNldevAttrStatHwCounterEntry | kAttributeNested, entry);
  }
  out.number<std::uint32_t>(kNldevAttrPortIndex, 1);
  return out.nest(kNldevAttrStatHwCounters | kAttributeNested, all).bytes();
}

std::string port_attributes(const Mlx5Device& device, std::uint32_t netdev_mtu) {
  // The largest path MTU that leaves 76 bytes of RoCE headers (iboe_get_mtu): 5 is 4096 bytes.
  std::uint32_t active = 1;
  while (active < 5 && (std::uint32_t{256} << active) + 76 <= netdev_mtu) ++active;
  if (device.infiniband) active = 5;
  const std::uint32_t values[8] = {device.state,
                                   5,
                                   active,
                                   255,
                                   128,
                                   2,
                                   device.physical_state,
                                   device.infiniband ? kIbvLinkLayerInfiniBand : kIbvLinkLayerEthernet};
  std::string out(kVerbsPortAttributesSize, '\0');
  for (std::size_t i = 0; i < 8; ++i) put_at(out, i * 4, values[i]);
  return out;
}

std::string gid_table(const std::vector<Gid>& gids, std::uint32_t netdev_index) {
  std::string out;
  for (std::uint32_t i = 0; i < gids.size(); ++i) {
    std::string entry(kGidEntrySize, '\0');
    inet_pton(AF_INET6, gids[i].address.c_str(), entry.data() + kGidEntryGid);
    put_at(entry, kGidEntryIndex, i);
    put_at<std::uint32_t>(entry, kGidEntryPort, 1);
    put_at(entry, kGidEntryType, netdev_index == 0 ? kGidTypeIb : gids[i].v2 ? kGidTypeRoceV2 : kGidTypeRoceV1);
    put_at(entry, kGidEntryIfIndex, netdev_index);
    out += entry;
  }
  return out;
}

std::string pci_configuration(std::uint16_t vendor, std::uint16_t device, bool bridge, std::uint32_t max_read_request) {
  std::string out(4096, '\0');
  put_at(out, 0x00, vendor);
  put_at(out, 0x02, device);
  put_at<std::uint16_t>(out, 0x04, 0x0546);  // memory, bus master, parity, SERR, no INTx
  put_at<std::uint16_t>(out, 0x06, 0x0010);  // a list of capabilities
  put_at<std::uint16_t>(out, 0x0a, bridge ? 0x0604 : 0x0200);
  out[0x0e] = bridge ? 1 : 0;
  out[0x34] = 0x60;
  out[0x60] = 0x10;  // PCI Express, the last one
  put_at<std::uint16_t>(out, 0x62, bridge ? 0x0042 : 0x0002);
  put_at<std::uint32_t>(out, 0x64, 0x8002);  // payload of 512 bytes supported
  const auto read_code = static_cast<std::uint16_t>(std::bit_width(max_read_request / 128) - 1);
  put_at(out, 0x68, static_cast<std::uint16_t>(read_code << 12 | 2U << 5 | 1U << 4 | 1U << 8));
  put_at<std::uint32_t>(out, 0x6c, 16U << 4 | 5U);
  put_at<std::uint16_t>(out, 0x72, 16U << 4 | 5U);
  put_at<std::uint32_t>(out, 0x100, 0x0001 | 2U << 16 | 0x150U << 20);         // AER
  put_at<std::uint32_t>(out, 0x150, (bridge ? 0x000dU : 0x0010U) | 1U << 16);  // ACS; SR-IOV
  return out;
}

}  // namespace roceready::doubles
