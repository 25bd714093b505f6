// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kRdmaDrivers[] = {"rdma_rxe"};

// Software RDMA: its netdev side belongs to whatever driver carries it.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::RdmaHwCounters, "sent_pkts", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rcvd_pkts", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "duplicate_request", CounterId::DuplicateRequest, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "out_of_seq_request", CounterId::OutOfSequenceEvents, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rcvd_rnr_err", CounterId::RnrNakReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "send_rnr_err", CounterId::RnrNakSent, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rcvd_seq_err", CounterId::PacketSeqErr, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "retry_exceeded_err", CounterId::TransportRetryExceeded, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "retry_rnr_exceeded_err", CounterId::RnrRetryExceeded, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "completer_retry_err", CounterId::RetransmitEvents, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "send_err", CounterId::TxErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "link_downed", CounterId::LinkDownEvents, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ack_deferred", CounterId::ResponsesQueued, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_sends", CounterId::RdmaSends, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_recvs", CounterId::RdmaRecvs, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kRxe;
constinit const VendorTable kRxe{.name = "rxe", .netdev_drivers = {}, .rdma_drivers = kRdmaDrivers, .rows = kRows};

}  // namespace roceready
