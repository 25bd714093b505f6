// SPDX-License-Identifier: Apache-2.0
#include "collectors/scope.h"

#include <algorithm>

namespace roceready {
namespace {

bool is_routable(const Context& context, const std::string& netdev) {
  const NetLink* link = context.link(netdev);
  return link != nullptr && std::any_of(link->addresses.begin(), link->addresses.end(),
                                        [](const IpAddress& address) { return address.is_routable(); });
}

std::string why_by_kind(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::Virtual:
      return "virtual function";
    case FunctionKind::SubFunction:
      return "sub-function";
    case FunctionKind::Representor:
      return "representor of another function";
    case FunctionKind::Physical:
    case FunctionKind::Software:
      return {};
  }
  return {};
}

}  // namespace

bool has_routable_address(const RdmaPort& port, const Context& context) {
  const auto routable = [&](const std::string& name) { return is_routable(context, name); };
  return port.netdev && (routable(*port.netdev) || std::any_of(port.uppers.begin(), port.uppers.end(), routable));
}

std::string why_out_of_scope(const RdmaPort& port, const Selection& selection, const Context& context) {
  const auto named = [&](const std::string& netdev) {
    return selection.names(port.device, port.port, netdev, port.pci_address.value_or(""));
  };
  if (named(port.netdev.value_or("")) || std::any_of(port.members.begin(), port.members.end(), named)) return {};
  if (std::string why = why_by_kind(port.function); !why.empty()) return why;
  if (port.link_layer && *port.link_layer != "Ethernet") return "link layer is " + *port.link_layer;
  if (!port.netdev) {
    return port.netdev.absent().why == Why::OtherNamespace ? "its netdev is not in this network namespace" : "";
  }
  if (!context.links_read || !context.addresses_read) return {};
  if (has_routable_address(port, context) || context.used_ports.contains(port.key)) return {};
  return "unused: no routable address on its netdev or an upper of it";
}

}  // namespace roceready
