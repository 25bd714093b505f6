// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tests/doubles/mlx5_host.h"

namespace roceready::doubles {
namespace {

constexpr double kBusyShare = 0.31;  ///< of the time before the first sample in which the same traffic flowed

/// Adds growth, and what it came to in the seconds before the first sample.
void grow(CounterTrack& track, const std::string& name, std::uint64_t per_second, double seconds_before) {
  track.per_sample[name] += per_second;
  track.start[name] += static_cast<std::uint64_t>(static_cast<double>(per_second) * seconds_before * kBusyShare);
}

}  // namespace

void Mlx5Member::add_traffic(std::uint8_t priority, std::uint64_t bytes_per_second, double seconds_before) {
  constexpr std::uint64_t kRdmaFrame = 4096 + 74, kTcpBytes = 31'457'280, kTcpFrame = 1514;
  const std::uint64_t frames = bytes_per_second / kRdmaFrame, tcp_frames = kTcpBytes / kTcpFrame;
  const std::string rdma = "_prio" + std::to_string(priority);
  const auto both = [&](const std::string& tail, std::uint64_t per_second) {
    grow(statistics, "rx" + tail, per_second, seconds_before);
    grow(statistics, "tx" + tail, per_second, seconds_before);
  };
  both(rdma + "_bytes", bytes_per_second);
  both(rdma + "_packets", frames);
  both("_prio0_bytes", kTcpBytes);
  both("_prio0_packets", tcp_frames);
  both("_bytes_phy", bytes_per_second + kTcpBytes);
  both("_packets_phy", frames + tcp_frames);
  both("_vport_rdma_unicast_bytes", bytes_per_second);
  both("_vport_rdma_unicast_packets", frames);
  both("_vport_unicast_bytes", kTcpBytes);
  both("_vport_unicast_packets", tcp_frames);
  both("_bytes", kTcpBytes);
  both("_packets", tcp_frames);
  both("0_bytes", kTcpBytes);
  both("0_packets", tcp_frames);
  grow(statistics, "rx_csum_complete", tcp_frames, seconds_before);
  grow(statistics, "rx_4096_to_8191_bytes_phy", frames, seconds_before);
  grow(statistics, "rx_1024_to_1518_bytes_phy", tcp_frames, seconds_before);
  // Ordinary for PAM4 lanes: bit errors in the order of 1e-9, all of them corrected.
  grow(statistics, "rx_corrected_bits_phy", 420, seconds_before);
  for (const char* lane : {"0", "1", "2", "3"})
    grow(statistics, std::string("rx_err_lane_") + lane + "_phy", 105, seconds_before);
  fec_corrected_per_sample += 390;
  fec_corrected += static_cast<std::uint64_t>(390 * seconds_before * kBusyShare);
  if ((pfc >> priority & 1U) == 0) return;
  // Pause in the order of 0.02 % of the time, both ways.
  grow(statistics, "rx" + rdma + "_pause", 212, seconds_before);
  grow(statistics, "rx" + rdma + "_pause_duration", 184, seconds_before);
  grow(statistics, "rx" + rdma + "_pause_transition", 106, seconds_before);
  grow(statistics, "tx" + rdma + "_pause", 61, seconds_before);
  grow(statistics, "tx" + rdma + "_pause_duration", 47, seconds_before);
}

void Mlx5Device::add_traffic(double seconds_before) {
  grow(hardware, "rx_write_requests", 81'000, seconds_before);
  grow(hardware, "rx_read_requests", 1'900, seconds_before);
  for (const char* wrapped : {"rx_write_requests", "rx_read_requests"}) hardware.start[wrapped] &= 0xffff'ffffU;
  grow(hardware, "np_ecn_marked_roce_packets", 318, seconds_before);
  grow(hardware, "np_cnp_sent", 301, seconds_before);
  grow(hardware, "rp_cnp_handled", 344, seconds_before);
  grow(hardware, "port_rcv_data", 5'500'000'000, seconds_before);
  grow(hardware, "port_xmit_data", 5'500'000'000, seconds_before);
  grow(hardware, "port_rcv_packets", 5'275'780, seconds_before);
  grow(hardware, "port_xmit_packets", 5'275'780, seconds_before);
  hardware.start["req_cqe_flush_error"] = 5'120;
  hardware.start["resp_cqe_flush_error"] = 5'120;
  hardware.start["rx_dct_connect"] = 24;
}

Mlx5Host healthy_mlx5_host(std::size_t count) {
  constexpr std::uint64_t kBytesPerSecond = 22'000'000'000;  // 176 Gb/s
  Mlx5Host host;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bus = static_cast<unsigned>((0x3b + i * 0x10) & 0xffU);  // one card a port: two would share 16 lanes
    char text[32];
    Mlx5Member member;
    std::snprintf(text, sizeof text, "0000:%02x:00.0", bus);
    member.pci = text;
    std::snprintf(text, sizeof text, "0000:%02x:01.0", bus - 1);
    member.bridge = text;
    member.netdev = "enp" + std::to_string(bus) + "s0np0";
    member.index = static_cast<std::uint32_t>(4 + i);
    std::snprintf(text, sizeof text, "b8:ce:f6:10:20:%02x", static_cast<unsigned>(0x30 + i));
    member.mac = text;
    member.address = "10.10." + std::to_string(i) + ".17";
    member.numa_node = i < count / 2 ? 0 : 1;
    member.statistics.start["link_down_events_phy"] = member.carrier_downs;
    member.add_traffic(3, kBytesPerSecond, host.uptime_seconds);
    Mlx5Device device;
    device.name = "mlx5_" + std::to_string(i);
    device.pci = member.pci;
    device.netdev = member.netdev;
    device.add_traffic(host.uptime_seconds);
    host.members.push_back(std::move(member));
    host.devices.push_back(std::move(device));
  }
  return host;
}

}  // namespace roceready::doubles
