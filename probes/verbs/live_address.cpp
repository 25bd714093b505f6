// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/live_address.h"

#include <infiniband/verbs.h>

#include <cstring>

namespace roceready::probes::verbs::live {

ibv_ah_attr address_attributes(const Address& address, std::uint32_t port) {
  ibv_ah_attr out{};
  out.is_global = 1;
  out.port_num = static_cast<std::uint8_t>(port);
  out.sl = address.service_level;
  std::memcpy(out.grh.dgid.raw, address.gid.data(), address.gid.size());
  out.grh.sgid_index = static_cast<std::uint8_t>(address.own_gid_index);
  out.grh.hop_limit = address.hop_limit;
  out.grh.traffic_class = address.traffic_class;
  out.grh.flow_label = address.flow_label & 0xfffff;
  return out;
}

bool flow_label_sets_path(const std::string& driver) {
  return driver == "mlx5_core";
}

Reading<std::uint32_t> datagram_source_port(const std::string& driver, std::uint32_t queue_pair,
                                            std::uint32_t flow_label) {
  if (driver == "mlx5_core") {
    if (flow_label == 0)
      return Absent{Why::NotSupported, "mlx5 draws the source port of each address handle without flow label"};
    return ::ibv_flow_label_to_udp_sport(flow_label);
  }
  if (driver == "rdma_rxe") {
    // The kernel's hash_32 to 14 bits: a multiplication by 2^32 over the golden ratio, upper bits.
    return 0xC000 + ((queue_pair * 0x61C88647U) >> 18);
  }
  return Absent{Why::NotSupported, "the driver does not tell the UDP source port of datagrams"};
}

}  // namespace roceready::probes::verbs::live
