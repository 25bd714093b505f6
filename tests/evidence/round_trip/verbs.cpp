// SPDX-License-Identifier: Apache-2.0
// ibv_devinfo -v, ibdev2netdev, show_gids.
#include <algorithm>
#include <map>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

std::string fact(const std::string& name, const std::string& value) {
  return "\t\t\t" + name + ":\t\t" + value + "\n";
}

std::string mtu_text(std::uint32_t bytes) {
  std::uint32_t code = 1;
  for (std::uint32_t size = 256; size < bytes; size *= 2) ++code;
  return std::to_string(bytes) + " (" + std::to_string(code) + ")";
}

std::string state_text(const std::string& state) {
  const std::map<std::string, std::string> codes{{"DOWN", "1"}, {"INIT", "2"}, {"ARMED", "3"}, {"ACTIVE", "4"}};
  const auto code = codes.find(state);
  return "PORT_" + state + " (" + (code == codes.end() ? "0" : code->second) + ")";
}

std::string physical_text(const std::string& state) {
  if (state == "LinkUp") return "LINK_UP (5)";
  if (state == "Disabled") return "DISABLED (3)";
  return state == "Polling" ? "POLLING (2)" : state;
}

std::string type_text(const std::string& type) {
  return type.empty() || type == "IB" ? "" : ", " + type;
}

std::string port_of(const RdmaPort& port) {
  std::string out = "\t\tport:\t" + std::to_string(port.port) + "\n";
  if (port.state) out += fact("state", state_text(*port.state));
  if (port.max_mtu) out += fact("max_mtu", mtu_text(*port.max_mtu));
  if (port.active_mtu) out += fact("active_mtu", mtu_text(*port.active_mtu));
  if (port.link_layer) out += fact("link_layer", *port.link_layer);
  if (port.physical_state) out += fact("phys_state", physical_text(*port.physical_state));
  if (port.gids) {
    out += fact("gid_tbl_len", "256");
    for (const GidEntry& gid : *port.gids)
      if (!gid.type.empty())
        out += fact("GID[" +
                        std::string(gid.index < 10    ? "  "
                                    : gid.index < 100 ? " "
                                                      : "") +
                        std::to_string(gid.index) + "]",
                    gid.gid + type_text(gid.type));
  }
  return out + "\n";
}

/// What sysfs tells and refuses of a table that has entries of other network namespaces.
void gid_types(Terminal& terminal, const RdmaPort& port) {
  const auto refused = [](const GidEntry& gid) { return gid.type.empty(); };
  if (!port.gids || std::none_of(port.gids->begin(), port.gids->end(), refused)) return;
  const std::string base = "/sys/class/infiniband/" + port.device + "/ports/" + std::to_string(port.port);
  std::string out;
  for (const GidEntry& gid : *port.gids) {
    const std::string path = base + "/gid_attrs/types/" + std::to_string(gid.index);
    out += refused(gid) ? "grep: " + path + ": Invalid argument\n"
                        : path + ":" + (gid.type == "RoCE v1" ? "IB/RoCE v1" : gid.type) + "\n";
  }
  terminal.run("grep . " + base + "/gid_attrs/types/*", out);
}

}  // namespace

void ibv_devinfo(Terminal& terminal, const Snapshot& snapshot) {
  if (snapshot.host.user_verbs && !*snapshot.host.user_verbs)
    return terminal.run("ibv_devinfo -v", "Failed to get IB devices list: Function not implemented\n");
  if (snapshot.ports.empty()) return terminal.run("ibv_devinfo -v", "No IB devices found\n");
  std::string out, device;
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.link_layer && !port.state && !port.active_mtu && !port.gids) continue;
    if (port.device != device) {
      device = port.device;
      const bool iwarp = port.protocol.value_or("") == "iw";
      out += "hca_id:\t" + device + "\n\ttransport:\t\t\t" + (iwarp ? "iWARP (1)" : "InfiniBand (0)") + "\n";
      if (port.firmware) out += "\tfw_ver:\t\t\t\t" + *port.firmware + "\n";
    }
    out += port_of(port);
  }
  if (!out.empty()) terminal.run("ibv_devinfo -v", out);
}

void ibdev2netdev(Terminal& terminal, const Snapshot& snapshot) {
  std::string out;
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.netdev) continue;
    if (port.pci_address)
      out += *port.pci_address + " " + port.device + " (MT4129 - MCX755106AS-HEAT) NIC fw " +
             port.firmware.value_or("28.39.1002");
    else
      out += port.device;
    out += " port " + std::to_string(port.port) + (port.pci_address ? " (ACTIVE)" : "") + " ==> " + *port.netdev;
    const Netdev* netdev = snapshot.netdev(*port.netdev);
    if (netdev != nullptr && netdev->link.oper_state) out += *netdev->link.oper_state == "up" ? " (Up)" : " (Down)";
    out += "\n";
  }
  if (!out.empty()) terminal.run("ibdev2netdev -v", out);
}

void show_gids(Terminal& terminal, const Snapshot& snapshot) {
  for (const RdmaPort& port : snapshot.ports) gid_types(terminal, port);
  std::string out;
  std::size_t count = 0;
  bool whole = true;
  for (const RdmaPort& port : snapshot.ports) {
    whole = whole && port.gids;
    if (!port.gids) continue;
    for (const GidEntry& gid : *port.gids) {
      if (gid.type.empty()) continue;  // refused
      const std::string mapped = "::ffff:";
      const bool v4 = gid.gid.starts_with(mapped);
      out += port.device + "\t" + std::to_string(port.port) + "\t" + std::to_string(gid.index) + "\t" + gid.gid + "\t" +
             (v4 ? gid.gid.substr(mapped.size()) + "  " : "\t\t") + "\t" + (gid.type == "RoCE v2" ? "v2" : "v1") +
             "\t" + gid.netdev.value_or("") + "\n";
      ++count;
    }
  }
  if (!whole || snapshot.ports.empty()) return;
  terminal.run("show_gids",
               "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4\t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------"
               "\t---\t---\n" +
                   out + "n_gids_found=" + std::to_string(count) + "\n");
}

}  // namespace roceready::round_trip
