// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"bnxt_en"};
constexpr std::string_view kRdmaDrivers[] = {"bnxt_re"};

// Groups (CounterRow::group).
constexpr std::uint8_t kPauseTimes = 1;      ///< extended port statistics, cut at what the firmware reports
constexpr std::uint8_t kWatchdog = 2;        ///< vendor driver alone
constexpr std::uint8_t kRingTotals = 3;      ///< 6.x kernels
constexpr std::uint8_t kFilterMiss = 4;      ///< 6.x kernels
constexpr std::uint8_t kOutOfBuffer = 5;     ///< extended statistics of P5 and later
constexpr std::uint8_t kCongestion = 6;      ///< extended statistics of P5 (Thor) and later
constexpr std::uint8_t kOpcodes = 7;         ///< extended statistics
constexpr std::uint8_t kVendorDriver = 8;    ///< vendor driver alone; may be constant 0
constexpr std::uint8_t kTransmitFaults = 9;  ///< 6.x kernels
constexpr std::uint8_t kCompletions = 10;    ///< since 6.18
constexpr std::uint8_t kRoceOnly = 11;       ///< P5 and later
constexpr std::uint8_t kGauges = 12;         ///< kernels before 6.18 and vendor driver
constexpr std::uint8_t kLineErrors = 13;     ///< extended port statistics, cut at what the firmware reports

// Three naming generations of hw_counters: upstream before 6.18, upstream 6.18 and the vendor driver. Drops are per CoS
// queue, which is no priority. Fields of 16 bits and less wrap (the driver masks them).
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "rx_pfc_ena_frames_pri{prio}", CounterId::PfcRxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pfc_ena_frames_pri{prio}", CounterId::PfcTxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pfc_frames", CounterId::PfcRxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pfc_frames", CounterId::PfcTxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "pfc_pri{prio}_rx_duration_us", CounterId::PfcRxPauseDuration, 1e-6, 64, Scope::Port, kNoLane, kPauseTimes},
    {Source::EthtoolStatistics, "pfc_pri{prio}_rx_transitions", CounterId::PfcRxPauseTransitions, 1, 64, Scope::Port, kNoLane, kPauseTimes},
    {Source::EthtoolStatistics, "pfc_pri{prio}_tx_duration_us", CounterId::PfcTxPauseDuration, 1e-6, 64, Scope::Port, kNoLane, kPauseTimes},
    {Source::EthtoolStatistics, "pfc_pri{prio}_tx_transitions", CounterId::PfcTxPauseTransitions, 1, 64, Scope::Port, kNoLane, kPauseTimes},
    {Source::EthtoolStatistics, "rx_pause_frames", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_frames", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "continuous_pause_events", CounterId::ContinuousPauseEvents, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "resume_pause_events", CounterId::ResumePauseEvents, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "continuous_roce_pause_events", CounterId::ContinuousRocePauseEvents, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "resume_roce_pause_events", CounterId::ResumeRocePauseEvents, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "pfc_wd_storms_detected_p{prio}", CounterId::PfcWatchdogStorms, 1, 64, Scope::Port, kNoLane, kWatchdog},
    {Source::EthtoolStatistics, "rx_discard_packets_cos{prio}", CounterId::RxDiscardsCos, 1, 64, Scope::Queue, kNoLane},
    {Source::EthtoolStatistics, "rx_discard_bytes_cos{prio}", CounterId::RxDiscardBytesCos, 1, 64, Scope::Queue, kNoLane},
    {Source::EthtoolStatistics, "rx_bytes_pri{prio}", CounterId::RxBytesPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_packets_pri{prio}", CounterId::RxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_bytes_pri{prio}", CounterId::TxBytesPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_packets_pri{prio}", CounterId::TxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_bytes_cos{prio}", CounterId::RxBytesCos, 1, 64, Scope::Queue, kNoLane},
    {Source::EthtoolStatistics, "rx_packets_cos{prio}", CounterId::RxPacketsCos, 1, 64, Scope::Queue, kNoLane},
    {Source::EthtoolStatistics, "rx_buffer_passed_threshold", CounterId::RxBufferPassedThreshold, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_stat_discard", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_stat_discard", CounterId::TxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_stat_err", CounterId::RxErrorsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_stat_error", CounterId::TxErrorsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_total_ring_discards", CounterId::RxDiscardsRing, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_total_discard_pkts", CounterId::RxDiscardsRing, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_total_oom_discards", CounterId::RxOomDiscards, 1, 64, Scope::Function, kNoLane, kRingTotals},
    {Source::EthtoolStatistics, "tx_total_ring_discards", CounterId::TxDiscardsRing, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "tx_total_discard_pkts", CounterId::TxDiscardsRing, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "rx_fcs_err_frames", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_ovrsz_frames", CounterId::RxOversizePhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_mtu_err_frames", CounterId::RxMtuErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_filter_miss", CounterId::RxFilterMiss, 1, 64, Scope::Port, kNoLane, kFilterMiss},
    {Source::EthtoolStatistics, "link_down_events", CounterId::LinkDownEvents, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pcs_symbol_err", CounterId::SymbolErrorsUncorrected, 1, 64, Scope::Port, kNoLane, kLineErrors},
    {Source::EthtoolStatistics, "rx_corrected_bits", CounterId::FecCorrectedBits, 1, 64, Scope::Port, kNoLane, kLineErrors},
    {Source::EthtoolStatistics, "rx_fec_corrected_blocks", CounterId::FecCorrectedBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_fec_uncorrectable_blocks", CounterId::FecUncorrectableBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_bits", CounterId::RxLineBits, 0.125, 64, Scope::Port, kNoLane},
    {Source::Pause, "rx_pause_frames", CounterId::MacPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::Pause, "tx_pause_frames", CounterId::MacPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "corrected_blocks", CounterId::FecCorrectedBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "uncorrectable_blocks", CounterId::FecUncorrectableBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "corrected_bits", CounterId::FecCorrectedBits, 1, 64, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "local_ack_timeout_err", CounterId::LocalAckTimeout, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "to_retransmits", CounterId::LocalAckTimeout, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "packet_seq_err", CounterId::PacketSeqErr, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "seq_err_naks_rcvd", CounterId::PacketSeqErr, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rnr_nak_retry_err", CounterId::RnrNakReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rnr_naks_rcvd", CounterId::RnrNakReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "implied_nak_seq_err", CounterId::ImpliedNak, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "missing_resp", CounterId::ImpliedNak, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "duplicate_request", CounterId::DuplicateRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "dup_req", CounterId::DuplicateRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "out_of_sequence", CounterId::OutOfSequence, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "oos_drop_count", CounterId::OutOfSequence, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "out_of_buffer", CounterId::OutOfBuffer, 1, 64, Scope::Function, kNoLane, kOutOfBuffer},
    {Source::RdmaHwCounters, "rx_out_of_buffer", CounterId::OutOfBuffer, 1, 64, Scope::Function, kNoLane, kOutOfBuffer},
    {Source::RdmaHwCounters, "np_cnp_pkts", CounterId::CnpSent, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "tx_cnp_pkts", CounterId::CnpSent, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "rp_cnp_handled", CounterId::CnpHandled, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "rx_cnp_pkts", CounterId::CnpHandled, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "np_ecn_marked_roce_packets", CounterId::EcnMarkedRx, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "rx_ecn_marked_pkts", CounterId::EcnMarkedRx, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "req_remote_invalid_request", CounterId::ReqRemoteInvalidRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "remote_invalid_req_err", CounterId::ReqRemoteInvalidRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_remote_access_errors", CounterId::ReqRemoteAccessError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "remote_access_err", CounterId::ReqRemoteAccessError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_local_length_error", CounterId::RespLocalLengthError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "res_length_mismatch", CounterId::RespLocalLengthError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_write_requests", CounterId::RdmaRxWriteRequests, 1, 64, Scope::Function, kNoLane, kOpcodes},
    {Source::RdmaHwCounters, "rx_write_req", CounterId::RdmaRxWriteRequests, 1, 64, Scope::Function, kNoLane, kOpcodes},
    {Source::RdmaHwCounters, "rx_read_requests", CounterId::RdmaRxReadRequests, 1, 64, Scope::Function, kNoLane, kOpcodes},
    {Source::RdmaHwCounters, "rx_read_req", CounterId::RdmaRxReadRequests, 1, 64, Scope::Function, kNoLane, kOpcodes},
    {Source::RdmaHwCounters, "rx_atomic_requests", CounterId::RdmaRxAtomicRequests, 1, 64, Scope::Function, kNoLane, kOpcodes},
    {Source::RdmaHwCounters, "rx_atomic_req", CounterId::RdmaRxAtomicRequests, 1, 64, Scope::Function, kNoLane, kOpcodes},
    {Source::RdmaHwCounters, "np_cnp_sent", CounterId::CnpSent, 1, 64, Scope::Function, kNoLane, kCongestion},
    {Source::RdmaHwCounters, "rp_cnp_ignored", CounterId::CnpIgnored, 1, 64, Scope::Function, kNoLane, kVendorDriver},
    {Source::RdmaHwCounters, "rx_icrc_encapsulated", CounterId::RxIcrcErrors, 1, 64, Scope::Function, kNoLane, kVendorDriver},
    {Source::RdmaHwCounters, "roce_adp_retrans", CounterId::RoceAdpRetrans, 1, 64, Scope::Function, kNoLane, kVendorDriver},
    {Source::RdmaHwCounters, "roce_adp_retrans_to", CounterId::RoceAdpRetransTimeout, 1, 64, Scope::Function, kNoLane, kVendorDriver},
    {Source::RdmaHwCounters, "roce_slow_restart", CounterId::RoceSlowRestart, 1, 64, Scope::Function, kNoLane, kVendorDriver},
    {Source::RdmaHwCounters, "max_retry_exceeded", CounterId::TransportRetryExceeded, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_roce_discards", CounterId::RxRoceDiscards, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_roce_errors", CounterId::RxRoceErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_roce_drops", CounterId::RxRoceErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_roce_discards", CounterId::TxRoceDiscards, 1, 64, Scope::Function, kNoLane, kTransmitFaults},
    {Source::RdmaHwCounters, "tx_roce_errors", CounterId::TxRoceErrors, 1, 64, Scope::Function, kNoLane, kTransmitFaults},
    {Source::RdmaHwCounters, "recoverable_errors", CounterId::MisleadingRecoverableErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "unrecoverable_err", CounterId::UnrecoverableError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "res_tx_pci_err", CounterId::RespPcieTxError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "res_rx_pci_err", CounterId::RespPcieRxError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "res_srq_err", CounterId::RespSrqError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "res_irrq_oflow", CounterId::RespIrrqOverflow, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "res_mem_err", CounterId::RespMemError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_cqe_error", CounterId::ReqCqeError, 1, 64, Scope::Function, kNoLane, kCompletions},
    {Source::RdmaHwCounters, "resp_cqe_error", CounterId::RespCqeError, 1, 64, Scope::Function, kNoLane, kCompletions},
    {Source::RdmaHwCounters, "rx_pkts", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_bytes", CounterId::RdmaRxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_roce_only_pkts", CounterId::RdmaRxRoceOnlyPackets, 1, 64, Scope::Function, kNoLane, kRoceOnly},
    {Source::RdmaHwCounters, "tx_pkts", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_bytes", CounterId::RdmaTxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_roce_only_pkts", CounterId::RdmaTxRoceOnlyPackets, 1, 64, Scope::Function, kNoLane, kRoceOnly},
    {Source::RdmaHwCounters, "rx_roce_good_pkts", CounterId::RdmaRxGoodPackets, 1, 64, Scope::Function, kNoLane, kRoceOnly},
    {Source::RdmaHwCounters, "rx_good_pkts", CounterId::RdmaRxGoodPackets, 1, 64, Scope::Function, kNoLane, kRoceOnly},
    {Source::RdmaHwCounters, "pacing_alerts", CounterId::DbPacingAlerts, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "db_fifo_register", CounterId::DbFifoRegister, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "active_qps", CounterId::ActiveQps, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "active_rc_qps", CounterId::ActiveRcQps, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "active_ud_qps", CounterId::ActiveUdQps, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "active_cqs", CounterId::ActiveCqs, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "active_mrs", CounterId::ActiveMrs, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::RdmaHwCounters, "watermark_qps", CounterId::WatermarkQps, 1, 64, Scope::Function, kNoLane, kGauges},
    {Source::Debugfs, "DB Pacing Alerts", CounterId::DbPacingAlerts, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_discards", CounterId::PortXmitDiscards, 1, 16, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_errors", CounterId::PortRcvErrors, 1, 16, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_constraint_errors", CounterId::RxRoceDiscards, 1, 8, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_data", CounterId::RdmaRxBytes, 4, 64, Scope::Function, kNoLane},
    {Source::RdmaPortCounters, "port_xmit_data", CounterId::RdmaTxBytes, 4, 64, Scope::Function, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kBnxt;
constinit const VendorTable kBnxt{.name = "bnxt",
                                  .netdev_drivers = kNetdevDrivers,
                                  .rdma_drivers = kRdmaDrivers,
                                  .rows = kRows,
                                  .hides = kHidesBuffers | kHidesMaxRate};

}  // namespace roceready
