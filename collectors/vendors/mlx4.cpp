// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"mlx4_en", "mlx4_core"};
constexpr std::string_view kRdmaDrivers[] = {"mlx4_ib"};

// hw_counters stand at the port where the firmware has per-port diagnostics, else at the device.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "rx_pause_prio_{prio}", CounterId::PfcRxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pause_duration_prio_{prio}", CounterId::PfcRxPauseDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pause_transition_prio_{prio}", CounterId::PfcRxPauseTransitions, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_prio_{prio}", CounterId::PfcTxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_duration_prio_{prio}", CounterId::PfcTxPauseDuration, 1e-6, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_transition_prio_{prio}", CounterId::PfcTxPauseTransitions, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pause", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_crc_errors", CounterId::RxCrcErrors, 1, 32, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_fifo_errors", CounterId::RxFifoErrors, 1, 32, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_dropped", CounterId::RxDiscardsPhy, 1, 32, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_prio_{prio}_packets", CounterId::RxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_prio_{prio}_packets", CounterId::TxPacketsPriority, 1, 64, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rq_num_rnr", CounterId::RnrNakSent, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "sq_num_rnr", CounterId::RnrNakReceived, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rq_num_oos", CounterId::OutOfSequenceEvents, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "sq_num_oos", CounterId::PacketSeqErr, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rq_num_dup", CounterId::DuplicateRequestEvents, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "sq_num_to", CounterId::LocalAckTimeout, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "sq_num_tree", CounterId::TransportRetryExceeded, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "sq_num_rree", CounterId::RnrRetryExceeded, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "num_cqovf", CounterId::CqOverflow, 1, 32, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "sq_num_rae", CounterId::ReqRemoteAccessError, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rq_num_rae", CounterId::RespRemoteAccessError, 1, 32, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rq_num_udsdprd", CounterId::UdQp1Drops, 1, 32, Scope::Device, kNoLane},
    {Source::RdmaPortCounters, "port_rcv_data", CounterId::RdmaRxBytes, 4, 64, Scope::Port, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kMlx4;
constinit const VendorTable kMlx4{.name = "mlx4",
                                  .netdev_drivers = kNetdevDrivers,
                                  .rdma_drivers = kRdmaDrivers,
                                  .rows = kRows,
                                  .hides = kHidesDscpMap | kHidesBuffers};

}  // namespace roceready
