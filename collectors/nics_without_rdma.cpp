// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "collectors/collector.h"
#include "collectors/link_topology.h"
#include "collectors/pci_identity.h"
#include "collectors/pci_parse.h"
#include "collectors/rdma_devices.h"

namespace roceready {
namespace {

/// PCI drivers whose NICs have an RDMA driver.
constexpr std::string_view kCapable[] = {"mlx5_core", "mlx4_core", "bnxt_en", "ice",  "i40e",
                                         "ionic",     "hns3",      "qede",    "cxgb4"};

/// PCI address of a driver's own netdev; "" for anything else. Kernels before 5.14 do not name the parent in rtnetlink.
std::string pci_address_of(Host& host, const NetLink& link) {
  if (!link.kind.empty() || link.name == "lo") return {};
  if (link.phys_port_name && is_representor_name(*link.phys_port_name)) return {};
  if (link.parent_device) return is_pci_address(*link.parent_device) ? *link.parent_device : std::string();
  const auto target = host.files.read_link("/sys/class/net/" + link.name + "/device");
  const std::string name = target ? base_name(*target) : std::string();
  return is_pci_address(name) ? name : std::string();
}

/// Under RoCE LAG one RDMA port serves several netdevs.
bool serves(const std::vector<RdmaPort>& ports, const std::string& netdev) {
  return std::any_of(ports.begin(), ports.end(), [&](const RdmaPort& port) {
    return std::find(port.members.begin(), port.members.end(), netdev) != port.members.end();
  });
}

Result<void> collect(Host& host, const Selection& selection, Context& context, Snapshot& out) {
  out.nics_without_rdma.clear();
  for (const NetLink& link : context.links) {
    if (selection.excludes_netdev(link.name) || serves(out.ports, link.name)) continue;
    const std::string address = pci_address_of(host, link);
    if (address.empty()) continue;
    const std::string base = kPciDevices + address;
    const auto driver = host.files.read_link(base + "/driver");
    const std::string name = driver ? base_name(*driver) : std::string();
    if (std::find(std::begin(kCapable), std::end(kCapable), name) == std::end(kCapable)) continue;
    if (host.files.read_link(base + "/physfn")) continue;
    const auto rdma = host.files.list(base + "/infiniband");
    if (rdma || rdma.error().code != ErrorCode::NotFound) continue;
    out.nics_without_rdma.push_back({address, name, link.name});
    // Of its function only the model is of interest: whether others of it have RDMA.
    if (out.function(address) != nullptr) continue;
    PciFunction& function = out.pci.emplace_back();
    function.address = address;
    function.vendor_device = vendor_device(host.files, base + "/");
  }
  return context.links_read;
}

}  // namespace

extern const Collector kNicsWithoutRdma;
constinit const Collector kNicsWithoutRdma{"nics_without_rdma", Cadence::Machine, false, collect};

}  // namespace roceready
