// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kRdmaDrivers[] = {"efa"};

// Not RoCE: no PFC, ECN or CNP.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::RdmaHwCounters, "rx_drops", CounterId::RxDrops, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "retrans_pkts", CounterId::RetransmittedPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "retrans_bytes", CounterId::RetransmittedBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "retrans_timeout_events", CounterId::LocalAckTimeout, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "unresponsive_remote_events", CounterId::UnresponsiveRemote, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "impaired_remote_conn_events", CounterId::ImpairedRemote, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_bytes", CounterId::RdmaRxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_bytes", CounterId::RdmaTxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_read_wr_err", CounterId::RdmaReadErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rdma_write_wr_err", CounterId::RdmaWriteErrors, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kEfa;
constinit const VendorTable kEfa{.name = "efa", .netdev_drivers = {}, .rdma_drivers = kRdmaDrivers, .rows = kRows};

}  // namespace roceready
