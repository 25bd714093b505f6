// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"mlx5_core", "mlx5e_rep"};
constexpr std::string_view kRdmaDrivers[] = {"mlx5_ib"};

// Groups (CounterRow::group).
constexpr std::uint8_t kHostBuffer = 1;        ///< multi-host adapters and DPUs
constexpr std::uint8_t kLinkRecovery = 2;      ///< newest firmware
constexpr std::uint8_t kPcieCongestion = 3;    ///< newest firmware
constexpr std::uint8_t kRepresentor = 4;       ///< switchdev mode
constexpr std::uint8_t kOptional = 5;          ///< switched on by `rdma statistic` alone
constexpr std::uint8_t kPcieErrors = 6;        ///< firmware that counts PCIe performance
constexpr std::uint8_t kPcieOverflow = 7;      ///< firmware that counts drops towards PCIe
constexpr std::uint8_t kPcieStalls = 8;        ///< firmware that watches PCIe stalls
constexpr std::uint8_t kLineErrors = 9;        ///< firmware with the statistical group of the line
constexpr std::uint8_t kRetriesExceeded = 10;  ///< newer drivers

// The PFC counts of dcbnl are no rows: on mlx5 they are a cache that only a full statistics read refreshes.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "rx_prio{prio}_pause", CounterId::PfcRxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_prio{prio}_pause_duration", CounterId::PfcRxPauseDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_prio{prio}_pause_transition", CounterId::PfcRxPauseTransitions, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_prio{prio}_pause", CounterId::PfcTxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_prio{prio}_pause_duration", CounterId::PfcTxPauseDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_global_pause", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_global_pause_duration", CounterId::GlobalPauseRxDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_global_pause_transition", CounterId::GlobalPauseRxTransitions, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_global_pause", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_global_pause_duration", CounterId::GlobalPauseTxDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pause_ctrl_phy", CounterId::MacPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_ctrl_phy", CounterId::MacPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_mac_control_phy", CounterId::MacControlRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_mac_control_phy", CounterId::MacControlTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_unsupported_op_phy", CounterId::MacUnsupportedOpcodeRx, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_storm_warning_events", CounterId::TxPauseStormWarning, 1, 64, Scope::Port, kNoLane},
    // The sum of all priorities, where the kernel has it, before what ethtool shows of priority 0 alone.
    {Source::Pause, "tx_pause_storm_events", CounterId::TxPauseStormError, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_storm_error_events", CounterId::TxPauseStormError, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_prio{prio}_discards", CounterId::RxDiscardsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_prio{prio}_buf_discard", CounterId::RxHostBufDiscardsPriority, 1, 64, Scope::Port, kNoLane, kHostBuffer},
    {Source::EthtoolStatistics, "rx_prio{prio}_cong_discard", CounterId::RxHostCongDiscardsPriority, 1, 64, Scope::Port, kNoLane, kHostBuffer},
    {Source::EthtoolStatistics, "rx_prio{prio}_marked", CounterId::EcnMarkedByNic, 1, 64, Scope::Port, kNoLane, kHostBuffer},
    {Source::EthtoolStatistics, "rx_discards_phy", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_discards_phy", CounterId::TxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_errors_phy", CounterId::TxErrorsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_buffer_passed_thres_phy", CounterId::RxBufferPassedThreshold, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_out_of_buffer", CounterId::RxOutOfBufferEth, 1, 32, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_if_down_packets", CounterId::RxIfDownPackets, 1, 32, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_steer_missed_packets", CounterId::RxSteerMissed, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "dev_internal_queue_oob", CounterId::RxInternalQueueOob, 1, 32, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_oversize_pkts_buffer", CounterId::RxOversizeBufferDrops, 1, 32, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_oversize_pkts_phy", CounterId::RxOversizePhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_crc_errors_phy", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_symbol_err_phy", CounterId::RxSymbolErrorPackets, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pcs_symbol_err_phy", CounterId::SymbolErrorsUncorrected, 1, 64, Scope::Port, kNoLane, kLineErrors},
    {Source::EthtoolStatistics, "rx_corrected_bits_phy", CounterId::FecCorrectedBits, 1, 64, Scope::Port, kNoLane, kLineErrors},
    {Source::EthtoolStatistics, "rx_err_lane_0_phy", CounterId::LaneRawErrors, 1, 64, Scope::Lane, 0},
    {Source::EthtoolStatistics, "rx_err_lane_1_phy", CounterId::LaneRawErrors, 1, 64, Scope::Lane, 1},
    {Source::EthtoolStatistics, "rx_err_lane_2_phy", CounterId::LaneRawErrors, 1, 64, Scope::Lane, 2},
    {Source::EthtoolStatistics, "rx_err_lane_3_phy", CounterId::LaneRawErrors, 1, 64, Scope::Lane, 3},
    {Source::EthtoolStatistics, "total_success_recovery_phy", CounterId::LinkRecoveryEvents, 1, 32, Scope::Port, kNoLane, kLinkRecovery},
    {Source::EthtoolStatistics, "link_down_events_phy", CounterId::LinkDownEvents, 1, 32, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "module_bus_stuck", CounterId::ModuleBusStuck, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "module_high_temp", CounterId::ModuleHighTemp, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "module_bad_shorted", CounterId::ModuleBadShorted, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "module_unplug", CounterId::ModuleUnplug, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pci_signal_integrity", CounterId::PcieRxSignalIntegrity, 1, 32, Scope::Device, kNoLane, kPcieErrors},
    {Source::EthtoolStatistics, "tx_pci_signal_integrity", CounterId::PcieTxSignalIntegrity, 1, 32, Scope::Device, kNoLane, kPcieErrors},
    {Source::EthtoolStatistics, "outbound_pci_buffer_overflow", CounterId::PcieBufferOverflowDrops, 1, 64, Scope::Device, kNoLane, kPcieOverflow},
    {Source::EthtoolStatistics, "outbound_pci_stalled_rd", CounterId::PcieStalledReadPct, 0.01, 64, Scope::Device, kNoLane, kPcieStalls},
    {Source::EthtoolStatistics, "outbound_pci_stalled_wr", CounterId::PcieStalledWritePct, 0.01, 64, Scope::Device, kNoLane, kPcieStalls},
    {Source::EthtoolStatistics, "outbound_pci_stalled_rd_events", CounterId::PcieStalledReadSeconds, 1, 32, Scope::Device, kNoLane, kPcieStalls},
    {Source::EthtoolStatistics, "outbound_pci_stalled_wr_events", CounterId::PcieStalledWriteSeconds, 1, 32, Scope::Device, kNoLane, kPcieStalls},
    {Source::EthtoolStatistics, "pci_bw_inbound_high", CounterId::PcieBwInboundHigh, 1, 32, Scope::Device, kNoLane, kPcieCongestion},
    {Source::EthtoolStatistics, "pci_bw_inbound_low", CounterId::PcieBwInboundLow, 1, 32, Scope::Device, kNoLane, kPcieCongestion},
    {Source::EthtoolStatistics, "pci_bw_outbound_high", CounterId::PcieBwOutboundHigh, 1, 32, Scope::Device, kNoLane, kPcieCongestion},
    {Source::EthtoolStatistics, "pci_bw_outbound_low", CounterId::PcieBwOutboundLow, 1, 32, Scope::Device, kNoLane, kPcieCongestion},
    {Source::EthtoolStatistics, "pci_bw_stale_event", CounterId::PcieBwStaleEvents, 1, 32, Scope::Device, kNoLane, kPcieCongestion},
    {Source::EthtoolStatistics, "rx_ecn_mark", CounterId::EcnMarkedRxEth, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_prio{prio}_bytes", CounterId::RxBytesPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_prio{prio}_packets", CounterId::RxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_prio{prio}_bytes", CounterId::TxBytesPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_prio{prio}_packets", CounterId::TxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_vport_rdma_unicast_packets", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_packets_phy", CounterId::RxPacketsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_vport_rdma_unicast_bytes", CounterId::RdmaRxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_bytes_phy", CounterId::RxBytesPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_vport_rdma_unicast_packets", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "tx_packets_phy", CounterId::TxPacketsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_vport_rdma_unicast_bytes", CounterId::RdmaTxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "tx_bytes_phy", CounterId::TxBytesPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "vport_loopback_packets", CounterId::VportLoopbackPackets, 1, 64, Scope::Function, kNoLane},
    {Source::Pause, "rx_pause_frames", CounterId::MacPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::Pause, "tx_pause_frames", CounterId::MacPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "corrected_blocks", CounterId::FecCorrectedBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "uncorrectable_blocks", CounterId::FecUncorrectableBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "corrected_bits", CounterId::FecCorrectedBits, 1, 64, Scope::Port, kNoLane},
    {Source::LinkState, "ext-down-cnt", CounterId::LinkDownEvents, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "np_ecn_marked_roce_packets", CounterId::EcnMarkedRx, 1, 64, Scope::Lag, kNoLane},
    {Source::RdmaHwCounters, "np_cnp_sent", CounterId::CnpSent, 1, 64, Scope::Lag, kNoLane},
    {Source::RdmaHwCounters, "rp_cnp_handled", CounterId::CnpHandled, 1, 64, Scope::Lag, kNoLane},
    {Source::RdmaHwCounters, "rp_cnp_ignored", CounterId::CnpIgnored, 1, 64, Scope::Lag, kNoLane},
    {Source::RdmaHwCounters, "out_of_sequence", CounterId::OutOfSequence, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "packet_seq_err", CounterId::PacketSeqErr, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "implied_nak_seq_err", CounterId::ImpliedNak, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "local_ack_timeout_err", CounterId::LocalAckTimeout, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rnr_nak_retry_err", CounterId::RnrNakReceived, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "duplicate_request", CounterId::DuplicateRequest, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "out_of_buffer", CounterId::OutOfBuffer, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "roce_adp_retrans", CounterId::RoceAdpRetrans, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "roce_adp_retrans_to", CounterId::RoceAdpRetransTimeout, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "roce_slow_restart", CounterId::RoceSlowRestart, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "roce_slow_restart_cnps", CounterId::RoceSlowRestartCnps, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "roce_slow_restart_trans", CounterId::RoceSlowRestartTransitions, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_icrc_encapsulated", CounterId::RxIcrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "req_transport_retries_exceeded", CounterId::TransportRetryExceeded, 1, 32, Scope::Function, kNoLane, kRetriesExceeded},
    {Source::RdmaHwCounters, "req_rnr_retries_exceeded", CounterId::RnrRetryExceeded, 1, 32, Scope::Function, kNoLane, kRetriesExceeded},
    {Source::RdmaHwCounters, "req_cqe_error", CounterId::ReqCqeError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_cqe_error", CounterId::RespCqeError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_cqe_flush_error", CounterId::ReqCqeFlushError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_cqe_flush_error", CounterId::RespCqeFlushError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_remote_access_errors", CounterId::ReqRemoteAccessError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_remote_invalid_request", CounterId::ReqRemoteInvalidRequest, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_remote_access_errors", CounterId::RespRemoteAccessError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_local_length_error", CounterId::RespLocalLengthError, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_write_requests", CounterId::RdmaRxWriteRequests, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_read_requests", CounterId::RdmaRxReadRequests, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_atomic_requests", CounterId::RdmaRxAtomicRequests, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_dct_connect", CounterId::RdmaRxDctConnect, 1, 32, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "vport_out_of_sequence", CounterId::VportOutOfSequence, 1, 32, Scope::Function, kNoLane, kRepresentor},
    {Source::RdmaHwCounters, "vport_packet_seq_err", CounterId::VportPacketSeqErr, 1, 32, Scope::Function, kNoLane, kRepresentor},
    {Source::RdmaHwCounters, "vport_local_ack_timeout_err", CounterId::VportLocalAckTimeout, 1, 32, Scope::Function, kNoLane, kRepresentor},
    {Source::RdmaHwCounters, "cc_rx_ce_pkts", CounterId::CcRxCePackets, 1, 64, Scope::Function, kNoLane, kOptional},
    {Source::RdmaHwCounters, "cc_rx_cnp_pkts", CounterId::CcRxCnpPackets, 1, 64, Scope::Function, kNoLane, kOptional},
    {Source::RdmaHwCounters, "cc_tx_cnp_pkts", CounterId::CcTxCnpPackets, 1, 64, Scope::Function, kNoLane, kOptional},
    {Source::RdmaHwCounters, "rdma_tx_packets", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_tx_bytes", CounterId::RdmaTxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_rx_packets", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_rx_bytes", CounterId::RdmaRxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_data", CounterId::RdmaRxBytes, 4, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_data", CounterId::RdmaTxBytes, 4, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_packets", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_packets", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "unicast_rcv_packets", CounterId::RdmaRxUnicastPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "unicast_xmit_packets", CounterId::RdmaTxUnicastPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "multicast_rcv_packets", CounterId::RdmaRxMulticastPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "multicast_xmit_packets", CounterId::RdmaTxMulticastPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_wait", CounterId::XmitWait, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_discards", CounterId::PortXmitDiscards, 1, 16, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_errors", CounterId::PortRcvErrors, 1, 16, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "symbol_error", CounterId::IbSymbolErrors, 1, 16, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "link_error_recovery", CounterId::LinkErrorRecovery, 1, 8, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "link_downed", CounterId::LinkDownEvents, 1, 8, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "local_link_integrity_errors", CounterId::LocalLinkIntegrityErrors, 1, 4, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "excessive_buffer_overrun_errors", CounterId::ExcessiveBufferOverrun, 1, 4, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_constraint_errors", CounterId::PortRcvConstraintErrors, 1, 8, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_constraint_errors", CounterId::PortXmitConstraintErrors, 1, 8, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_remote_physical_errors", CounterId::PortRcvRemotePhysicalErrors, 1, 16, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_switch_relay_errors", CounterId::PortRcvSwitchRelayErrors, 1, 16, Scope::Port, kNoLane},
    {Source::RdmaPortCounters, "VL15_dropped", CounterId::Vl15Dropped, 1, 16, Scope::Port, kNoLane},
    {Source::DevlinkHealth, "nic_receive_steering_discard", CounterId::NicReceiveSteeringDiscard, 1, 64, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "cq_overrun", CounterId::CqOverrun, 1, 32, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "comp_eq_overrun", CounterId::CompEqOverrun, 1, 32, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "async_eq_overrun", CounterId::AsyncEqOverrun, 1, 32, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "total_error_queues", CounterId::TotalErrorQueues, 1, 64, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "quota_exceeded_command", CounterId::QuotaExceededCommand, 1, 32, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "generated_pkt_steering_fail", CounterId::GeneratedPktSteeringFail, 1, 64, Scope::Function, kNoLane},
    {Source::DevlinkHealth, "handled_pkt_steering_fail", CounterId::HandledPktSteeringFail, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

/// Firmware default in DSCP trust: eight code points a priority.
constexpr std::array<std::uint8_t, 64> kDefaultDscp = [] {
  std::array<std::uint8_t, 64> map{};
  for (std::size_t dscp = 0; dscp < map.size(); ++dscp) map[dscp] = static_cast<std::uint8_t>(dscp / 8);
  return map;
}();

}  // namespace

extern const VendorTable kMlx5;
constinit const VendorTable kMlx5{.name = "mlx5",
                                  .netdev_drivers = kNetdevDrivers,
                                  .rdma_drivers = kRdmaDrivers,
                                  .rows = kRows,
                                  .narrow_fields_stick = true,
                                  .trust = TrustRule::AnyDscpEntry,
                                  .default_dscp_map = kDefaultDscp};

}  // namespace roceready
