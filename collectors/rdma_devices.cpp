// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma_devices.h"

#include <algorithm>
#include <array>
#include <set>

#include "collectors/pci_parse.h"
#include "core/base/text.h"

namespace roceready {

std::string port_name(const RdmaPort& port) {
  return port.device + "/" + std::to_string(port.port);
}

namespace {

struct DriverPair {
  std::string_view pci, rdma;
};
constexpr DriverPair kDrivers[] = {
    {"mlx5_core", "mlx5_ib"}, {"mlx4_core", "mlx4_ib"}, {"bnxt_en", "bnxt_re"}, {"ice", "irdma"}, {"i40e", "irdma"},
    {"idpf", "irdma"},        {"ionic", "ionic_rdma"},  {"hns3", "hns_roce"},   {"qede", "qedr"}, {"mana", "mana_ib"},
    {"cxgb4", "iw_cxgb4"},    {"efa", "efa"},           {"erdma", "erdma"}};

std::uint32_t count_ports(Files& files, const std::string& device) {
  const auto ports = files.list(std::string(kInfiniBandClass) + "/" + device + "/ports");
  return ports ? static_cast<std::uint32_t>(std::clamp<std::size_t>(ports->size(), 1, 255)) : 1;
}

/// What sysfs says of a device that RDMA netlink did not list.
RdmaDevice device_from_sysfs(Files& files, const std::string& name) {
  const std::string base = std::string(kInfiniBandClass) + "/" + name + "/";
  RdmaDevice device;
  device.name = name;
  device.ports = count_ports(files, name);
  device.firmware = read_text(files, base + "fw_ver");
  if (device.firmware && device.firmware->empty())
    device.firmware = Absent{Why::NotPresent, "the driver names no firmware"};
  device.protocol = Absent{Why::NotPresent, "RDMA netlink was not available"};
  const Reading<std::string> type = read_text(files, base + "node_type");
  const auto number = type ? parse_u64(type->substr(0, type->find(':'))) : std::nullopt;
  if (number && *number < 256) device.node_type = static_cast<std::uint8_t>(*number);
  return device;
}

bool excludes_every_port(const Selection& selection, const RdmaDevice& device) {
  for (std::uint32_t port = 1; port <= device.ports; ++port) {
    if (!selection.excludes_port(device.name, port)) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<RdmaDevice>> list_rdma_devices(Host& host, const Selection& selection) {
  const auto names = host.files.list(kInfiniBandClass);
  if (!names && names.error().code == ErrorCode::NotFound) return std::vector<RdmaDevice>();
  const auto dump = host.rdma.devices();
  if (!names && !dump) return names.error().during("listing RDMA devices");
  std::vector<RdmaDevice> out;
  std::set<std::string> seen;
  for (const Bytes& message : dump ? *dump : std::vector<Bytes>()) {
    auto device = parse_rdma_device(message);
    if (device && seen.insert(device->name).second && !selection.excludes_device(device->name)) {
      out.push_back(std::move(*device));
    }
  }
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (seen.insert(name).second && !selection.excludes_device(name))
      out.push_back(device_from_sysfs(host.files, name));
  }
  std::erase_if(out, [&](const RdmaDevice& device) { return excludes_every_port(selection, device); });
  std::sort(out.begin(), out.end(), [](const RdmaDevice& a, const RdmaDevice& b) { return a.name < b.name; });
  return out;
}

const DevicePlace& place_of_device(Host& host, Context& context, const std::string& device) {
  const auto known = context.places.find(device);
  if (known != context.places.end() && !context.configuration_due) return known->second;
  DevicePlace place;
  const auto target = host.files.read_link(std::string(kInfiniBandClass) + "/" + device);
  if (!target) {
    place.why_unplaced = absent_from(target.error());
    return context.places[device] = place;
  }
  const SysfsPlace where = parse_sysfs_place(*target);
  if (where.pci.empty()) {
    place.function = FunctionKind::Software;
    place.why_unplaced = {Why::NotPresent, "software RDMA has no PCI function"};
    return context.places[device] = place;
  }
  place.pci_address = where.pci.back();
  const std::string pci = kPciDevices + place.pci_address;
  if (where.sub_function) {
    place.function = FunctionKind::SubFunction;
  } else if (host.files.read_link(pci + "/physfn")) {
    place.function = FunctionKind::Virtual;
  } else if (const auto driver = host.files.read_link(pci + "/driver")) {
    place.pci_driver = base_name(*driver);
  }
  return context.places[device] = place;
}

std::string rdma_driver_name(const DevicePlace& place, const RdmaDevice& device) {
  constexpr std::uint8_t kRnic = 4;
  if (place.function == FunctionKind::Software) return device.node_type == kRnic ? "siw" : "rdma_rxe";
  for (const DriverPair& pair : kDrivers) {
    if (pair.pci == place.pci_driver) return std::string(pair.rdma);
  }
  return {};
}

}  // namespace roceready
