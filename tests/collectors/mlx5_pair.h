// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/doubles/fake_host.h"
#include "tests/doubles/netlink_builder.h"

namespace roceready {

/// A machine with one mlx5 port (eth0, mlx5_0 on 0000:3b:00.0), PFC on priority 3, 10.0.0.1/24.
inline void add_mlx5_function(doubles::FakeHost& host, const std::string& device, const std::string& netdev,
                              const std::string& pci) {
  const std::string place = "../../devices/pci0000:3a/0000:3a:00.0/" + pci;
  host.entry("/sys/class/infiniband", device);
  host.link("/sys/class/infiniband/" + device, place + "/infiniband/" + device);
  host.link("/sys/bus/pci/devices/" + pci, "../../../devices/pci0000:3a/0000:3a:00.0/" + pci);
  host.link("/sys/bus/pci/devices/" + pci + "/driver", "../../../../bus/pci/drivers/mlx5_core");
  host.entry("/sys/bus/pci/devices/" + pci + "/infiniband", device);
  host.answers[answer_key::kRdmaDevices].kind = Answer::Kind::List;
  host.answers[answer_key::kRdmaDevices].items.push_back(doubles::rdma_device_bytes(device));
  host.data(answer_key::rdma_port(device, 1), doubles::rdma_port_bytes(netdev));
  host.data(answer_key::rdma_statistics(device, 1),
            doubles::rdma_counters_bytes({{"out_of_buffer", 4}, {"np_cnp_sent", 5}}));
}

inline void add_netdev(doubles::FakeHost& host, const std::string& name, std::uint32_t index, const std::string& pci,
                       const doubles::Attrs& more = {}) {
  doubles::Attrs attributes;
  attributes.text(uapi::kIflaParentDevName, pci);
  host.answers[answer_key::kLinks].kind = Answer::Kind::List;
  host.answers[answer_key::kLinks].items.push_back(doubles::link_bytes(name, index, attributes) + more.bytes());
  host.data(answer_key::ethtool("driver_info", name), doubles::driver_info_bytes("mlx5_core"));
  host.data(answer_key::ethtool("statistics_names", name),
            doubles::statistic_names_bytes({"rx_prio3_pause", "rx_prio3_pause_duration", "novel"}));
  host.data(answer_key::ethtool("statistics_values", name), doubles::statistic_values_bytes({7, 8, 9}));
  host.data(answer_key::dcb_ieee(name), doubles::ieee_bytes(8, {{5, 26, 3}}));
}

inline void add_address(doubles::FakeHost& host, std::uint32_t index) {
  host.answers[answer_key::kAddresses].kind = Answer::Kind::List;
  host.answers[answer_key::kAddresses].items.push_back(doubles::ipv4_bytes(index, {10, 0, 0, 1}));
}

inline doubles::FakeHost one_port() {
  doubles::FakeHost host;
  add_mlx5_function(host, "mlx5_0", "eth0", "0000:3b:00.0");
  add_netdev(host, "eth0", 2, "0000:3b:00.0");
  add_address(host, 2);
  return host;
}

}  // namespace roceready
