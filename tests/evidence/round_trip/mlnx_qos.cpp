// SPDX-License-Identifier: Apache-2.0
// mlnx_qos -i NETDEV.
#include <algorithm>
#include <array>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

std::string row(const char* name, const std::array<std::uint32_t, kPriorities>& values) {
  return std::string("\t") + name + "     " + numbers(values, "   ") + "   \n";
}

std::string map_of(const std::vector<std::uint32_t>& map) {
  std::string out = "dscp2prio mapping:\n";
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    std::string line;
    for (std::size_t dscp = map.size(); dscp-- > 0;)
      if (map[dscp] == priority) line += std::to_string(dscp) + ",";
    if (!line.empty()) out += "\tprio:" + std::to_string(priority) + " dscp:" + line + "\n";
  }
  return out;
}

std::string pfc_of(const PfcFacts& pfc, const Reading<BufferFacts>& buffers) {
  std::array<std::uint32_t, kPriorities> enabled{}, all{};
  for (std::uint8_t p = 0; p < kPriorities; ++p) enabled[p] = pfc.on(p) ? 1 : 0, all[p] = p;
  std::string out;
  if (pfc.delay && *pfc.delay > 0) out += "Cable len: " + std::to_string(*pfc.delay) + "\n";
  out += "PFC configuration:\n" + row("priority", all) + row("enabled", enabled);
  return buffers ? out + row("buffer", buffers->priority_to_buffer) : out;
}

/// Classes with their priorities; those without any are not printed.
std::string classes_of(const EtsFacts& ets, const Reading<std::array<std::uint64_t, kPriorities>>& rates) {
  std::string out;
  for (std::uint32_t number = 0; number < kPriorities; ++number) {
    std::string members;
    for (std::size_t p = 0; p < kPriorities; ++p)
      if (ets.priority_to_class[p] == number) members += "\t priority:  " + std::to_string(p) + "\n";
    if (members.empty()) continue;
    const std::uint32_t algorithm = ets.algorithm[number];
    constexpr std::uint64_t kGiga = 1'000'000'000;
    const std::uint64_t rate = rates ? (*rates)[number] : 0;
    out += "tc: " + std::to_string(number) +
           " ratelimit: " + (rate == 0 ? std::string("unlimited") : std::to_string(rate / kGiga) + ".0 Gbps") +
           ", tsa: ";
    if (algorithm == kAlgorithmEts)
      out += "ets, bw: " + std::to_string(ets.bandwidth_percent[number]) + "%\n";
    else
      out += algorithm == kAlgorithmVendor ? "vendor\n" : "strict\n";
    out += members;
  }
  return out;
}

}  // namespace

void mlnx_qos(Terminal& terminal, const Snapshot& snapshot, const Netdev& netdev) {
  const DcbFacts& facts = netdev.dcb;
  bool of_nvidia = netdev.ethtool.driver && netdev.ethtool.driver->driver == "mlx5_core";
  for (const RdmaPort& port : snapshot.ports)
    of_nvidia = of_nvidia || (port.driver == "mlx5_ib" && !netdev.ethtool.driver &&
                              std::count(port.members.begin(), port.members.end(), netdev.link.name) > 0);
  if (!of_nvidia || (!facts.trust && !facts.pfc)) return;
  std::string out;
  if (facts.dcbx) out += std::string("DCBX mode: ") + ((*facts.dcbx & 1U) != 0 ? "OS controlled\n" : "Firmware\n");
  if (facts.trust) out += "Priority trust state: " + *facts.trust + "\n";
  if (facts.dscp_to_priority) out += map_of(*facts.dscp_to_priority);
  out += "default priority:\n";
  if (facts.buffers) {
    out += "Receive buffer size (bytes): " + numbers(facts.buffers->size_bytes, ",") + ",";
    if (facts.buffers->total_bytes) out += "total_size=" + std::to_string(*facts.buffers->total_bytes);
    out += "\n";
  }
  if (facts.pfc) out += pfc_of(*facts.pfc, facts.buffers);
  if (facts.ets) out += classes_of(*facts.ets, facts.max_rate);
  terminal.run("mlnx_qos -i " + netdev.link.name, out);
}

}  // namespace roceready::round_trip
