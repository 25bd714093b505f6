// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"ionic"};
constexpr std::string_view kRdmaDrivers[] = {"ionic_rdma"};

// Groups (CounterRow::group).
constexpr std::uint8_t kPollara = 1;  ///< Pollara-class firmware

// Fact ionic-and-mana-have-no-dcb.
// Names of hw_counters come from the firmware: any spelling of them is taken ("outouf" is one that exists).
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "rx_pripause_{prio}_1us_count", CounterId::PfcRxPauseDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pripause_{prio}_1us_count", CounterId::PfcTxPauseDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_rx_pripause", CounterId::PfcRxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_tx_pripause", CounterId::PfcTxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_rx_pause", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_tx_pause", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pause_1us_count", CounterId::GlobalPauseRxDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_rx_pri_{prio}", CounterId::RxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_tx_pri_{prio}", CounterId::TxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_rx_dropped", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_rx_bad_fcs", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "frames_rx_stomped_crc", CounterId::RxStompedCrc, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "hw_rx_dropped", CounterId::RxDiscardsRing, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "hw_rx_over_errors", CounterId::RxOverErrors, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "hw_rx_missed_errors", CounterId::RxMissedErrors, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "hw_tx_dropped", CounterId::TxDiscardsRing, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "frames_tx_truncated", CounterId::TxTruncated, 1, 64, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rx_rdma_ecn_pkts", CounterId::EcnMarkedRx, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_rdma_cnp_pkts", CounterId::CnpSent, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_rdma_cnp_pkts", CounterId::CnpReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_rx_pkt_seq_err", CounterId::PacketSeqErr, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_tx_pkt_seq_err", CounterId::NakSeqSent, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_rx_outouf_seq", CounterId::OutOfSequence, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_rx_outof_seq", CounterId::OutOfSequence, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_rx_outof_buf", CounterId::OutOfBuffer, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_rx_dup_request", CounterId::DuplicateRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_rx_dup_response", CounterId::DuplicateResponse, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_rx_impl_nak_seq_err", CounterId::ImpliedNak, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_rx_rnr_retry_err", CounterId::RnrNakReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_tx_rnr_retry_err", CounterId::RnrNakSent, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_tx_retry_excd_err", CounterId::TransportRetryExceeded, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_rdma_ack_timeout", CounterId::LocalAckTimeout, 1, 64, Scope::Function, kNoLane, kPollara},
    {Source::RdmaHwCounters, "tx_rdma_retx_pkts", CounterId::RetransmittedPackets, 1, 64, Scope::Function, kNoLane, kPollara},
    {Source::RdmaHwCounters, "tx_rdma_retx_bytes", CounterId::RetransmittedBytes, 1, 64, Scope::Function, kNoLane, kPollara},
    {Source::RdmaHwCounters, "rx_rdma_mtu_discard_pkts", CounterId::RxMtuDiscards, 1, 64, Scope::Function, kNoLane, kPollara},
    {Source::RdmaHwCounters, "req_rx_inval_pkts", CounterId::RxInvalidPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_rx_cqe_err", CounterId::ReqCqeError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "resp_rx_cqe_err", CounterId::RespCqeError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "req_rx_rmt_acc_err", CounterId::ReqRemoteAccessError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_rdma_ucast_bytes", CounterId::RdmaRxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_rdma_ucast_pkts", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_rdma_ucast_bytes", CounterId::RdmaTxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_rdma_ucast_pkts", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kIonic;
constinit const VendorTable kIonic{.name = "ionic",
                                   .netdev_drivers = kNetdevDrivers,
                                   .rdma_drivers = kRdmaDrivers,
                                   .rows = kRows,
                                   .loose_names = true,
                                   .hides = kHidesDcb};

}  // namespace roceready
