// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"mana"};
constexpr std::string_view kRdmaDrivers[] = {"mana_ib"};

// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "hc_tc{prio}_rx_pause_phy", CounterId::PfcRxPauseTc, 1, 64, Scope::TrafficClass, kNoLane},
    {Source::EthtoolStatistics, "hc_tc{prio}_tx_pause_phy", CounterId::PfcTxPauseTc, 1, 64, Scope::TrafficClass, kNoLane},
    {Source::EthtoolStatistics, "hc_rx_pkt_drop_phy", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "hc_tx_pkt_drop_phy", CounterId::TxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "hc_rx_discards_no_wqe", CounterId::RxOutOfBufferEth, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_timeout", CounterId::LocalAckTimeout, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_oos_nak", CounterId::PacketSeqErr, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_rnr_nak", CounterId::RnrNakReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "responder_rnr_nak", CounterId::RnrNakSent, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "responder_oos", CounterId::OutOfSequence, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "responder_dup_request", CounterId::DuplicateRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_implicit_nak", CounterId::ImpliedNak, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_readresp_psn_mismatch", CounterId::ReadrespPsnMismatch, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_retries_exceeded", CounterId::TransportRetryExceeded, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "requester_rnr_nak_retries_exceeded", CounterId::RnrRetryExceeded, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "general_hw_error", CounterId::GeneralHwError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "total_fatal_error", CounterId::FatalErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "received_cnps", CounterId::CnpReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "num_qps_congested", CounterId::QpsCongested, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rate_inc_events", CounterId::RateIncreaseEvents, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "num_qps_recovered", CounterId::QpsRecovered, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "current_rate", CounterId::CcCurrentRate, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "sent_cnps", CounterId::CnpSent, 1, 64, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "received_ecns", CounterId::EcnMarkedRx, 1, 64, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "received_cnp_count", CounterId::CnpReceived, 1, 64, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "qp_congested_events", CounterId::QpCongestedEvents, 1, 64, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "qp_recovered_events", CounterId::QpRecoveredEvents, 1, 64, Scope::Device, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kMana;
constinit const VendorTable kMana{
    .name = "mana", .netdev_drivers = kNetdevDrivers, .rdma_drivers = kRdmaDrivers, .rows = kRows, .hides = kHidesDcb};

}  // namespace roceready
