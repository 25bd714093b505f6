// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/nic_model.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "collectors/counter_plan.h"
#include "tests/doubles/mlx5_host.h"
#include "tests/source_dir.h"

namespace roceready::doubles {
namespace {

constexpr std::uint8_t kPriority = 3;
constexpr double kBusyShare = 0.31;  ///< of the time before the first sample in which the same traffic flowed
constexpr double kFrame = 4096 + 74, kTcpBytes = 31'457'280, kTcpFrames = 20'777;
constexpr double kScar = 4'711;  ///< what any other counter has seen since the driver was loaded

/// Growth a second in base units of a busy, healthy port; nothing for counters that stand still.
std::optional<double> growth_of(CounterId id, std::uint8_t lane, double bytes) {
  const bool rdma = lane == kPriority;
  const double frames = bytes / kFrame;
  switch (id) {
    case CounterId::RxBytesPriority:
    case CounterId::TxBytesPriority:
    case CounterId::RxBytesCos:
      return rdma ? bytes : lane == 0 ? kTcpBytes : 0;
    case CounterId::RxPacketsPriority:
    case CounterId::TxPacketsPriority:
    case CounterId::RxPacketsCos:
      return rdma ? frames : lane == 0 ? kTcpFrames : 0;
    case CounterId::RxBytesPhy:
    case CounterId::TxBytesPhy:
    case CounterId::RxLineBits:
      return bytes + kTcpBytes;
    case CounterId::RxPacketsPhy:
    case CounterId::TxPacketsPhy:
      return frames + kTcpFrames;
    case CounterId::RdmaRxBytes:
    case CounterId::RdmaTxBytes:
      return bytes;
    case CounterId::RdmaRxPackets:
    case CounterId::RdmaTxPackets:
    case CounterId::UdpRxPackets:
    case CounterId::UdpTxPackets:
      return frames;
    case CounterId::RdmaRxWriteRequests:
    case CounterId::RdmaInWrites:
      return 81'000;
    case CounterId::RdmaRxReadRequests:
    case CounterId::RdmaInReads:
      return 1'900;
    case CounterId::EcnMarkedRx:
      return 318;
    case CounterId::CnpSent:
      return 301;
    case CounterId::CnpHandled:
    case CounterId::CnpReceived:
      return 344;
    case CounterId::FecCorrectedBlocks:
      return 390;
    case CounterId::FecCorrectedBits:
      return 420;
    case CounterId::PfcRxPauseFramesAllPriorities:
      return 212;
    case CounterId::PfcTxPauseFramesAllPriorities:
      return 61;
    // Pause in the order of 0.02 % of the time, both ways.
    case CounterId::PfcRxPauseFrames:
    case CounterId::PfcRxXonFrames:
      return rdma ? 212 : 0;
    case CounterId::PfcTxPauseFrames:
    case CounterId::PfcTxXonFrames:
      return rdma ? 61 : 0;
    case CounterId::PfcRxPauseDuration:
      return rdma ? 184e-6 : 0;
    case CounterId::PfcTxPauseDuration:
      return rdma ? 47e-6 : 0;
    case CounterId::PfcRxPauseTransitions:
      return rdma ? 106 : 0;
    case CounterId::PfcTxPauseTransitions:
      return rdma ? 30 : 0;
    default:
      return std::nullopt;
  }
}

/// Numbers of every name that a row of the vendor's table maps; the others stay 0.
void fill(CounterTrack& track, const CounterPlan& plan, const std::vector<std::string>& names, double bytes,
          double seconds_before) {
  for (const CounterPlan::Entry& entry : plan.entries()) {
    if (!has_names(entry.source) || info_of(entry.id).kind == CounterKind::Gauge) continue;
    const std::optional<double> growth = growth_of(entry.id, entry.lane, bytes);
    const std::string& name = names.at(entry.index);
    track.per_sample[name] = static_cast<std::uint64_t>(growth.value_or(0) / entry.scale);
    const double start = growth ? *growth / entry.scale * seconds_before * kBusyShare : kScar;
    track.start[name] = static_cast<std::uint64_t>(start);
    if (entry.width < 64) track.start[name] &= (std::uint64_t{1} << entry.width) - 1;
  }
}

CounterNames shared(const std::vector<std::string>& names) {
  return std::make_shared<const std::vector<std::string>>(names);
}

// Link modes: 6 autoneg, 13 pause, 50 FEC RS; 26 40000baseSR4, 33 25000baseSR, 37 100000baseSR4, 63 200000baseSR4,
// 86 400000baseSR4.
NicModel thor2_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "bnxt_en";
  nic.rdma_module = nic.device_prefix = "bnxt_re";
  nic.firmware = "231.0.162.0/pkg 231.1.162.1";
  nic.pci_vendor = 0x14e4;
  nic.pci_device = 0x1760;
  nic.speed_mbit = 400'000;
  nic.link_modes = {6, 13, 37, 50, 63, 86};
  nic.statistics = "bnxt_en.ethtool.v6.18.p5.txt";
  nic.hardware = "bnxt_re.hw_counters.v6.18.p5-p7.txt";
  nic.pause_counts = nic.fec_counts = nic.down_count = true;
  return nic;
}

NicModel e810_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "ice";
  nic.rdma_module = nic.device_prefix = "irdma";
  nic.firmware = "4.60 0x8001ceb5 1.3682.0";
  nic.pci_vendor = 0x8086;
  nic.pci_device = 0x1592;
  nic.link_modes = {6, 13, 33, 37, 50};
  nic.statistics = "ice.ethtool.v6.18.txt";
  nic.hardware = "irdma.hw_counters.v6.18.gen2-e810.txt";
  nic.fec_counts = true;
  return nic;
}

NicModel x722_model() {
  NicModel nic = e810_model();
  nic.driver = nic.pci_driver = "i40e";
  nic.firmware = "6.00 0x800039ec 1.2935.0";
  nic.pci_device = 0x37d2;
  nic.speed_mbit = 10'000;
  nic.lanes = 1;
  nic.link_modes = {6, 12, 13};
  nic.statistics = "i40e.ethtool.v6.18.txt";
  nic.hardware = "irdma.hw_counters.v6.18.gen1-x722.txt";
  nic.protocol = "iw";
  nic.fec = nic.fec_counts = false;
  return nic;
}

NicModel kunpeng_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "hns3";
  nic.rdma_module = "hns_roce_hw_v2";
  nic.device_prefix = "hns_";
  nic.firmware = "1.20.0.17";
  nic.pci_vendor = 0x19e5;
  nic.pci_device = 0xa228;
  nic.speed_mbit = 200'000;
  nic.link_modes = {6, 13, 37, 50, 63};
  nic.statistics = "hns3.ethtool.v6.18.hip09.txt";
  nic.hardware = "hns_roce.hw_counters.hip09.txt";
  nic.fec_counts = true;
  return nic;
}

NicModel pollara_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "ionic";
  nic.rdma_module = "ionic_rdma";
  nic.device_prefix = "ionic_";
  nic.firmware = "1.110.1-a-1";
  nic.pci_vendor = 0x1dd8;
  nic.pci_device = 0x1002;
  nic.speed_mbit = 400'000;
  nic.link_modes = {6, 13, 37, 50, 63, 86};
  nic.statistics = "ionic.ethtool.v6.18.txt";
  nic.hardware = "ionic_rdma.hw_counters.fw-pollara.txt";
  nic.dcb = false;
  return nic;
}

NicModel ql41000_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "qede";
  nic.rdma_module = nic.device_prefix = "qedr";
  nic.firmware = "mfw 8.59.1.0 storm 8.59.1.0";
  nic.pci_vendor = 0x1077;
  nic.pci_device = 0x8070;
  nic.speed_mbit = 25'000;
  nic.lanes = 1;
  nic.link_modes = {6, 13, 33, 50};
  nic.statistics = "qede.ethtool.v6.18.ah-41000.txt";
  return nic;
}

NicModel mana_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "mana";
  nic.rdma_module = "mana_ib";
  nic.device_prefix = "mana_";
  nic.firmware = "";
  nic.pci_vendor = 0x1414;
  nic.pci_device = 0x00ba;
  nic.speed_mbit = 200'000;
  nic.statistics = "mana.ethtool.v6.18.txt";
  nic.hardware = "mana_ib.hw_counters.port.txt";
  nic.device_hardware = "mana_ib.hw_counters.device.txt";
  nic.dcb = nic.fec = nic.fec_shown = false;
  return nic;
}

NicModel connectx3_model() {
  NicModel nic;
  nic.driver = "mlx4_en";
  nic.pci_driver = "mlx4_core";
  nic.rdma_module = "mlx4_ib";
  nic.device_prefix = "mlx4_";
  nic.firmware = "2.42.5000";
  nic.pci_vendor = 0x15b3;
  nic.pci_device = 0x1007;
  nic.speed_mbit = 40'000;
  nic.link_modes = {6, 13, 26};
  nic.statistics = "mlx4_en.ethtool.v6.18.pfc.txt";
  nic.hardware = "mlx4_ib.hw_counters.port.txt";
  nic.device_hardware = "mlx4_ib.hw_counters.device.txt";
  nic.pause_counts = true;
  nic.fec = false;
  return nic;
}

NicModel erdma_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "virtio_net";
  nic.rdma_module = "erdma";
  nic.device_prefix = "erdma_";
  nic.firmware = "";
  nic.pci_vendor = 0x1ded;
  nic.pci_device = 0x107f;
  nic.hardware = "erdma.hw_counters.port.txt";
  nic.protocol = "iw";
  nic.dcb = nic.fec = nic.fec_shown = false;
  return nic;
}

NicModel efa_model() {
  NicModel nic = erdma_model();
  nic.driver = nic.pci_driver = "efa";
  nic.rdma_module = "efa";
  nic.device_prefix = "rdmap0s31_";
  nic.pci_vendor = 0x1d0f;
  nic.pci_device = 0xefa2;
  nic.hardware = "efa.hw_counters.port.txt";
  nic.device_hardware = "efa.hw_counters.device.txt";
  nic.protocol = "";
  nic.netdev_named = false;
  return nic;
}

NicModel t6_model() {
  NicModel nic;
  nic.driver = nic.pci_driver = "cxgb4";
  nic.rdma_module = "iw_cxgb4";
  nic.device_prefix = "cxgb4_";
  nic.firmware = "1.27.5.0, TP 0.1.23.2";
  nic.pci_vendor = 0x1425;
  nic.pci_device = 0x6407;
  nic.link_modes = {6, 13, 33, 37, 50};
  nic.device_hardware = "iw_cxgb4.hw_counters.device.txt";
  nic.protocol = "iw";
  return nic;
}

}  // namespace

std::vector<std::string> NicModel::names(const std::string& list) const {
  std::vector<std::string> out;
  std::ifstream in(std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/collectors/vendors/names" / list);
  for (std::string line; !list.empty() && std::getline(in, line);)
    if (line != "lifespan") out.push_back(line);
  return out;
}

#define MODEL(name, make)               \
  const NicModel& name() {              \
    static const NicModel nic = make(); \
    return nic;                         \
  }
MODEL(thor2, thor2_model)
MODEL(e810, e810_model)
MODEL(x722, x722_model)
MODEL(kunpeng920b, kunpeng_model)
MODEL(pollara, pollara_model)
MODEL(ql41000, ql41000_model)
MODEL(mana, mana_model)
MODEL(connectx3, connectx3_model)
MODEL(erdma, erdma_model)
MODEL(efa, efa_model)
MODEL(t6, t6_model)
#undef MODEL

Mlx5Host healthy_host_of(const NicModel& nic, std::size_t count) {
  const double bytes = nic.speed_mbit * 1e6 / 8 * 0.44;
  Mlx5Host host = healthy_mlx5_host(count);
  const auto statistics = nic.names(nic.statistics), hardware = nic.names(nic.hardware);
  const auto device_names = nic.names(nic.device_hardware);
  const std::string rdma_driver = nic.rdma_module == "hns_roce_hw_v2" ? "hns_roce" : nic.rdma_module;
  const VendorTable* rdma = vendor_of_rdma(rdma_driver);
  for (std::size_t i = 0; i < count; ++i) {
    Mlx5Member& member = host.members[i];
    member.nic = &nic;
    member.firmware = nic.firmware;
    member.speed_mbit = nic.speed_mbit;
    member.lanes = nic.lanes;
    member.fec = nic.fec;
    member.physical_port.clear();
    if (!nic.fec_counts) member.fec_corrected = member.fec_corrected_per_sample = 0;
    member.statistics = {};
    fill(member.statistics, CounterPlan::for_netdev(vendor_of_netdev(nic.driver), shared(statistics)), statistics,
         bytes, host.uptime_seconds);
    Mlx5Device& device = host.devices[i];
    device.name = nic.device_prefix + std::to_string(i);
    device.hardware = {};
    if (!nic.netdev_named) device.netdev.clear();
    device.unspecified = nic.protocol.empty();
    for (const auto& names : {hardware, device_names})
      fill(device.hardware, CounterPlan::for_port(rdma, shared(names), nullptr), names, bytes, host.uptime_seconds);
  }
  return host;
}

}  // namespace roceready::doubles
