// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"cxgb4"};
constexpr std::string_view kRdmaDrivers[] = {"iw_cxgb4"};

// iWARP: TCP segments.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::RdmaHwCounters, "ip4RetransSegs", CounterId::IwarpRetransmittedSegments, 1, 64, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "ip6RetransSegs", CounterId::IwarpRetransmittedSegmentsV6, 1, 64, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "ip4OutRsts", CounterId::IwarpResetsSent, 1, 32, Scope::Device, kNoLane},
    {Source::RdmaHwCounters, "ip4InSegs", CounterId::IwarpRxSegments, 1, 64, Scope::Device, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kCxgb4;
constinit const VendorTable kCxgb4{
    .name = "cxgb4", .netdev_drivers = kNetdevDrivers, .rdma_drivers = kRdmaDrivers, .rows = kRows};

}  // namespace roceready
