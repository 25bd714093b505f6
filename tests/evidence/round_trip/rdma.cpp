// SPDX-License-Identifier: Apache-2.0
// rdma link, rdma dev, rdma statistic; cma_roce_tos and cma_roce_mode.
#include <set>

#include "tests/evidence/round_trip/counter_names.h"
#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

std::string link_of(const RdmaPort& port) {
  return port.device + "/" + std::to_string(port.port);
}

std::string physical_word(const std::string& state) {
  if (state == "LinkUp") return "LINK_UP";
  if (state == "Disabled") return "DISABLED";
  return state == "Polling" ? "POLLING" : state;
}

}  // namespace

void rdma_link(Terminal& terminal, const Snapshot& snapshot) {
  std::string out;
  for (const RdmaPort& port : snapshot.ports) {
    const bool pairs = port.netdev || port.netdev.absent().why != Why::NotRecorded;
    const bool elsewhere = !port.netdev && port.netdev.absent().why == Why::OtherNamespace;
    if (!pairs || (!port.state && !elsewhere)) continue;
    out += "link " + link_of(port) + " state " + port.state.value_or("NOP");
    if (port.physical_state) out += " physical_state " + physical_word(*port.physical_state);
    if (port.netdev) out += " netdev " + *port.netdev;
    out += "\n";
  }
  if (!out.empty()) terminal.run("rdma link", out);
}

void rdma_dev(Terminal& terminal, const Snapshot& snapshot) {
  std::string out;
  std::set<std::string> told;
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.protocol || !told.insert(port.device).second) continue;
    out += std::to_string(told.size() - 1) + ": " + port.device + ": node_type " +
           (*port.protocol == "iw" ? "rnic" : "ca") + " protocol " + *port.protocol;
    if (port.firmware) out += " fw " + *port.firmware;
    out += " node_guid 0200:00ff:fe00:0001 sys_image_guid 0200:00ff:fe00:0001\n";
  }
  if (!out.empty()) terminal.run("rdma dev", out);
}

void rdma_statistic(Terminal& terminal, const Snapshot& snapshot) {
  std::string out;
  for (const RdmaPort& port : snapshot.ports) {
    const NamedCounters list = hw_counters_of(port);
    if (list.empty()) continue;
    out += "link " + link_of(port);
    for (const auto& [name, value] : list) out += " " + name + " " + std::to_string(value);
    out += "\n";
  }
  if (!out.empty()) terminal.run("rdma statistic", out);
}

void rdma_cm(Terminal& terminal, const Snapshot& snapshot) {
  for (const RdmaPort& port : snapshot.ports) {
    const std::string of = " -d " + port.device + " -p " + std::to_string(port.port);
    const std::string directory = "/sys/kernel/config/rdma_cm/" + port.device + "/ports/" + std::to_string(port.port);
    if (port.cma_default_tos) {
      terminal.run("cma_roce_tos" + of, std::to_string(*port.cma_default_tos) + "\n");
    } else if (port.cma_default_tos.absent().why == Why::NotPresent) {
      const std::string file = directory + "/default_roce_tos";
      terminal.run("cat " + file, "cat: " + file + ": No such file or directory\n");
    }
    if (port.cma_default_mode) terminal.run("cma_roce_mode" + of, *port.cma_default_mode + "\n");
  }
}

}  // namespace roceready::round_trip
