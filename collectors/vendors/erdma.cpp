// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kRdmaDrivers[] = {"erdma"};

// Not RoCE: an overlay of a cloud, without PFC and ECN.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::RdmaHwCounters, "tx_bps_limit_drop_cnt", CounterId::RateLimitDropsTxBps, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_pps_limit_drop_cnt", CounterId::RateLimitDropsTxPps, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_bps_limit_drop_cnt", CounterId::RateLimitDropsRxBps, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_pps_limit_drop_cnt", CounterId::RateLimitDropsRxPps, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_disable_drop_cnt", CounterId::DisableDropsTx, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_disable_drop_cnt", CounterId::DisableDropsRx, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_packets_cnt", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_packets_cnt", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kErdma;
constinit const VendorTable kErdma{.name = "erdma", .netdev_drivers = {}, .rdma_drivers = kRdmaDrivers, .rows = kRows};

}  // namespace roceready
